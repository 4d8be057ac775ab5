"""Vector FLOPs against arithmetic on paper and against the published table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from generator.proof.measure import UncountedError, module_labels, vector_flops
from generator.trace import vector_table
from generator.trace.kernels import VectorCost, published
from generator.trace.vector_table import COMPOSITES, PRIMITIVES, RULES
from tests.proof.measure.plain import DEVICES, Attention, conv_net, encoder_layer

both_devices = pytest.mark.parametrize("device", DEVICES)
Make = Callable[[int, int, str], tuple[Callable[..., object], Tensor]]


def _of(fn: Callable[[Tensor], object]) -> Make:
    return lambda rows, width, device: (fn, torch.ones(rows, width, device=device))


def _norm(make: Callable[[int], nn.Module]) -> Make:
    return lambda rows, width, device: (make(width).to(device), torch.ones(rows, width, device=device))


def _channels(make: Callable[[int], nn.Module]) -> Make:
    return lambda rows, width, device: (make(rows).to(device), torch.ones(1, rows, width, device=device))  # one row per channel


def _groups(affine: bool) -> Make:
    # rows / 3 samples of 3 groups, each of 2 channels and width / 2 positions
    return lambda rows, width, device: (nn.GroupNorm(3, 6, affine=affine).to(device), torch.ones(rows // 3, 6, width // 2, device=device))


def _inferred(make: Callable[[int], nn.Module]) -> Make:
    def run(rows: int, width: int, device: str) -> tuple[Callable[..., object], Tensor]:
        norm = make(width).to(device)
        return lambda x: torch.ops.aten._fused_rms_norm(x, [width], norm.weight, 1e-6), torch.ones(rows, width, device=device)

    return run


def _attention(causal: bool) -> Make:
    # "rows" elements of query and key, [1, 1, n, e] with n = width and e = rows / (2 * width); "elements" are the n * n scores
    def run(rows: int, width: int, device: str) -> tuple[Callable[..., object], Tensor]:
        q = torch.ones(1, 1, width, rows // (2 * width), device=device)
        return lambda q: functional.scaled_dot_product_attention(q, q, q, is_causal=causal), q

    return run


CASES: dict[tuple[str, str], Make] = {
    ("_softmax", ""): _of(lambda x: x.softmax(-1)),
    ("_safe_softmax", ""): _of(lambda x: torch.ops.aten._safe_softmax(x, -1)),
    ("_log_softmax", ""): _of(lambda x: x.log_softmax(-1)),
    ("logsumexp", ""): _of(lambda x: x.logsumexp(-1)),
    ("native_layer_norm", "weight and bias"): _norm(nn.LayerNorm),
    ("native_layer_norm", "weight only"): _norm(lambda width: nn.LayerNorm(width, bias=False)),
    ("native_layer_norm", "no weight"): _norm(lambda width: nn.LayerNorm(width, elementwise_affine=False)),
    ("_fused_rms_norm", "weight"): _inferred(nn.RMSNorm),
    ("_fused_rms_norm", "no weight"): _inferred(lambda width: nn.RMSNorm(width, elementwise_affine=False)),
    ("native_group_norm", "weight and bias"): _groups(affine=True),
    ("native_group_norm", "no weight"): _groups(affine=False),
    ("native_batch_norm", "training, weight and bias"): _channels(nn.BatchNorm1d),
    ("native_batch_norm", "training, no weight"): _channels(lambda c: nn.BatchNorm1d(c, affine=False)),
    ("native_batch_norm", "training, no running statistics, weight and bias"): _channels(
        lambda c: nn.BatchNorm1d(c, track_running_stats=False)
    ),
    ("native_batch_norm", "training, no running statistics, no weight"): _channels(
        lambda c: nn.BatchNorm1d(c, affine=False, track_running_stats=False)
    ),
    ("_weight_norm_interface", "rows of several numbers"): lambda rows, width, device: (
        lambda v: torch._weight_norm(v, torch.ones(rows, 1, device=device)),
        torch.ones(rows, width, device=device),
    ),
    ("_weight_norm_interface", "rows of one number"): lambda rows, width, device: (
        lambda v: torch._weight_norm(v, torch.ones_like(v)),
        torch.ones(rows * width, 1, device=device),
    ),
    ("native_batch_norm", "evaluation, weight and bias"): _channels(lambda c: nn.BatchNorm1d(c).eval()),
    ("native_batch_norm", "evaluation, no weight"): _channels(lambda c: nn.BatchNorm1d(c, affine=False).eval()),
    ("gelu", "exact"): _of(functional.gelu),
    ("gelu", "tanh"): _of(lambda x: functional.gelu(x, approximate="tanh")),
    ("silu", ""): _of(functional.silu),
    ("elu", ""): _of(functional.elu),
    ("celu", ""): _of(functional.celu),
    ("selu", ""): _of(functional.selu),
    ("softplus", ""): _of(functional.softplus),
    ("log_sigmoid_forward", ""): _of(functional.logsigmoid),
    ("mish", ""): _of(functional.mish),
    ("hardswish", ""): _of(functional.hardswish),
    ("hardsigmoid", ""): _of(functional.hardsigmoid),
    ("hardshrink", ""): _of(functional.hardshrink),
    ("softshrink", ""): _of(functional.softshrink),
    ("glu", ""): lambda rows, width, device: (functional.glu, torch.ones(rows, 2 * width, device=device)),
    ("_prelu_kernel", ""): _of(lambda x: functional.prelu(x, torch.ones(1, device=x.device))),
    ("native_dropout", ""): _of(lambda x: torch.native_dropout(x, 0.1, True)),
    ("linalg_vector_norm", "order 2"): _of(lambda x: x.norm(dim=-1)),
    ("linalg_vector_norm", "order 1"): _of(lambda x: x.norm(p=1, dim=-1)),
    ("std", ""): _of(lambda x: x.std(-1)),
    ("addcmul", ""): _of(lambda x: torch.addcmul(x, x, x)),
    ("addcdiv", ""): _of(lambda x: torch.addcdiv(x, x, x)),
    ("_scaled_dot_product_flash_attention_for_cpu", ""): _attention(causal=False),
    ("_scaled_dot_product_flash_attention_for_cpu", "causal or masked"): _attention(causal=True),
}


@both_devices
@pytest.mark.parametrize(("op", "cost"), [pytest.param(*one, id=f"{one[0]}-{one[1].case}".replace(" ", "_")) for one in published()])
def test_each_published_composite_costs_what_torchs_decomposition_comes_to(op: str, cost: VectorCost, device: str) -> None:
    for rows, width in ((24, 4), (48, 6), (96, 12)):
        fn, x = CASES[op, cost.case](rows, width, device)
        elements = width * width if "attention" in op else rows * width
        assert vector_flops(fn, x).total == cost.per_element * elements + cost.per_row * rows


def test_every_composite_is_published_and_every_rule_explained() -> None:
    assert sorted((op, cost.case) for op, cost in published()) == sorted(CASES)
    assert {op for op, _ in published()} == COMPOSITES
    assert set(PRIMITIVES.values()) == set(RULES)
    assert not set(PRIMITIVES) & COMPOSITES


def test_the_table_is_plain_data_that_needs_no_torch() -> None:
    tree = ast.parse(Path(vector_table.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert imported == {"__future__", "typing"}


@both_devices
@pytest.mark.parametrize(
    ("fn", "expected"),
    [  # x is [3, 5]: 15 elements, 3 rows
        (lambda x: x + x, 15),
        (lambda x: x - 0.5, 15),
        (lambda x: 1 - x, 15),
        (lambda x: torch.add(x, x, alpha=2), 30),
        (lambda x: x * x[0], 15),
        (lambda x: x * 1, 0),
        (lambda x: x / 3, 15),
        (lambda x: x**3, 15),
        (lambda x: -x, 15),
        (lambda x: x.relu(), 15),
        (lambda x: x.exp().tanh().sigmoid(), 45),
        (lambda x: x.clamp(min=0), 15),
        (lambda x: x.clamp(-1, 1), 30),
        (functional.relu6, 30),
        (lambda x: x.sum(-1), 15),
        (lambda x: x.sum(), 15),
        (lambda x: x.mean(-1), 15 + 3),
        (lambda x: x.mean(), 15 + 1),
        (lambda x: x.var(-1), 4 * 15 + 2 * 3),
        (lambda x: torch.var_mean(x, -1), 4 * 15 + 2 * 3),
        (lambda x: ((x - x.mean(-1, keepdim=True)) ** 2).mean(-1), (15 + 3) + 15 + 15 + (15 + 3)),  # variance by hand: as `var`
        (lambda x: x.amax(-1), 15),
        (lambda x: x.argmax(-1), 15),
        (lambda x: x.max(-1), 15),
        (lambda x: x.cumsum(-1), 15),
        (lambda x: functional.dropout(x, 0.1), 30),
        (lambda x: functional.normalize(x, dim=-1), 3 * 15 + 2 * 3),  # square, sum, division; root, maximum with eps
        (lambda x: functional.max_pool1d(x[None], 3, stride=1, padding=1), 3 * 15),
        (lambda x: functional.avg_pool1d(x[None], 3, stride=1, padding=1), 4 * 15),
        (lambda x: functional.max_pool2d(x[None], 3, stride=1, padding=1), 9 * 15),
        (lambda x: functional.linear(x, x), 0),
        (lambda x: functional.linear(x, x, x[:, 0]), 9),
        (lambda x: torch.einsum("ij,ij->ij", x, x), 15),
        (lambda x: torch.einsum("ij,kj->ik", x, x), 0),
    ],
)
def test_primitive_operations_cost_one_per_element(device: str, fn: Callable[[Tensor], object], expected: int) -> None:
    assert vector_flops(fn, torch.ones(3, 5, device=device)).total == expected


@both_devices
def test_moving_choosing_comparing_and_integer_arithmetic_are_free(device: str) -> None:
    def shuffle(x: Tensor) -> Tensor:
        n, m = x.shape
        mask = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(1)
        index = (torch.arange(n, device=x.device) * 2 + 1) % n
        x = x.masked_fill(mask, 0.0)[index].index_select(1, torch.arange(m, device=x.device))
        x = torch.where(mask, x, x.roll(1, 0)).gather(1, torch.zeros(n, 1, dtype=torch.long, device=x.device).expand(n, m))
        x = functional.pad(torch.cat([x, x.flip(0)]), (1, 1)).double().unfold(1, 2, 1).transpose(0, 1).flatten()
        return torch.stack([x, torch.zeros_like(x), torch.rand_like(x)]).clone()

    count = vector_flops(shuffle, torch.ones(3, 5, device=device))
    assert count.total == 0
    assert len(count.shares) > 20


@both_devices
def test_attention_by_hand_costs_as_on_paper(device: str) -> None:
    model, x = Attention(8, 2, device=device), torch.ones(2, 3, 8, device=device)
    # biases 4bnd = 192; scaling bhn^2 = 36; softmax 5bhn^2 = 180
    assert vector_flops(model, x).total == 408
    with module_labels(model):
        assert vector_flops(model, x).by_label() == {"q": 48, "k": 48, "v": 48, "": 216, "out": 48}


@both_devices
def test_torch_encoder_layer_costs_as_on_paper(device: str) -> None:
    model, x = encoder_layer(device=device), torch.ones(2, 3, 8, device=device)
    norms = 2 * (8 * 48 + 4 * 6)  # 8 an element, 4 a position
    attention = 3 * 48 + (48 + 48 + 5 * 36) + 48  # packed bias; query and key scaled, softmax; bias
    feed_forward = 96 + 96 + 48  # bias, ReLU, bias
    residuals = 2 * 48
    assert vector_flops(model, x).total == norms + attention + feed_forward + residuals == 1620


@both_devices
def test_a_conv_net_costs_as_on_paper(device: str) -> None:
    net, x = conv_net(device=device), torch.ones(2, 3, 8, 8, device=device)
    expected = {
        "convolution": 2 * 8 * 16,  # the second one's bias; the first has none
        "add_.Tensor": 0,  # the count of batches seen is an integer
        "native_batch_norm": 8 * 1024 + 11 * 8,
        "relu": 1024 + 256,
        "max_pool2d_with_indices": 4 * 256,
        "mean.dim": 256 + 16,
        "addmm": 2 * 5,
    }
    counted = vector_flops(net, x).by_op()
    assert {op: counted[op] for op in expected} == expected
    assert sum(counted.values()) == sum(expected.values()) == 11122


def test_an_unknown_operation_is_an_error_that_names_it() -> None:
    with pytest.raises(UncountedError, match="`_linalg_svd` is in neither table"):
        vector_flops(torch.linalg.svdvals, torch.ones(4, 3))


def test_counting_changes_neither_results_nor_random_numbers_nor_statistics() -> None:
    net, x = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(0.5), nn.GELU()), torch.randn(6, 4)
    torch.manual_seed(0)
    expected = net(x)
    running = net[0].running_mean.clone()
    net[0].reset_running_stats()
    torch.manual_seed(0)
    results: list[Tensor] = []
    vector_flops(lambda: results.append(net(x)))
    assert torch.equal(results[0], expected)
    assert torch.equal(net[0].running_mean, running)


@both_devices
def test_composite_operations_are_taken_apart_under_inference_mode_too(device: str) -> None:
    model, x = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.RMSNorm(4)).to(device), torch.ones(3, 4, device=device)
    with torch.inference_mode():
        inferred = vector_flops(model, x).total
    assert inferred == vector_flops(model, x).total == 12 + (8 * 12 + 4 * 3) + (4 * 12 + 3 * 3)
