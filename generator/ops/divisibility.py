"""The suggestion that several ops make where one size must divide another."""

from __future__ import annotations

from sympy import Expr

from generator.ops.base import RowScope
from generator.text.suggest import add_condition


def suggested_condition(row: RowScope, dividend: Expr, divisor: Expr) -> tuple[str, ...]:
    """Return the note that suggests a condition of divisibility; nothing where both are numbers."""
    if not dividend.free_symbols | divisor.free_symbols:
        return ()
    sides = [row.text(one) if one.is_Atom else f"({row.text(one)})" for one in (dividend, divisor)]
    return (add_condition(f"{sides[0]} % {sides[1]} == 0"),)
