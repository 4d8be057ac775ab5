"""Between which numbers a formula or condition lies while its sizes lie in ranges: bounds that are always right, if not always close."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from sympy import Add, Eq, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Pow, Rational, Symbol, ceiling, floor
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

Number = Any  # int, Fraction, or an infinity as float
INFINITE = math.inf
MOST_BITS = 900  # of a power that is worked out; greater ones are infinite


@dataclass(frozen=True)
class Interval:
    """All numbers from `low` to `high`. A condition lies between 0, false, and 1, true."""

    low: Number
    high: Number

    def meets(self, other: Interval) -> bool:
        """Say whether some number is in both."""
        return bool(self.low <= other.high and other.low <= self.high)

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return bool(self.low == self.high)


WHOLE_LINE = Interval(-INFINITE, INFINITE)
UNKNOWN = Interval(0, 1)  # of a condition
TRUE, FALSE = Interval(1, 1), Interval(0, 0)
Ranges = Mapping[str, Interval]
Step = Callable[[Ranges], Interval]


def interval_of(expr: Any, ranges: Ranges) -> Interval:
    """Return bounds of an expression or a condition; the whole line, or unknown, for kinds that are not understood."""
    return _step(expr)(ranges)


@lru_cache(maxsize=4096)
def _step(expr: Any) -> Step:
    for kind in type(expr).__mro__:
        if kind in _BUILDERS:
            return _BUILDERS[kind](expr)
    nothing = WHOLE_LINE if getattr(expr, "is_Boolean", False) is False and not getattr(expr, "is_Relational", False) else UNKNOWN
    return lambda ranges: nothing  # noqa: ARG005 - the same everywhere


def _number(expr: Rational) -> Step:
    value = int(expr.p) if expr.q == 1 else Fraction(int(expr.p), int(expr.q))
    point = Interval(value, value)
    return lambda ranges: point  # noqa: ARG005 - the same everywhere


def _size(expr: Symbol) -> Step:
    name = expr.name
    return lambda ranges: ranges[name]


def _add(expr: Add) -> Step:
    parts = [_step(part) for part in expr.args]

    def total(ranges: Ranges) -> Interval:
        found = [part(ranges) for part in parts]
        return Interval(_sum([x.low for x in found]), _sum([x.high for x in found]))

    return total


def _multiply(expr: Mul) -> Step:
    parts = [_step(part) for part in expr.args]

    def product(ranges: Ranges) -> Interval:
        found = Interval(1, 1)
        for part in parts:
            found = _times(found, part(ranges))
        return found

    return product


def _times(one: Interval, other: Interval) -> Interval:
    corners = [_product(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
    return Interval(min(corners), max(corners))


def _product(a: Number, b: Number) -> Number:
    if a == 0 or b == 0:
        return 0
    if isinstance(a, float) or isinstance(b, float):  # an infinity; a whole number may be too long to become a float
        return INFINITE if (a > 0) == (b > 0) else -INFINITE
    return a * b


def _sum(parts: Sequence[Number]) -> Number:
    infinite = next((part for part in parts if isinstance(part, float)), None)
    return sum(parts) if infinite is None else infinite


def _power(expr: Pow) -> Step:
    base, exponent = _step(expr.base), _step(expr.exp)

    def power(ranges: Ranges) -> Interval:
        x, n = base(ranges), exponent(ranges)
        if n.is_point and n.low == -1:
            return _inverse(x)
        if x.low < 1 or not isinstance(x.low, int | Fraction):  # of powers only those that grow with both sides are worked out
            return WHOLE_LINE if x.low < 0 else Interval(0, INFINITE)
        low, high = (x.low, n.low) if n.low >= 0 else (x.high, n.low), (x.high, n.high) if n.high >= 0 else (x.low, n.high)
        return Interval(_raised(*low, up=False), _raised(*high, up=True))

    return power


def _inverse(x: Interval) -> Interval:
    if x.low <= 0 <= x.high:
        return WHOLE_LINE if x.low < 0 else Interval(0 if x.high == INFINITE else Fraction(1) / x.high if x.high else 0, INFINITE)
    return Interval(_inverted(x.high), _inverted(x.low))


def _inverted(x: Number) -> Number:
    return 0 if x in (INFINITE, -INFINITE) else Fraction(1) / x


def _raised(x: Number, n: Number, *, up: bool) -> Number:
    """Return a power of a number of at least one, or a bound of it."""
    is_exact = isinstance(x, int | Fraction) and isinstance(n, int)
    if is_exact and abs(n) * max(x.numerator.bit_length(), x.denominator.bit_length()) < MOST_BITS:
        return x**n if n >= 0 else Fraction(1) / x**-n
    if not up:
        return 1 if n >= 0 else 0
    return INFINITE if n > 0 else 1


def _rounding(round_: Callable[[Number], int]) -> Callable[[Any], Step]:
    def build(expr: Any) -> Step:
        inner = _step(expr.args[0])

        def rounded(ranges: Ranges) -> Interval:
            x = inner(ranges)
            return Interval(*(side if side in (INFINITE, -INFINITE) else round_(side) for side in (x.low, x.high)))

        return rounded

    return build


def _remainder(expr: Mod) -> Step:
    over, under = (_step(part) for part in expr.args)

    def remainder(ranges: Ranges) -> Interval:
        x, m = over(ranges), under(ranges)
        if x.is_point and m.is_point and m.low not in (0, INFINITE, -INFINITE):
            return Interval(x.low % m.low, x.low % m.low)
        if m.low <= 0:
            return WHOLE_LINE
        if x.low >= 0 and x.high < m.low:
            return x  # less than what it is divided by
        return Interval(0, min(m.high, x.high) if x.low >= 0 else m.high)

    return remainder


def _extreme(choose: Callable[[Any], Number]) -> Callable[[Any], Step]:
    def build(expr: Any) -> Step:
        parts = [_step(part) for part in expr.args]

        def extreme(ranges: Ranges) -> Interval:
            found = [part(ranges) for part in parts]
            return Interval(choose(x.low for x in found), choose(x.high for x in found))

        return extreme

    return build


def _compared(decide: Callable[[Interval, Interval], Interval]) -> Callable[[Any], Step]:
    def build(expr: Any) -> Step:
        left, right = (_step(side) for side in expr.args)
        return lambda ranges: decide(left(ranges), right(ranges))

    return build


def _less(a: Interval, b: Interval) -> Interval:
    return TRUE if a.high < b.low else FALSE if a.low >= b.high else UNKNOWN


def _at_most(a: Interval, b: Interval) -> Interval:
    return TRUE if a.high <= b.low else FALSE if a.low > b.high else UNKNOWN


def _equal(a: Interval, b: Interval) -> Interval:
    if not a.meets(b):
        return FALSE
    return TRUE if a.is_point and b.is_point else UNKNOWN


def _opposite(x: Interval) -> Interval:
    return Interval(1 - x.high, 1 - x.low)


def _negate(expr: Any) -> Step:
    inner = _step(expr.args[0])
    return lambda ranges: _opposite(inner(ranges))


_BUILDERS: dict[type, Callable[[Any], Step]] = {
    Rational: _number,
    Symbol: _size,
    Add: _add,
    Mul: _multiply,
    Pow: _power,
    floor: _rounding(math.floor),
    ceiling: _rounding(math.ceil),
    Mod: _remainder,
    Min: _extreme(min),
    Max: _extreme(max),
    Eq: _compared(_equal),
    Ne: _compared(lambda a, b: _opposite(_equal(a, b))),
    Lt: _compared(_less),
    Le: _compared(_at_most),
    Gt: _compared(lambda a, b: _less(b, a)),
    Ge: _compared(lambda a, b: _at_most(b, a)),
    And: _extreme(min),
    Or: _extreme(max),
    Not: _negate,
    BooleanTrue: lambda _: lambda ranges: TRUE,  # noqa: ARG005 - the same everywhere
    BooleanFalse: lambda _: lambda ranges: FALSE,  # noqa: ARG005 - as above
}
