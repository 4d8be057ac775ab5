"""A peak of memory that is too long for one cell: its moments stand in cells of their own, in one order."""

from __future__ import annotations

from types import SimpleNamespace

from openpyxl import Workbook
from sympy import Add, Max, Min

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.render.texts import texts
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import LONGEST_FORMULA
from generator.render.workbook.results import LONGEST_BRANCH, _highest
from generator.render.workbook.sheet_plan import make_plan

from .sheets import encoder


def test_moments_stand_in_the_order_of_the_sizes_and_not_in_that_of_hashes() -> None:
    plan = make_plan(encoder(), texts("en"))
    formulas = SimpleNamespace(text=lambda *_: "x" * (2 * LONGEST_BRANCH + 1), split=lambda part, *_: str(part))
    moments = Max(*map(symbol, reversed(plan.order)), evaluate=False)
    assert f"MAX({','.join(plan.order)})" in _highest(plan, formulas, {4: moments}, ())


def test_a_sum_that_is_longer_than_its_terms_stands_in_several_cells() -> None:
    """Over one denominator each term is multiplied by the others' denominators."""
    plan = make_plan(encoder(), texts("en"))
    n, d, f = map(symbol, ("n", "d", "f"))
    denominators = [n**2 + n * Min(d, f), f**2 + f * Min(d, n), d**2 + d * Min(n, f)]
    total = Add(*(Max(0, n - i) * d**2 / denominators[i % 3] for i in range(36)))
    cells = {name: f"Scaling!$AA${10_000 + i}" for i, name in enumerate(plan.order)}
    formulas = CellFormulas(plan, Workbook(), {})
    assert len(formulas.text(total, cells)) > LONGEST_FORMULA
    pieces = formulas.pieces(total, cells)
    assert max(len(formulas.text(piece, cells)) for piece in pieces) < LONGEST_FORMULA
    sizes = {"n": 7, "d": 3, "f": 5}
    assert sum(evaluate(piece, sizes) for piece in pieces) == evaluate(total, sizes)
