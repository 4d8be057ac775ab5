"""What is measured on meta tensors is what the CPU does, where torch by itself has a GPU in mind."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from generator.proof.measure import peak

TRANSFORMS: dict[str, Callable[[Tensor, tuple[int, ...]], Tensor]] = {
    "rfft": lambda x, axes: torch.fft.rfftn(x, dim=axes),
    "irfft": lambda x, axes: torch.fft.irfftn(x.to(torch.complex64), dim=axes),
    "fft": lambda x, axes: torch.fft.fftn(x.to(torch.complex64), dim=axes),
}


@pytest.mark.parametrize("kind", TRANSFORMS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_transforms_along_several_axes_lie_in_memory_as_on_the_cpu(kind: str, count: int) -> None:
    for axes in permutations(range(4), count):
        for order in [*permutations(range(4))][::5]:
            found = [TRANSFORMS[kind](torch.ones(4, 5, 6, 3, device=device).permute(order), axes).stride() for device in ("cpu", "meta")]
            assert found[0] == found[1], (axes, order)


def test_the_derivative_of_mish_is_one_kernel() -> None:
    found = [peak(functional.mish, [torch.ones(3, 5, device=device)]) for device in ("cpu", "meta")]
    assert found[0] == found[1]
    assert found[1].elements == 4 * 15  # the input, the output, and their gradients


def test_a_batch_norm_makes_no_gradient_that_nobody_wants() -> None:
    def normed(x: Tensor) -> Tensor:
        weights = [torch.ones(3, device=x.device, requires_grad=True) for _ in range(2)]
        return functional.batch_norm(x, None, None, *weights, training=True)

    found = [peak(normed, [torch.ones(4, 3, 5, device=device)], input_gradients=False) for device in ("cpu", "meta")]
    assert found[0] == found[1]
