"""What is kept for the backward pass, against arithmetic on paper and a published formula."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from generator.proof.measure import module_labels, record, saved
from tests.proof.measure.plain import DEVICES, Attention, DroppingBlock, conv_net, encoder_layer

both_devices = pytest.mark.parametrize("device", DEVICES)
both_dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])


def _x(*shape: int, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.ones(shape, device=device, dtype=dtype, requires_grad=True)


@both_devices
@both_dtypes
def test_a_linear_layer_keeps_its_input_and_not_its_weights(device: str, dtype: torch.dtype) -> None:
    layer = nn.Linear(4, 6, device=device, dtype=dtype)
    kept = saved(layer, torch.ones(2, 3, 4, device=device, dtype=dtype))
    assert [(s.elements, s.bytes, s.dtype, s.shape, s.is_input) for s in kept.storages] == [(24, 24 * dtype.itemsize, dtype, (6, 4), True)]


@both_devices
@both_dtypes
def test_attention_by_hand_keeps_as_on_paper(device: str, dtype: torch.dtype) -> None:
    model = Attention(8, 2, device=device, dtype=dtype)
    kept = saved(model, _x(2, 3, 8, device=device, dtype=dtype))
    # x once for three projections 48; q, k, v copied from [b, n, h, e] 3 * 48; weights bhn^2 = 36; the joined heads 48
    assert kept.elements == 276
    assert kept.bytes == 276 * dtype.itemsize


@both_devices
def test_torch_encoder_layer_keeps_as_on_paper(device: str) -> None:
    model = encoder_layer(device=device)
    with sdpa_kernel(SDPBackend.MATH):  # on CPU, fused attention keeps other tensors
        kept = saved(model, _x(2, 3, 8, device=device))
    expected = {
        "x": 48,
        "statistics of the first norm": 2 * 6,
        "first norm's output, copied to [n, b, d]": 48,
        "scaled query": 48,
        "scaled key": 48,
        "weights": 36,
        "value: the packed projection as a whole, of which it is a view": 3 * 48,
        "joined heads": 48,
        "residual sum": 48,
        "statistics of the second norm": 2 * 6,
        "second norm's output": 48,
        "ReLU's output": 96,
    }
    assert kept.elements == sum(expected.values()) == 636
    assert kept.bytes == 4 * 636


@both_devices
@both_dtypes
def test_a_conv_net_keeps_as_on_paper_with_indices_of_eight_bytes(device: str, dtype: torch.dtype) -> None:
    kept = saved(conv_net(device=device, dtype=dtype), torch.ones(2, 3, 8, 8, device=device, dtype=dtype))
    # images 384; batch norm's input 1024; ReLU's output 1024, which the pooling keeps too; pooled 256; ReLU 256; averages 16
    floats, statistics, indices = 384 + 1024 + 1024 + 256 + 256 + 16, 2 * 8, 256
    assert kept.elements == floats + statistics + indices == 3232
    # in half precision, meta tensors show the statistics as a GPU has them (float32), CPU tensors as a CPU has them
    statistic = 4 if device == "meta" else dtype.itemsize
    assert kept.bytes == floats * dtype.itemsize + statistics * statistic + indices * 8


@both_devices
def test_a_transformer_layer_with_dropout_keeps_what_korthikanti_counts(device: str) -> None:
    """Equation 1 of Korthikanti et al. (2022): s*b*h*(34 + 5*a*s/h) bytes in 16 bit, statistics of the norms neglected."""
    s, b, h, a = 5, 3, 8, 2
    model = DroppingBlock(h, a, device=device, dtype=torch.bfloat16)
    kept = saved(model, _x(b, s, h, device=device, dtype=torch.bfloat16))
    statistics = 2 * 2 * s * b * (4 if device == "meta" else 2)
    assert kept.bytes == 34 * s * b * h + 5 * a * s**2 * b + statistics
    model = DroppingBlock(h, a, device=device)
    # in 32 bit all but the masks (2*s*b*h + a*s^2*b) double
    assert saved(model, _x(b, s, h, device=device)).bytes == 66 * s * b * h + 9 * a * s**2 * b + 2 * 2 * s * b * 4


@both_devices
@pytest.mark.parametrize(
    ("fn", "expected"),
    [  # x is [3, 4, 5] with a gradient: 60 elements, 12 rows
        (lambda x: x + 1, []),
        (lambda x: x * 0.5 - x / 3, []),
        (lambda x: x.relu(), [60]),
        (lambda x: x.exp().exp(), [60, 60]),
        (functional.gelu, [60]),
        (lambda x: x * x, [60]),
        (lambda x: x * x.detach(), [60]),
        (lambda x: x * x[0].detach().clone(), [20]),  # the other operand at its own size; x itself is not needed
        (lambda x: x.softmax(-1), [60]),
        (lambda x: functional.layer_norm(x, [5]), [60, 12, 12]),
        (lambda x: functional.rms_norm(x, [5]), [60, 12]),
        (lambda x: functional.group_norm(x, 2), [60, 6, 6]),
        (lambda x: functional.normalize(x, dim=-1), [60, 12, 12]),
        (lambda x: x.sum(-1) + x.mean(-1), []),
        (lambda x: x.amax(-1), [60, 12]),
        (lambda x: x.cumsum(1), []),
        (lambda x: x.gather(1, torch.zeros(3, 2, 5, dtype=torch.long, device=x.device)), [30, 60]),
        (lambda x: x.index_select(1, torch.zeros(2, dtype=torch.long, device=x.device)), [2]),
        (lambda x: x.topk(2), [24]),
        (lambda x: torch.cat([x, x]).roll(1, 0), []),
        (lambda x: x.transpose(0, 1).flatten(1) @ x[0].detach().flatten().clone()[:15], [20]),  # the whole storage of a slice
        (lambda x: torch.einsum("bie,bje->bij", x, x), [60]),
        (lambda x: torch.einsum("bihe,bjhe->bhij", *[x.unflatten(1, (2, 2))] * 2), [60, 60]),  # copied to bring b and h together
        (lambda x: x.unfold(1, 2, 1) @ x.unfold(1, 2, 1).mT, [90, 90]),  # overlapping windows [3, 3, 5, 2] are copied
    ],
)
def test_operations_keep_what_their_gradient_needs(device: str, fn: Callable[[Tensor], object], expected: list[int]) -> None:
    assert [storage.elements for storage in saved(fn, _x(3, 4, 5, device=device)).storages] == expected


@both_devices
@both_dtypes
def test_masks_indices_and_noise_have_their_own_size(device: str, dtype: torch.dtype) -> None:
    x = _x(3, 4, device=device, dtype=dtype)
    mask = torch.ones(3, 4, dtype=torch.bool, device=device)
    assert saved(lambda: x.masked_fill(mask, 0.0)).bytes == 12  # a byte for each element
    assert saved(lambda: torch.where(mask, x, 0.0)).bytes == 12
    assert saved(lambda: torch.native_dropout(x, 0.1, True)).bytes == 12
    assert saved(lambda: functional.dropout(x, 0.1)).bytes == 12 * dtype.itemsize  # noise, not a mask
    table = nn.Embedding(7, 5, device=device, dtype=dtype)
    assert saved(table, torch.zeros(2, 3, dtype=torch.long, device=device)).bytes == 6 * 8


def test_fused_attention_on_cpu_keeps_its_operands_its_output_and_one_number_a_row() -> None:
    q = _x(2, 3, 5, 4)
    kept = saved(functional.scaled_dot_product_attention, q, q + 0, q + 0)
    assert sorted(storage.elements for storage in kept.storages) == [30, 120, 120, 120, 120]


def test_on_meta_attention_keeps_scaled_copies_and_the_weights() -> None:
    q = _x(2, 3, 5, 4, device="meta")
    kept = saved(functional.scaled_dot_product_attention, q, q + 0, q + 0)
    assert sorted(storage.elements for storage in kept.storages) == [120, 120, 120, 150]  # q, k, v, [5, 5] scores of 6 heads


def test_batch_norm_in_evaluation_keeps_statistics_on_meta_only() -> None:
    for device, statistics in (("cpu", 0), ("meta", 2 * 4)):
        norm = nn.BatchNorm1d(4, device=device).eval()
        assert saved(norm, _x(3, 4, device=device)).elements == 12 + statistics


@both_devices
def test_saved_tensors_carry_the_label_and_the_maker_of_what_is_saved(device: str) -> None:
    def fn(x: Tensor) -> Tensor:
        with record("first"):
            y = x.exp()
        with record("second"):
            return (y * y).tanh()  # keeps y again, which stays with the label under which it was first kept

    kept = saved(fn, _x(2, 3, device=device))
    assert [(storage.label, storage.producer) for storage in kept.storages] == [("first", "ExpBackward0"), ("second", "TanhBackward0")]
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh()).to(device)
    with module_labels(model):
        assert saved(model, _x(2, 3, device=device)).by_label() == {"0": 6, "1": 8}


@both_devices
def test_nothing_is_kept_without_gradients_and_weights_of_functions_can_be_excluded(device: str) -> None:
    x, weight = torch.ones(2, 3, device=device), torch.ones(4, 3, device=device, requires_grad=True)
    assert saved(torch.exp, x).storages == ()
    with torch.no_grad():
        assert saved(nn.Linear(3, 4, device=device), x).storages == ()
    inner = x.clone().requires_grad_()
    assert saved(functional.linear, inner, weight).elements == 6 + 12
    assert saved(functional.linear, inner, weight, parameters=[weight]).elements == 6


def test_what_only_an_index_was_read_of_is_not_kept() -> None:
    x = _x(2, 3)
    assert saved(lambda: x.exp().argmax(-1)).storages == ()
    assert [storage.elements for storage in saved(lambda: (x.exp().argmax(-1), x.sin())).storages] == [6]
