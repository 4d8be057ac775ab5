"""The exact value of a formula at given sizes, scalar or array.

A walk over the formula as data builds a chain of Python functions on integers and fractions; nothing is compiled from text. Roots and
logarithms that do not come out even are carried as sympy numbers and turned into a float at the very end; only for these sympy is imported.
On arrays machine integers are used where they provably suffice, and Python's otherwise; numpy is imported only for these.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from operator import index
from typing import TYPE_CHECKING, Any

from generator.formulas.stored_formula import StoredFormula, size_names

if TYPE_CHECKING:
    import numpy as np
    from sympy import Expr

    from generator.formulas.in_words import ArrayFormula

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
        expr: an expression of sizes, or a condition on them: one of sympy's, a kept one, or a number.
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
    return evaluate_scalar(expr, {name: exact_size(name, value) for name, value in values.items()})


@lru_cache(maxsize=16384)
def _names(expr: Any) -> tuple[str, ...]:
    return size_names(expr)


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
    from generator.formulas.in_words import in_words

    known = {name: exact_size(name, value) for name, value in sizes.items() if not getattr(value, "ndim", 0)}
    for name, value in sizes.items():
        if getattr(value, "ndim", 0) and not (value.dtype.kind in "iu" or value.dtype == object):
            raise EvaluationError(f"the size `{name}` must hold whole numbers, not {value.dtype}")
    return in_words(array_formula(expr), known, {name: value for name, value in sizes.items() if name not in known})


def reach(limits: Iterable[tuple[Any, int]], sizes: Mapping[str, Any]) -> bool:
    """Say whether formulas come to the least that each must come to, at sizes that are numbers. Raises as `evaluate`."""
    return all(evaluate(count, sizes) >= least for count, least in limits)


@lru_cache(maxsize=16384)
def array_formula(expr: Any) -> ArrayFormula:
    """Return a formula as what is worked out at arrays."""
    from generator.formulas.in_words import ArrayFormula

    return ArrayFormula(_data(expr), _alone, partial(_with_python_numbers, expr))


def _alone(data: Any, sizes: Mapping[str, Exact]) -> Exact:
    return evaluate_scalar(StoredFormula(data, ()), sizes)


def _with_python_numbers(expr: Any, sizes: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Return the value at arrays in Python's integers, which have no limit."""
    import numpy as np

    names = list(sizes)
    whole = [np.asarray(sizes[name], dtype=object) for name in names]
    if all(array.size for array in whole):
        found = _together(expr, dict(zip(names, whole, strict=True)))
        if found is not None:
            return _narrowed(found)
    one_by_one = np.frompyfunc(lambda *values: evaluate_scalar(expr, dict(zip(names, values, strict=True))), len(names), 1)
    return _narrowed(np.asarray(one_by_one(*whole), dtype=object))


def _together(expr: Any, sizes: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any] | None:
    """Return the values at all places at once; None for what is worked out at one after the other."""
    import numpy as np

    from generator.formulas.vectors import PlaceByPlaceError, value_at

    shape = np.broadcast_shapes(*(array.shape for array in sizes.values()))
    try:
        known = {name: _flat(array, shape) if array.ndim else exact_size(name, array.item()) for name, array in sizes.items()}
        return np.broadcast_to(value_at(_data(expr), known), (math.prod(shape),)).reshape(shape)
    except (PlaceByPlaceError, ZeroDivisionError, TypeError):  # what has no value is said for the place at which it has none
        return None


def _flat(array: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return Python's integers, whatever the array was made of. Raises TypeError for what is none."""
    import numpy as np

    return np.asarray([index(value) for value in np.broadcast_to(array, shape).flat], dtype=object)


def _narrowed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if values.size and all(isinstance(value, bool) for value in values.flat):
        return values.astype(bool)
    if values.size and all(isinstance(value, int) and abs(value) <= _LARGEST for value in values.flat):
        return values.astype("int64")
    return values


def _text(expr: Any) -> str:
    from generator.formulas.stored_formula import text_of

    return text_of(expr, ())


def exact_size(name: str, value: Any) -> int | Fraction:
    """Return the number that a size is. Raises EvaluationError where it is none."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    try:
        return index(value)
    except TypeError:
        raise EvaluationError(f"the size `{name}` must be a whole number, not {value!r}") from None


@lru_cache(maxsize=16384)
def _step(expr: Any) -> Step:
    return _built(_data(expr))


@lru_cache(maxsize=16384)
def _data(expr: Any) -> Any:
    """Return a formula as plain data; see `generator.formulas.formula_data`."""
    if isinstance(expr, int):
        return expr
    if isinstance(expr, StoredFormula):
        return expr.data
    from generator.formulas.formula_data import FormulaDataError, to_data
    from generator.formulas.logs import fold_logs

    try:
        return to_data(fold_logs(expr))
    except FormulaDataError as error:
        raise EvaluationError(f"cannot evaluate {type(expr).__name__} in a formula: {expr}") from error


def _built(data: Any) -> Step:
    """Return the function that works a formula out; see `generator.formulas.formula_data` for its form."""
    if isinstance(data, int):
        return lambda sizes: data  # noqa: ARG005 - the same at all sizes
    if isinstance(data, str):
        return lambda sizes: sizes[data]
    name, *parts = data
    return _BUILDERS[name](parts)


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


def _number(parts: list[int]) -> Step:
    value = Fraction(*parts)
    return lambda sizes: value  # noqa: ARG005 - the same at all sizes


def _add(parts: list[Any]) -> Step:
    steps = [_built(part) for part in parts]
    return lambda sizes: _whole_if_possible(sum(step(sizes) for step in steps))


def _multiply(parts: list[Any]) -> Step:
    steps = [_built(part) for part in parts]

    def product(sizes: Mapping[str, Exact]) -> Exact:
        value: Exact = 1
        for step in steps:
            value = value * step(sizes)
        return _whole_if_possible(value)

    return product


def _raise(parts: list[Any]) -> Step:
    base, exponent = map(_built, parts)
    return lambda sizes: _power(base(sizes), exponent(sizes))


def _power(base: Exact, exponent: Exact) -> Exact:
    if isinstance(exponent, int) and isinstance(base, int | Fraction):
        if abs(exponent) * max(abs(base.numerator), base.denominator).bit_length() > MAX_BITS:
            raise EvaluationError(f"{base}**{exponent} is too large to evaluate")
        return base**exponent if exponent >= 0 else _whole_if_possible(1 / Fraction(base) ** -exponent)
    return _whole_if_possible(_as_sympy(base) ** _as_sympy(exponent))


def _as_sympy(value: Exact) -> Expr:
    from sympy import Integer, Rational

    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    return Integer(value) if isinstance(value, int) else value


def _round_down(parts: list[Any]) -> Step:
    inner = _built(parts[0])

    def rounded(sizes: Mapping[str, Exact]) -> int:
        value = inner(sizes)
        return math.floor(value) if isinstance(value, int | Fraction) else _whole_part(value)

    return rounded


def _whole_part(value: Expr) -> int:
    """Round an irrational number down. sympy 1.14 does it too soon: its floor(log(2**33 - 1)/log(2)) is 33."""
    from sympy import Rational

    nearest = 0
    before_the_point = len(str(abs(int(value.evalf(15)))))
    for digits in (30, 120, 480):
        close = value.evalf(before_the_point + digits)
        nearest = int(close.round())
        distance = close - nearest
        if abs(distance) > Rational(1, 10 ** (digits // 2)):
            return nearest if distance > 0 else nearest - 1
    return nearest  # equal to it, as far as anyone can tell


def _round_up(parts: list[Any]) -> Step:
    inner = _built(parts[0])

    def rounded(sizes: Mapping[str, Exact]) -> int:
        value = inner(sizes)
        return math.ceil(value) if isinstance(value, int | Fraction) else -_whole_part(-value)

    return rounded


def _remainder(parts: list[Any]) -> Step:
    left, right = map(_built, parts)
    return lambda sizes: _whole_if_possible(left(sizes) % right(sizes))


def _least(parts: list[Any]) -> Step:
    steps = [_built(part) for part in parts]
    return lambda sizes: min(step(sizes) for step in steps)


def _greatest(parts: list[Any]) -> Step:
    steps = [_built(part) for part in parts]
    return lambda sizes: max(step(sizes) for step in steps)


def _binary_log(parts: list[Any]) -> Step:
    inner = _built(parts[0])

    def logarithm(sizes: Mapping[str, Exact]) -> Exact:
        from sympy import log

        from generator.formulas.logarithm import Log2

        value = _as_sympy(inner(sizes))
        exact = Log2(value)
        return _whole_if_possible(exact if exact.is_Rational else log(value) / log(2))

    return logarithm


def _natural_log(parts: list[Any]) -> Step:
    inner = _built(parts[0])

    def logarithm(sizes: Mapping[str, Exact]) -> Exact:
        from sympy import log

        return _whole_if_possible(log(_as_sympy(inner(sizes))))

    return logarithm


def _choose(parts: list[Any]) -> Step:
    branches = [(_built(condition), _built(value)) for _, value, condition in parts]

    def chosen(sizes: Mapping[str, Exact]) -> Exact:
        for holds, value in branches:
            if holds(sizes):
                return value(sizes)
        raise EvaluationError("no case of a choice applies")

    return chosen


def _compare(relation: Callable[[Exact, Exact], Any]) -> Callable[[list[Any]], Step]:
    def build(parts: list[Any]) -> Step:
        left, right = map(_built, parts)
        return lambda sizes: bool(relation(left(sizes), right(sizes)))

    return build


def _combine(join: Callable[[Any], bool]) -> Callable[[list[Any]], Step]:
    def build(parts: list[Any]) -> Step:
        steps = [_built(part) for part in parts]
        return lambda sizes: join(step(sizes) for step in steps)

    return build


def _negate(parts: list[Any]) -> Step:
    inner = _built(parts[0])
    return lambda sizes: not inner(sizes)


_BUILDERS: dict[str, Callable[[list[Any]], Step]] = {
    "Rational": _number,
    "Add": _add,
    "Mul": _multiply,
    "Pow": _raise,
    "floor": _round_down,
    "ceiling": _round_up,
    "Mod": _remainder,
    "Min": _least,
    "Max": _greatest,
    "Log2": _binary_log,
    "log": _natural_log,
    "Piecewise": _choose,
    "Eq": _compare(operator.eq),
    "Ne": _compare(operator.ne),
    "Lt": _compare(operator.lt),
    "Le": _compare(operator.le),
    "Gt": _compare(operator.gt),
    "Ge": _compare(operator.ge),
    "And": _combine(all),
    "Or": _combine(any),
    "Not": _negate,
    "true": lambda _: lambda sizes: True,  # noqa: ARG005
    "false": lambda _: lambda sizes: False,  # noqa: ARG005
}
