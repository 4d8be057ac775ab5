"""A peak of memory that is too long for one cell: its moments stand in cells of their own, in one order."""

from __future__ import annotations

from types import SimpleNamespace

from sympy import Max

from generator.formulas.symbols import symbol
from generator.render.texts import texts
from generator.render.workbook.results import LONGEST_BRANCH, _highest
from generator.render.workbook.sheet_plan import make_plan

from .sheets import encoder


def test_moments_stand_in_the_order_of_the_sizes_and_not_in_that_of_hashes() -> None:
    plan = make_plan(encoder(), texts("en"))
    formulas = SimpleNamespace(text=lambda *_: "x" * (2 * LONGEST_BRANCH + 1), split=lambda part, *_: str(part))
    moments = Max(*map(symbol, reversed(plan.order)), evaluate=False)
    assert f"MAX({','.join(plan.order)})" in _highest(plan, formulas, {4: moments}, ())
