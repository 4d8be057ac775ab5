"""Evaluating expressions: to sympy for formulas, and to exact Python numbers for checks that need no sympy."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, Union

from generator.text.expression_errors import ExpressionError
from generator.text.expression_tree import Ast, Binary, Bool, Call, Compare, Name, Number, Unary, children, fold, unparse
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from sympy import Expr
    from sympy.logic.boolalg import Boolean

Exact = Union[int, Fraction]  # noqa: UP007  an alias is evaluated at run time
T = TypeVar("T")

MAX_BITS = 65_536  # of a number's numerator and denominator, so that powers of powers cannot take all memory
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SYMPY_NAMES = {
    "==": "Eq",
    "!=": "Ne",
    "<": "Lt",
    "<=": "Le",
    ">": "Gt",
    ">=": "Ge",
    "and": "And",
    "or": "Or",
    "ceil": "ceiling",
    "floor": "floor",
    "min": "Min",
    "max": "Max",
    "sqrt": "sqrt",
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


def symbolic(ast: Ast, environment: Mapping[str, Expr]) -> Expr | Boolean:
    """Return an expression as a sympy formula (a condition as a sympy Boolean), exactly: decimals become rationals.

    `//` becomes `floor(a/b)`, `%` `Mod`, `log2(x)` `Log2(x)`. Sizes are positive integers, which lets sympy
    simplify minima, maxima and comparisons.

    Raises:
        ExpressionError: for an unknown name, a division by zero, and roots or logarithms of what has none.
    """
    return fold(ast, lambda node, operands: _visit_symbolic(node, operands, environment))


def _visit_symbolic(node: Ast, operands: list[Any], environment: Mapping[str, Expr]) -> Any:
    import sympy  # here, because it takes 0.4 s and reading a spec does not need it

    if isinstance(node, Number):
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if isinstance(node, Name):
        return _look_up(node, environment)
    if isinstance(node, Unary):
        return -operands[0]
    if isinstance(node, Binary):
        return _symbolic_arithmetic(node, *operands)
    if isinstance(node, Call):
        _refuse_domain(node, bool(operands[0].is_negative), bool(operands[0].is_nonpositive))
        if node.function == "log2":
            from generator.formulas.logarithm import Log2

            return Log2(operands[0])
    compare = getattr(sympy, _SYMPY_NAMES[node.function if isinstance(node, Call) else node.op])
    if isinstance(node, Bool):
        return compare(*operands)
    operands, divisor = _over_one_divisor(operands)
    return compare(*operands) / divisor if isinstance(node, Call) else compare(*operands)


def _over_one_divisor(operands: list[Any]) -> tuple[list[Any], Any]:
    """Return numbers times what they are divided by, where that is a product of sizes: sympy 1.14 takes 1/(b*n) to be at least 1."""
    import sympy  # as above

    if len(operands) < 2:
        return operands, 1
    from generator.formulas.algebra import cancel, together  # it imports sympy

    divisors = dict.fromkeys(sympy.fraction(together(operand))[1] for operand in operands)
    if all(len(divisor.free_symbols) < 2 or not divisor.is_positive for divisor in divisors):
        return operands, 1
    common = sympy.Mul(*(divisor for divisor in divisors if divisor.is_positive))
    return [cancel(operand * common) for operand in operands], common


def _symbolic_arithmetic(node: Binary, left: Any, right: Any) -> Any:
    import sympy  # as above

    if node.op == "**":
        _refuse_power(node, bool(left.is_zero), bool(left.is_negative), bool(right.is_negative), right.is_integer is False)
        if left.is_Rational and right.is_Rational:
            _refuse_size(node, Fraction(int(left.p), int(left.q)), Fraction(int(right.p), int(right.q)))
        from generator.formulas.logarithm import power

        return power(left, right)
    if node.op in ("/", "//", "%") and right.is_zero:
        raise _zero_error(node)
    if node.op == "//":
        return sympy.floor(left / right)
    return sympy.Mod(left, right) if node.op == "%" else _ARITHMETIC[node.op](left, right)


def evaluate_number(ast: Ast, environment: Mapping[str, Exact]) -> int | Fraction | float | bool:
    """Return the value of an expression for given sizes, without sympy.

    Integers and fractions are exact, and so are `floor` and `ceil` of roots and logarithms; only a root or logarithm
    that is not rational gives a float. A condition gives a bool.

    Raises:
        ExpressionError: as `symbolic`, and for numbers too large to handle.
    """

    def visit(node: Ast, operands: list[Any]) -> Any:
        try:
            return _visit_number(node, operands, environment)
        except OverflowError:
            raise _size_error(node) from None

    value = fold(ast, visit)
    if isinstance(value, bool):
        return value
    return float(value) if isinstance(value, float) else _whole(value)


def _visit_number(node: Ast, operands: list[Any], environment: Mapping[str, Exact]) -> Any:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return Fraction(_look_up(node, environment))
    if isinstance(node, Unary):
        return -operands[0]
    if isinstance(node, Compare):
        return _COMPARE[node.op](*operands)
    if isinstance(node, Bool):
        return all(operands) if node.op == "and" else any(operands)
    if isinstance(node, Call):
        _refuse_domain(node, operands[0] < 0, operands[0] <= 0)
        return _FUNCTIONS[node.function](*operands)
    left, right = operands
    if node.op == "**":
        return _power(node, left, right)
    if node.op in ("/", "//", "%") and right == 0:
        raise _zero_error(node)
    return _ARITHMETIC[node.op](left, right)


class _Irrational(float):
    """A float that knows the exact floor of the irrational number that it stands for."""

    floor: int


def _irrational(value: float, floor: int) -> _Irrational:
    number = _Irrational(value)
    number.floor = floor
    return number


def _floor(value: Any) -> Fraction:
    return Fraction(value.floor if isinstance(value, _Irrational) else math.floor(value))


def _ceil(value: Any) -> Fraction:
    return Fraction(value.floor + 1 if isinstance(value, _Irrational) else math.ceil(value))


def _sqrt(value: Any) -> Any:
    if isinstance(value, float):
        return math.sqrt(value)
    root = _exact_root(value, 2)
    return root if root is not None else _irrational(math.sqrt(value), math.isqrt(math.floor(value)))


def _log2(value: Any) -> Any:
    if isinstance(value, float):
        return math.log2(value)
    floor = value.numerator.bit_length() - value.denominator.bit_length()
    floor -= value < Fraction(2) ** floor
    if value == Fraction(2) ** floor:
        return Fraction(floor)
    return _irrational(math.log2(value.numerator) - math.log2(value.denominator), floor)


_FUNCTIONS: dict[str, Callable[..., Any]] = {"ceil": _ceil, "floor": _floor, "min": min, "max": max, "sqrt": _sqrt, "log2": _log2}


def _power(node: Binary, base: Any, exponent: Any) -> Any:
    if isinstance(base, float) or isinstance(exponent, float):
        _refuse_power(node, base == 0, base < 0, exponent < 0, isinstance(exponent, float) or exponent.denominator != 1)
        return float(base) ** float(exponent)
    _refuse_power(node, base == 0, base < 0, exponent < 0, exponent.denominator != 1)
    _refuse_size(node, base, exponent)
    if exponent.denominator == 1:
        return base**exponent
    if exponent == Fraction(1, 2):
        return _sqrt(base)
    root = _exact_root(base, exponent.denominator)
    return float(base) ** float(exponent) if root is None else root**exponent.numerator


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    """Return the root of a number that is not negative, if it is rational."""
    roots = [_whole_root(part, degree) for part in (value.numerator, value.denominator)]
    return None if None in roots else Fraction(*(root or 0 for root in roots))


def _whole_root(value: int, degree: int) -> int | None:
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < value else (low, middle)
    return low if low**degree == value else None


def _whole(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def _look_up(node: Name, environment: Mapping[str, T]) -> T:
    if node.id in environment:
        return environment[node.id]
    known = (f"known names: {listed(environment)}",) if environment else ("no names are known here",)
    raise _error(f"unknown name `{node.id}`", node, *did_you_mean(node.id, environment), *known)


def _zero_error(node: Binary) -> ExpressionError:
    return _error(f"division by zero: `{unparse(node.right)}` is 0", node.right)


def _refuse_power(node: Binary, zero: bool, negative: bool, inverse: bool, fractional: bool) -> None:
    if zero and inverse:
        raise _error(f"division by zero: `{unparse(node.left)}` is 0 and its exponent is negative", node)
    if negative and fractional:
        raise _error(f"`{unparse(node)}` is the root of a negative number", node)


def _refuse_size(node: Binary, base: Fraction, exponent: Fraction) -> None:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * (bits if bits > 1 else 0) > MAX_BITS or exponent.denominator > MAX_BITS:
        raise _size_error(node)


def _size_error(node: Ast) -> ExpressionError:
    return _error(f"`{unparse(node)}` is too large to evaluate", node)


def _refuse_domain(node: Call, negative: bool, nonpositive: bool) -> None:
    argument = children(node)[0]
    if node.function == "sqrt" and negative:
        raise _error(f"the root of a negative number: `{unparse(argument)}`", argument)
    if node.function == "log2" and nonpositive:
        raise _error(f"the logarithm of a number that is not positive: `{unparse(argument)}`", argument)


def _error(message: str, place: Ast, *notes: str) -> ExpressionError:
    return ExpressionError(message, place.start, place.end - place.start, notes)
