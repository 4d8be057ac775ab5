"""What can be written into a cell."""

from __future__ import annotations

import io

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from generator.render.texts import texts
from generator.render.workbook.cells import LONGEST_FORMULA, LONGEST_TEXT, FormulaTooLongError, Page, lines_of, quoted
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import add_styles


@pytest.fixture
def page() -> Page:
    book = Workbook()
    add_styles(book, texts())
    values: dict[tuple[str, str], Value] = {}
    return Page(book, "Page", values)


def read_back(page: Page) -> Worksheet:
    out = io.BytesIO()
    page.sheet.parent.save(out)
    found = load_workbook(io.BytesIO(out.getvalue()))["Page"]
    assert isinstance(found, Worksheet)
    return found


@pytest.mark.parametrize(
    "text", ["=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'quoted", "#N/A", "#DIV/0!", "TRUE", "007", "1e5", "2024-01-01"]
)
def test_text_stays_text(page: Page, text: str) -> None:
    page.text("A1", text)
    cell = read_back(page)["A1"]
    assert cell.data_type == "s"
    assert cell.value == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_text_that_would_become_a_formula_when_edited_is_marked(page: Page, text: str) -> None:
    page.text("A1", text)
    assert read_back(page)["A1"].quotePrefix


def test_control_characters_become_spaces(page: Page) -> None:
    page.text("A1", "a\x00b\x1bc\nd")
    assert read_back(page)["A1"].value == "a b c\nd"


def test_text_that_does_not_fit_into_a_cell_is_cut_visibly(page: Page) -> None:
    page.text("A1", "x" * (LONGEST_TEXT + 5))
    value = str(read_back(page)["A1"].value)
    assert len(value) == LONGEST_TEXT
    assert value.endswith("…")


def test_a_formula_may_be_as_long_as_excel_allows_and_no_longer(page: Page) -> None:
    page.formula("A1", "1" * (LONGEST_FORMULA - 1), 1, "Calculation")
    with pytest.raises(FormulaTooLongError, match="Page!A2 has 8192 characters; Excel allows 8191"):
        page.formula("A2", "1" * LONGEST_FORMULA, 1, "Calculation")


def test_text_inside_a_formula_doubles_its_quotes() -> None:
    assert quoted('a "b"') == '"a ""b"""'


@pytest.mark.parametrize(
    ("text", "lines"), [("", 1), ("x" * 10, 1), ("x" * 11, 2), ("a\nb", 2), ("a\n" + "x" * 25, 4), ("xxxxxx xxxxxx xxxxxx", 3)]
)
def test_lines_of_wrapped_text(text: str, lines: int) -> None:
    assert lines_of(text, 10) == lines
