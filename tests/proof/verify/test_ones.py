"""Presets with an axis of one: what is exact there is compared as ever, and the rest with a count of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.spec.library import Library
from generator.trace import kernels
from tests.support.small_specs import write_specs

ONE_HEAD = """\
title: One head
dims:
  b: batch size
  n: rows
  d: width
  h: heads
inputs:
  x: [b, n, d]
where: d % h == 0
layers:
  y: {use: multi_head_attention}
presets:
  one:
    set: {d: 32, h: 1}
  two:
    set: {d: 32, h: 2}
"""
WHOLE_ROTARY = """\
title: Rotary in part
dims:
  b: batch size
  n: length
  e: width
  t: {is: rotated, default: e}
  P: greatest
inputs:
  x: [b, n, e]
where: [n <= P, t <= e, t % 2 == 0]
layers:
  angles: {op: rotations, in: x, length: P, width: t}
  y:      {op: rotary, in: [x, angles.cos, angles.sin], pairs: halves}
presets:
  whole: {set: {e: 8, P: 8}}
"""
FEATURES = """\
title: Features of what is laid out as a table of relative positions
dims: {b: batch size, n: heads, d: directions}
inputs: {x: [b, n, b, b]}
layers:
  bias:       {op: relative_bias, window: [b], heads: n}
  sum:        {op: add, in: [x, bias]}
  directions: {op: random_projection, out: [d, b]}
  y:          {op: random_features, of: queries, in: [sum, directions]}
"""
FROZEN = """\
title: A frozen layer behind a transposition
dims: {b: batch size, n: rows, h: heads, d: width}
inputs: {x: [b, n, h, d]}
layers:
  turned: {op: rearrange, to: b n h d -> b h n d}
  bent:   {op: activation, kind: relu}
  y:      {op: linear, out: [b, h, n, 2*d], frozen: true}
"""
HALVES = """\
title: Frequencies of so few that none is left out
dims: {a: length, b: rows}
inputs: {x: [a, b]}
layers:
  half: {op: fft, kind: rfft, over: 0}
  y:    {op: fft, kind: ifft, over: [0, 1]}
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_specs(Path("mine"), one_head=ONE_HEAD, whole_rotary=WHOLE_ROTARY, features=FEATURES, frozen=FROZEN, halves=HALVES)


@pytest.mark.usefixtures("mine")
def test_a_preset_of_one_head_is_measured_and_what_has_a_count_of_its_own_there_is_named(capsys) -> None:
    assert main(["verify", "mine/one_head.yaml", "--samples", "1", "--json", "--no-references"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["skipped"] == []
    one = next(case for case in result["cases"] if case["preset"] == "one")
    assert all(check["equal"] for check in one["checks"])
    apart = {check["quantity"] for check in one["checks"] if "where" in check}
    assert apart == {"traffic_elements", "peak_bytes, float32", "peak_bytes, bfloat16"}
    assert main(["verify", "mine/one_head.yaml", "--samples", "0", "--no-references"]) == 0
    said = capsys.readouterr().out
    assert "counts are derived for h = 1" in said
    assert said.rstrip().endswith("all equal")


@pytest.mark.usefixtures("mine")
def test_a_preset_whose_default_takes_the_whole_is_measured(capsys) -> None:
    assert main(["verify", "mine/whole_rotary.yaml", "--samples", "0", "--no-references"]) == 0
    assert "at 0 random sizes and 1 preset" in capsys.readouterr().out


def test_an_axis_of_one_excuses_no_wrong_count(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"b": 2, "n": 3, "d": 8, "h": 1, "e": 8}
    with Workbench(Library([mine])) as bench:
        case = check_case(bench, "multi_head_attention", sizes)
        assert case.equal
        assert {check.quantity.partition(",")[0] for check in case.checks if check.where} == {"traffic_elements", "peak_bytes"}
    monkeypatch.setitem(kernels.KERNELS, "gelu", replace(kernels.KERNELS["gelu"], costs=(kernels.VectorCost(6),)))
    with Workbench(Library([mine])) as bench:
        assert not check_case(bench, "mlp", {"b": 1, "n": 3, "d": 4, "f": 5}).equal


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("features", {"b": 1, "n": 10, "d": 8}),
        ("features", {"b": 4, "n": 1, "d": 2}),
        ("features", {"b": 1, "n": 1, "d": 1}),
        *(("frozen", {"b": 2, "n": 3, "h": 4, "d": 5} | {axis: 1}) for axis in "bnhd"),
    ],
)
def test_whether_a_product_is_folded_follows_from_the_strides_of_axes_of_one_too(mine: Path, name: str, sizes: dict[str, int]) -> None:
    with Workbench(Library([mine])) as bench:
        assert [check for check in check_case(bench, name, sizes).checks if not check.equal] == []


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_half_a_spectrum_of_two_is_whole(mine: Path, length: int) -> None:
    with Workbench(Library([mine])) as bench:
        assert [check for check in check_case(bench, "halves", {"a": length, "b": 6}).checks if not check.equal] == []


def test_a_size_given_as_one_counts_as_one_also_where_it_has_another_default(tmp_path: Path) -> None:
    text = "title: Capped\ndims: {b: batch size, h: {is: cap, default: b + 1}}\ninputs: {x: [b, 2]}\nlayers: {y: {op: soft_cap, at: h}}\n"
    (tmp_path / "capped.yaml").write_text(text, encoding="utf-8")
    with Workbench(Library([tmp_path])) as bench:
        case = check_case(bench, "capped", {"b": 2, "h": 1})
        assert case.equal
        assert {check.where for check in case.checks if check.quantity == "vector_flops"} == {"h = 1"}
