"""Formulas as sums of products of powers of sizes, bounded from above where they hold rounding, choices or logarithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Piecewise, Rational, Symbol, ceiling, floor

from generator.formulas.logs import fold_logs
from generator.formulas.order import Monomial, polynomial
from generator.formulas.symbols import Facts, symbol
from generator.sheet.sheet import Sheet


def monomials(expr: Expr) -> frozenset[Monomial]:
    """Return the products of powers that a formula is a sum of, without their coefficients.

    A rounded number counts as the number, the greatest of several as their sum, a choice as the sum of its cases, and a remainder as
    its divisor, so that the sum of the monomials, each times a constant, bounds the formula. Numbers among the factors are left out, and
    what is never above a number, such as min(1, m - n), which says whether tokens came earlier.
    """
    found = polynomial(fold_logs(_smooth(expr)))
    return frozenset(frozenset((base, exponent) for base, exponent in monomial if not _is_bounded(base)) for monomial in found)


def _is_bounded(base: Expr) -> bool:
    return not base.free_symbols or (isinstance(base, Min) and any(one.is_number for one in base.args))


def exponent_of(monomial: Monomial, size: Symbol) -> Rational:
    """Return the power in which a size stands in a monomial."""
    return sum((exponent for base, exponent in monomial if base == size), Integer(0))


def product(monomial: Monomial) -> Expr:
    """Return a monomial as an expression."""
    return Mul(*(base**exponent for base, exponent in monomial))


def largest(found: Iterable[Monomial], facts: Facts) -> list[Monomial]:
    """Return the monomials that no other one bounds, for sizes of at least 1 under the conditions of the facts.

    One bounds another if it is a multiple of it: n^2 d bounds n d, and also n^2 h where h divides d.
    """
    candidates = sorted(found, key=lambda monomial: str(product(monomial)))
    witnessed = [_powers(facts, monomial) for monomial in candidates]
    kept = []
    for i, (monomial, powers) in enumerate(zip(candidates, witnessed, strict=True)):
        others = (other for j, other in enumerate(witnessed) if j != i and (other != powers or j < i))
        if not any(_bounds(other, powers) for other in others):
            kept.append(monomial)
    return kept


@lru_cache(maxsize=128)
def facts_of(sheet: Sheet) -> Facts:
    """Return what the conditions of a sheet say: those written, and that every derived size is whole."""
    facts = Facts(constraint.condition for constraint in sheet.constraints)
    for size in sheet.sizes:
        if size.kind != "derived" or size.value is None:
            continue
        numerator, denominator = size.value.as_numer_denom()
        if denominator.free_symbols and numerator.is_Symbol:
            facts.learn(_divides(denominator, numerator))
    return facts


def upper_bound(expr: Expr, greatest: Mapping[str, int]) -> int:
    """Return a whole number that a formula of sizes does not exceed, given the greatest value of each; sizes are at least 1."""
    total = Integer(0)
    roomy = expr.replace(ceiling, lambda inside: inside + 1)
    for monomial, coefficient in polynomial(fold_logs(_smooth(roomy))).items():
        value = abs(coefficient)
        for base, exponent in monomial:
            if exponent > 0:
                value *= (Integer(greatest[base.name]) if base.is_Symbol else base.xreplace(_numbers(greatest))) ** exponent
        total += value
    return int(total) + 2


def _numbers(greatest: Mapping[str, int]) -> dict[Symbol, Integer]:
    return {symbol(name): Integer(value) for name, value in greatest.items()}


def ordered(found: Sequence[Monomial], sizes: Sequence[str]) -> list[Monomial]:
    """Return monomials in the order in which they are shown: of high degree first, then by the sizes as the spec lists them."""
    names = [symbol(name) for name in sizes]

    def key(monomial: Monomial) -> tuple[Rational, list[Rational], str]:
        degree = sum((exponent for _, exponent in monomial), Integer(0))
        return -degree, [-exponent_of(monomial, name) for name in names], str(product(monomial))

    return sorted(found, key=key)


def _divides(divisor: Expr, dividend: Expr) -> Expr:
    from sympy import Eq

    return Eq(Mod(dividend, divisor), 0)


def _powers(facts: Facts, monomial: Monomial) -> dict[Expr, Rational]:
    witnessed = list(polynomial(facts.witnessed(product(monomial))))
    (found,) = witnessed if len(witnessed) == 1 else [monomial]  # a divisor that is a sum of sizes tells nothing here
    return {base: exponent for base, exponent in found if base.free_symbols}


def _bounds(large: dict[Expr, Rational], small: dict[Expr, Rational]) -> bool:
    return all(large.get(base, Integer(0)) >= small.get(base, Integer(0)) for base in {*large, *small})


def _smooth(expr: Expr) -> Expr:
    """Return a formula without rounding and choices that bounds the given one up to a constant factor."""
    if not expr.args:
        return expr
    if isinstance(expr, Piecewise):
        return Add(*(_positive(_smooth(value)) for value, _ in expr.args))
    arguments = [_smooth(argument) for argument in expr.args]
    if isinstance(expr, floor | ceiling):
        return arguments[0]
    if isinstance(expr, Max):
        return Add(*(_positive(argument) for argument in arguments))
    if isinstance(expr, Mod):
        return arguments[1]
    return expr.func(*arguments)


def _positive(expr: Expr) -> Expr:
    """Return a sum without its negative terms, which would cancel positive ones of another case."""
    return Add(*(term for term in Add.make_args(expr.expand()) if not term.could_extract_minus_sign()))
