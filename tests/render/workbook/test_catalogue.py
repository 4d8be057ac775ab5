"""The workbook of all architectures."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from generator.formulas.evaluate import evaluate
from generator.quantities import BY_KEY, QUANTITIES
from generator.render.workbook.catalogue import CatalogueLine, build_catalogue
from generator.sheet.example import views
from generator.sheet.sheet import Sheet

from .sheets import encoder, without_presets

IN_USE = {"b": 1, "n": 100, "m": 100, "d": 64, "h": 4, "e": 16, "f": 256, "L": 2, "N": 128, "R": 16, "C": 10, "d1": 32}


def entry(sheet: Sheet) -> CatalogueLine:
    return CatalogueLine(sheet, views(sheet))


@pytest.fixture(scope="module")
def sheets() -> dict[str, Worksheet]:
    block = replace(without_presets(), source="blocks/a.yaml")
    book = load_workbook(io.BytesIO(build_catalogue([entry(block), entry(encoder())], suffix=".zh.xlsx")))
    return {sheet.title: sheet for sheet in book.worksheets}


def test_there_is_a_line_for_each_preset_models_first(sheets: dict[str, Worksheet]) -> None:
    rows = [[cell.value for cell in row] for row in sheets["Catalogue"].iter_rows(min_row=5, max_col=4)]
    assert rows == [
        ["An encoder & more", "encoder", "models", "small"],
        ["An encoder & more", "encoder", "models", "large"],
        ["An encoder & more", "unpublished", "blocks", "example (ours)"],
    ]


def test_numbers_are_those_of_the_formulas_and_examples_are_marked(sheets: dict[str, Worksheet]) -> None:
    sheet, page = encoder(), sheets["Catalogue"]
    for key in ("params", "macs", "visible_matmul_flops"):
        (column,) = [cell.column_letter for cell in page[4] if cell.value == BY_KEY[key].short]
        assert page[f"{column}5"].value == evaluate(sheet.totals[key], IN_USE)
    assert str(sheets["Catalogue"]["E5"].value).startswith("b=1*, n=100, m=100, d=64")


def test_titles_lead_to_the_workbooks_and_back_to_the_list(sheets: dict[str, Worksheet]) -> None:
    link = sheets["Catalogue"]["A5"].hyperlink
    assert link is not None
    assert link.target == "encoder.zh.xlsx"
    back = sheets["Formulas"]["A6"].hyperlink
    assert back is not None
    assert back.location == "'Catalogue'!A7"


def test_the_list_can_be_filtered_while_it_is_protected(sheets: dict[str, Worksheet]) -> None:
    assert sheets["Catalogue"].auto_filter.ref == f"A4:{get_column_letter(6 + len(QUANTITIES))}7"
    assert sheets["Catalogue"].protection.sheet
    assert sheets["Catalogue"].protection.autoFilter is False


def test_the_same_sheets_give_the_same_bytes() -> None:
    assert build_catalogue([entry(encoder())]) == build_catalogue([entry(encoder())])
