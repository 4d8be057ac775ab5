"""The kernels that torch dispatches: which copy, which are views, and how they are told apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from generator.proof.measure import current_label, kernels, module_labels, record
from tests.proof.measure import plain
from tests.proof.measure.plain import DEVICES, Attention, conv_net, encoder_layer

both_devices = pytest.mark.parametrize("device", DEVICES)


def _work(fn: Callable[..., object], *args: object) -> list[str]:
    """Names of the kernels that are not views."""
    return [kernel.op for kernel in kernels(fn, *args) if not kernel.is_view]


@both_devices
def test_a_kernel_tells_its_shapes_dtypes_and_whether_it_is_a_view(device: str) -> None:
    layer = nn.Linear(4, 6, device=device, dtype=torch.bfloat16)
    found = kernels(layer, torch.zeros(2, 3, 4, device=device, dtype=torch.bfloat16))
    assert [(kernel.op, kernel.is_view) for kernel in found] == [("view", True), ("t", True), ("addmm", False), ("view", True)]
    assert [tensor.shape for tensor in found[2].inputs] == [(6,), (6, 4), (4, 6)]
    assert [(tensor.shape, tensor.dtype, tensor.bytes) for tensor in found[2].outputs] == [((6, 6), torch.bfloat16, 72)]


@both_devices
def test_a_linear_layer_fuses_its_bias_only_where_the_input_is_contiguous(device: str) -> None:
    layer, x = nn.Linear(4, 6, device=device), torch.zeros(2, 3, 4, device=device)
    assert _work(layer, x) == ["addmm"]
    assert _work(layer, torch.zeros(2, 4, 3, device=device).transpose(1, 2)) == ["clone", "mm", "add.Tensor"]
    assert _work(layer, torch.zeros(2, 3, 8, device=device)[..., :4]) == ["mm", "add.Tensor"]
    assert _work(nn.Linear(4, 6, bias=False, device=device), x) == ["mm"]


@both_devices
def test_heads_are_copied_before_their_products_and_when_they_are_joined(device: str) -> None:
    x = torch.zeros(2, 3, 8, device=device)
    expected = [*["addmm"] * 3, "clone", "clone", "bmm", "mul.Tensor", "_softmax", "clone", "bmm", "clone", "addmm"]
    assert _work(Attention(8, 2, device=device), x) == expected
    one_head = Attention(8, 1, device=device)
    assert "clone" not in _work(one_head, x)  # an axis of size 1 merges with any other


@both_devices
@pytest.mark.parametrize(
    ("equation", "shapes", "expected"),
    [
        ("bhie,bhje->bhij", ((2, 6, 3, 4), (2, 6, 5, 4)), ["bmm"]),
        ("bihe,bjhe->bhij", ((2, 3, 6, 4), (2, 5, 6, 4)), ["clone", "clone", "bmm"]),
        ("bnhe,hed->bnd", ((2, 3, 6, 4), (6, 4, 5)), ["clone", "clone", "bmm"]),  # summed axes in order of their letters: e before h
        ("bnac,acd->bnd", ((2, 3, 6, 4), (6, 4, 5)), ["bmm"]),  # the same sums under other letters need no copy
        ("bi,bj->bij", ((2, 3), (2, 4)), ["mul.Tensor"]),
        ("bij->bi", ((2, 3, 4),), ["sum.dim_IntList"]),
        ("bij->bji", ((2, 3, 4),), []),
    ],
)
def test_einsum_copies_operands_whose_axes_do_not_merge(
    device: str, equation: str, shapes: tuple[tuple[int, ...], ...], expected: list[str]
) -> None:
    assert _work(torch.einsum, equation, *(torch.zeros(shape, device=device) for shape in shapes)) == expected


@both_devices
def test_views_are_told_from_copies_by_the_storage(device: str) -> None:
    def views(x: Tensor) -> None:
        y = x.unflatten(-1, (2, 3)).transpose(0, 1).unsqueeze(0).expand(4, -1, -1, -1, -1)
        y.split(1, 0)[0].unbind(1)[0].select(0, 0).permute(1, 0, 2).squeeze(0).detach().diagonal()
        x.reshape(-1).unfold(0, 2, 1)
        x.clone().unsqueeze_(0)

    found = kernels(views, torch.zeros(2, 5, 6, device=device))
    assert [kernel.op for kernel in found if not kernel.is_view] == ["clone"]
    assert {"unbind.int", "split.Tensor", "unfold", "unsqueeze_"} <= {kernel.op for kernel in found if kernel.is_view}


@both_devices
def test_labels_nest_and_end_with_their_block(device: str) -> None:
    def fn(x: Tensor) -> Tensor:
        with record("a"):
            x = x.exp()
            with record("b"):
                x = x.tanh()
        return x.neg()

    x = torch.zeros(2, device=device)
    assert [(kernel.op, kernel.label) for kernel in kernels(fn, x)] == [("exp", "a"), ("tanh", "a.b"), ("neg", "")]
    with pytest.raises(RuntimeError), record("failing"):
        raise RuntimeError
    assert current_label() == ""


@both_devices
def test_submodules_label_what_they_compute_even_when_called_twice_or_failing(device: str) -> None:
    shared = nn.Tanh()
    model = nn.ModuleDict({"block": nn.Sequential(shared, nn.Linear(3, 3)), "again": shared}).to(device)

    def fn(x: Tensor) -> Tensor:
        return model["again"](model["block"](x)).exp()

    with module_labels(model):
        assert [(kernel.op, kernel.label) for kernel in kernels(fn, torch.zeros(2, 3, device=device)) if not kernel.is_view] == [
            ("tanh", "block.0"),
            ("addmm", "block.1"),
            ("tanh", "block.0"),
            ("exp", ""),
        ]
        with pytest.raises(RuntimeError):
            fn(torch.zeros(2, 4, device=device))
        assert current_label() == ""
    assert {kernel.label for kernel in kernels(fn, torch.zeros(2, 3, device=device))} == {""}


def test_kernels_carry_the_lines_of_the_source_file_they_come_from() -> None:
    lines = Path(plain.__file__).read_text(encoding="utf-8").splitlines()
    found = kernels(Attention(8, 2), torch.zeros(2, 3, 8), source=plain.__file__)
    softmax = next(kernel for kernel in found if kernel.op == "_softmax")
    assert ".softmax(-1)" in lines[softmax.lines[-1] - 1]
    assert len(softmax.lines) == 1
    assert kernels(torch.exp, torch.zeros(2), source=plain.__file__)[0].lines == ()


@pytest.mark.parametrize(
    ("make", "shape"), [(conv_net, (2, 3, 8, 8)), (encoder_layer, (2, 3, 8)), (lambda device: Attention(8, 2, device=device), (2, 3, 8))]
)
def test_cpu_and_meta_dispatch_the_same_kernels(make: Callable[..., nn.Module], shape: tuple[int, ...]) -> None:
    with sdpa_kernel(SDPBackend.MATH):
        assert kernels(make(device="cpu"), torch.zeros(shape)) == kernels(make(device="meta"), torch.zeros(shape, device="meta"))


def test_fused_attention_is_one_kernel_on_cpu_only() -> None:
    q = torch.zeros(2, 3, 5, 4)
    assert _work(functional.scaled_dot_product_attention, q, q, q) == ["_scaled_dot_product_flash_attention_for_cpu"]
    q = q.to("meta")
    assert _work(functional.scaled_dot_product_attention, q, q, q) == ["mul.Scalar", "mul.Scalar", "bmm", "_safe_softmax", "bmm"]
