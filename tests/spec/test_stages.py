"""Sizes with several entries, and one row for several stages: the same as the rows written out by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from archsheet import SizeError, load
from tests.support.bad_specs import errors

FIXTURES = Path(__file__).parents[1] / "fixtures" / "stages"
SIZES = {"c": 3, "K": 5, "b": 2, "n": 3}


def test_formulas_are_those_of_rows_written_by_hand() -> None:
    short, long = (load(FIXTURES / f"{name}.yaml") for name in ("pyramid", "pyramid_by_hand"))
    assert short.sizes == long.sizes
    assert short.presets == long.presets
    assert [(row.path, row.op, row.shapes, row.costs) for row in short.rows] == [
        (row.path, row.op, row.shapes, row.costs) for row in long.rows
    ]
    assert [c.condition for c in short.sheet.constraints] == [c.condition for c in long.sheet.constraints]


def test_entries_are_given_together_or_one_by_one() -> None:
    spec = load(FIXTURES / "pyramid.yaml")
    one_by_one = spec.cost(C1=8, C2=16, C3=32, C4=64, L1=1, L2=1, L3=1, L4=1, **SIZES).params
    assert spec.cost(C=[8, 16, 32, 64], L=1, **SIZES).params == one_by_one
    assert spec.cost("tiny", C=(8, 16, 32, 64), L=[1, 1, 1, 1], **SIZES).params == one_by_one
    assert spec.cost(C=[np.array([8, 16]), 16, 32, 64], L=1, **SIZES).params[0] == one_by_one
    with pytest.raises(SizeError, match="`C` has 4 entries, and 3 numbers are given"):
        spec.cost(C=[8, 16, 32], **SIZES)


def test_module_takes_entries_as_one_argument() -> None:
    spec = load(FIXTURES / "pyramid.yaml")
    module = spec.module(embed_dims=(8, 16, 32, 64), L=[1, 2, 1, 1], K=5)
    by_hand = load(FIXTURES / "pyramid_by_hand.yaml").module(C1=8, C2=16, C3=32, C4=64, L1=1, L2=2, L3=1, L4=1, K=5)
    renamed = {name.replace("stage", "stage.", 1): value for name, value in by_hand.state_dict().items()}
    shifted = {_counted_from_zero(name): value for name, value in renamed.items()}
    module.load_state_dict(shifted)
    x = torch.randn(2, 3, 3)
    torch.testing.assert_close(module(x), by_hand(x), rtol=0, atol=0)
    assert type(module).from_preset("tiny").stage[3].embed.out_features == 512  # type: ignore[attr-defined,union-attr]  # its own
    with pytest.raises(ValueError, match="embed_dims has 4 entries; found 3"):
        type(module)(embed_dims=(8, 16, 32), K=5)


def _counted_from_zero(name: str) -> str:
    head, _, rest = name.partition(".")
    number, _, inner = rest.partition(".")
    return f"stage.{int(number) - 1}.{inner}" if head == "stage" else name


def test_rows_of_stages_read_others_by_their_number() -> None:
    spec = load(FIXTURES / "two_ways.yaml")
    inputs = {row.path: row.inputs for row in spec.rows}
    assert (inputs["up0"], inputs["up1"], inputs["both2"]) == (("down2",), ("down1",), ("down2",))
    assert spec.cost(C=[4, 6, 10], b=1, n=2).rows[0].shape == (1, 2, 6)


def test_command_line_takes_entries_together(capsys: pytest.CaptureFixture[str]) -> None:
    from generator.cli import main

    spec = str(FIXTURES / "pyramid.yaml")
    assert main(["cost", spec, "C=8,16,32,64", "L=1", "K=5", "b=2", "n=3"]) == 0
    params = load(spec).cost(C=[8, 16, 32, 64], L=1, **SIZES).params
    assert f"{params:,}" in capsys.readouterr().out
    assert main(["sweep", spec, "C=8,16,32,64", "L=1", "K=5", "b=2", "n=3,4", "--quantity", "params"]) == 0
    assert f"{params:,}" in capsys.readouterr().out
    assert main(["compare", spec, str(FIXTURES / "two_ways.yaml"), "C=8,16,32,64", "b=2", "n=3"]) == 2
    assert main(["cost", spec, "C=8,16,32", "K=5", "b=2", "n=3"]) == 2
    assert "C=8,8,8,8, or one by one: C1=8" in capsys.readouterr().err


MISTAKES = {
    "entries that are not there, and lists that are too short": (
        """\
title: Stages
dims:
  b: batch size
  C: {is: channels, each: 1..3}
  L: {is: layers, each: 1..3, default: [2, 2]}
  E: {is: expansion, each: 4..1}
  F: {is: others, each: four}
inputs: {x: [b, 2, C[7]]}
layers:
  stage: {each: 1..3, use: widen, with: {n: C[i-1], d: [1, 2]}}
  y: {op: linear, out: [b, 2, C[j]]}
presets:
  a: {set: {C: [1, 2], b: [1, 2]}}
""",
        """\
mine.yaml:5:40: error: `default` has 2 values for 3 stages
    5 |   L: {is: layers, each: 1..3, default: [2, 2]}
      |                                        ^
  a list has one value for each stage
mine.yaml:6:28: error: `4..1` has 0 entries; it may have 1 to 64
    6 |   E: {is: expansion, each: 4..1}
      |                            ^^^^
mine.yaml:7:25: error: `each` says which entries there are
    7 |   F: {is: others, each: four}
      |                         ^^^^
  such as each: 1..4, or each: i in 1..4 to name the number
mine.yaml:8:20: error: `C` has no entry 7
    8 | inputs: {x: [b, 2, C[7]]}
      |                    ^^^^
  its entries are `C1`, `C2` and `C3`
mine.yaml:10:45: error: `C` has no entry 0 in stage 1
   10 |   stage: {each: 1..3, use: widen, with: {n: C[i-1], d: [1, 2]}}
      |                                             ^^^^^^
  its entries are `C1`, `C2` and `C3`
  say what stands there in the first stage, first: {with: {...}}, or begin earlier, each: 0..3
mine.yaml:10:56: error: `d` has 2 values for 3 stages
   10 |   stage: {each: 1..3, use: widen, with: {n: C[i-1], d: [1, 2]}}
      |                                                        ^
  a list has one value for each stage
mine.yaml:11:31: error: `C[j]` names no entry
   11 |   y: {op: linear, out: [b, 2, C[j]]}
      |                               ^^^^
  entries are numbered: `C[1]`
mine.yaml:13:16: error: `C` has 3 entries, and here are 2 numbers
   13 |   a: {set: {C: [1, 2], b: [1, 2]}}
      |                ^
  its entries are `C1`, `C2` and `C3`
mine.yaml:13:27: error: size `b` is one number
   13 |   a: {set: {C: [1, 2], b: [1, 2]}}
      |                           ^
  sizes with several entries say so under `dims`: {is: ..., each: 1..4}""",
    ),
    "the names of all entries where one is meant": (
        """\
title: Stages
dims:
  b: batch size
  n: length
  C: {is: channels, each: 1..2, arg: n}
  C2: channels
inputs: {x: [b, n, "C[1]"]}
layers:
  y: {op: linear, out: [b, n, C2]}
""",
        """\
mine.yaml:5:3: error: `C` with `each` comes to `C2`, which is here already
    5 |   C: {is: channels, each: 1..2, arg: n}
      |   ^""",
    ),
    "an argument that is taken, and a list without stages": (
        """\
title: Stages
dims:
  b: batch size
  n: length
  C: {is: channels, each: 1..2, arg: n}
inputs: {x: [b, n, "C[1]"]}
layers:
  y: {use: keep, with: {d: [1, 2]}}
""",
        """\
mine.yaml:5:3: error: `n` cannot be the name of a size with several entries: it is a size
    5 |   C: {is: channels, each: 1..2, arg: n}
      |   ^
mine.yaml:8:28: error: expected a number or an expression in `layers.y.with.d`; found a list
    8 |   y: {use: keep, with: {d: [1, 2]}}
      |                            ^""",
    ),
    "a mistake behind an index is shown where it is written": (
        """\
title: Stages
dims:
  b: batch size
  n: length
  C: {is: channels, each: 1..2}
inputs: {x: [b, n, "C[1]"]}
layers:
  stage: {each: 1..2, use: keep, with: {d: C[1] + zz}}
""",
        """\
mine.yaml:8:51: error: unknown size `zz`
    8 |   stage: {each: 1..2, use: keep, with: {d: C[1] + zz}}
      |                                                   ^^
  sizes of this spec: `b`, `n`, `C1` and `C2`""",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistake(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec, said = MISTAKES[case]
    assert errors(tmp_path, spec) == said


def test_sizes_of_a_workbook_come_back_as_lists(tmp_path: Path) -> None:
    from generator.pull.preset_text import add_presets
    from generator.pull.typed_numbers import OwnPreset

    file = tmp_path / "pyramid.yaml"
    shutil.copy(FIXTURES / "pyramid.yaml", file)
    families = load(FIXTURES / "pyramid.yaml").sheet.families
    sizes = {"C1": 8, "C2": 16, "C3": 32, "C4": 64, "L1": 1, "K": 7}
    add_presets(file, [OwnPreset("ours", sizes, families=families)])
    assert "set: {C: [8, 16, 32, 64], L1: 1, K: 7}" in file.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pyramid", "two_ways"])
def test_modules_are_measured_as_derived(name: str) -> None:
    from generator.cli import main

    assert main(["verify", str(FIXTURES / f"{name}.yaml"), "--specs", str(FIXTURES)]) == 0
