"""Sizes typed into a workbook come back as presets of the spec; anything else is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from ruamel.yaml import YAML

from generator import load
from generator.cli import main
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import Plan, make_plan
from tests.render.workbook.libreoffice import needs_libreoffice, recalculated

SPEC = """\
# A layer, with remarks that must stay.
title:   A layer   # three spaces on purpose
dims:
  b:  batch size
  k:  inner width
  m:  {is: outer width, default: 4*k}   # wide
inputs: {x: [b, k]}
where: m % 2 == 0

layers:
  up:    {op: linear,   in: x,  out: [b, m]}

presets:
    small:                              # four spaces here
        set: {k: 8,    m: 16}
        expect: {params: 144}
    # a remark behind the last preset

# the end
"""
BUILT: dict[tuple[str, str], bytes] = {}  # workbooks by spec and language: most tests edit the same one
NEW_LINES = ["    ours:", "        set: {b: 3, k: 10, m: 16}"]


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs").mkdir()
    file = tmp_path / "specs" / "my_layer.yaml"
    file.write_text(SPEC, encoding="utf-8")
    return file


@pytest.fixture
def plan(spec: Path) -> Plan:
    return make_plan(load(str(spec)).sheet, texts("en"))


def edited(plan: Plan, cells: Mapping[tuple[str, str], Any], language: str = "en") -> Path:
    key = (plan.sheet.source_hash, language)
    if key not in BUILT:
        BUILT[key] = build_workbook(plan.sheet, language)
    path = Path("edited.xlsx")
    path.write_bytes(BUILT[key])
    book = load_workbook(path)
    for (title, at), value in cells.items():
        book[title][at] = value
    book.save(path)
    return path


def override(plan: Plan, **sizes: Any) -> dict[tuple[str, str], Any]:
    return {("Summary", f"C{plan.size_rows[name]}"): value for name, value in sizes.items()}


def column(plan: Plan, index: int, name: str | None, **sizes: Any) -> dict[tuple[str, str], Any]:
    letter = plan.own_columns[index].letter
    cells: dict[tuple[str, str], Any] = {("Presets", f"{letter}4"): name}
    return cells | {("Presets", f"{letter}{plan.published_rows[size]}"): value for size, value in sizes.items()}


def test_sizes_in_use_are_printed_under_a_name(plan: Plan, capsys) -> None:
    path = edited(plan, override(plan, b=3, k=10))
    assert main(["pull", str(path), "--as", "ours"]) == 0
    assert capsys.readouterr().out.splitlines() == ["  ours:", "    set: {b: 3, k: 10, m: 16}"]


def test_an_untouched_workbook_brings_nothing(plan: Plan, capsys) -> None:
    assert main(["pull", str(edited(plan, {}))]) == 0
    assert capsys.readouterr().out == "nothing was typed into edited.xlsx: the sizes in use are those of the preset `small`\n"


@pytest.mark.slow
def test_columns_of_the_users_own_are_printed_and_sizes_left_empty_stay_open(plan: Plan, capsys) -> None:
    cells = (
        column(plan, 0, "mine", k=12)
        | column(plan, 1, "huge", k=4096, m=8192, b=7)
        | {("Presets", f"{plan.own_columns[1].letter}5"): "a guess"}
    )
    assert main(["pull", str(edited(plan, cells))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "  mine:",
        "    set: {k: 12}",
        "  huge:",
        "    set: {b: 7, k: 4096, m: 8192}",
        '    note: "a guess"',
    ]


@pytest.mark.slow
def test_writing_adds_lines_and_changes_no_other_byte(spec: Path, plan: Plan, capsys) -> None:
    path = edited(plan, override(plan, b=3, k=10))
    assert main(["pull", str(path), "--as", "ours", "--write"]) == 0
    before, after = SPEC.splitlines(), spec.read_text(encoding="utf-8").splitlines()
    place = before.index("        expect: {params: 144}") + 1
    assert after == [*before[:place], *NEW_LINES, *before[place:]]
    assert "# added to" in capsys.readouterr().out
    assert load(str(spec)).presets["ours"] == {"b": 3, "k": 10, "m": 16}


def test_another_yaml_library_reads_the_same_beside_the_new_preset(spec: Path, plan: Plan) -> None:
    main(["pull", str(edited(plan, override(plan, k=10))), "--as", "ours", "--write"])
    old, new = YAML(typ="safe").load(SPEC), YAML(typ="safe").load(spec.read_text(encoding="utf-8"))
    assert new["presets"].pop("ours") == {"set": {"k": 10, "m": 16}}
    assert new == old


@pytest.mark.slow
def test_a_spec_without_presets_gets_a_section(spec: Path) -> None:
    head = SPEC[: SPEC.index("presets:")].rstrip("\n")
    spec.write_text(head, encoding="utf-8")
    plan = make_plan(load(str(spec)).sheet, texts("en"))
    assert main(["pull", str(edited(plan, column(plan, 0, "mine", k=8))), "--write"]) == 0
    assert spec.read_text(encoding="utf-8") == head + "\npresets:\n  mine:\n    set: {k: 8}\n"
    assert load(str(spec)).presets == {"mine": {"k": 8}}


def test_the_chosen_column_of_the_users_own_is_what_is_in_use(plan: Plan, capsys) -> None:
    cells = column(plan, 0, "mine", k=12) | {("Summary", "B2"): "mine"} | override(plan, b=2)
    assert main(["pull", str(edited(plan, cells)), "--as", "both"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["  both:", "    set: {b: 2, k: 12}"]


@pytest.mark.slow
def test_a_chinese_workbook_comes_back_too(plan: Plan, capsys) -> None:
    cells = {("概览", at): value for (_, at), value in override(plan, k=10).items()}
    assert main(["pull", str(edited(plan, cells, "zh")), "--as", "ours"]) == 0
    assert "k: 10" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "message"),
    [({"k": 2.5}, "holds 2.5, but the size `k` is a whole number"), ({"k": "wide"}, "holds 'wide', but"), ({"k": 0}, "holds 0, but")],
)
def test_what_is_no_size_is_named_with_its_cell(plan: Plan, capsys, sizes: dict[str, Any], message: str) -> None:
    assert main(["pull", str(edited(plan, override(plan, **sizes)))]) == 1
    shown = capsys.readouterr().err
    assert f"Summary!C{plan.size_rows['k']} {message}" in shown


def test_sizes_that_break_a_condition_are_refused(spec: Path, plan: Plan, capsys) -> None:
    assert main(["pull", str(edited(plan, override(plan, m=15))), "--as", "odd", "--write"]) == 1
    assert "preset `odd`: these sizes break `m % 2 == 0`" in capsys.readouterr().err
    assert spec.read_text(encoding="utf-8") == SPEC


@pytest.mark.slow
def test_a_name_that_is_taken_or_missing_is_refused(spec: Path, plan: Plan, capsys) -> None:
    path = edited(plan, override(plan, b=2))
    assert main(["pull", str(path), "--as", "small", "--write"]) == 1
    assert "`my_layer` already has a preset `small`" in capsys.readouterr().err
    assert main(["pull", str(path), "--write"]) == 2
    assert "need a name" in capsys.readouterr().err
    assert main(["pull", str(edited(plan, column(plan, 1, None, k=3)))]) == 1
    assert "have no name" in capsys.readouterr().err
    assert spec.read_text(encoding="utf-8") == SPEC


@pytest.mark.slow
def test_a_name_that_specs_do_not_allow_is_not_written(spec: Path, plan: Plan) -> None:
    for name in ("\ufeffmine", "a name", "a@b", "a\x7f"):
        assert main(["pull", str(edited(plan, override(plan, k=10))), "--as", name, "--write"]) == 1
    assert spec.read_text(encoding="utf-8") == SPEC


def test_what_could_not_be_read_again_is_not_written(spec: Path, plan: Plan, capsys) -> None:
    cells = column(plan, 0, "mine", k=12) | {("Presets", f"{plan.own_columns[0].letter}5"): "seen in a table\ufeff"}
    assert main(["pull", str(edited(plan, cells)), "--write"]) == 1
    shown = capsys.readouterr().err
    assert "my_layer.yaml could not be read any more with these presets, so it is left as it is" in shown
    assert "U+FEFF cannot be seen and is not allowed" in shown
    assert spec.read_text(encoding="utf-8") == SPEC


def test_a_link_to_the_spec_stays_a_link_and_the_file_keeps_its_mode(spec: Path, plan: Plan) -> None:
    path = edited(plan, override(plan, k=10))
    spec.chmod(0o640)
    Path("elsewhere").mkdir()
    target = spec.rename(Path("elsewhere").absolute() / "my_layer.yaml")
    spec.symlink_to(target)
    assert main(["pull", str(path), "--as", "ours", "--write"]) == 0
    assert spec.is_symlink()
    assert "ours:" in target.read_text(encoding="utf-8")
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        ("G6", "=1+1", "Layers!G6 holds `=1+1`; as built it holds"),
        ("A5", "renamed", "Layers!A5 holds `renamed`; as built it holds `up`"),
        ("G5", None, "Layers!G5 holds nothing; as built it holds `=k*m+m`"),
        ("Z99", 5, "Layers!Z99 holds `5`; as built it holds nothing"),
    ],
)
def test_a_changed_cell_that_is_no_input_is_reported(plan: Plan, capsys, cell: str, value: Any, message: str) -> None:
    assert main(["pull", str(edited(plan, {("Layers", cell): value} | override(plan, b=2)))]) == 1
    shown = capsys.readouterr()
    assert "more than inputs was changed" in shown.err
    assert message in shown.err
    assert shown.out == ""


@pytest.mark.slow
def test_notes_of_the_readers_own_are_no_changes(plan: Plan, capsys) -> None:
    notes = {("Notes", "A5"): "what we pay", ("Notes", "B5"): "=total.params/10^9"}
    assert main(["pull", str(edited(plan, notes | override(plan, b=2)))]) == 0
    assert "b: 2" in capsys.readouterr().out


def test_a_workbook_of_an_older_spec_is_reported(spec: Path, plan: Plan, capsys) -> None:
    path = edited(plan, override(plan, b=2))
    spec.write_text(
        SPEC.replace("out: [b, m]", "out: [b, m], bias: false").replace("expect: {params: 144}", "expect: {params: 128}"), encoding="utf-8"
    )
    assert main(["pull", str(path)]) == 1
    assert "was made from an older version of the spec `my_layer`" in capsys.readouterr().err


def test_a_workbook_of_another_version_of_the_tool_is_reported(plan: Plan, capsys) -> None:
    path = edited(plan, {})
    book = load_workbook(path)
    book.custom_doc_props["archsheet.version"].value = "0.0.1"
    book.save(path)
    assert main(["pull", str(path)]) == 1
    assert "was made by archsheet 0.0.1" in capsys.readouterr().err


def test_files_that_are_no_workbooks_of_ours_are_reported(spec: Path, capsys) -> None:
    from openpyxl import Workbook

    Workbook().save("other.xlsx")
    Path("text.xlsx").write_text("no workbook", encoding="utf-8")
    assert main(["pull", "other.xlsx"]) == 1
    assert "does not say which spec it was made from" in capsys.readouterr().err
    assert main(["pull", "text.xlsx"]) == 1
    assert "cannot be read as a workbook" in capsys.readouterr().err
    assert main(["pull", "none.xlsx"]) == 2
    assert spec.exists()


@pytest.mark.slow
@needs_libreoffice
def test_a_workbook_that_libreoffice_has_saved_is_read(plan: Plan, tmp_path: Path, capsys) -> None:
    path = edited(plan, override(plan, b=3, k=10))
    (saved,) = recalculated([path.resolve()], tmp_path)
    assert main(["pull", str(saved), "--as", "ours"]) == 0
    assert "k: 10" in capsys.readouterr().out
