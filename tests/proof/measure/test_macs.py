"""Multiply-accumulates counted from tensors, against numbers worked out by hand and against PyTorch's own FLOPs."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from generator.proof.measure.macs import macs_kernels
from generator.proof.measure.uncounted import UncountedError

IMAGE = torch.zeros(2, 4, 9, 9)
LAYERS = {
    "linear": (nn.Linear(5, 7), torch.zeros(3, 5), 3 * 5 * 7),
    "linear without bias": (nn.Linear(5, 7, bias=False), torch.zeros(2, 3, 5), 2 * 3 * 5 * 7),
    "convolution": (nn.Conv2d(4, 6, 3), IMAGE, 2 * 6 * 7 * 7 * 4 * 9),
    "grouped": (nn.Conv2d(4, 6, 3, groups=2), IMAGE, 2 * 6 * 7 * 7 * 2 * 9),
    "strided": (nn.Conv2d(4, 6, 3, stride=2), IMAGE, 2 * 6 * 4 * 4 * 4 * 9),
    "transposed": (nn.ConvTranspose2d(4, 6, 3, stride=2), IMAGE, 2 * 4 * 9 * 9 * 6 * 9),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_come_to_what_is_worked_out_by_hand_and_to_half_of_the_flops(name: str) -> None:
    layer, x, expected = LAYERS[name]
    with FlopCounterMode(display=False) as counter:
        layer(x)
    assert macs_kernels(layer, x).total == expected == counter.get_total_flops() // 2


def test_fused_attention_is_two_products_over_the_full_square() -> None:
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    q, k = torch.zeros(2, 3, 5, 8), torch.zeros(2, 3, 5, 8)
    assert macs_kernels(attend, q, k, k).total == 2 * (2 * 3 * 5 * 5 * 8)


def test_a_contraction_that_nobody_counts_is_an_error() -> None:
    with pytest.raises(UncountedError, match="addbmm"):
        macs_kernels(torch.addbmm, torch.zeros(3, 5), torch.zeros(2, 3, 4), torch.zeros(2, 4, 5))
