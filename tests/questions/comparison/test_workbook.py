"""The workbook of a comparison: live formulas that another program calculates alike, and a chart that every Excel shows."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from openpyxl import Workbook, load_workbook
from openpyxl.utils import FORMULAE

from generator.files.resources import builtin_specs_dir
from generator.questions.comparison.comparison_folder import comparison_files
from generator.questions.comparison.comparison_reader import read_comparison
from generator.questions.comparison.result import ComparisonResult, compared
from generator.render.comparison.workbook.comparison_book import comparison_workbook
from generator.render.comparison.workbook.layout import FIRST_VALUE_ROW as FIRST
from generator.spec.library import Library
from tests.questions.comparison.test_chart import result
from tests.render.workbook.calculator import Answer, Job, calculated, needs_uno, same, stored
from tests.render.workbook.libreoffice import Cell

LANGUAGES = ("en", "zh")
WINDOWS = "images_from_224_to_1024"  # sizes that follow from the swept one, and a side that is not allowed everywhere


@cache
def built(view: str, language: str = "en") -> bytes:
    return comparison_workbook(result(view), language)


@cache
def committed(name: str) -> ComparisonResult:
    library = Library([builtin_specs_dir()])
    return compared(read_comparison(comparison_files(library)[name], library))


def opened(data: bytes, *, values: bool = False) -> Workbook:
    return load_workbook(io.BytesIO(data), data_only=values)


def unlocked(book: Workbook) -> list[Cell]:
    return [
        (sheet.title, cell.coordinate)
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if not cell.protection.locked
    ]


@pytest.mark.parametrize("view", ["cost", "share"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_same_comparison_same_bytes(view: str, language: str) -> None:
    assert built(view, language) == comparison_workbook(result(view), language)


@pytest.mark.parametrize("view", ["cost", "share"])
def test_values_are_formulas_in_the_sizes_and_the_swept_cell(view: str) -> None:
    book = opened(built(view))
    assert book.sheetnames == ["Summary", "MACs", "Activation memory", "Crossings"]
    for name in book.sheetnames[1:3]:
        formula = book[name][f"B{FIRST}"].value
        assert re.match(r'=IF\(Summary!\$C\$[0-9]+="OK",', formula)
        assert "Summary!$C$10" in formula
        assert f"$A{FIRST}" in formula


def test_stored_values_are_exact() -> None:
    numbers = opened(built("cost"), values=True)["MACs"]
    assert [numbers[f"{column}{FIRST + 3}"].value for column in "ABC"] == [1024, 4 * 1024 * 768**2 + 2 * 1024**2 * 768, 2_517_368_832]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", ["cost", "share"])
def test_only_the_sizes_and_the_values_that_run_can_be_changed(view: str, language: str) -> None:
    book = opened(built(view, language))
    assert all(sheet.protection.sheet and not sheet.protection.password for sheet in book.worksheets)
    first = book.sheetnames[0]
    sides = "CD" if view == "cost" else "C"
    sizes = {(first, f"{column}{9 + i}") for column in sides for i in range(len(stated_sizes(book)))}
    runs = {(first, f"A{row}") for row in range(swept_row(book), swept_row(book) + 4)}
    assert runs <= set(unlocked(book)) <= sizes | runs
    assert len(unlocked(book)) >= 3 * len(sides) + 4


def stated_sizes(book: Workbook) -> list[str]:
    rows = book.worksheets[0].iter_rows(min_row=9, max_row=swept_row(book) - 5, max_col=1, values_only=True)
    return [str(name) for (name,) in rows if name]


def swept_row(book: Workbook) -> int:
    return next(cell.row for (cell,) in book.worksheets[0].iter_rows(min_row=9, max_col=1) if cell.value == 16)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheets_print_one_page_wide_with_their_heads_and_are_frozen(language: str) -> None:
    book = opened(built("cost", language))
    for sheet in book.worksheets:
        assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, 0)
        assert sheet.sheet_properties.pageSetUpPr is not None
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
    # Values and ratios have heads of their own, and begin on pages of their own.
    assert [[one.id for one in sheet.row_breaks.brk] != [] for sheet in book.worksheets] == [False, True, True, False]
    assert [sheet.print_title_rows for sheet in book.worksheets] == [None, None, None, "$1:$4"]
    assert [sheet.freeze_panes for sheet in book.worksheets] == ["C3", "B1", "B1", "A5"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", ["cost", "share"])
def test_charts_show_their_axes_hold_their_numbers_and_are_described(view: str, language: str) -> None:
    with zipfile.ZipFile(io.BytesIO(built(view, language))) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
        drawings = "".join(archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/drawings/drawing"))
    assert len(charts) == 2
    assert len(re.findall(r'descr="[^"]{30,}"', drawings)) == 2
    for chart in charts:
        assert chart.count("<logBase ") == (2 if view == "cost" else 1)
        assert 'delete val="1"' not in chart
        assert chart.count('<delete val="0"') == 2
        assert 'overlay val="1"' not in chart
        assert chart.count("<numCache>") == 2 * chart.count("<ser>") > 0


def test_a_chinese_workbook_is_chinese_but_for_what_the_comparison_says_itself() -> None:
    english, chinese = (opened(built("cost", language)) for language in LANGUAGES)
    assert chinese.sheetnames == ["概览", "乘加次数 (MAC)", "激活内存", "交叉点"]
    kept = {"A <title> & more", "batch size", "model width", "number of heads", "n (sequence length)", "n"}
    kept |= {"multi_head_attention", "linear_attention", "b", "d", "h", "e"}
    for one, other in zip(english.worksheets, chinese.worksheets, strict=True):
        for row in one.iter_rows():
            for cell in row:
                text = cell.value
                if isinstance(text, str) and re.search("[a-z]{3}", text) and not text.startswith(("=", "n = ")) and text not in kept:
                    assert other[cell.coordinate].value != text, (one.title, cell.coordinate)


@pytest.mark.parametrize("language", LANGUAGES)
def test_formulas_use_what_every_excel_knows_and_have_values(language: str) -> None:
    with zipfile.ZipFile(io.BytesIO(built("cost", language))) as archive:
        sheets = [archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    seen = 0
    for sheet in sheets:
        for cell in ET.fromstring(sheet).iter(f"{main}c"):  # noqa: S314 - written by ourselves
            formula = cell.find(f"{main}f")
            if formula is None:
                continue
            seen += 1
            text = re.sub(r'"[^"]*"', "", formula.text or "")
            assert set(re.findall(r"([A-Z][A-Z0-9.]+)\(", text)) <= set(FORMULAE)
            assert cell.find(f"{main}v") is not None
            assert cell.get("t") != "e"
    assert seen > 30


def asked(data: bytes, cases: list[dict[Cell, Any]], folder: Path) -> list[Answer]:
    file = folder / "comparison.xlsx"
    file.write_bytes(data)
    (answers,) = calculated([Job(file, cases, [*stored(file).extents.items()])], folder)
    assert all(answer.errors == {} for answer in answers)
    return answers


@pytest.mark.slow
@needs_uno
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["cost", "share", WINDOWS, "key_value_caches"])
def test_libreoffice_calculates_the_same(name: str, language: str, tmp_path: Path) -> None:
    data = built(name, language) if name in ("cost", "share") else comparison_workbook(committed(name), language)
    (answer,) = asked(data, [{}], tmp_path)
    file = stored(tmp_path / "comparison.xlsx")
    assert len(file.formulas) > 12
    assert {cell: answer.values[cell] for cell in file.formulas if not same(file.values.get(cell, ""), answer.values[cell])} == {}


@pytest.mark.slow
@needs_uno
def test_other_sizes_typed_in_change_the_values_and_it_is_said(tmp_path: Path) -> None:
    widths: dict[Cell, Any] = {("Summary", "C10"): 96, ("Summary", "D10"): 96}
    usual, narrow, longer = asked(built("cost"), [{}, widths, {("Summary", "A19"): 2048}], tmp_path)
    assert narrow.values["MACs", f"B{FIRST + 3}"] == 4 * 1024 * 96**2 + 2 * 1024**2 * 96
    assert longer.values["MACs", f"B{FIRST + 3}"] == 4 * 2048 * 768**2 + 2 * 2048**2 * 768
    assert longer.values["Activation memory", f"A{FIRST + 3}"] == 2048
    assert usual.values["Summary", "A4"].startswith("The sizes are those of the file as it was built")
    assert all(answer.values["Summary", "A4"].startswith("Sizes were changed") for answer in (narrow, longer))


@pytest.mark.slow
@needs_uno
@pytest.mark.parametrize("name", ["share", WINDOWS])
def test_no_input_makes_an_error_and_no_misfit_has_a_value(name: str, tmp_path: Path) -> None:
    data = built(name) if name == "share" else comparison_workbook(committed(name))
    inputs = unlocked(opened(data))
    typed = ("wide", -3, 0, 2.5, 7)
    cases: list[dict[Cell, Any]] = [{cell: typed[(i + k) % len(typed)]} for i, cell in enumerate(inputs) for k in range(2)]
    cases += [dict.fromkeys(inputs, value) for value in typed]
    seen = 0
    for case, answer in zip(cases, asked(data, cases, tmp_path), strict=True):
        if set(case) == set(inputs) and 7 not in case.values():
            values = [
                answer.values["MACs", f"{column}{row}"] for column in "BC"[: 1 if name == "share" else 2] for row in range(FIRST, FIRST + 4)
            ]
            assert set(values) == {"n/a"}
            seen += 1
    assert seen == 4


@pytest.mark.slow
@needs_uno
def test_a_side_that_does_not_fit_says_which_condition_it_breaks(tmp_path: Path) -> None:
    data = comparison_workbook(committed(WINDOWS))
    sheet = opened(data).worksheets[0]
    row = next(cell.row for (cell,) in sheet.iter_rows(min_row=9, max_col=1) if cell.value == 224)
    (answer,) = asked(data, [{("Summary", f"A{row}"): 100}], tmp_path)
    assert answer.values["Summary", f"C{row}"] == "needs that s is a multiple of p"
    assert answer.values["Summary", f"D{row}"] == "needs that s is a multiple of 8*p*M"
    assert answer.values["Summary", f"E{row}"] == "not all sizes are whole"  # M = s/32
    assert [answer.values["MACs", f"{column}{FIRST}"] for column in "BCD"] == ["n/a"] * 3


@pytest.mark.slow
def test_lines_have_room_for_what_they_say_where_sizes_do_not_fit() -> None:
    summary = opened(comparison_workbook(committed(WINDOWS), "en"), values=True).worksheets[0]
    said = [cell for row in summary.iter_rows() for cell in row if str(cell.value).startswith("needs that")]
    assert [cell.value for cell in said] == ["needs that s is a multiple of 8*p*M"]
    width = summary.column_dimensions[said[0].column_letter].width
    assert width < len(said[0].value)  # so that it takes two lines
    heights = [summary.row_dimensions[row].height for row in range(said[0].row - 4, said[0].row + 1)]
    assert min(heights) >= 2 * 12  # of 10 points with some air, in the other lines too, as sizes can be typed over


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_chart_of_a_measure_is_seen_before_its_values(language: str) -> None:
    book = opened(built("cost", language))
    for page in book.worksheets[1:-1]:
        (chart,) = page._charts
        first, last = chart.anchor._from.row + 1, chart.anchor._from.row + 1 + chart.height / 2.54 * 72 / 15
        below = [row for row in range(1, page.max_row + 1) if page.cell(row, 2).data_type == "f"]
        assert first <= 5 < last < min(below)


def test_chinese_answers_tell_the_numbers_of_the_english_ones() -> None:
    for name, file in comparison_files(Library([builtin_specs_dir()])).items():
        answer = yaml.safe_load(file.read_text(encoding="utf-8"))["answer"]
        numbers = {language: sorted(re.findall(r"\d[\d,.]*\d|\d", text)) for language, text in answer.items()}
        assert numbers["en"] == numbers["zh"], name


def test_a_chinese_workbook_says_question_answer_and_sides_in_chinese() -> None:
    book = opened(comparison_workbook(committed("causal_attention_at_bert_base"), "zh"))
    cells = {cell.value for page in book for line in page.iter_rows() for cell in line if isinstance(cell.value, str)}
    assert {"因果掩码下的 softmax 注意力与线性注意力", "因果掩码会改变线性注意力从何时起更省吗？", "线性"} <= cells
    assert "linear" not in cells
