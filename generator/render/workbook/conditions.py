"""Conditions on sizes as people say them."""

from __future__ import annotations

from sympy import Eq, Ge, Integer, Le, Mod
from sympy.logic.boolalg import Boolean

from generator.render.workbook.formulas import closed_form
from generator.render.workbook.plan import Plan
from generator.sheet import Constraint


def condition_words(constraint: Constraint, plan: Plan) -> str:
    """Return a condition in words, such as `d is a multiple of h`; one that has no words as the spec writes it."""
    words, order, condition = plan.words, plan.order, constraint.condition
    division = divisibility(condition)
    if division is not None:
        a, b = (closed_form(side, order) for side in division)
        return words("conditions.multiple", a=a, b=b)
    if isinstance(condition, Le | Ge):
        small, large = (condition.lhs, condition.rhs) if isinstance(condition, Le) else (condition.rhs, condition.lhs)
        return words("conditions.at_most", a=closed_form(small, order), b=closed_form(large, order))
    return words("conditions.other", text=constraint.text)


def divisibility(condition: Boolean) -> tuple[object, object] | None:
    """Return (a, b) for a condition that says that b divides a."""
    if isinstance(condition, Eq):
        sides = (condition.lhs, condition.rhs)
        for modulo, zero in (sides, sides[::-1]):
            if isinstance(modulo, Mod) and zero == Integer(0):
                return modulo.args[0], modulo.args[1]
    return None
