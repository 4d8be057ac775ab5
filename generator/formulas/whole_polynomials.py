"""Common divisors and factors of polynomials in many sizes with whole coefficients, found from the sizes that stand in them only once.

sympy's algorithms are made for polynomials of high degree in few variables. Costs are the opposite: of low degree in many sizes, most of
which appear in the first power alone. A polynomial a*v + c in which a and c have nothing in common has no factors, however many other sizes
there are; and a size that one of two polynomials lacks is in no divisor of both. What is left after that goes to sympy, which is rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import count
from math import gcd as gcd_of_numbers
from math import isqrt

from sympy import Poly, symbols

Powers = tuple[int, ...]  # of each size, in one order
Whole = Mapping[Powers, int]  # a polynomial: the coefficient of each product of powers, none of them zero

_PRIME = 2**61 - 1
_POINTS = 3  # at which a discriminant is looked at


def divisor(first: Whole, second: Whole) -> dict[Powers, int]:
    """Return the greatest common divisor of two polynomials; which of the two signs it has is not said."""
    if not first or not second:
        return dict(first or second)
    number = gcd_of_numbers(*first.values(), *second.values())
    shared = tuple(map(min, zip(*first, *second, strict=True)))
    found = _divisor_of_sums(_bare(first), _bare(second))
    return {_plus(powers, shared): number * coefficient for powers, coefficient in found.items()}


def quotient(over: Whole, under: Whole) -> dict[Powers, int] | None:
    """Return how often one polynomial goes into another; None where something is left over."""
    left, found = dict(over), {}
    lead = max(under)
    while left:
        top = max(left)
        powers = _minus(top, lead)
        times, rest = divmod(left[top], under[lead])
        if rest or min(powers, default=0) < 0:
            return None
        found[powers] = times
        for other, coefficient in under.items():
            at = _plus(powers, other)
            value = left.get(at, 0) - times * coefficient
            if value:
                left[at] = value
            else:
                left.pop(at, None)
    return found


def irreducible_factors(sum_of_terms: Whole) -> list[dict[Powers, int]]:
    """Return the irreducible factors that are sums, each as often as it is one and with a leading coefficient above zero.

    Numbers and powers of sizes that all terms have in common are left out.
    """
    return [_with_plus(factor) for factor in _factors(_bare(sum_of_terms))]


def _factors(whole: dict[Powers, int]) -> list[dict[Powers, int]]:
    """Return the factors of a bare polynomial."""
    if len(whole) == 1:
        return []
    degrees = list(map(max, zip(*whole, strict=True)))
    alone = [i for i, degree in enumerate(degrees) if degree == 1]
    if alone:
        size = min(alone, key=lambda i: min(map(len, _coefficients(whole, i).values())))
        content = _common(_coefficients(whole, size).values())
        return [*_factors(_bare(content)), _exact(whole, content)]  # what remains is of degree one, and nothing divides both parts of it
    for size in (i for i, degree in enumerate(degrees) if degree > 1):
        content = _common(_coefficients(whole, size).values())
        if len(content) > 1:
            return [*_factors(_bare(content)), *_factors(_exact(whole, content))]
        if degrees[size] == 2 and _has_no_square_root(_coefficients(whole, size)):
            return [whole]
    _, found = _poly(whole).factor_list()
    return [dict(_terms(factor)) for factor, times in found for _ in range(times)]


def _has_no_square_root(quadratic: Mapping[int, Whole]) -> bool:
    """Say whether the discriminant is seen to be no square of a polynomial: its value somewhere is not the square of a number."""
    c0, c1, c2 = (quadratic.get(power, {}) for power in range(3))
    for start in range(_POINTS):
        low, middle, high = (_at(part, start) for part in (c0, c1, c2))
        value = middle * middle - 4 * low * high
        if value < 0 or isqrt(value) ** 2 != value:
            return True
    return False


def _at(whole: Whole, start: int) -> int:
    """Return the value at one of some points."""
    total = 0
    for powers, coefficient in whole.items():
        for value, power in zip(count(3 + start, 2), powers, strict=False):
            coefficient *= value**power  # noqa: PLW2901 - a running product
        total += coefficient
    return total


def _divisor_of_sums(first: dict[Powers, int], second: dict[Powers, int]) -> dict[Powers, int]:
    """Return the common divisor of bare polynomials."""
    none = {(0,) * len(next(iter(first))): 1}
    if len(first) == 1 or len(second) == 1:
        return none
    if first == second:
        return first
    degrees = [list(map(max, zip(*one, strict=True))) for one in (first, second)]
    shared = [i for i, both in enumerate(zip(*degrees, strict=True)) if min(both)]
    for one, other, degree in ((first, second, degrees[0]), (second, first, degrees[1])):
        extra = next((i for i, power in enumerate(degree) if power and i not in shared), None)
        if extra is not None:
            return _common([other, *_coefficients(one, extra).values()])
    for size in shared:
        if _is_free_of(first, second, size):
            return _common([*_coefficients(first, size).values(), *_coefficients(second, size).values()])
    for one, other, degree in ((first, second, degrees[0]), (second, first, degrees[1])):
        alone = next((i for i in shared if degree[i] == 1), None)
        if alone is not None:
            content = _common(_coefficients(one, alone).values())
            rest = _exact(one, content)
            outer = _common([content, *_coefficients(other, alone).values()])
            return outer if quotient(other, rest) is None else _times(outer, rest)
    return dict(_terms(_poly(first).gcd(_poly(second))))


def _is_free_of(first: Whole, second: Whole, size: int) -> bool:
    """Say whether a common divisor is seen to lack a size: modulo a prime, with numbers for the other sizes, the two have none in it."""
    one, other = _image(first, size), _image(second, size)
    if not one[-1] and not other[-1]:
        return False  # the degree has dropped in both, so that nothing is known
    while any(other):
        one, other = other, _remainder(one, other)
    return len(_trimmed(one)) == 1


def _image(whole: Whole, size: int) -> list[int]:
    """Return the coefficients of the powers of a size modulo a prime, the other sizes being numbers."""
    found = [0] * (1 + max(powers[size] for powers in whole))
    for powers, coefficient in whole.items():
        value = coefficient
        for i, power in enumerate(powers):
            if i != size and power:
                value = value * pow(_number(i), power, _PRIME) % _PRIME
        found[powers[size]] = (found[powers[size]] + value) % _PRIME
    return found


def _number(size: int) -> int:
    return pow(7, 40 + 11 * size, _PRIME)  # of no meaning, and always the same


def _trimmed(coefficients: list[int]) -> list[int]:
    while coefficients and not coefficients[-1]:
        coefficients = coefficients[:-1]
    return coefficients


def _remainder(over: list[int], under: list[int]) -> list[int]:
    left, under = _trimmed(over), _trimmed(under)
    inverse = pow(under[-1], -1, _PRIME)
    while len(left) >= len(under):
        times, shift = left[-1] * inverse % _PRIME, len(left) - len(under)
        left = [(c - times * under[i - shift]) % _PRIME if i >= shift else c for i, c in enumerate(left)]
        left = _trimmed(left[:-1])
    return left or [0]


def _common(parts: Iterable[Whole]) -> dict[Powers, int]:
    """Return the common divisor of several, the shortest first."""
    first, *others = sorted(parts, key=len)
    return reduce(divisor, others, dict(first))


def _coefficients(whole: Whole, size: int) -> dict[int, dict[Powers, int]]:
    """Return what each power of a size is multiplied by."""
    found: dict[int, dict[Powers, int]] = {}
    for powers, coefficient in whole.items():
        found.setdefault(powers[size], {})[(*powers[:size], 0, *powers[size + 1 :])] = coefficient
    return found


def _bare(whole: Whole) -> dict[Powers, int]:
    """Return a polynomial without the number and the powers of sizes that divide all terms."""
    number = gcd_of_numbers(*whole.values())
    shared = tuple(map(min, zip(*whole, strict=True)))
    return {_minus(powers, shared): coefficient // number for powers, coefficient in whole.items()}


def _exact(over: Whole, under: Whole) -> dict[Powers, int]:
    found = quotient(over, under)
    if found is None:
        raise ArithmeticError("a common divisor does not divide")
    return found


def _times(left: Whole, right: Whole) -> dict[Powers, int]:
    found: dict[Powers, int] = {}
    for a, p in left.items():
        for b, q in right.items():
            at = _plus(a, b)
            found[at] = found.get(at, 0) + p * q
    return {powers: coefficient for powers, coefficient in found.items() if coefficient}


def _with_plus(whole: dict[Powers, int]) -> dict[Powers, int]:
    return whole if whole[max(whole)] > 0 else {powers: -coefficient for powers, coefficient in whole.items()}


def _plus(left: Powers, right: Powers) -> Powers:
    return tuple(map(int.__add__, left, right))


def _minus(left: Powers, right: Powers) -> Powers:
    return tuple(map(int.__sub__, left, right))


def _poly(whole: Whole) -> Poly:
    return Poly.from_dict(dict(whole), *symbols(f"x:{len(next(iter(whole)))}"))


def _terms(poly: Poly) -> Iterator[tuple[Powers, int]]:
    return ((powers, int(coefficient)) for powers, coefficient in poly.terms())
