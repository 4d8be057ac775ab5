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


def test_an_option_may_decide_how_many_positions_there_are() -> None:
    spec = load(FIXTURES / "class_token.yaml")
    x = torch.randn(2, 3, 4)
    with_token = spec.module(d=4)
    torch.testing.assert_close(with_token(x), with_token.y(torch.cat((with_token.token.expand(2, 1, 4), x), 1)))
    without = type(with_token)(d=4, class_token=False)
    torch.testing.assert_close(without(x), without.y(x))
    assert [row.path for row in load(FIXTURES / "class_token.yaml", class_token=False).rows] == ["y"]
    assert spec.sheet.outputs["y"] != load(FIXTURES / "class_token.yaml", class_token=False).sheet.outputs["y"]


def test_what_is_below_must_fit_with_each_value_of_such_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from generator.cli import main

    rows = "  more: {op: pad, axis: n, after: 1, when: on}\n"
    (tmp_path / "mine.yaml").write_text(HEAD + rows, encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0
    (tmp_path / "mine.yaml").write_text(HEAD + rows + "  y: {op: add, in: [x, more]}\n", encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "mine.yaml:7:20: error: `y` cannot add x and more: their shapes do not fit" in said
    assert "where option `on` is `true`" in said


def test_a_row_whose_code_depends_on_such_an_option_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from generator.cli import main

    placed = "title: Placed\ndims: {b: batch, m: tokens, d: width}\ninputs: {x: [b, m, d]}\nlayers:\n"
    placed += "  places: {op: parameter, out: [m, d]}\n  y: {op: add, in: [x, places]}\n"
    (tmp_path / "placed.yaml").write_text(placed, encoding="utf-8")
    rows = "  more: {op: pad, axis: n, after: 1, when: on}\n  y: {use: placed}\n"
    (tmp_path / "mine.yaml").write_text(HEAD + rows, encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.count("error:") == 1
    assert "mine.yaml:7:3: error: `y` would be written otherwise where `on` is false" in said


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
