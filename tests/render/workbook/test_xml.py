"""The files as XML, checked against what Excel demands and LibreOffice forgives."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from xml.etree import ElementTree as ET

import pytest
from openpyxl.utils import FORMULAE

from generator import load
from generator.questions.comparison.comparison import Comparison
from generator.questions.comparison.result import compared
from generator.questions.growth.axes import Axis
from generator.questions.growth.subject import Subject
from generator.render.comparison.workbook.comparison_book import comparison_workbook
from generator.render.workbook import build_workbook
from generator.render.workbook.catalogue import CatalogueLine, build_catalogue
from generator.render.workbook.excel_names import is_legal
from generator.sheet.example import views

from .sheets import built, encoder, without_presets

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
BOOKS = ("encoder", "unpublished", "many", "bert", "bert in Chinese", "catalogue", "comparison", "comparison in Chinese")
# Building these takes seconds.
EACH = [pytest.param(book, marks=pytest.mark.slow) if book in {"many", "bert in Chinese"} else book for book in BOOKS]


@cache
def parts(book: str) -> dict[str, bytes]:
    if book == "catalogue":
        data = build_catalogue([CatalogueLine(sheet, views(sheet)) for sheet in (encoder(), without_presets())])
    elif book.startswith("comparison"):
        given = {"b": 1, "d": 768, "h": 12}
        sides = tuple(Subject(name, load(name).sheet, given) for name in ("multi_head_attention", "linear_attention"))
        comparison = Comparison("x", "A <title> & more", sides, Axis("n", (16, 64, 256, 1024)), ("macs", "saved_elements"))
        data = comparison_workbook(compared(comparison), "zh" if "Chinese" in book else "en")
    elif book.startswith("bert"):
        data = build_workbook(load("bert").sheet, "zh" if "Chinese" in book else "en")
    else:
        data = built(book)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def xml(book: str, folder: str) -> dict[str, ET.Element]:
    found = {name: data for name, data in parts(book).items() if name.startswith(folder) and name.endswith(".xml")}
    return {name: ET.fromstring(data) for name, data in found.items()}  # noqa: S314 - written by ourselves


def formulas(book: str) -> list[str]:
    return [cell.text or "" for sheet in xml(book, "xl/worksheets/sheet").values() for cell in sheet.iter(f"{MAIN}f")]


@pytest.mark.parametrize("book", EACH)
def test_every_formula_has_a_value_and_none_is_an_error(book: str) -> None:
    for sheet in xml(book, "xl/worksheets/sheet").values():
        for cell in sheet.iter(f"{MAIN}c"):
            if cell.find(f"{MAIN}f") is not None:
                assert cell.find(f"{MAIN}v") is not None, cell.get("r")
                assert cell.get("t") != "e", cell.get("r")


@pytest.mark.parametrize("book", EACH)
def test_formulas_are_short_and_use_what_every_excel_knows(book: str) -> None:
    for formula in formulas(book):
        assert len(formula) < 8192
        assert "_xlfn" not in formula
        assert all(len(text) <= 255 for text in re.findall(r'"((?:[^"]|"")*)"', formula))
        assert set(re.findall(r"([A-Z][A-Z0-9.]+)\(", re.sub(r'"[^"]*"', "", formula))) <= set(FORMULAE)
        assert _depth(formula) <= 64


def _depth(formula: str) -> int:
    depth = deepest = 0
    for character in re.sub(r'"[^"]*"', "", formula):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    return deepest


@pytest.mark.parametrize("book", EACH)
def test_names_are_legal_and_point_into_the_book(book: str) -> None:
    workbook = xml(book, "xl/workbook.xml")["xl/workbook.xml"]
    titles = {str(sheet.get("name")) for sheet in workbook.iter(f"{MAIN}sheet")}
    assert all(len(title) <= 31 for title in titles)
    for defined in workbook.iter(f"{MAIN}definedName"):
        name = str(defined.get("name"))
        assert is_legal(name) or name.startswith("_xlnm."), name
        for target in re.findall(r"('[^']+'|[A-Za-z]+)!", defined.text or ""):
            assert target.strip("'") in titles


@pytest.mark.parametrize("book", EACH)
def test_validations_have_ranges_messages_and_short_texts(book: str) -> None:
    for sheet in xml(book, "xl/worksheets/sheet").values():
        for rule in sheet.iter(f"{MAIN}dataValidation"):
            assert all(re.fullmatch(r"[A-Z]+[0-9]+(:[A-Z]+[0-9]+)?", cells) for cells in str(rule.get("sqref")).split())
            assert rule.get("showErrorMessage") == rule.get("showInputMessage") == "1"
            for key, most in (("error", 225), ("errorTitle", 32), ("prompt", 255), ("promptTitle", 32)):
                assert 0 < len(str(rule.get(key))) <= most, (key, rule.get(key))
            texts = [part.text or "" for part in rule]
            assert all(0 < len(text) <= 255 for text in texts)


@pytest.mark.parametrize("book", ["encoder", "bert", "bert in Chinese"])
def test_charts_show_their_axes_and_hold_their_numbers(book: str) -> None:
    charts = xml(book, "xl/charts/chart")
    assert len(charts) == 4
    for name, chart in charts.items():
        axes = [axis for kind in ("valAx", "catAx") for axis in chart.iter(f"{CHART}{kind}")]
        assert len(axes) == 2, name
        assert [axis.find(f"{CHART}delete").get("val") for axis in axes] == ["0", "0"]  # type: ignore[union-attr]
        assert all(overlay.get("val") == "0" for title in chart.iter(f"{CHART}title") for overlay in title.iter(f"{CHART}overlay"))
        assert all(title.find(f"{CHART}overlay") is not None for title in chart.iter(f"{CHART}title"))
        references = [*chart.iter(f"{CHART}numRef"), *chart.iter(f"{CHART}strRef")]
        assert len(references) >= 3
        for reference in references:
            cache_ = reference.find(f"{CHART}numCache") if reference.tag.endswith("numRef") else reference.find(f"{CHART}strCache")
            assert cache_ is not None, (name, reference.findtext(f"{CHART}f"))
            assert len([*cache_.iter(f"{CHART}v")]) >= 1
            assert all(value.text for value in cache_.iter(f"{CHART}v"))


def test_charts_on_logarithmic_axes_hold_no_zero() -> None:
    for chart in xml("bert", "xl/charts/chart").values():
        if next(chart.iter(f"{CHART}logBase"), None) is not None:
            for values in chart.iter(f"{CHART}yVal"):
                assert all(float(str(value.text)) > 0 for value in values.iter(f"{CHART}v"))


@pytest.mark.parametrize("book", ["encoder", "bert", "bert in Chinese"])
def test_charts_are_described_in_words(book: str) -> None:
    frames = [frame for drawing in xml(book, "xl/drawings/drawing").values() for frame in drawing.iter(f"{DRAWING}cNvPr")]
    assert len(frames) == 4
    assert all(len(str(frame.get("descr"))) > 20 for frame in frames)


@pytest.mark.parametrize("book", EACH)
def test_there_are_no_macros_and_no_links_to_other_books(book: str) -> None:
    assert not [name for name in parts(book) if "vba" in name.lower() or "externalLink" in name]
    assert not [formula for formula in formulas(book) if re.search(r"\[[0-9]+\]|https?:", re.sub(r'"[^"]*"', "", formula))]


def test_the_catalogue_links_to_workbooks_beside_it_and_within_itself() -> None:
    files = parts("catalogue")
    assert b'Target="encoder.xlsx"' in files["xl/worksheets/_rels/sheet1.xml.rels"]
    assert b"location=\"'Catalogue'!A5\"" in files["xl/worksheets/sheet2.xml"]


@pytest.mark.slow
def test_files_are_small() -> None:
    sizes = {book: sum(len(data) for data in parts(book).values()) for book in BOOKS}
    assert sizes["bert"] > 0
    assert len(build_workbook(load("bert").sheet)) < 150_000
