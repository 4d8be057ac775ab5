"""Rows that an option switches on and off, also where shapes change with it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from archsheet import SizeError, load
from tests.support.bad_specs import errors

FIXTURES = Path(__file__).parents[1] / "fixtures" / "switched"


def test_a_row_that_is_off_asks_for_nothing() -> None:
    off = load(FIXTURES / "residual.yaml")
    assert off.cost(b=2, H=3, C=4, D=5).vector_flops == 2 * 5 * 9  # the bias alone
    assert [row.path for row in off.rows] == ["conv"]
    on = load(FIXTURES / "residual.yaml", residual=True)
    assert on.cost(b=2, H=3, C=4, D=4).vector_flops == 2 * 2 * 4 * 9
    with pytest.raises(SizeError, match="these sizes break `C == D`"):
        on.cost(b=2, H=3, C=4, D=5)


def test_a_module_asks_for_the_sizes_that_its_option_needs() -> None:
    spec = load(FIXTURES / "residual.yaml")
    x = torch.randn(2, 4, 3, 3)
    assert spec.module(C=4, D=5)(x).shape == (2, 5, 3, 3)
    kept = spec.module(C=4, D=4, residual=True)
    torch.testing.assert_close(kept(x), kept.conv(x) + x)
    with pytest.raises(ValueError, match="C == D must hold; found C = 4, D = 5"):
        type(kept)(C=4, D=5, residual=True)
    merging = load(FIXTURES / "merging.yaml").module(n=3, d=8, merge=True)
    assert merging(torch.randn(2, 6, 4)).shape == (2, 3, 8)
    with pytest.raises(ValueError, match=r"2\*n == m must hold; found n = 3, m = 5"):
        merging(torch.randn(2, 5, 4))


def test_an_option_decided_at_the_place_of_use_decides_what_is_there() -> None:
    spec = load(FIXTURES / "shortcuts.yaml")
    paths = [row.path for row in spec.rows]
    assert "second.shortcut" in paths
    assert "first.shortcut" not in paths
    assert "third.shortcut" not in paths
    assert [c.text for c in spec.sheet.constraints] == ["H % s == 0"]
    # Convolutions of one pixel: five, and the shortcut of the second block.
    assert spec.cost(b=1, H=4, s=2, C=3, D=5).params == (3 * 3 + 3) + 2 * (3 * 5 + 5) + (5 * 5 + 5) + (5 * 3 + 3) + (3 * 3 + 3)


def test_else_names_what_stands_in_the_place() -> None:
    module = load(FIXTURES / "chosen.yaml").module(d=4)
    x = torch.randn(2, 3, 4)
    torch.testing.assert_close(module(x), x + module.plain(x))
    gated = type(module)(d=4, gated=True)
    torch.testing.assert_close(gated(x), gated.plain(x) * x.sigmoid() + gated.plain(x))
    rows = {row.path: row.inputs for row in load(FIXTURES / "chosen.yaml").rows}
    assert rows["z"] == ("x", "plain")


HEAD = """\
title: Mine
dims: {b: batch size, n: length, d: width}
options: {on: {is: whether, default: false}}
inputs: {x: [b, n, d]}
layers:
"""
MISTAKES = {
    "shapes that are never the same": (
        """\
  y: {op: rearrange, to: b n d -> b d, when: on}
""",
        """\
mine.yaml:6:26: error: with `on` on, `n` stands on one side of the arrow only; a rearrangement keeps every axis
    6 |   y: {op: rearrange, to: b n d -> b d, when: on}
      |                          ^^^^^^^^^^^^
  `on` is false here, but a user of `mine` may set it: a row with `when` must fit on and off""",
    ),
    "one more than there are": (
        """\
  more: {op: pad, axis: n, after: 1, when: on}
""",
        """\
mine.yaml:6:44: error: `more` has `when`, so it must keep the shape of its first input
    6 |   more: {op: pad, axis: n, after: 1, when: on}
      |                                            ^^
  x is [b, n, d]; more is [b, n + 1, d]""",
    ),
    "else without when, and one that is not there": (
        """\
  y: {op: activation, kind: relu, else: x}
  z: {op: activation, kind: relu, when: on, else: w}
""",
        """\
mine.yaml:6:35: error: row `y` has `else` without `when`
    6 |   y: {op: activation, kind: relu, else: x}
      |                                   ^^^^
  it says what stands in the place of a row that an option switches off: `when: residual`""",
    ),
    "else names nothing": (
        """\
  z: {op: activation, kind: relu, when: on, else: w}
""",
        """\
mine.yaml:6:51: error: there is no row or input `w`
    6 |   z: {op: activation, kind: relu, when: on, else: w}
      |                                                   ^
  rows and inputs: `x` and `z`""",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistake(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows, said = MISTAKES[case]
    assert errors(tmp_path, HEAD + rows) == said


@pytest.mark.slow
def test_modules_are_measured_as_derived() -> None:
    from generator.cli import main

    assert main(["verify", str(FIXTURES)]) == 0
