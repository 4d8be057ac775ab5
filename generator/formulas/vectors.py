"""Formulas at arrays of sizes, exactly: a walk over the formula, with numerators and denominators in arrays of Python's integers.

What is irrational, and what has no value at one of the places, is left to who works the formula out place by place.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

Sizes = Mapping[str, Any]  # ints, Fractions, and arrays of Python's integers, all of one length
Ratio = tuple[Any, Any]  # numerator and denominator, which is above zero; the int 1 where all are whole
_LARGEST_POWER = 64


class PlaceByPlaceError(ValueError):
    """The formula is worked out place by place: for what it does there is nothing here."""


def value_at(data: Any, sizes: Sizes) -> Any:
    """Return the values of a formula, as ints and Fractions in an array of objects, or of a condition in one of bools.

    Args:
        data: see `generator.formulas.formula_data`.

    Raises:
        PlaceByPlaceError: roots, logarithms, large powers.
        ZeroDivisionError: something that may not matter is divided by zero.
    """
    if isinstance(data, list | tuple) and data[0] in _CONDITIONS:
        return np.asarray(_holds(data, sizes), dtype=bool)
    above, below = _ratio(data, sizes)
    if isinstance(below, int):
        return np.asarray(above, dtype=object)
    return np.asarray(np.frompyfunc(lambda n, d: n // d if n % d == 0 else Fraction(n, d), 2, 1)(above, below), dtype=object)


def _ratio(data: Any, sizes: Sizes) -> Ratio:
    if isinstance(data, int):
        return data, 1
    if isinstance(data, str):
        size = sizes[data]
        return (size.numerator, size.denominator) if isinstance(size, Fraction) else (size, 1)
    name, *parts = data
    if name == "Rational":
        return parts[0], parts[1]
    if name not in _BUILDERS:
        raise PlaceByPlaceError(name)
    return _BUILDERS[name](parts, sizes)


def _reduced(above: Any, below: Any) -> Ratio:
    if isinstance(below, int) and below == 1:
        return above, 1
    if isinstance(above, int) and isinstance(below, int):
        common = math.gcd(above, below)
    else:
        common = np.gcd(np.asarray(above, dtype=object), np.asarray(below, dtype=object))
    above, below = above // common, below // common
    return above, 1 if np.all(np.equal(below, 1)) else below


def _plus(left: Ratio, right: Ratio) -> Ratio:
    (a, b), (c, d) = left, right
    return _reduced(a * d + c * b, b * d)


def _times(left: Ratio, right: Ratio) -> Ratio:
    return _reduced(left[0] * right[0], left[1] * right[1])


def _power(parts: list[Any], sizes: Sizes) -> Ratio:
    base, exponent = parts
    if not isinstance(exponent, int) or abs(exponent) > _LARGEST_POWER:
        raise PlaceByPlaceError("Pow")
    above, below = _ratio(base, sizes)
    if exponent >= 0:
        return above**exponent, below**exponent
    if np.any(np.equal(above, 0)):
        raise ZeroDivisionError
    sign = _where(_compared(operator.lt, (above, 1), (0, 1)), -1, 1)
    return _reduced((sign * below) ** -exponent, (sign * above) ** -exponent)


def _floor(parts: list[Any], sizes: Sizes) -> Ratio:
    above, below = _ratio(parts[0], sizes)
    return above // below, 1


def _ceiling(parts: list[Any], sizes: Sizes) -> Ratio:
    above, below = _ratio(parts[0], sizes)
    return -(-above // below), 1


def _remainder(parts: list[Any], sizes: Sizes) -> Ratio:
    (a, b), (c, d) = (_ratio(part, sizes) for part in parts)
    return _reduced((a * d) % (c * b), b * d)


def _extreme(relation: Callable[[Any, Any], Any]) -> Callable[[list[Any], Sizes], Ratio]:
    def better(left: Ratio, right: Ratio) -> Ratio:
        mask = _compared(relation, left, right)
        return _where(mask, left[0], right[0]), _where(mask, left[1], right[1])

    return lambda parts, sizes: reduce(better, (_ratio(part, sizes) for part in parts))


def _chosen(parts: list[Any], sizes: Sizes) -> Ratio:
    """Work out each case where it applies, and nowhere else: elsewhere it may have no value."""
    (_, value, condition), *others = parts
    mask = _holds(condition, sizes)
    if np.all(mask):
        return _ratio(value, sizes)
    if not others:
        raise PlaceByPlaceError("Piecewise")
    if not np.any(mask):
        return _chosen(others, sizes)
    inside = _ratio(value, _part(sizes, mask))
    outside = _chosen(others, _part(sizes, ~mask))
    above, below = np.empty(mask.shape, dtype=object), np.empty(mask.shape, dtype=object)
    above[mask], below[mask] = inside
    above[~mask], below[~mask] = outside
    return _reduced(above, below)


def _part(sizes: Sizes, mask: Any) -> dict[str, Any]:
    return {name: size[mask] if getattr(size, "ndim", 0) else size for name, size in sizes.items()}


def _compared(relation: Callable[[Any, Any], Any], left: Ratio, right: Ratio) -> Any:
    return relation(left[0] * right[1], right[0] * left[1])


def _where(mask: Any, yes: Any, no: Any) -> Any:
    if getattr(mask, "ndim", 0) == 0:
        return yes if mask else no
    return np.where(mask, np.asarray(yes, dtype=object), np.asarray(no, dtype=object))


def _holds(data: Any, sizes: Sizes) -> Any:
    """Return where a condition holds: an array of bools, or one bool for all places."""
    name, *parts = data
    if name in _RELATIONS:
        left, right = (_ratio(part, sizes) for part in parts)
        return _compared(_RELATIONS[name], left, right)
    if name not in _CONDITIONS:
        raise PlaceByPlaceError(name)
    return _JOINED[name]([_holds(part, sizes) for part in parts])


_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "Ne": operator.ne,
    "Lt": operator.lt,
    "Le": operator.le,
    "Gt": operator.gt,
    "Ge": operator.ge,
}
_JOINED: dict[str, Callable[[list[Any]], Any]] = {
    "And": lambda parts: reduce(np.logical_and, parts),
    "Or": lambda parts: reduce(np.logical_or, parts),
    "Not": lambda parts: np.logical_not(parts[0]),
    "true": lambda _: True,
    "false": lambda _: False,
}
_CONDITIONS = frozenset({*_RELATIONS, *_JOINED})
_BUILDERS: dict[str, Callable[[list[Any], Sizes], Ratio]] = {
    "Add": lambda parts, sizes: reduce(_plus, (_ratio(part, sizes) for part in parts)),
    "Mul": lambda parts, sizes: reduce(_times, (_ratio(part, sizes) for part in parts)),
    "Pow": _power,
    "floor": _floor,
    "ceiling": _ceiling,
    "Mod": _remainder,
    "Min": _extreme(operator.le),
    "Max": _extreme(operator.ge),
    "Piecewise": _chosen,
}
