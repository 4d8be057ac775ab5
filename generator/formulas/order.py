"""The one order in which formulas are shown.

A formula is a sum of terms; a term is a coefficient times powers of factors. Factors stand in the order in which the spec lists
its sizes, as papers print them; terms fall by degree, then by coefficient, then by
the sizes' order, and numbers come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb
from typing import Any

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Piecewise, Pow, Rational, Symbol, ceiling, floor
from sympy.printing.str import StrPrinter

from generator.formulas.logs import fold_logs

# Powers and products of sums that would come to more terms than this are kept as they are.
EXPANSION_LIMIT = 2000

Monomial = frozenset[tuple[Expr, Rational]]
Polynomial = dict[Monomial, Rational]

_ONE: Monomial = frozenset()


@dataclass(frozen=True)
class Term:
    """One summand: `coefficient` times the product of base**exponent, the factors in display order.

    A base is a size, a number under a root, a function such as floor(n/2), a sum (below a fraction bar or under a root), or a power with
    an exponent that holds sizes (exponent 1 then).
    """

    coefficient: Rational
    factors: tuple[tuple[Expr, Rational], ...]

    @property
    def is_negative(self) -> bool:
        """Whether its coefficient is below zero, asked of Python's number: sympy's comparisons take many times as long."""
        return bool(self.coefficient.p < 0)

    @cached_property
    def expr(self) -> Expr:
        """The term as an expression."""
        return Mul(self.coefficient, *(base**exponent for base, exponent in self.factors))


def ordered_terms(expr: Expr, size_order: Sequence[str] = ()) -> tuple[Term, ...]:
    """Return the terms of an expression in display order; none for zero.

    Args:
        expr: an expression of sizes.
        size_order: the names of the sizes as the spec lists them; others come after them, by name.
    """
    return _ordered_terms(expr, tuple(size_order))


@lru_cache(maxsize=16384)  # every output prints the same formulas, and a workbook several times, in names and in cells
def _ordered_terms(expr: Expr, size_order: tuple[str, ...]) -> tuple[Term, ...]:
    position = {name: i for i, name in enumerate(size_order)}
    terms = [
        Term(coefficient, tuple(sorted(monomial, key=lambda factor: _factor_key(factor[0], position))))
        for monomial, coefficient in polynomial(fold_logs(expr)).items()
    ]
    return tuple(sorted(terms, key=lambda term: _term_key(term, position)))


def in_size_order(exprs: Iterable[Expr], size_order: Sequence[str] = ()) -> list[Expr]:
    """Return expressions (of which the order does not matter) in display order: by their first sizes, numbers last."""
    position = {name: i for i, name in enumerate(size_order)}
    return sorted(exprs, key=lambda expr: (not expr.free_symbols, _factor_key(expr, position)))


def polynomial(expr: Expr) -> Polynomial:
    """Return an expression multiplied out: the coefficient of each product of powers. Functions count as single factors."""
    if expr.is_Rational:
        return {_ONE: expr} if expr else {}
    if isinstance(expr, Add):
        return _sum(_multiplied_out(part) if isinstance(part, Mul) else polynomial(part) for part in expr.args)
    if isinstance(expr, Mul):
        return dict(_multiplied_out(expr))
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        return _power(expr.base, expr.exp)
    return {frozenset({(expr, Integer(1))}): Integer(1)}


def rebuilt(terms: Mapping[Monomial, Rational]) -> Expr:
    """Return the expression of a polynomial."""
    return Add(*(Mul(coefficient, *(base**exponent for base, exponent in monomial)) for monomial, coefficient in terms.items()))


def _sum(parts: Iterable[Mapping[Monomial, Rational]]) -> Polynomial:
    total: Polynomial = {}
    for part in parts:
        for monomial, coefficient in part.items():
            total[monomial] = total.get(monomial, Integer(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in total.items() if coefficient != 0}


@lru_cache(maxsize=16384)  # the sums of one spec have most of their products in common
def _multiplied_out(product: Mul) -> Mapping[Monomial, Rational]:
    return _product(product.args)


def _product(parts: Sequence[Expr]) -> Polynomial:
    coefficient, others = Integer(1), []
    powers: dict[Expr, Rational] = {}
    for part in parts:
        base, exponent = part.as_base_exp()
        if part.is_Rational:
            coefficient *= part
        elif base.is_Symbol and exponent.is_Rational:  # the common case, without a detour
            powers[base] = powers.get(base, Integer(0)) + exponent
        else:
            others.append(part)
    plain = frozenset((base, exponent) for base, exponent in powers.items() if exponent != 0)
    total: Polynomial = {plain: coefficient} if coefficient != 0 else {}
    for part in others:
        factor = polynomial(part)
        if len(total) * len(factor) > EXPANSION_LIMIT:
            factor = {frozenset({(part, Integer(1))}): Integer(1)}
        total = _times(total, factor)
    return total


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    return _sum(_times_monomials(a, b, p * q) for a, p in left.items() for b, q in right.items())


def _times_monomials(left: Monomial, right: Monomial, coefficient: Rational) -> Polynomial:
    exponents = dict(left)
    for base, exponent in right:
        exponents[base] = exponents.get(base, Integer(0)) + exponent
    kept = []
    for base, exponent in exponents.items():
        if base.is_Rational and exponent.is_Integer:
            coefficient *= base**exponent
        elif exponent != 0:
            kept.append((base, exponent))
    return {frozenset(kept): coefficient}


def _power(base: Expr, exponent: Rational) -> Polynomial:
    inner = polynomial(base)
    if len(inner) == 1:
        return _power_of_monomial(inner, exponent)
    whole = exponent.is_Integer and exponent > 0
    if whole and comb(len(inner) + int(exponent) - 1, int(exponent)) <= EXPANSION_LIMIT:
        total: Polynomial = {_ONE: Integer(1)}
        for _ in range(int(exponent)):
            total = _times(total, inner)
        return total
    content, primitive = rebuilt(inner).primitive()
    return _times(_power_of_number(content, exponent), {frozenset({(primitive, exponent)}): Integer(1)})


def _power_of_monomial(inner: Polynomial, exponent: Rational) -> Polynomial:
    """Raise each factor; a factor that could be negative stays under its root."""
    ((monomial, coefficient),) = inner.items()
    if not exponent.is_Integer and not (coefficient > 0 and all(part.is_positive for part, _ in monomial)):
        return {frozenset({(rebuilt(inner), exponent)}): Integer(1)}
    raised = _power_of_number(coefficient, exponent)
    return _times(raised, {frozenset((part, power * exponent) for part, power in monomial): Integer(1)})


def _power_of_number(number: Rational, exponent: Rational) -> Polynomial:
    """Return number**exponent; what has no exact root stays a factor under one."""
    value = number**exponent
    if value.is_Rational:
        return {_ONE: value}
    outside, inside = value.as_coeff_Mul()
    parts = [part.as_base_exp() for part in Mul.make_args(inside)]
    return {frozenset((base, power) for base, power in parts): outside}


def _factor_key(base: Expr, position: Mapping[str, int]) -> tuple[int, str, int, str]:
    """Return the place of a factor: numbers first, sizes as the spec lists them, functions after their first size."""
    if isinstance(base, Symbol):
        return (*_size_place(base, position), 0, base.name)
    index, name = min((_size_place(size, position) for size in base.free_symbols), default=(-1, ""))
    return index, name, 1, _text(base)


@lru_cache(maxsize=4096)
def _text(base: Expr) -> str:
    return str(_WithProductsOnce().doprint(base))


class _WithProductsOnce(StrPrinter):  # type: ignore[misc]  # sympy publishes no types
    """What `str` says of an expression. Sums are long, and have most of their products in common."""

    def _print_Mul(self, expr: Mul) -> str:  # noqa: N802 - as sympy names what prints a kind of node
        return _text_of_product(expr)


@lru_cache(maxsize=16384)
def _text_of_product(product: Mul) -> str:
    return str(product)


def _size_place(size: Symbol, position: Mapping[str, int]) -> tuple[int, str]:
    return (position[size.name], "") if size.name in position else (len(position), size.name)


def _term_key(term: Term, position: Mapping[str, int]) -> tuple[Any, ...]:
    """Return the place of a term: degree, numbers last, coefficient, powers of the sizes in order, everything else."""
    degree = sum((_degree(base) * exponent for base, exponent in term.factors), Integer(0))
    in_sizes: list[int | Fraction] = [0] * len(position)
    others = []
    for base, exponent in term.factors:
        if isinstance(base, Symbol) and base.name in position:
            in_sizes[position[base.name]] = python_number(-exponent)
        else:
            others.append((*_factor_key(base, position), python_number(-exponent)))
    return python_number(-degree), not term.factors, python_number(-abs(term.coefficient)), tuple(in_sizes), others


def python_number(number: Rational) -> int | Fraction:
    """Return a number as Python's own, which are added and compared many times as fast as sympy's."""
    return int(number.p) if number.q == 1 else Fraction(int(number.p), int(number.q))


def _degree(base: Expr) -> Rational:
    """Return the degree to which a factor grows with the sizes."""
    if isinstance(base, Symbol):
        return Integer(1)
    if isinstance(base, Mod):
        return _degree_of_sum(base.args[1])
    if isinstance(base, Piecewise):
        return max(_degree_of_sum(branch) for branch, _ in base.args)
    if isinstance(base, Add | floor | ceiling):
        return _degree_of_sum(base if isinstance(base, Add) else base.args[0])
    if isinstance(base, Min | Max):
        return max(_degree_of_sum(argument) for argument in base.args)
    return Integer(0)  # numbers, logarithms, and powers with sizes in the exponent


def _degree_of_sum(expr: Expr) -> Rational:
    degrees = [sum((_degree(base) * exponent for base, exponent in monomial), Integer(0)) for monomial in polynomial(expr)]
    return max(degrees, default=Integer(0))
