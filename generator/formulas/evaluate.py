"""The exact value of a formula at given sizes, scalar or array.

A walk over the tree builds a chain of Python functions on integers and fractions; nothing is compiled from text. Roots and logarithms
that do not come out even are carried as sympy numbers and turned into a float at the very end. On arrays machine integers are used where
they provably suffice, and Python's otherwise; numpy is imported only for these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING, Any

from sympy import (
    Add,
    And,
    Eq,
    Expr,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Mul,
    Ne,
    Not,
    Or,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    ceiling,
    floor,
    log,
)
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from generator.formulas.logarithm import Log2
from generator.formulas.logs import fold_logs
from generator.formulas.order import Polynomial, polynomial

if TYPE_CHECKING:
    import numpy as np

_LARGEST = 2**63 - 1  # of the numbers in an array of int64
MAX_BITS = 1 << 20  # of a power, so that a power of powers cannot take all memory
Exact = Any  # int, Fraction, or a sympy number that is irrational
Step = Callable[[Mapping[str, Exact]], Exact]


class EvaluationError(ValueError):
    """The formula has no value at these sizes."""


class _NotRealError(EvaluationError):
    """Some part of the formula is no real number."""


def evaluate(expr: Any, sizes: Mapping[str, Any]) -> Any:
    """Return the value of an expression (or condition).

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        sizes: the value of each size by name: an int, a Fraction, or a numpy array of integers. Arrays broadcast against each other.

    Returns:
        For scalars an int where the value is whole, else a Fraction, or a float where it is irrational; a bool for a condition.
        For arrays an array of the broadcast shape: int64 where every value fits, else Python numbers in an array of objects.

    Raises:
        EvaluationError: a size is missing, or the formula divides by zero or takes the root of a negative number.
    """
    names = _names(expr)
    missing = [name for name in names if name not in sizes]
    if missing:
        raise EvaluationError(f"no value is given for {', '.join(f'`{name}`' for name in missing)} in {_text(expr)}")
    values = {name: sizes[name] for name in names}
    if any(getattr(value, "ndim", 0) for value in values.values()):
        return evaluate_arrays(expr, values)
    return evaluate_scalar(expr, {name: _as_exact(name, value) for name, value in values.items()})


@lru_cache(maxsize=16384)
def _names(expr: Any) -> tuple[str, ...]:
    return tuple(sorted(symbol.name for symbol in expr.free_symbols))


def evaluate_scalar(expr: Any, sizes: Mapping[str, int | Fraction]) -> int | Fraction | float | bool:
    """Return the value at scalar sizes; see `evaluate`."""
    try:
        value = _step(expr)(sizes)
    except ZeroDivisionError as problem:
        at = ", ".join(f"{name}={value}" for name, value in sizes.items())
        raise EvaluationError(f"{_text(expr)} divides by zero at {at}") from problem
    except _NotRealError as problem:
        at = ", ".join(f"{name}={value}" for name, value in sizes.items())
        raise EvaluationError(f"{_text(expr)} is not a real number at {at}") from problem
    if isinstance(value, int | Fraction):
        return value
    return float(value.evalf(30))


def evaluate_arrays(expr: Any, sizes: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Return the value at sizes of which at least one is an array; see `evaluate`."""
    import numpy as np

    for name, value in sizes.items():
        if getattr(value, "ndim", 0) and not (value.dtype.kind in "iu" or value.dtype == object):
            raise EvaluationError(f"the size `{name}` must hold whole numbers, not {value.dtype}")
    names = list(sizes)
    whole = [np.asarray(sizes[name], dtype=object) for name in names]
    if all(array.size for array in whole):
        terms = polynomial(expr) if isinstance(expr, Expr) else {}
        largest = {name: max(1, *(abs(int(value)) for value in array.flat)) for name, array in zip(names, whole, strict=True)}
        if terms and _is_plain(terms) and _bound(terms, largest) <= _LARGEST:
            return _in_int64(terms, {name: array.astype(np.int64) for name, array in zip(names, whole, strict=True)})
    one_by_one = np.frompyfunc(lambda *values: evaluate_scalar(expr, dict(zip(names, values, strict=True))), len(names), 1)
    return _narrowed(np.asarray(one_by_one(*whole), dtype=object))


def _is_plain(terms: Polynomial) -> bool:
    return all(
        coefficient.q == 1 and all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in monomial)
        for monomial, coefficient in terms.items()
    )


def _bound(terms: Polynomial, largest: Mapping[str, int]) -> int:
    """Return a bound on the size of the result and of everything on the way to it."""
    total = 0
    for monomial, coefficient in terms.items():
        product = abs(int(coefficient))
        for base, exponent in monomial:
            product *= largest[base.name] ** int(exponent)
        total += product
    return total


def _in_int64(terms: Polynomial, sizes: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    import numpy as np

    total = np.zeros(np.broadcast_shapes(*(array.shape for array in sizes.values())), dtype=np.int64)
    for monomial, coefficient in terms.items():
        product: Any = np.int64(coefficient)
        for base, exponent in monomial:
            product = product * sizes[base.name] ** int(exponent)
        total += product
    return total


def _narrowed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if values.size and all(isinstance(value, bool) for value in values.flat):
        return values.astype(bool)
    if values.size and all(isinstance(value, int) and abs(value) <= _LARGEST for value in values.flat):
        return values.astype("int64")
    return values


def _text(expr: Any) -> str:
    from generator.formulas.text import to_text  # here, because only a complaint needs it

    return to_text(expr)


def _as_exact(name: str, value: Any) -> int | Fraction:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    try:
        return index(value)
    except TypeError:
        raise EvaluationError(f"the size `{name}` must be a whole number, not {value!r}") from None


@lru_cache(maxsize=16384)
def _step(expr: Any) -> Step:
    return _built(fold_logs(expr))


def _built(expr: Any) -> Step:
    for kind in type(expr).__mro__:
        if kind in _BUILDERS:
            return _BUILDERS[kind](expr)
    raise EvaluationError(f"cannot evaluate {type(expr).__name__} in a formula: {expr}")


def _whole_if_possible(value: Exact) -> Exact:
    """Return ints for whole numbers and Fractions for rational ones, whatever they came as."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if isinstance(value, int):
        return value
    if value.is_Rational:
        return int(value.p) if value.q == 1 else Fraction(int(value.p), int(value.q))
    if not value.is_finite or not value.is_real:
        raise _NotRealError(f"{value} is not a real number")
    return value


def _number(expr: Rational) -> Step:
    value = _whole_if_possible(expr)
    return lambda sizes: value  # noqa: ARG005 - the same at all sizes


def _size(expr: Symbol) -> Step:
    name = expr.name
    return lambda sizes: sizes[name]


def _add(expr: Add) -> Step:
    parts = [_built(part) for part in expr.args]
    return lambda sizes: _whole_if_possible(sum(part(sizes) for part in parts))


def _multiply(expr: Mul) -> Step:
    parts = [_built(part) for part in expr.args]

    def product(sizes: Mapping[str, Exact]) -> Exact:
        value: Exact = 1
        for part in parts:
            value = value * part(sizes)
        return _whole_if_possible(value)

    return product


def _raise(expr: Pow) -> Step:
    base, exponent = _built(expr.base), _built(expr.exp)
    return lambda sizes: _power(base(sizes), exponent(sizes))


def _power(base: Exact, exponent: Exact) -> Exact:
    if isinstance(exponent, int) and isinstance(base, int | Fraction):
        if abs(exponent) * max(abs(base.numerator), base.denominator).bit_length() > MAX_BITS:
            raise EvaluationError(f"{base}**{exponent} is too large to evaluate")
        return base**exponent if exponent >= 0 else _whole_if_possible(1 / Fraction(base) ** -exponent)
    return _whole_if_possible(_as_sympy(base) ** _as_sympy(exponent))


def _as_sympy(value: Exact) -> Expr:
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    return Integer(value) if isinstance(value, int) else value


def _round_down(expr: Any) -> Step:
    inner = _built(expr.args[0])

    def rounded(sizes: Mapping[str, Exact]) -> int:
        value = inner(sizes)
        return math.floor(value) if isinstance(value, int | Fraction) else _whole_part(value)

    return rounded


def _whole_part(value: Expr) -> int:
    """Round an irrational number down. sympy 1.14 does it too soon: its floor(log(2**33 - 1)/log(2)) is 33."""
    nearest = 0
    before_the_point = len(str(abs(int(value.evalf(15)))))
    for digits in (30, 120, 480):
        close = value.evalf(before_the_point + digits)
        nearest = int(close.round())
        distance = close - nearest
        if abs(distance) > Rational(1, 10 ** (digits // 2)):
            return nearest if distance > 0 else nearest - 1
    return nearest  # equal to it, as far as anyone can tell


def _round_up(expr: Any) -> Step:
    inner = _built(expr.args[0])

    def rounded(sizes: Mapping[str, Exact]) -> int:
        value = inner(sizes)
        return math.ceil(value) if isinstance(value, int | Fraction) else -_whole_part(-value)

    return rounded


def _remainder(expr: Any) -> Step:
    left, right = (_built(part) for part in expr.args)
    return lambda sizes: _whole_if_possible(left(sizes) % right(sizes))


def _least(expr: Any) -> Step:
    parts = [_built(part) for part in expr.args]
    return lambda sizes: min(part(sizes) for part in parts)


def _greatest(expr: Any) -> Step:
    parts = [_built(part) for part in expr.args]
    return lambda sizes: max(part(sizes) for part in parts)


def _binary_log(expr: Any) -> Step:
    inner = _built(expr.args[0])

    def logarithm(sizes: Mapping[str, Exact]) -> Exact:
        value = _as_sympy(inner(sizes))
        exact = Log2(value)
        return _whole_if_possible(exact if exact.is_Rational else log(value) / log(2))

    return logarithm


def _natural_log(expr: Any) -> Step:
    inner = _built(expr.args[0])
    return lambda sizes: _whole_if_possible(log(_as_sympy(inner(sizes))))


def _choose(expr: Piecewise) -> Step:
    branches = [(_built(condition), _built(value)) for value, condition in expr.args]

    def chosen(sizes: Mapping[str, Exact]) -> Exact:
        for holds, value in branches:
            if holds(sizes):
                return value(sizes)
        raise EvaluationError(f"no case of {expr} applies")

    return chosen


def _compare(relation: Callable[[Exact, Exact], Any]) -> Callable[[Any], Step]:
    def build(expr: Any) -> Step:
        left, right = (_built(side) for side in expr.args)
        return lambda sizes: bool(relation(left(sizes), right(sizes)))

    return build


def _combine(join: Callable[[Any], bool]) -> Callable[[Any], Step]:
    def build(expr: Any) -> Step:
        parts = [_built(part) for part in expr.args]
        return lambda sizes: join(part(sizes) for part in parts)

    return build


def _negate(expr: Any) -> Step:
    inner = _built(expr.args[0])
    return lambda sizes: not inner(sizes)


_BUILDERS: dict[type, Callable[[Any], Step]] = {
    Rational: _number,
    Symbol: _size,
    Add: _add,
    Mul: _multiply,
    Pow: _raise,
    floor: _round_down,
    ceiling: _round_up,
    Mod: _remainder,
    Min: _least,
    Max: _greatest,
    Log2: _binary_log,
    log: _natural_log,
    Piecewise: _choose,
    Eq: _compare(lambda left, right: left == right),
    Ne: _compare(lambda left, right: left != right),
    Lt: _compare(lambda left, right: left < right),
    Le: _compare(lambda left, right: left <= right),
    Gt: _compare(lambda left, right: left > right),
    Ge: _compare(lambda left, right: left >= right),
    And: _combine(all),
    Or: _combine(any),
    Not: _negate,
    BooleanTrue: lambda _: lambda sizes: True,  # noqa: ARG005
    BooleanFalse: lambda _: lambda sizes: False,  # noqa: ARG005
}
