"""Orders of growth: O(n^2 d) and what becomes of it when one size outgrows the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Rational, Symbol

from generator.formulas.order import Monomial
from generator.formulas.symbols import Facts, symbol
from generator.questions.growth.monomials import exponent_of, facts_of, largest, monomials, ordered, product
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Regime:
    """What a formula grows like when one size is much larger than all others."""

    size: str
    order: tuple[Expr, ...]


@dataclass(frozen=True)
class Order:
    """How a formula grows.

    Args:
        terms: the products whose sum bounds the formula up to a constant; none is bounded by another. Empty for zero.
        powers: the power in which the formula grows with each size that it depends on, the other sizes held fixed.
        regimes: one for each size that stands in a square or a higher power and whose growth leaves fewer terms than there are.
    """

    terms: tuple[Expr, ...]
    powers: dict[str, Rational]
    regimes: tuple[Regime, ...]

    @property
    def bound(self) -> Expr:
        """The sum of the terms."""
        return Add(*self.terms)


def order_of(expr: Expr, sheet: Sheet) -> Order:
    """Return the order of growth of a formula in the sizes of a sheet, under its conditions."""
    return growth_order(expr, [size.name for size in sheet.sizes], facts_of(sheet))


def growth_order(expr: Expr, sizes: Sequence[str], facts: Facts | None = None) -> Order:
    """Return the order of growth of a formula.

    Args:
        sizes: the names of the sizes in the order in which they are shown.
        facts: conditions on the sizes, such as that the heads divide the width.
    """
    facts = facts or Facts()
    found = monomials(expr)
    top = ordered(largest(found, facts), sizes)
    terms = tuple(product(monomial) for monomial in top)
    powers = {}
    regimes = []
    for size in (symbol(name) for name in sizes):
        if size not in expr.free_symbols:
            continue
        powers[size.name] = max((exponent_of(monomial, size) for monomial in found), default=Integer(0))
        leading = _leading(found, size)
        if len(top) > 1 and powers[size.name] > 1:
            order = tuple(product(monomial) for monomial in ordered(largest(leading, facts), sizes))
            if len(order) < len(terms):
                regimes.append(Regime(size.name, order))
    return Order(terms, powers, tuple(regimes))


def _leading(found: frozenset[Monomial], size: Symbol) -> list[Monomial]:
    """Return the monomials in which a size has its greatest power."""
    greatest = max((exponent_of(monomial, size) for monomial in found), default=Integer(0))
    return [monomial for monomial in found if exponent_of(monomial, size) == greatest]
