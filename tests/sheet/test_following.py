"""A size that a preset has at its default follows where the others are changed, in the same way in every answer and output."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator import load
from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import make_plan
from generator.spec.library import Library
from tests.render.workbook.libreoffice import edited, needs_libreoffice, recalculated, values

# f follows d in `usual`, and g follows f; in `own` both are as they are. Parameters: d*f + f*g, without biases.
SPEC = """\
title: Widths
dims:
  b: batch size
  d: width
  f: {is: inner width, default: 4*d}
  g: {is: last width, default: f / 2}
inputs: {x: [b, d]}
layers:
  up: {op: linear, in: x, out: [b, f], bias: false}
  y: {op: linear, out: [b, g], bias: false}
presets:
  usual: {set: {d: 6, f: 24, g: 12}}
  own: {set: {d: 6, f: 20, g: 8}}
"""
CASES = [
    # the preset, what is given, and f and g by hand
    ("usual", {}, 24, 12),
    ("usual", {"d": 10}, 40, 20),
    ("usual", {"d": 10, "f": 24}, 24, 12),
    ("usual", {"f": 30}, 30, 15),
    ("usual", {"d": 10, "g": 12}, 40, 12),
    ("own", {"d": 10}, 20, 8),
    ("own", {"f": 24}, 24, 8),
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "widths.yaml").write_text(SPEC)
    return "widths"


def words(given: Mapping[str, int]) -> list[str]:
    return [f"{name}={value}" for name, value in given.items()]


@pytest.mark.parametrize(("preset", "given", "f", "g"), CASES)
def test_every_answer_and_the_module_take_it_alike(file, capsys, preset, given, f, g) -> None:
    d = given.get("d", 6)
    params = d * f + f * g
    assert load(file).cost(preset, **given, b=1).params == params
    assert main(["cost", file, "b=1", "--preset", preset, *words(given), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["params"] == params
    assert main(["compare", f"{file}@{preset}", f"{file}@{preset}", *words(given), "b=1", "--quantity", "params", "--csv"]) == 0
    assert {str(params)} == {row["params"] for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    with Workbench(Library([Path("specs")])) as bench:
        built = bench.module_class(file).from_preset(preset, **given)
        assert sum(weight.numel() for weight in built.parameters()) == params
    assert sum(weight.numel() for weight in load(file).module(preset, **given).parameters()) == params


def test_a_sweep_follows_from_point_to_point_and_says_so(file, capsys) -> None:
    assert main(["sweep", file, "d=2..6:+2", "b=1", "--preset", "usual", "--csv", "-"]) == 0
    out, err = capsys.readouterr()
    assert [(row["f"], row["g"]) for row in csv.DictReader(out.splitlines())] == [("8", "4"), ("16", "8"), ("24", "12")]
    assert err == (
        "note: `f` follows as 4*d, which it is in `usual` too; f=24 holds it\n"
        "note: `g` follows as f/2, which it is in `usual` too; g=12 holds it\n"
    )


@pytest.mark.parametrize("given", [["f=24"], ["f=24", "g=12"]])
def test_what_is_typed_is_held(file, capsys, given) -> None:
    assert main(["sweep", file, "d=2..6:+2", "b=1", *given, "--preset", "usual", "--csv", "-"]) == 0
    out, err = capsys.readouterr()
    assert ({row["f"] for row in csv.DictReader(out.splitlines())}, err) == ({"24"}, "")


@pytest.mark.parametrize("given", [["b=3"], ["d=6"], ["--preset", "own", "d=10"]])
def test_where_nothing_follows_nothing_is_said(file, capsys, given) -> None:
    preset = [] if "--preset" in given else ["--preset", "usual"]
    assert main(["cost", file, *given, *preset, *([] if "b=3" in given else ["b=1"])]) == 0
    assert capsys.readouterr().err == ""


def test_the_preset_of_another_spec_is_held_where_there_is_no_default(file, capsys) -> None:
    Path("specs/narrow.yaml").write_text(SPEC.replace("{is: inner width, default: 4*d}", "inner width").split("presets:")[0])
    assert main(["compare", file, "narrow", "--preset", "usual", "b=1", "d=10", "--quantity", "params", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["sides"]
    assert (first["sizes"]["f"], second["sizes"]["f"]) == (40, 24)


@pytest.mark.slow
@needs_libreoffice
def test_a_workbook_in_which_sizes_are_typed_over_takes_it_alike(file, tmp_path, capsys) -> None:
    sheet = load(file).sheet
    plan, built = make_plan(sheet, texts("en")), Path("built.xlsx")
    built.write_bytes(build_workbook(sheet))
    files = []
    for i, (preset, given, _, _) in enumerate(CASES):
        cells = {("Summary", f"C{plan.size_rows[name]}"): value for name, value in given.items()}
        files.append(edited(built, Path(f"typed{i}.xlsx"), {("Summary", "B2"): preset, **cells}))
    for typed, done, (_, given, f, g) in zip(files, recalculated(files, tmp_path), CASES, strict=True):
        assert [values(done)["Summary", f"D{plan.size_rows[size]}"] for size in "fg"] == [f, g]
        assert main(["pull", str(typed), "--as", "ours"]) == 0
        lines = capsys.readouterr().out.splitlines()
        Path("pulled.yaml").write_text("\n".join([SPEC, *lines, ""]))
        assert load("pulled.yaml").cost("ours", b=1).params == given.get("d", 6) * f + f * g
