"""Where two formulas of one size cross, exactly: by the real roots of a polynomial, or by search where there is rounding in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, lcm
from typing import Any

from sympy import Expr, Integer, Poly, Symbol, sympify

from generator.formulas.evaluate import evaluate
from generator.formulas.order import Polynomial, polynomial

FARTHEST = 2**40  # how far a formula that is no polynomial is searched


@dataclass(frozen=True)
class Root:
    """A size at which the formulas change places.

    Args:
        value: the exact real number at which both are equal; None where one of them jumps over the other.
        low, high: whole numbers around it, equal if it is whole.
    """

    value: Expr | None
    low: int
    high: int

    @property
    def near(self) -> float:
        """The root as a decimal number; where a formula jumps, the size just above."""
        return float(self.value) if self.value is not None else float(self.high)

    @property
    def is_whole(self) -> bool:
        """Whether both formulas are equal at a whole number."""
        return self.low == self.high


@dataclass(frozen=True)
class Crossing:
    """How the first formula compares with the second as a size grows from 1.

    Args:
        size: the size's name.
        signs: of first - second before, between and after the roots: -1 the first is less, 0 both are equal, 1 it is more.
        roots: where the sign changes, in order.
        is_exact: whether these are proven to be all; else they are those up to `FARTHEST`.
    """

    size: str
    signs: tuple[int, ...]
    roots: tuple[Root, ...]
    is_exact: bool = True

    def first_whole(self, index: int) -> int:
        """Return the first whole size behind a root at which its new sign holds."""
        root = self.roots[index]
        return root.high + 1 if root.is_whole else root.high


def crossing(first: Expr, second: Expr, size: Symbol) -> Crossing:
    """Compare two formulas in which one size is open.

    Args:
        first, second: formulas of `size` alone.

    Raises:
        ValueError: another size is open too.
    """
    others = (first.free_symbols | second.free_symbols) - {size}
    if others:
        raise ValueError(f"{', '.join(sorted(symbol.name for symbol in others))} must be given before crossings can be found")
    terms = polynomial(first - second)
    if not terms:
        return Crossing(size.name, (0,), ())
    poly = _in_size(terms, size)
    return _by_roots(poly, size) if poly is not None else _by_search(first - second, size)


def _in_size(terms: Polynomial, size: Symbol) -> Poly | None:
    """Return a difference times a power of the size as a polynomial in it; None where there is more in it than powers."""
    plain = [(dict(monomial), coefficient) for monomial, coefficient in terms.items()]
    if any(base != size or not exponent.is_Integer for powers, _ in plain for base, exponent in powers.items()):
        return None
    exponents = [int(powers.get(size, Integer(0))) for powers, _ in plain]
    least = min(exponents)
    scale = lcm(*(int(coefficient.q) for _, coefficient in plain))
    return Poly.from_dict({(power - least,): coefficient * scale for (_, coefficient), power in zip(plain, exponents, strict=True)}, size)


def _by_roots(poly: Poly, size: Symbol) -> Crossing:
    values = [root for root in dict.fromkeys(poly.real_roots()) if root > 1]
    points = _between(values)
    signs = [_sign(poly.eval(point)) for point in points]
    kept = [i for i in range(len(values)) if signs[i] != signs[i + 1]]
    roots = tuple(Root(values[i], _floor(values[i]), _ceil(values[i])) for i in kept)
    return Crossing(size.name, (signs[0], *(signs[i + 1] for i in kept)), roots)


def _between(values: list[Expr]) -> list[Expr]:
    """Return a rational number in each gap between numbers greater than 1, and outside: the first in (1, ...), the last beyond all."""
    edges = [Fraction(1), *(_rational(value) for value in values)]
    inner = [sympify((low + high) / 2) for low, high in pairwise(edges)]
    return [*inner, sympify(floor(edges[-1]) + 1)]


def _rational(value: Expr) -> Fraction:
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    return Fraction(str(value.evalf(40)))


def _floor(value: Expr) -> int:
    return floor(_rational(value))


def _ceil(value: Expr) -> int:
    return ceil(_rational(value))


def _sign(value: Any) -> int:
    return int(bool(value > 0)) - int(bool(value < 0))


def _by_search(difference: Expr, size: Symbol) -> Crossing:
    """Look at all whole sizes up to 64 and at a fine geometric grid beyond, and halve each gap in which the sign changes."""

    def sign(at: int) -> int:
        return _sign(evaluate(difference, {size.name: at}))

    grid = list(range(1, 65))
    while grid[-1] < FARTHEST:
        grid.append(grid[-1] + max(1, grid[-1] // 32))
    found = [sign(at) for at in grid]
    signs, roots = [found[0]], []
    for i in range(1, len(grid)):
        if found[i] == signs[-1] or (found[i] == 0 and i + 1 < len(grid)):
            continue
        roots.append(_narrowed(sign, grid[i - 1], grid[i], signs[-1]))
        signs.append(found[i])
    return Crossing(size.name, tuple(signs), tuple(roots), is_exact=False)


def _narrowed(sign: Callable[[int], int], low: int, high: int, before: int) -> Root:
    """Return the gap of one between whole sizes in which a sign ends; where both formulas are equal at a size, that one."""
    while high - low > 1:
        middle = (low + high) // 2
        if sign(middle) == before:
            low = middle
        else:
            high = middle
    if sign(high) == 0:
        return Root(Integer(high), high, high)
    return Root(None, low, high)
