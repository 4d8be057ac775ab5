"""Comparisons, in whichever direction they are written."""

from __future__ import annotations

from sympy import Expr
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean


def slack(condition: Boolean) -> Expr | None:
    """Return by how much the greater side of a comparison exceeds the other; None for what is no comparison."""
    return condition.gts - condition.lts if isinstance(condition, GreaterThan | LessThan | StrictGreaterThan | StrictLessThan) else None


def is_strict(condition: Boolean) -> bool:
    """Say whether the two sides of a comparison cannot be equal."""
    return isinstance(condition, StrictGreaterThan | StrictLessThan)
