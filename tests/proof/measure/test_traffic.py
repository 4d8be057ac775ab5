"""Elements moved, against arithmetic on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from generator.proof.measure import traffic
from tests.proof.measure.plain import DEVICES, Attention, conv_net

both_devices = pytest.mark.parametrize("device", DEVICES)


@both_devices
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_linear_layer_moves_input_weight_bias_and_output_once(device: str, dtype: torch.dtype) -> None:
    moved = traffic(nn.Linear(4, 6, device=device, dtype=dtype), torch.zeros(2, 3, 4, device=device, dtype=dtype))
    assert (moved.read, moved.written) == (24 + 4 * 6 + 6, 36)
    assert moved.elements == 90
    assert moved.bytes == 90 * dtype.itemsize


@both_devices
def test_attention_by_hand_moves_as_on_paper(device: str) -> None:
    moved = traffic(Attention(8, 2, device=device), torch.zeros(2, 3, 8, device=device))
    projection = 48 + 64 + 8 + 48  # x, weight, bias, result
    copy = 48 + 48  # of q, k, v and of the joined heads
    scores = 48 + 48 + 36
    scale, softmax = 36 + 36, 36 + 36
    mixing = 36 + 48 + 48
    assert moved.elements == 4 * projection + 4 * copy + scores + scale + softmax + mixing == 1464


@both_devices
def test_a_conv_net_moves_as_on_paper(device: str) -> None:
    moved = traffic(conv_net(device=device), torch.zeros(2, 3, 8, 8, device=device)).count.by_op()
    assert {op: elements for op, elements in moved.items() if elements} == {
        "convolution": (384 + 216 + 1024) + (256 + 144 + 8 + 256),  # input, weight, (bias,) output
        "add_.Tensor": 1 + 1,  # batches seen
        "native_batch_norm": 1024 + 4 * 8 + 1024 + 2 * 8,  # input, weight, bias, running mean and variance; output, statistics
        "relu": 2 * 1024 + 2 * 256,
        "max_pool2d_with_indices": 1024 + 2 * 256,  # output and indices
        "mean.dim": 256 + 16,
        "addmm": 16 + 40 + 5 + 10,
    }


@both_devices
@pytest.mark.parametrize(
    ("fn", "read", "written"),
    [  # x is [3, 5]
        (lambda x: x + x, 30, 15),
        (lambda x: x + x[0], 20, 15),  # a broadcast operand at its own size
        (lambda x: x * 2, 15, 15),
        (lambda x: x.t().unsqueeze(0).expand(2, -1, -1), 0, 0),
        (lambda x: x.t().flatten(), 15, 15),
        (lambda x: torch.cat([x, x]), 30, 30),
        (lambda x: x.sum(), 15, 1),
        (lambda x: x.softmax(-1), 15, 15),
        (lambda x: functional.layer_norm(x, [5]), 15, 15 + 2 * 3),  # the statistics are results too
        (lambda x: torch.zeros(4, 2, device=x.device), 0, 8),
        (torch.zeros_like, 0, 15),
        (lambda x: x.new_empty(4), 0, 0),
        (lambda x: functional.dropout(x, 0.1), 15 + 30, 15 + 15 + 15),  # noise drawn; divided in place; product
        (lambda x: functional.embedding(torch.zeros(4, dtype=torch.long, device=x.device), x), 4 + 20, 4 + 20),
        (lambda x: x[torch.zeros(4, dtype=torch.long, device=x.device)], 4 + 20, 4 + 20),
        (lambda x: x.clone().add_(1), 15 + 15, 15 + 15),
        (lambda x: x.masked_fill(x > 0, 0.0), 15 + 30, 15 + 15),
    ],
)
def test_kernels_read_their_arguments_and_write_their_results(device: str, fn: Callable[[Tensor], object], read: int, written: int) -> None:
    moved = traffic(fn, torch.zeros(3, 5, device=device))
    assert (moved.read, moved.written) == (read, written)


@both_devices
def test_bytes_follow_the_dtype_of_each_tensor(device: str) -> None:
    x = torch.zeros(3, 5, device=device, dtype=torch.bfloat16)
    assert traffic(x.float).bytes == 15 * 2 + 15 * 4
    assert traffic(lambda: x > 0).bytes == 15 * 2 + 15 * 1
