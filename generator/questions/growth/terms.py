"""The terms of a formula by their value at given sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr, Mul

from generator.formulas.evaluate import evaluate
from generator.formulas.order import ordered_terms


@dataclass(frozen=True)
class TermValue:
    """One summand of a formula: its value, and its share of the whole."""

    term: Expr
    value: Fraction
    share: Fraction


def terms_by_size(expr: Expr, sizes: Mapping[str, int], order: Sequence[str] = ()) -> tuple[TermValue, ...]:
    """Return the terms of a formula, the largest first. Raises EvaluationError where a size is missing."""
    products = [Mul(term.coefficient, *(base**exponent for base, exponent in term.factors)) for term in ordered_terms(expr, order)]
    values = [Fraction(evaluate(product, sizes)) for product in products]
    total = sum(values, Fraction(0))
    found = [TermValue(term, value, value / total if total else Fraction(0)) for term, value in zip(products, values, strict=True)]
    return tuple(sorted(found, key=lambda one: -abs(one.value)))
