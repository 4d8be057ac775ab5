"""FLOPs of contractions against arithmetic on paper."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from generator.proof.measure import KernelMode, UncountedError, backward_matmul_flops, known, matmul_flops, matmul_kernels
from generator.proof.measure.known import refuse_unknown
from generator.proof.measure.macs import macs_kernels
from tests.proof.measure.plain import DEVICES, Attention, conv_net, encoder_layer

both_devices = pytest.mark.parametrize("device", DEVICES)


@both_devices
def test_a_linear_layer_counts_two_per_weight_and_position_and_once_per_needed_gradient(device: str) -> None:
    layer, x = nn.Linear(4, 6, device=device), torch.zeros(2, 3, 4, device=device)
    assert matmul_flops(layer, x) == 2 * 6 * 4 * 6  # 2 * positions * in * out
    assert backward_matmul_flops(layer, [x], input_gradients=False) == 288  # the weight's only
    assert backward_matmul_flops(layer, [x], input_gradients=True) == 576


@both_devices
def test_attention_by_hand_counts_four_projections_and_two_products(device: str) -> None:
    model, x = Attention(8, 2, device=device), torch.zeros(2, 3, 8, device=device)
    # projections 8bnd^2 = 8*6*64 = 3072; scores and mixing 4bn^2d = 4*2*9*8 = 576
    assert matmul_flops(model, x) == 3648
    # q, k and v have one gradient each (3 * 2bnd^2 = 2304) when x needs none; all else has two
    assert backward_matmul_flops(model, [x], input_gradients=True) == 2 * 3648
    assert backward_matmul_flops(model, [x], input_gradients=False) == 2 * 3648 - 2304


@both_devices
def test_torch_encoder_layer_counts_as_on_paper(device: str) -> None:
    model, x = encoder_layer(device=device), torch.zeros(2, 3, 8, device=device)
    expected = 8 * 6 * 64 + 4 * 2 * 9 * 8 + 4 * 6 * 8 * 16  # 8bnd^2 + 4bn^2d + 4bndf
    assert matmul_flops(model, x) == expected == 6720
    assert backward_matmul_flops(model, [x], input_gradients=True) == 2 * expected


@both_devices
def test_a_conv_net_counts_as_on_paper_with_groups_in_both_directions(device: str) -> None:
    net, x = conv_net(device=device), torch.zeros(2, 3, 8, 8, device=device)
    first = 2 * 2 * 8 * 64 * (3 * 9)  # 2 * b * out * positions * (in * 3 * 3) = 55296
    grouped = 2 * 2 * 8 * 16 * (2 * 9)  # each output channel reads 8 / 4 inputs = 9216
    head = 2 * 2 * 8 * 5
    assert matmul_flops(net, x) == first + grouped + head == 64672
    assert backward_matmul_flops(net, [x], input_gradients=False) == first + 2 * (grouped + head)
    assert backward_matmul_flops(net, [x], input_gradients=True) == 2 * (first + grouped + head)


@both_devices
@pytest.mark.parametrize(
    ("layer", "shape", "expected"),
    [
        (lambda: nn.Conv1d(4, 6, 3, groups=2), (2, 4, 8), 2 * 2 * 6 * 6 * (2 * 3)),  # 2 * b * out * length * (in/groups * 3)
        (lambda: nn.Conv2d(4, 4, 3, groups=4, stride=2, padding=1), (2, 4, 8, 8), 2 * 2 * 4 * 16 * 9),
        (lambda: nn.Conv1d(4, 6, 3, dilation=2), (2, 4, 8), 2 * 2 * 6 * 4 * (4 * 3)),
        (lambda: nn.ConvTranspose1d(4, 6, 3), (2, 4, 8), 2 * 2 * 4 * 8 * (6 * 3)),  # each input element meets all weights of its channel
        (lambda: nn.ConvTranspose2d(4, 6, 2, stride=2, groups=2), (2, 4, 8, 8), 2 * 2 * 4 * 64 * (3 * 4)),
    ],
)
def test_convolutions_cost_the_same_again_for_each_gradient(device: str, layer: object, shape: tuple[int, ...], expected: int) -> None:
    module, x = layer().to(device), torch.zeros(shape, device=device)  # type: ignore[operator]
    assert matmul_flops(module, x) == expected
    assert backward_matmul_flops(module, [x], input_gradients=False) == expected
    assert backward_matmul_flops(module, [x], input_gradients=True) == 2 * expected


@both_devices
def test_fused_attention_counts_its_two_products_on_every_device(device: str) -> None:
    q, k = torch.zeros(2, 6, 3, 4, device=device), torch.zeros(2, 2, 5, 4, device=device)

    def attend(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        return functional.scaled_dot_product_attention(q, k, k, enable_gqa=True)

    assert matmul_flops(attend, q, k) == 2 * 2 * (2 * 6 * 3 * 5 * 4)
    assert backward_matmul_flops(attend, [q, k], input_gradients=True) == 2 * 2880


@both_devices
def test_contractions_that_torch_counts_as_nothing_are_counted(device: str) -> None:
    a, b, v = torch.zeros(2, 3, 4, device=device), torch.zeros(2, 4, 5, device=device), torch.zeros(4, device=device)
    assert matmul_flops(lambda: a @ v) == 2 * 6 * 4
    assert matmul_flops(lambda: torch.addmv(a[0, :, 0], a[0], v)) == 2 * 3 * 4
    assert matmul_flops(lambda: v @ v) == 2 * 4
    assert matmul_flops(lambda: torch.addbmm(torch.zeros(3, 5, device=device), a, b)) == 2 * 2 * 3 * 4 * 5


def test_a_fused_layer_that_hides_its_products_is_refused_by_name() -> None:
    with pytest.raises(UncountedError, match="mkldnn_rnn_layer"):
        matmul_flops(nn.LSTM(4, 5), torch.zeros(3, 2, 4))
    with pytest.raises(UncountedError, match="_trilinear"):
        matmul_kernels(nn.Bilinear(4, 5, 6), torch.zeros(3, 4), torch.zeros(3, 5))
    model = encoder_layer().eval()
    with torch.no_grad(), pytest.raises(UncountedError, match="_transformer_encoder_layer_fwd"):
        matmul_flops(model, torch.zeros(2, 3, 8))


def test_an_lstm_on_meta_is_counted() -> None:
    lstm = nn.LSTM(4, 5, device="meta")
    assert matmul_flops(lstm, torch.zeros(3, 2, 4, device="meta")) == 2 * 3 * 2 * (
        4 * 20 + 5 * 20
    )  # 2 * steps * b * (in + hidden) * 4 gates


@pytest.mark.parametrize(
    ("model", "shape"), [(conv_net, (2, 3, 8, 8)), (encoder_layer, (2, 3, 8)), (lambda device: Attention(8, 2, device=device), (2, 3, 8))]
)
def test_the_shares_of_the_kernels_add_up_to_the_plain_counter_of_torch(model: object, shape: tuple[int, ...]) -> None:
    module, x = model(device="meta"), torch.zeros(shape, device="meta")  # type: ignore[operator]
    with FlopCounterMode(display=False) as plain:
        module(x)
    assert matmul_kernels(module, x).total == matmul_flops(module, x) == plain.get_total_flops()


def test_backward_of_a_model_without_anything_to_learn_is_zero_and_gradients_are_left_alone() -> None:
    assert backward_matmul_flops(nn.Softmax(-1), [torch.zeros(2, 3)], input_gradients=False) == 0
    layer = nn.Linear(2, 2)
    layer.weight.grad = torch.full((2, 2), 7.0)
    backward_matmul_flops(layer, [torch.ones(1, 2)], input_gradients=True)
    assert layer.weight.grad.tolist() == [[7.0, 7.0], [7.0, 7.0]]
    assert layer.bias.grad is None


def test_known_gaps_of_torchs_own_counter_have_not_changed() -> None:
    """If this fails after an upgrade of torch, `generator/proof/measure/matmul_flops.py` may do less."""

    def plain(fn: object, *args: object) -> int:
        with FlopCounterMode(display=False) as counter:
            fn(*args)  # type: ignore[operator]
        return counter.get_total_flops()

    q = torch.zeros(2, 6, 3, 4)
    assert plain(functional.scaled_dot_product_attention, q, q, q) == 0  # fused attention on CPU
    assert plain(functional.scaled_dot_product_attention, *[q.to("meta")] * 3) == 2 * 2 * 2 * 6 * 9 * 4
    assert plain(torch.mv, q[0, 0], q[0, 0, 0]) == 0
    assert plain(torch.dot, q[0, 0, 0], q[0, 0, 0]) == 0
    assert plain(nn.LSTM(4, 5), torch.zeros(3, 2, 4)) == 0
    assert plain(nn.Bilinear(4, 5, 6), torch.zeros(3, 4), torch.zeros(3, 5)) == 0
    grouped = nn.Conv1d(4, 6, 3, groups=2)
    forward = 2 * 2 * 6 * 6 * (2 * 3)
    result = grouped(torch.zeros(2, 4, 8))
    assert plain(result.sum().backward) == 2 * forward  # the weight's gradient alone, times the groups


def grouped(x: torch.Tensor, weights: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """The same products, one group after the other."""
    begins = [0, *ends.tolist()]
    return torch.cat([x[begin:end] @ weights[i] for i, (begin, end) in enumerate(itertools.pairwise(begins))])


@pytest.mark.parametrize("ends", [(16, 16, 40), (0, 24, 32)], ids=["all rows", "without the last rows"])
def test_grouped_products_count_as_one_product_after_the_other(ends: tuple[int, ...]) -> None:
    offsets = torch.tensor(ends, dtype=torch.int32)
    x, weights = torch.randn(40, 16, requires_grad=True), torch.randn(3, 16, 24, requires_grad=True)
    counter = FlopCounterMode(display=False)
    with counter:
        out = grouped(x, weights, offsets)
    flops = counter.get_total_flops()
    assert flops == 2 * ends[-1] * 16 * 24
    assert matmul_flops(functional.grouped_mm, x, weights, offs=offsets) == flops
    assert matmul_kernels(functional.grouped_mm, x, weights, offs=offsets).total == flops
    assert 2 * macs_kernels(lambda: functional.grouped_mm(x, weights, offs=offsets)).total == flops
    with counter:
        out.square().sum().backward()
    backward = macs_kernels(lambda: functional.grouped_mm(x, weights, offs=offsets).square().sum().backward())
    assert 2 * backward.total == flops + counter.get_total_flops() == 3 * flops
    assert (
        backward_matmul_flops(lambda *given: functional.grouped_mm(*given, offs=offsets), [x, weights], input_gradients=True) == 2 * flops
    )


def test_what_surely_contains_no_product_is_told_from_what_may() -> None:
    x = torch.eye(4, requires_grad=True)

    def run(fn: Callable[[], object]) -> None:
        with KernelMode(observers=[refuse_unknown]):
            fn()

    run(lambda: functional.layer_norm(x, (4,)).softmax(-1).sum().backward())
    run(lambda: functional.cross_entropy(functional.gelu(x), torch.arange(4)).backward())
    run(lambda: (torch.lerp(x, x, 0.5), torch.histc(x), x.T, (x @ x).prod().backward()))
    for name, fn in {"linalg_inv_ex": lambda: torch.linalg.inv(x), "linalg_eigh": lambda: torch.linalg.eigvalsh(x.detach())}.items():
        with pytest.raises(UncountedError, match=f"`_?{name}`"):
            run(fn)


def test_every_name_that_is_known_to_contain_no_product_is_one_of_torch() -> None:
    assert [name for name in known.FREE if not any(hasattr(torch.ops.aten, one) for one in (name, f"{name}_"))] == []
