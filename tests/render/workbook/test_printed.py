"""What is on paper, and on the screen, as LibreOffice lays it out: pages, sizes of letters, and numbers in their formats."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator import load
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, make_plan

from .libreoffice import convert, edited, needs_libreoffice

pytestmark = [
    pytest.mark.slow,
    needs_libreoffice,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler (pdftotext, pdftohtml) is not installed"),
]
A4 = (842, 595)  # points


def printed(path: Path, folder: Path) -> Path:
    (pdf,) = convert([path], folder, "pdf")
    return pdf


def run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120).stdout


def test_pages_are_a4_and_sheets_that_are_too_wide_are_parted_and_not_shrunk(tmp_path: Path) -> None:
    file = tmp_path / "bert.xlsx"
    file.write_bytes(build_workbook(load("bert").sheet))
    pdf = printed(file, tmp_path)
    sizes = re.findall(r"Page +\d+ size: +([\d.]+) x ([\d.]+) pts", run("pdfinfo", "-l", "99", pdf))
    assert len(sizes) > 7
    assert {(round(float(wide)), round(float(high))) for wide, high in sizes} == {A4}
    pages = run("pdftotext", "-layout", pdf, "-").split("\f")
    parted = 0
    for number, text in enumerate(pages, start=1):
        if "BERT: layers" in text and "softmax" in text:
            parted += 1
            assert "Layer" in text  # the heads, and the first column on each page
            found = run("pdftohtml", "-xml", "-stdout", "-i", "-f", str(number), "-l", str(number), pdf)
            assert min(map(int, re.findall(r'<fontspec [^>]*size="(\d+)"', found))) * 0.75 >= 8 - 0.5  # in pixels, rounded
    assert parted >= 1


def test_a_number_has_one_unit_on_all_sheets_and_says_where_digits_are_missing(tmp_path: Path) -> None:
    sheet = load("llama3").sheet
    plan = make_plan(sheet, texts("en"))
    built = tmp_path / "built.xlsx"
    built.write_bytes(build_workbook(sheet))
    at = {("Summary", "B2"): "llama-3.1-405b", ("Summary", f"C{plan.size_rows['n']}"): 131_072}
    text = run("pdftotext", "-layout", printed(edited(built, tmp_path / "long.xlsx", at), tmp_path), "-")
    flops = load("llama3").cost(preset="llama-3.1-405b", b=1, n=131_072).matmul_flops
    assert flops == 247_703_477_063_516_160
    assert re.search(r"247\.70 +PFLOP", text)  # on the summary
    assert text.count("247.703 P") >= 2  # the layers and the scaling
    assert not re.search(r"247,?703\.\d+ [TGB]", text)
    assert f"≈ {flops:,}"[:20] in text  # the rest is as the spreadsheet rounds it
    assert re.search(r"405\.85 +B scalars", text)
    assert "405.853 B" in text


def test_many_layers_are_printed_with_their_inner_groups_folded_and_can_be_unfolded(tmp_path: Path) -> None:
    sheet = load("swin").sheet
    file = tmp_path / "swin.xlsx"
    file.write_bytes(build_workbook(sheet))
    layers = load_workbook(file)["Layers"]
    lines = {FIRST_LAYER_ROW + index: row for index, row in enumerate(sheet.rows)}
    hidden = {at for at in lines if layers.row_dimensions[at].hidden}
    shown = [*lines.keys() - hidden]
    assert len(lines) > 200
    assert 10 < len(shown) <= 80
    # Whole levels, as the buttons 1, 2, 3 fold them.
    assert {lines[at].depth for at in hidden}.isdisjoint(lines[at].depth for at in shown)
    for at in hidden:  # each stands below a row with a plus sign, or below another that is folded
        above = next(other for other in range(at - 1, 0, -1) if lines[other].depth < lines[at].depth)
        assert layers.row_dimensions[above].collapsed
        assert layers.row_dimensions[at].outlineLevel == lines[at].depth
    found = re.search(r"Pages: +(\d+)", run("pdfinfo", printed(file, tmp_path)))
    assert found is not None
    assert int(found[1]) <= 50  # of them, with all layers, the sheet Layers alone would take that many
