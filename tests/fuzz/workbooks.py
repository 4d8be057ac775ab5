"""Workbooks of drawn specs, recalculated by LibreOffice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, make_plan
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import sized
from generator.spec.library import Library
from tests.fuzz.specs import NAME, Drawn
from tests.render.workbook.calculator import Answer, Job, calculated, python_with_uno, same, stored
from tests.render.workbook.libreoffice import Cell


def recalculated(specs: Sequence[Drawn], folder: Path) -> tuple[int, list[tuple[str, str, Drawn]]]:
    """Return how many workbooks LibreOffice has calculated, and for each that it calculates otherwise signature, message and spec."""
    if python_with_uno() is None:
        return 0, []
    sheets, jobs, files = [], [], []
    for number, drawn in enumerate(specs):
        home = folder / f"spec{number}"
        home.mkdir()
        for name, text in drawn.files.items():
            (home / f"{name}.yaml").write_text(text, encoding="utf-8")
        sheets.append(compile_spec(Library([home]), NAME).sheet)
        file = home / f"{NAME}.xlsx"
        file.write_bytes(build_workbook(sheets[-1]))
        files.append(stored(file))
        jobs.append(Job(file, [{}], [*files[-1].extents.items()]))
    wrong = []
    for drawn, sheet, file, (answer,) in zip(specs, sheets, files, calculated(jobs, folder), strict=True):
        differing = _differing(sheet, file.formulas, file.values, answer)
        if differing:
            cell = next(iter(differing))
            lines = [f"{'!'.join(at)}: {words}" for at, words in differing.items()]
            wrong.append((f"workbook {cell[0]}", "\n".join(lines[:12]), drawn))
    return len(specs), wrong


def _differing(sheet: Sheet, formulas: dict[Cell, str], values: dict[Cell, Any], answer: Answer) -> dict[Cell, str]:
    """Return the cells in which the workbook, LibreOffice and the sheet do not all say the same."""
    found = {cell: f"{formula}: stored {values.get(cell, '')!r}, calculated {answer.values[cell]!r}" for cell, formula in formulas.items()
             if not same(values.get(cell, ""), answer.values[cell])}  # fmt: skip
    found |= {(title, "error"): words for title, words in answer.errors.items()}
    plan = make_plan(sheet, texts("en"))
    column = plan.columns[0]
    sizes = sized(sheet, None, {**column.published, **column.examples})
    for quantity in QUANTITIES:
        letter = plan.quantity_column(quantity)
        expected: dict[Cell, Any] = {("Layers", f"{letter}{plan.layers_total_row}"): evaluate(sheet.totals[quantity.key], sizes)}
        for i, row in enumerate(sheet.rows):
            expected["Layers", f"{letter}{FIRST_LAYER_ROW + i}"] = evaluate(row.costs[quantity.key], sizes)
        for cell, value in expected.items():
            if not same(value, answer.values[cell]):
                found[cell] = f"{quantity.key}: derived {value!r}, calculated {answer.values[cell]!r}"
    return found
