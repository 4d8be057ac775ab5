"""Presets with options or blocks of their own: columns with their own formulas, and a workbook in which these are in force."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils.cell import coordinate_to_tuple

from archsheet import load
from generator.cli import main
from generator.render.markdown.formula import PageFormulas
from generator.render.markdown.preset_tables import presets_section
from generator.render.workbook import build_workbook
from tests.support.small_specs import write_specs

from .libreoffice import differences, edited, needs_libreoffice, recalculated, values

NET = """
title: Net
dims: {b: batch, n: length, d: width, f: {is: inner width, default: 4*d}, L: layers}
options: {bias: {is: biases, default: true}}
inputs: {x: [b, n, d]}
slots: {inner: {use: plain}}
where: d % 4 == 0
layers:
  inner: {slot: inner, repeat: L}
  y:     {op: linear, out: [b, n, d], bias: bias}
presets:
  net-plain: {set: {d: 8, L: 2}, expect: {params: 216}}
  net-wide: {set: {d: 8, L: 2}, slots: {inner: wide}, expect: {params: 1176}}
  net-bare: {set: {d: 12, L: 1}, options: {bias: false}, expect: {params: 288}}
  net-bare-too: {set: {d: 8, L: 1}, options: {bias: false}, expect: {params: 128}}
"""
PLAIN = """
title: Plain
dims: {b: batch, n: length, d: width}
options: {bias: {is: biases, default: true}}
inputs: {x: [b, n, d]}
layers:
  y: {op: linear, out: [b, n, d], bias: bias}
"""
WIDE = PLAIN.replace("d: width}", "d: width, f: inner width}").replace("layers:", "layers:\n  up: {op: linear, out: [b, n, f], bias: bias}")
# Three of Linear(8, 8) with biases; two of Linear(8, 32) and Linear(32, 8), and Linear(8, 8), with biases; two without.
PARAMS = {
    "net-plain": 3 * (64 + 8),
    "net-wide": 2 * (8 * 32 + 32 + 32 * 8 + 8) + 64 + 8,
    "net-bare": 2 * 12 * 12,
    "net-bare-too": 2 * 8 * 8,
}


@pytest.fixture(autouse=True)
def some_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_specs(tmp_path / "mine", net=NET, plain=PLAIN, wide=WIDE)


def cells(file: Path, title: str) -> dict[str, list[Any]]:
    """Return the cells of each line of a sheet that begins with a word, by that word; of equal ones the last."""
    lines: dict[int, dict[int, Any]] = {}
    for (sheet, at), value in values(file).items():
        row, column = coordinate_to_tuple(at)
        if sheet == title:
            lines.setdefault(row, {})[column] = value
    return {str(line.get(1)): [line.get(column) for column in range(2, max(line) + 1)] for line in lines.values()}


@pytest.mark.slow
@needs_libreoffice
def test_each_has_a_column_with_its_own_formulas(tmp_path: Path) -> None:
    file = tmp_path / "net.xlsx"
    file.write_bytes(build_workbook(load("net", specs="mine").sheet))
    (again,) = recalculated([file], tmp_path)
    assert differences(file, again) == []
    lines = cells(again, "Presets")
    found = dict(zip(lines["Preset"], lines["Parameters"], strict=False))
    assert {name: found[name] for name in PARAMS} == PARAMS
    off = dict(zip(lines["Preset"], lines["Parameters: computed minus expected"], strict=False))
    assert {name: off[name] for name in PARAMS} == dict.fromkeys(PARAMS, 0)
    with_what = dict(zip(lines["Preset"], lines["Column in use"], strict=False))
    assert (with_what["net-wide"], with_what["net-bare"]) == ("with inner = wide", "with bias = false")
    assert "`gen workbook net-wide`" in values(again)["Presets", "B2"]
    # One that cannot be shown by the other sheets cannot be chosen either.
    (chosen,) = recalculated([edited(file, tmp_path / "chosen.xlsx", {("Summary", "B2"): "net-wide"})], tmp_path)
    assert values(chosen)["Summary", "E2"] == "CHECK"


@pytest.mark.slow
@needs_libreoffice
@pytest.mark.parametrize(
    ("words", "name", "others"), [(["net-wide"], "net-wide", []), (["net@net-bare-too"], "net-bare-too", ["net-bare"])]
)
def test_a_workbook_of_its_own_has_them_in_force(words: list[str], name: str, others: list[str], tmp_path: Path) -> None:
    assert main(["workbook", *words, "--specs", "mine"]) == 0
    file = Path(f"{name}.xlsx")
    (again,) = recalculated([file], tmp_path)
    assert differences(file, again) == []
    assert values(again)["Summary", "B2"] == name
    assert values(again)["Summary", "E2"] == "OK"
    assert cells(again, "Layers")["Total"][6 - 1] == PARAMS[name]
    assert [one for one in cells(again, "Presets")["Preset"] if str(one).startswith("net-")] == [name, *others]


def test_what_is_typed_into_it_comes_back_with_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["workbook", "net-bare", "--specs", "mine", "-o", "bare.xlsx"]) == 0
    file = edited(Path("bare.xlsx"), Path("typed.xlsx"), {("Summary", "C15"): 16})
    capsys.readouterr()
    assert main(["pull", str(file), "--as", "ours", "--json", "--specs", "mine"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["set"] == {"d": 16, "L": 1}
    assert main(["pull", str(file), "--as", "ours", "--write", "--specs", "mine"]) == 0
    assert "options: {bias: false}" in Path("mine/net.yaml").read_text(encoding="utf-8")
    assert load("net", specs="mine").cost(preset="ours", b=1, n=1).params == 2 * 16 * 16
    assert main(["workbook", "net-wide", "--specs", "mine", "-o", "wide.xlsx"]) == 0
    capsys.readouterr()
    assert main(["pull", "wide.xlsx", "--as", "ours", "--specs", "mine"]) == 1
    assert "wide.xlsx was made with `inner`, which is no option of `net` itself" in capsys.readouterr().err


def test_one_that_was_typed_into_is_not_replaced(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["workbook", "net", "bias=false", "--specs", "mine", "-o", "bare.xlsx"]
    assert main(words) == 0
    assert main(words) == 0  # nothing was typed into it
    before = edited(Path("bare.xlsx"), Path("bare.xlsx"), {("Summary", "C15"): 16}).read_bytes()
    assert main(words) == 2
    assert "bare.xlsx is there, and not as gen has written it, so it is left alone" in capsys.readouterr().err
    assert Path("bare.xlsx").read_bytes() == before
    assert main([*words, "--force"]) == 0
    assert Path("bare.xlsx").read_bytes() != before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["workbook", "net", "d=8"],
            "`d` is neither an option nor a slot of `net` or of what it uses\n  sizes are typed",
        ),
        (["workbook", "net", "--preset", "net-wyde"], "`net` has no preset `net-wyde`\n  did you mean `net-wide` or `net-bare`?"),
        (["workbook", "net", "--lang", "cz"], "--lang: there are no texts in `cz`"),
        (["build", "mine", "--only", "net-wide"], "it is a preset of `net`: --only net builds that; `gen workbook net-wide` writes"),
    ],
)
def test_what_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--specs", "mine"]) == 2
    assert said in capsys.readouterr().err


def test_the_page_says_how_their_formulas_are_seen_and_has_their_peaks() -> None:
    net = presets_section(load("net", specs="mine").sheet, PageFormulas([]))
    assert net.others.startswith("`net-wide`, `net-bare` and `net-bare-too` go with other options or blocks than those below")
    table = presets_section(load("llama3").sheet, PageFormulas([])).numbers
    peak = table.head.index("Peak memory, bfloat16")
    peaks = {line[0]: line[peak] for line in table.rows}
    assert set(peaks) == {f"`{name}`" for name in load("llama3").presets}
    assert all(peaks.values())


@pytest.mark.slow
def test_the_catalogue_has_a_line_for_each_also_where_it_is_made_of_what_was_kept() -> None:
    words = ["build", "mine", "--formats", "excel", "--out", "out", "--jobs", "1"]
    assert main(words) == 0
    file = Path("out/excel/catalogue.xlsx")
    built = file.read_bytes()
    cells_of = {at: value for (title, at), value in values(file).items() if title == "Catalogue"}
    found = {cells_of.get(f"D{row}"): row for row in range(5, 12)}
    assert {name: cells_of[f"G{found[name]}"] for name in PARAMS} == PARAMS
    assert cells_of[f"E{found['net-wide']}"] == "b=1*, n=128*, d=8, f=32, L=2, inner=wide"
    file.unlink()
    assert main(words) == 0
    assert file.read_bytes() == built


@pytest.mark.parametrize(
    ("words", "listed"),
    [
        (["net", "bias=false"], ["net-bare", "net-bare-too"]),
        (["net", "bias=true"], ["net-plain"]),
        (["net-plain", "bias=false"], ["net-plain", "net-bare", "net-bare-too"]),  # its sizes were asked for
    ],
)
def test_a_preset_that_is_silent_on_an_option_goes_with_its_default_alone(words: list[str], listed: list[str]) -> None:
    assert main(["workbook", *words, "--specs", "mine", "-o", "net.xlsx"]) == 0
    assert [one for one in cells(Path("net.xlsx"), "Presets")["Preset"] if str(one).startswith("net-")] == listed
