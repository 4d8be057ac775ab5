"""Values beside formulas, and files that are the same byte for byte."""

from __future__ import annotations

import io
import re
import time
import zipfile
from fractions import Fraction
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from generator.render.workbook.stamp import StampError, stamped


def saved(cells: dict[str, Any], title: str = "A & B") -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    for at, value in cells.items():
        sheet[at] = value
    book.calculation.fullCalcOnLoad = True
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def part(workbook: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        return archive.read(name).decode("utf-8")


def test_every_kind_of_value_can_be_read_back() -> None:
    values = {"A1": 2**53 - 1, "A2": Fraction(1, 3), "A3": "a < b & c", "A4": True, "A5": "", "A6": -0.5}
    done = stamped(saved(dict.fromkeys(values, "=1+1")), {("A & B", at): value for at, value in values.items()})
    sheet = load_workbook(io.BytesIO(done), data_only=True)["A & B"]
    assert [sheet[at].value for at in values] == [2**53 - 1, 1 / 3, "a < b & c", True, None, -0.5]
    assert [load_workbook(io.BytesIO(done))["A & B"][at].value for at in values] == ["=1+1"] * 6


def test_cells_without_formulas_stay_as_they_are() -> None:
    done = stamped(saved({"A1": "text", "A2": 5, "A3": "=A2*2"}), {("A & B", "A3"): 10})
    sheet = load_workbook(io.BytesIO(done), data_only=True)["A & B"]
    assert [sheet[at].value for at in ("A1", "A2", "A3")] == ["text", 5, 10]


def test_a_formula_without_a_value_is_an_error() -> None:
    with pytest.raises(StampError, match="the formula in A & B!A2 has no value"):
        stamped(saved({"A1": "=1", "A2": "=2"}), {("A & B", "A1"): 1})


def test_a_value_without_a_formula_is_an_error() -> None:
    with pytest.raises(StampError, match="A & B!B7, which holds no formula"):
        stamped(saved({"A1": "=1", "B7": 7}), {("A & B", "A1"): 1, ("A & B", "B7"): 7})


def test_a_number_beyond_what_a_spreadsheet_holds_is_an_error() -> None:
    with pytest.raises(StampError, match="too large"):
        stamped(saved({"A1": "=1"}), {("A & B", "A1"): 10**400})


def test_excel_still_recalculates_when_it_opens_the_file() -> None:
    assert 'fullCalcOnLoad="1"' in part(stamped(saved({"A1": "=1"}), {("A & B", "A1"): 1}), "xl/workbook.xml")


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_clock() -> None:
    first = stamped(saved({"A1": "=1"}), {("A & B", "A1"): 1})
    time.sleep(1.1)  # docProps keep seconds
    assert stamped(saved({"A1": "=1"}), {("A & B", "A1"): 1}) == first


def test_the_bytes_do_not_depend_on_how_the_xml_was_written() -> None:
    """lxml and the standard library differ in quotes, in the order of attributes and in empty elements."""
    workbook = saved({"A1": "=1"})
    rewritten = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as source, zipfile.ZipFile(rewritten, "w") as target:
        for name in source.namelist():
            text = source.read(name).decode("utf-8")
            text = re.sub(r"<([\w:]+)([^<>]*?)\s*/>", r"<\1\2></\1>", text)
            text = re.sub(r'<c r="(\w+)" t="(\w+)"', r"<c t='\2'  r='\1'", text)
            target.writestr(name, text)
    values = {("A & B", "A1"): 1}
    assert rewritten.getvalue() != workbook
    assert stamped(rewritten.getvalue(), values) == stamped(workbook, values)
