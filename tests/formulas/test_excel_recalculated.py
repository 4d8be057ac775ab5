"""Random formulas calculated by LibreOffice come to what sympy says, all in one workbook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from sympy import Expr, ceiling, floor, log, sqrt

from generator.formulas.evaluate import evaluate
from generator.formulas.excel import to_excel
from generator.formulas.symbols import symbol
from tests.render.workbook.libreoffice import needs_libreoffice, recalculated, values

from .expressions import SIZES, conditions, formulas, whole_leaves

pytestmark = [pytest.mark.slow, needs_libreoffice]

# Sizes whose names Excel would take for something else; see the workbook's name rules.
NAMES = {name: name for name in SIZES} | {"N": "N_", "d1": "d1_", "R": "R_"}
AT = {"b": 3, "n": 17, "N": 64, "d": 48, "h": 6, "d1": 5, "R": 2}
EXACT = 2**48  # beyond this LibreOffice takes the difference of two near-equal numbers for zero


def drawn(strategy: Any, count: int) -> list[Any]:
    found: dict[str, Any] = {}

    @seed(20240229)
    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(strategy)
    def collect(expr: Any) -> None:
        if expr.free_symbols and all(abs(float(evaluate(part, AT))) < EXACT for part in parts(expr)):
            found[to_excel(expr, NAMES, SIZES)] = expr

    collect()
    return list(found.values())


def parts(expr: Any) -> list[Any]:
    return [part for part in expr.atoms(Expr) | set(expr.args) | {expr} if isinstance(part, Expr)]


def calculated(exprs: list[Any], folder: Path) -> list[Any]:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row, (name, value) in enumerate(AT.items(), start=1):
        sheet.cell(row, 1, value)
        book.defined_names[NAMES[name]] = DefinedName(NAMES[name], attr_text=f"Sheet!$A${row}")
    for row, expr in enumerate(exprs, start=1):
        sheet.cell(row, 2, f"={to_excel(expr, NAMES, SIZES)}")
    path = folder / "fuzz.xlsx"
    book.save(path)
    (fresh,) = recalculated([path], folder)
    found = values(fresh)
    return [found.get(("Sheet", f"B{row}")) for row in range(1, len(exprs) + 1)]


def same(value: Any, expected: Any) -> bool:
    if isinstance(expected, bool):
        return value is expected
    tolerance = 0 if isinstance(expected, int) else 1e-12 * max(1, abs(float(expected)))
    return isinstance(value, int | float) and abs(value - float(expected)) <= tolerance


def test_random_formulas_come_to_the_same_in_libreoffice(tmp_path: Path) -> None:
    exprs = [*drawn(formulas, 2300), *drawn(conditions(whole_leaves), 100)]
    assert len(exprs) >= 1000
    wrong = [
        (to_excel(expr, NAMES, SIZES), value, evaluate(expr, AT))
        for expr, value in zip(exprs, calculated(exprs, tmp_path), strict=True)
        if not same(value, evaluate(expr, AT))
    ]
    assert wrong == []


def test_rounded_roots_and_logarithms_are_whole_at_powers_of_two(tmp_path: Path) -> None:
    N = symbol("N")  # 64
    powers = [2**k for k in range(30)]
    arguments = [log(N * power, 2) for power in powers] + [sqrt(N * power) for power in powers]
    arguments += [log(N * power - 1, 2) for power in powers] + [log(N * power + 1, 2) for power in powers]
    ladder = [rounding(argument) for argument in arguments for rounding in (floor, ceiling)]
    found = calculated(ladder, tmp_path)
    assert [(expr, value) for value, expr in zip(found, ladder, strict=True) if value != evaluate(expr, AT)] == []
