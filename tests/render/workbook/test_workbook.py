"""The workbook as a file: what is in it, read without a spreadsheet program."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import FORMULAE, get_column_letter
from openpyxl.worksheet.worksheet import Worksheet
from sympy import Integer

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES
from generator.questions.hardware.device_names import builtin_devices
from generator.render.workbook import build_workbook, devices
from generator.render.workbook import load_choices as choices
from generator.render.workbook.cells import LONGEST_FORMULA
from generator.render.workbook.excel_names import PROBLEM, is_legal
from generator.sheet.sheet import Sheet, SheetPreset

from .sheets import HOSTILE, SHEETS, built, encoder, many_terms

NAMES = ("encoder", "unpublished", pytest.param("many", marks=pytest.mark.slow))
IN_USE = {"b": 1, "n": 100, "m": 100, "d": 64, "h": 4, "e": 16, "f": 256, "L": 2, "N": 128, "R": 16, "C": 10, "d1": 32}


def opened(file: bytes, *, values: bool = False) -> Workbook:
    return load_workbook(io.BytesIO(file), data_only=values)


def page(book: Workbook, title: str) -> Worksheet:
    found = book[title]
    assert isinstance(found, Worksheet)
    return found


def cells(book: Workbook) -> list[Any]:
    return [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if cell.value is not None]


def beside(sheet: Worksheet, label: str, column: str, occurrence: int = 0) -> Any:
    """Return the cell in a column of the row that a label in column A or B begins."""
    rows = [cell.row for row in sheet.iter_rows(max_col=2) for cell in row if cell.value == label]
    return sheet[f"{column}{rows[occurrence]}"]


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_has_a_stored_value_and_no_value_is_an_error(name: str) -> None:
    stored = opened(built(name), values=True)
    formulas = [cell for cell in cells(opened(built(name))) if cell.data_type == "f"]
    assert len(formulas) > 50
    with zipfile.ZipFile(io.BytesIO(built(name))) as archive:
        xml = "".join(archive.read(part).decode() for part in archive.namelist() if part.startswith("xl/worksheets/sheet"))
    assert len(re.findall(r"</f><v>", xml)) == len(formulas)
    assert 't="e"' not in xml
    assert all(not str(cell.value).startswith("#") for cell in cells(stored))


@pytest.mark.parametrize("name", NAMES)
def test_formulas_keep_to_what_every_excel_knows(name: str) -> None:
    for cell in cells(opened(built(name))):
        if cell.data_type == "f":
            assert len(cell.value) <= LONGEST_FORMULA
            used = set(re.findall(r"([A-Z][A-Z0-9.]+)\(", re.sub(r'"[^"]*"', "", cell.value)))
            assert used <= set(FORMULAE), (cell.coordinate, used)
            assert "_xlfn" not in cell.value


@pytest.mark.parametrize("name", NAMES)
def test_sizes_have_legal_names_that_point_at_the_value_in_use(name: str) -> None:
    book, stored = opened(built(name)), opened(built(name), values=True)
    sizes = [size.name for size in SHEETS[name]().sizes]
    names = [name for name in book.defined_names if "." not in name and name != PROBLEM]
    assert len(names) == len(sizes) == len({defined.casefold() for defined in names})
    assert all(is_legal(defined) for defined in book.defined_names)
    for defined, size in zip(names, sizes, strict=True):
        title, _, at = book.defined_names[defined].attr_text.replace("$", "").partition("!")
        assert (title, at[0]) == ("Summary", "D")
        assert stored[title][f"A{at[1:]}"].value == size
        assert isinstance(stored[title][at].value, int)


def test_cost_formulas_are_short_and_in_named_sizes() -> None:
    layers = page(opened(built("encoder")), "Layers")
    assert beside(layers, "q", "J").value == "=b*n*d^2*L"
    assert beside(layers, "scores", "J").value == "=b*n*m*d*L"
    assert beside(layers, "words", "G").value == "=N_*d1_"
    assert beside(layers, "padded", "L").value == "=b*MAX(n,m)*d/2"


def test_groups_and_the_total_are_sums_of_the_rows_below_them() -> None:
    layers = page(opened(built("encoder")), "Layers")
    rows = {str(cell.value): cell.row for (cell,) in layers.iter_rows(max_col=1) if cell.value}
    assert layers[f"I{rows['mlp']}"].value == f"=SUM(I{rows['up']}:I{rows['down']})"
    parts = f"I{rows['attention']},I{rows['norm']}:I{rows['mlp']}"
    assert layers[f"I{rows['blocks']}"].value == f"=SUM({parts})"
    top = f"I{rows['words']}:I{rows['blocks']},I{rows['padded']}:I{rows['mask']}"
    assert layers[f"I{rows['Total']}"].value == f"=SUM({top})"


def test_rows_are_indented_and_grouped_by_depth() -> None:
    layers = page(opened(built("encoder")), "Layers")
    assert [
        layers.row_dimensions[beside(layers, name, "A").row].outlineLevel for name in ("words", "blocks", "attention", "q", "padded")
    ] == [0, 0, 1, 2, 0]
    assert [beside(layers, name, "A").alignment.indent for name in ("blocks", "attention", "q")] == [1, 2, 3]
    assert layers.sheet_properties.outlinePr is not None
    assert layers.sheet_properties.outlinePr.summaryBelow is False


def test_shapes_are_live_text() -> None:
    layers, stored = page(opened(built("encoder")), "Layers"), page(opened(built("encoder"), values=True), "Layers")
    assert beside(layers, "heads", "E").value == "[b, h, n, e]"
    assert beside(layers, "heads", "F").value == '="["&b&", "&h&", "&n&", "&e&"]"'
    assert beside(stored, "heads", "F").value == "[1, 4, 100, 16]"
    assert beside(stored, "padded", "F").value == "[1, 112, 64]"
    assert beside(layers, "chosen", "F").value == '="values ["&b&", "&C_&"]; indices ["&b&", "&C_&"]"'
    assert beside(layers, "mask", "F").value == "[1, 512]"


def test_values_are_those_of_the_first_preset() -> None:
    sheet, summary = encoder(), page(opened(built("encoder"), values=True), "Summary")
    assert {size.name: beside(summary, size.name, "D").value for size in sheet.sizes} == IN_USE
    for quantity in QUANTITIES:
        assert beside(summary, quantity.title, "D").value == evaluate(sheet.totals[quantity.key], IN_USE)
    assert beside(summary, "MACs", "B").value == pytest.approx(evaluate(sheet.totals["macs"], IN_USE) / 1e6, rel=1e-15)
    assert beside(summary, "MACs", "C").value == "MMAC"


def test_where_a_size_comes_from_is_said() -> None:
    summary = page(opened(built("encoder"), values=True), "Summary")
    found = {name: beside(summary, name, "E").value for name in ("b", "n", "m", "e", "f")}
    assert found == {"b": "example value (ours)", "n": "preset", "m": "default: n", "e": "always d/h", "f": "default: 4*d"}
    assert "(in formulas: d1_)" in beside(summary, "d1", "G").value


def test_every_check_holds_and_so_does_the_master_check() -> None:
    for file in (built("encoder"), built("unpublished")):
        book = opened(file, values=True)
        checks = page(book, "Checks")
        verdicts = {row[1].value: row[4].value for row in checks.iter_rows(min_row=5) if isinstance(row[0].value, int)}
        assert set(verdicts.values()) == {"OK"}
        assert page(book, "Summary")["E2"].value == "OK"


def test_a_total_that_the_layers_do_not_add_up_to_fails_its_check() -> None:
    sheet = encoder()
    broken = replace(sheet, totals={**sheet.totals, "macs": sheet.totals["macs"] + 1})
    book = opened(build_workbook(broken), values=True)
    assert page(book, "Summary")["E2"].value == "CHECK"
    assert page(book, "Summary")["F2"].value.startswith("Please look at the sheet Checks: The layers add up to the closed form: MACs (")


def test_a_preset_that_does_not_come_to_what_is_expected_fails_its_check() -> None:
    sheet = encoder()
    first, *rest = sheet.presets
    wrong = replace(sheet, presets=(replace(first, expect={"params": first.expect["params"] + 1}), *rest))
    book = opened(build_workbook(wrong), values=True)
    assert page(book, "Summary")["E2"].value == "CHECK"
    assert beside(page(book, "Presets"), "Parameters: computed minus expected", "C").value == -1


def test_presets_say_whose_totals_are_expected_and_what_sources_print() -> None:
    sheet = encoder()
    small, large = sheet.presets
    presets = (replace(small, implementation=("Encoder", "smith2020"), note="as built"), replace(large, expect={"params": 1}))
    number = replace(sheet.claims[0], quantity="params", scope="", check=None, of_preset="small", conditions=("preset small",), digits=2)
    printed = [
        replace(number, text="0.1M", verdict="equal"),
        replace(number, text="90K", verdict="differs", erratum="it was counted by hand"),
        replace(number, text="98K", verdict="equal", ignored=("norm",), cite="", of_preset="large"),
    ]
    page_of = page(opened(build_workbook(replace(sheet, presets=presets, claims=(*sheet.claims, *printed))), values=True), "Presets")
    whose = "The public implementation that has them"
    assert beside(page_of, whose, "C").value == "Encoder, Smith, 2020"
    assert beside(page_of, whose, "D").value == "none, arithmetic of our own"
    assert beside(page_of, "Parameters: as printed", "C").value == "✓ 0.1M (Smith, 2020)\n✗ 90K (Smith, 2020)"
    assert beside(page_of, "Note", "C").value == "as built"
    assert beside(page_of, "Parameters: as printed", "D").value == "✓ 98K, without norm (no source given)"


def test_claims_that_differ_are_shown_with_their_reason_and_fail_nothing() -> None:
    checks = page(opened(built("encoder"), values=True), "Checks")
    text = next(str(cell.value) for row in checks.iter_rows() for cell in row if str(cell.value).startswith("Parameters = 4*L*d^2"))
    assert "Published minus ours: " in text
    assert text.endswith("=1+1 is no reason")


def test_text_from_the_spec_is_never_a_formula() -> None:
    cell = next(cell for cell in cells(opened(built("encoder"))) if cell.value == HOSTILE)
    assert cell.data_type == "s"
    assert cell.quotePrefix


def test_presets_show_published_sizes_and_what_they_come_to() -> None:
    sheet, presets = encoder(), page(opened(built("encoder"), values=True), "Presets")
    large = {**IN_USE, "d": 96, "h": 6, "L": 4, "f": 100, "m": 7, "e": 16}
    assert [presets[at].value for at in ("C4", "D4", "C5")] == ["small", "large", "Smith, 2020"]
    assert [beside(presets, "b", column).value for column in "CD"] == ["open", "open"]
    assert [beside(presets, "b", column, 1).value for column in "CD"] == [1, 1]
    assert [beside(presets, "m", column).value for column in "CD"] == ["n", 7]
    assert [beside(presets, "e", column).value for column in "CD"] == [16, 16]
    for quantity in QUANTITIES:
        expected = [evaluate(sheet.totals[quantity.key], sizes) for sizes in (IN_USE, large)]
        assert [beside(presets, quantity.title, column).value for column in "CD"] == expected


def test_a_number_without_a_unit_is_followed_by_one_space() -> None:
    (only,) = [replace(line, costs={**line.costs, "params": Integer(7)}) for line in encoder().rows if line.path == "words"]
    sheet = replace(encoder(), rows=(only,), totals=only.costs, presets=(SheetPreset("small", encoder().presets[0].sizes, {}),), claims=())
    headline = page(opened(build_workbook(sheet), values=True), "Summary")["A3"].value
    assert headline.startswith("7 parameters, ")


def test_a_spec_without_presets_shows_an_example_of_ours() -> None:
    book = opened(built("unpublished"), values=True)
    summary = page(book, "Summary")
    assert summary["B2"].value == "example"
    assert beside(summary, "d", "E").value == "example value (ours)"
    assert any("No sizes are published" in str(cell.value) for cell in cells(book))


def test_only_inputs_can_be_changed() -> None:
    book = opened(built("encoder"))
    assert {sheet.title for sheet in book.worksheets if not sheet.protection.sheet} == {"Layers", "Notes"}
    assert not any(sheet.protection.password for sheet in book.worksheets)
    unlocked = {
        (cell.parent.title, cell.coordinate)
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if not cell.protection.locked
    }
    summary, presets = page(book, "Summary"), page(book, "Presets")
    settable = [size.name for size in encoder().sizes if size.kind != "derived"]
    overrides = {("Summary", beside(summary, name, "C").coordinate) for name in settable}
    formats = {("Summary", beside(summary, "Number format", column).coordinate) for column in "BC"}
    sweep = {("Scaling", at) for at in ("B4", "B5", "B6")}
    own = {("Presets", f"{column}{row}") for column in "EFGH" for row in (4, 5, *(beside(presets, name, "C").row for name in settable))}
    chosen = {(title, at) for title, at in unlocked if title == "Memory and time"}
    keys = [key for key in choices.CHOICES if key != "length"]  # its inputs say of no axis that it counts tokens
    assert {at for _, at in chosen} == {f"{column}{choices.choice_row(key)}" for column in "BC" for key in keys}
    known = len(builtin_devices())
    prices = {("Devices", f"G{devices.FIRST_ROW + i}") for i in range(known)}
    columns = [get_column_letter(i + 1) for i in range(17) if get_column_letter(i + 1) != devices.GIB]
    added = {("Devices", f"{column}{devices.FIRST_ROW + known + i}") for column in columns for i in range(devices.SPARE_ROWS)}
    top = {("Summary", "B2"), ("Summary", "C2")}  # C2 is merged into B2
    assert unlocked == top | overrides | formats | sweep | own | chosen | prices | added


def test_inputs_are_validated() -> None:
    summary = page(opened(built("encoder")), "Summary")
    rules = {str(rule.sqref): rule for rule in summary.data_validations.dataValidation}
    assert rules["B2"].formula1 == "OFFSET(Presets!$C$4,0,0,1,COUNTA(Presets!$C$4:$H$4))"
    override = rules[beside(summary, "d", "C").coordinate]
    assert (override.type, override.operator, override.formula1, override.formula2) == ("whole", "between", "1", "1000000000")
    assert all(rule.showErrorMessage and rule.error and rule.prompt for rule in rules.values())
    assert len(rules) == 2 + sum(size.kind != "derived" for size in encoder().sizes)


def test_sheets_are_frozen_and_print_on_a4_with_their_heads() -> None:
    book = opened(built("encoder"))
    with_load = ["Memory and time", "Devices", "Presets", "Checks", "Glossary", "About", "Notes", "Workings"]
    assert book.sheetnames == ["Summary", "Layers", "Formulas", "Scaling", *with_load]
    for sheet in book.worksheets:
        assert (sheet.page_setup.paperSize, sheet.page_setup.orientation) == (9, "landscape")
        assert sheet.sheet_properties.pageSetUpPr is not None
        if sheet.sheet_properties.pageSetUpPr.fitToPage:
            assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, 0)
        else:  # it goes on beside the page, at a scale at which 10 points are 8
            assert (sheet.page_setup.scale, sheet.print_title_cols) == (80, "$A:$A")
    wide = [sheet.title for sheet in book.worksheets if not sheet.sheet_properties.pageSetUpPr.fitToPage]
    assert wide == ["Layers", "Scaling", "Devices", "Workings"]  # of the empty columns of presets one is printed
    assert [book[title].freeze_panes for title in ("Summary", "Layers", "Presets", "Checks")] == ["A4", "B5", "C5", "C5"]
    assert [book[title].print_title_rows for title in ("Layers", "Presets", "Checks")] == ["$4:$4", "$4:$4", "$1:$4"]


def test_the_file_says_where_it_comes_from() -> None:
    text = {str(cell.value) for cell in cells(opened(built("encoder")))}
    assert {"models/encoder.yaml", "0123456789abcdef" * 4, "bias: true, kind: gelu"} <= text
    assert {quantity.meaning for quantity in QUANTITIES} <= text


@pytest.mark.slow
def test_closed_forms_too_long_for_a_cell_are_split_over_helper_cells() -> None:
    sheet = many_terms(25)
    file = build_workbook(sheet)
    book, stored = opened(file), opened(file, values=True)
    helpers = [cell for (cell,) in page(book, "Helpers").iter_rows(max_col=1)]
    assert len(helpers) > 4
    sizes = sheet.presets[0].sizes
    total = evaluate(sheet.totals["params"], sizes)
    assert page(stored, "Summary")[beside(page(book, "Summary"), "Parameters", "D").coordinate].value == total
    assert page(stored, "Presets")[beside(page(book, "Presets"), "Parameters", "C").coordinate].value == total


@pytest.mark.slow
def test_a_very_long_closed_form_is_shown_up_to_a_whole_term() -> None:
    text = beside(page(opened(built("many")), "Summary"), "Parameters", "F").value
    assert text.startswith("51*width_of_part_23*width_of_part_24 + ")
    assert text.endswith("*width_of_part_24 … (325 terms in all)")


@pytest.mark.slow
def test_the_bytes_depend_on_the_sheet_alone() -> None:
    code = (
        "import hashlib; from generator.render.workbook import build_workbook; from tests.render.workbook.sheets import encoder; "
        "print(hashlib.sha256(build_workbook(encoder())).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True, text=True, check=True
        )
        for seed in ("1", "2")
    ]
    assert len({run.stdout for run in runs}) == 1


def test_files_are_small() -> None:
    assert len(built("encoder")) < 100_000


def test_a_sheet_without_rows_sizes_or_presets_still_makes_a_workbook() -> None:
    nothing: dict[str, Any] = {quantity.key: Integer(0) for quantity in QUANTITIES}
    bare = Sheet("bare", "Bare", "", "bare.yaml", "0" * 64, (), {}, {}, {}, (), (), nothing)
    assert page(opened(build_workbook(bare), values=True), "Summary")["E2"].value == "OK"


def test_a_preset_may_be_named_like_a_formula_or_a_number() -> None:
    sheet = encoder()
    odd = replace(sheet, presets=tuple(SheetPreset(name, sheet.presets[0].sizes, {}) for name in ("=1+1", "2048")))
    summary = page(opened(build_workbook(odd)), "Summary")
    assert summary["B2"].value == "=1+1"
    assert summary["B2"].data_type == "s"
