"""Sizes that are sums, differences, products or quotients mean in a generated line what they mean alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from generator.proof.verify.instance import Workbench
from generator.sheet.preset_totals import complete
from tests.support.builtin import ops_library


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(ops_library()) as open_bench:
        yield open_bench


def built(bench: Workbench, op: str, **sizes: int) -> tuple[Any, list[Tensor]]:
    """Return the module of an op's fixture with composite sizes, and random inputs in float64."""
    torch.manual_seed(0)
    name = f"{op}_by_composite_sizes"
    whole: dict[str, Any] = dict(complete(bench.compiled(name).sheet.sizes, sizes))
    return bench.build(name, whole, dtype=torch.float64), bench.inputs(name, whole, dtype=torch.float64)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_shift_adds_the_whole_expression(bench: Workbench, m: int) -> None:
    module, (x,) = built(bench, "shift", b=2, n=7, d=4, m=m)
    torch.testing.assert_close(module(x), x + (m - 3) + (m - 3) * 7 + (-m - 7) + (2 - m) + 8 / m)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_scale_multiplies_by_the_whole_expression(bench: Workbench, m: int) -> None:
    module, (x,) = built(bench, "scale", b=2, n=7, d=4, m=m)
    factor = (m - 1.5) / (m + 1) * -(m + 1) / (m + 4) ** 0.5 * (-3.5 - m) * (-2 - 2)
    torch.testing.assert_close(module(x), x * factor)


@pytest.mark.parametrize("m", [2, 3, 6])
def test_relative_positions_are_clipped_to_the_whole_expression(bench: Workbench, m: int) -> None:
    module, (x,) = built(bench, "relative_positions", b=2, n=6, d=4, m=m)
    near, _, far, _ = module(x)
    for found, reach in ((near, m - 2), (far, 2 * m)):
        for i in range(6):
            for j in range(6):
                angle = max(-reach, min(reach, j - i)) / torch.tensor([1.0, 100.0])
                torch.testing.assert_close(found[i, j].float(), torch.stack((angle.sin(), angle.cos()), -1).flatten(), atol=1e-5, rtol=1e-5)


def test_remainders_are_those_of_the_whole_expression(bench: Workbench) -> None:
    module, (x,) = built(bench, "remainder", b=3, n=40, m=4)
    assert torch.equal(module(x), x % 5 % 8)
    assert (x >= 5).any()


def test_hide_compares_whole_expressions(bench: Workbench) -> None:
    n, m = 16, 1
    module, (x,) = built(bench, "hide", b=2, n=n, m=m)
    hidden = torch.tensor([[j - (i - m) > n - (m - 1) or i // (m + 1) == j // (m + 1) + 7 for j in range(n)] for i in range(n)])
    assert torch.equal(module(x) == float("-inf"), hidden.expand_as(x))


def test_parts_of_an_axis_begin_and_end_at_whole_expressions(bench: Workbench) -> None:
    module, (x,) = built(bench, "slice", b=2, n=9, d=4, m=3)
    assert torch.equal(module(x), x[:, 4:8])
    module, (x,) = built(bench, "select", b=2, n=9, d=4, m=3)
    assert torch.equal(module(x), x[:, 5] + x[:, 6])
    module, (x,) = built(bench, "roll", b=2, n=9, d=4, m=5)
    assert torch.equal(module(x), x.roll((2, -3), (1, 2)).roll(-3, 1))
