"""Chinese counts in steps of ten thousand: 万, 亿, 万亿."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from generator import load
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.unit_scale import of_counts

from .libreoffice import convert, needs_libreoffice


@pytest.mark.parametrize(
    ("count", "amount", "unit"),
    [(9_999, 9_999, ""), (10_000, 1, "万"), (109_482_240, 1.0948224, "亿"), (22_347_251_712, 223.47251712, "亿"), (10**12, 1, "万亿")],
)
def test_counts_are_in_the_units_that_people_say(count: int, amount: float, unit: str) -> None:
    words = texts("zh")
    found, step = of_counts(words).scaled(count)
    assert (float(found), words.scale("scalars", spoken=True)[step]) == (amount, unit)
    assert words.scale("FLOP")[step] == f"{unit} FLOP".strip()


def test_the_summary_of_bert_says_so() -> None:
    summary = load_workbook(io.BytesIO(build_workbook(load("bert").sheet, "zh")), data_only=True)["概览"]
    # The blocks: 12 * (24 n d^2 + 4 n^2 d) with n = 128, d = 768; the pooler: 2 d^2.
    flops = 12 * (24 * 128 * 768**2 + 4 * 128**2 * 768) + 2 * 768**2
    assert summary["A3"].value == f"1.09 亿参数，一次前向传播的矩阵乘计算量为 {flops / 1e8:.2f} 亿 FLOP"
    (shown,) = [row[1:4] for row in summary.iter_rows(values_only=True) if row[0] == "矩阵乘 FLOPs" and row[3] == flops]
    assert shown == (pytest.approx(flops / 1e8), "亿 FLOP", flops)


@pytest.mark.slow
@needs_libreoffice
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler is not installed")
def test_number_formats_show_them_too(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    expected = {
        99_999_999: "99,999,999", 100_000_000: "1.00亿", 109_482_240: "1.09亿", 22_347_251_712: "223.47亿", 999_949_000_000: "9999.49亿",
        1_500_000_000_000: "1.500万亿", 123_456_789_000_000: "123.457万亿",
    }  # fmt: skip
    for row, value in enumerate(expected, start=1):
        sheet.cell(row, 1, value).number_format = texts("zh")("look.count")
    sheet.column_dimensions["A"].width = 30
    book.save(tmp_path / "numbers.xlsx")
    (printed,) = convert([tmp_path / "numbers.xlsx"], tmp_path, "pdf")
    text = subprocess.run(["pdftotext", "-layout", printed, "-"], check=True, capture_output=True, text=True).stdout
    assert text.split()[: len(expected)] == [*expected.values()]
