"""An axis named by its size is the one that the spec's author named, whatever sizes a user of the spec makes equal."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.proof.verify.instance import Workbench
from generator.proof.verify.run import check_case
from generator.spec.library import Library
from tests.support.small_specs import write_specs

BLOCK = """\
title: Scaled along one axis
dims: {b: batch, n: rows, d: width}
inputs: {x: [b, n, d]}
layers:
  y: {op: softmax, over: n}
"""
SQUARE = """\
title: Used on a square
dims: {b: batch, s: side}
inputs: {x: [b, s, s]}
layers:
  y: {use: block, with: {n: s, d: s}}
"""
ONE = """\
title: A kept axis beside one of a size that may be one
dims: {b: rows, n: columns}
inputs: {x: [n, b]}
layers:
  sum: {op: sum, over: 0, keep: true}
  y: {op: l2_normalise, over: b}
"""


@pytest.fixture
def bench(tmp_path: Path):
    write_specs(tmp_path, block=BLOCK, square=SQUARE, one=ONE)
    with Workbench(Library([tmp_path])) as bench:
        yield bench


def test_a_block_that_names_an_axis_is_used_where_two_axes_are_equal(bench: Workbench) -> None:
    case = check_case(bench, "square", {"b": 2, "s": 5})
    assert [check for check in case.checks if not check.equal] == []


def test_an_axis_named_by_a_size_of_one_stays_that_axis_beside_another_of_one(bench: Workbench) -> None:
    case = check_case(bench, "one", {"b": 1, "n": 3})
    assert [check for check in case.checks if not check.equal] == []
