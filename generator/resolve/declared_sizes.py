"""Turns the expressions of a spec into sizes: whole numbers of at least one, for all values that the spec allows.

What cannot be seen from the expression alone becomes a requirement on the sizes, as if it stood under `where`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from sympy import Add, Eq, Expr, Ge, Integer, Mod, Mul, Pow, Rational, floor, fraction
from sympy.logic.boolalg import Boolean

from generator.formulas.algebra import together
from generator.formulas.feasible import demanded, first, solutions
from generator.formulas.logarithm import Log2
from generator.formulas.symbols import Facts
from generator.formulas.text import to_text
from generator.resolve.architecture import Sized
from generator.resolve.exact_sizes import inexact_problem
from generator.resolve.missing import report_missing
from generator.resolve.requirements import Needs
from generator.resolve.shape_text import show_size
from generator.spec.model import Expression
from generator.spec.name_checks import size_notes
from generator.text.expression_tree import Ast, Binary, Number, Unary, fold
from generator.text.expressions import ExpressionError, Name, expression_problem, names, symbolic
from generator.text.problems import Problem, Problems
from generator.text.suggest import add_condition
from generator.trace.tensor import Shape

SMALL = range(1, 10)  # sizes, to see whether one that follows from them can be below one
TRIES = 2000  # of such sizes
MAX_TERMS = 32  # of one size, written out as a sum
MAX_SHAPE_TERMS = 1024  # of the product of a shape's sizes


class Unresolved(Exception):  # noqa: N818  it is no error by itself
    """Something went wrong and is already among the problems; what depends on it is skipped."""


def evaluated(expression: Expression, sizes: Mapping[str, Expr], facts: Facts, problems: Problems, *, limit: int = MAX_TERMS) -> Expr:
    """Return the value of an expression, simplified, as a number that need not be whole. Raises Unresolved after reporting."""
    try:
        refuse_huge(expression.ast, sizes, limit)
        value = symbolic(expression.ast, sizes)
    except ExpressionError as error:
        problems.extend([expression_problem(as_size_error(error, sizes), expression.span)])
        raise Unresolved from None
    simplified: Expr = facts.simplify(value)
    return simplified


def written_size(sized: Sized, needs: Needs, expression: Expression, problems: Problems, *, least: int = 1) -> Expr:
    """Return the value of an expression that is a size of `sized`, which writes it. Raises Unresolved after reporting.

    Args:
        least: 0 for a number of layers, of which there may be none.
    """
    if report_missing(sized, expression.ast, expression.span, problems):
        raise Unresolved
    value = evaluated(expression, sized.sizes, needs.facts, problems)
    wrong = _layers_problem(value, expression.text) if least == 0 and value.is_number else ()
    if value != 0 or least:
        wrong = wrong or size_problem(value, expression.text, sized.sizes, needs.facts) or inexact_problem(expression)
    if wrong:
        problems.extend([Problem(wrong[0], expression.span, wrong[1:], wrong[0] if value.free_symbols else "")])
        raise Unresolved
    needs.value([value], expression.span)
    if least:
        needs.positive(value, expression.span)
    elif not value.is_nonnegative:
        needs.condition(Ge(value, least), expression.span)
    return value


def _layers_problem(value: Expr, text: str) -> tuple[str, ...]:
    """Return why a number cannot be one of layers."""
    return () if value.is_integer and value.is_nonnegative else (f"`{text}` is no number of layers, which is whole and at least 0",)


def written_shape(sized: Sized, needs: Needs, expressions: Sequence[Expression], problems: Problems) -> Shape:
    """Return the shape that a spec writes. All of its problems are reported before Unresolved is raised."""
    found: list[Expr] = []
    broken = False
    for expression in expressions:
        if sized.rest is not None and expression.text == sized.spec.rest:
            found += sized.rest
            continue
        try:
            found.append(written_size(sized, needs, expression, problems))
        except Unresolved:
            broken = True
    if broken:
        raise Unresolved
    if math.prod(_terms(axis) for axis in found) > MAX_SHAPE_TERMS:
        problems.add("this shape is too long to be written out", expressions[0].span, "give a name to its parts under `dims`")
        raise Unresolved
    return tuple(found)


def size_problem(value: Expr, text: str, sizes: Mapping[str, Expr], facts: Facts) -> tuple[str, ...]:
    """Return what keeps a value from being a size, with notes; an empty tuple where nothing does.

    Args:
        text: as someone wrote it; empty where nobody did.
    """
    is_no_number = value.is_number and not (value.is_integer and value.is_positive)
    if not is_no_number and not value.is_nonpositive and facts.is_whole(value):
        return ()
    shown = show_size(value, sizes)
    label = f"`{shown}`" if text in ("", shown) else f"`{text}` is {shown}, which"
    if is_no_number:
        return (f"{label} is no size; sizes are whole numbers of at least 1",)
    if value.is_nonpositive:
        return (f"{label} is never positive; sizes are at least 1",)
    return (f"{label} is not always a whole number", *whole_notes(value, sizes))


def whole_notes(value: Expr, sizes: Mapping[str, Expr]) -> Iterator[str]:
    """Suggest what makes a value a whole number."""
    numerator, denominator = fraction(together(value))
    if not numerator.free_symbols:
        return
    if not value.is_rational_function():  # no condition shows that a root is whole, but a derived size is required to be
        yield f"round down: floor({show_size(value, sizes)})"
        yield f"or give it a name under `dims`, and it is checked to be whole: {{is: ..., value: {show_size(value, sizes)}}}"
        return
    condition = whole_condition(value)
    if condition.free_symbols:
        yield add_condition(to_text(condition, tuple(sizes)))
    if denominator != 1:
        yield f"or round down: {_operand(numerator, sizes)} // {_operand(denominator, sizes)}"


def _operand(part: Expr, sizes: Mapping[str, Expr]) -> str:
    shown = show_size(part, sizes)
    return shown if part.is_Atom else f"({shown})"


def whole_condition(value: Expr) -> Boolean:
    """Return the condition under which a value is a whole number."""
    numerator, denominator = fraction(together(value))
    if isinstance(value, Pow) and value.exp == Rational(1, 2):
        return Eq(floor(value) ** 2, value.base)
    if isinstance(value, Log2):
        return Eq(Integer(2) ** floor(value), value.args[0])
    if denominator == 1 or value.has(Log2):
        return Eq(Mod(value, 1), 0)
    return Eq(Mod(numerator, denominator), 0)


def can_vanish(size: Expr, facts: Facts) -> bool:
    """Say whether a size that an op computes (a convolution's positions) is below one for some small sizes that meet the conditions."""
    return not size.is_positive and _is_below_one(size, tuple(facts.conditions))


@lru_cache(maxsize=4096)  # all layers of a stack ask the same, and a pass that is replayed at other sizes asks it again
def _is_below_one(size: Expr, conditions: tuple[Boolean, ...]) -> bool:
    names_ = sorted(symbol.name for symbol in size.free_symbols)
    demands = [demand for condition in (*conditions, size < 1) for demand in demanded(condition)]
    return first(solutions(names_, demands, lambda *_: iter(SMALL), steps=TRIES)) is not None


def refuse_huge(ast: Ast, sizes: Mapping[str, Expr], limit: int) -> None:
    """Raise ExpressionError for an expression that would take ages to write out as a sum, before anything is computed of it."""
    known = {name: _terms(value) for name, value in sizes.items()}

    def visit(node: Ast, inner: list[int]) -> int:
        if isinstance(node, Binary) and node.op == "**" and isinstance(node.right, Binary) and node.right.op == "**" and names(node.right):
            raise ExpressionError("a power of sizes stands in an exponent", node.right.start, node.right.end - node.right.start)
        count = _node_terms(node, inner, known)
        if count > limit:
            note = "give a name to its parts under `dims`, or write it as a product"
            raise ExpressionError("this expression is too long when it is written out as a sum", node.start, node.end - node.start, (note,))
        return count

    fold(ast, visit)


def _node_terms(node: Ast, inner: list[int], known: Mapping[str, int]) -> int:
    if isinstance(node, Name):
        return known.get(node.id, 1)
    if not isinstance(node, Binary):
        return max(inner, default=1)
    if node.op in "+-":
        return sum(inner)
    if node.op != "**":
        return math.prod(inner)
    exponent = node.right.operand if isinstance(node.right, Unary) else node.right
    return _power_terms(inner[0], exponent.value) if isinstance(exponent, Number) else inner[0] * inner[1] if max(inner) > 1 else 1


def _power_terms(base: int, exponent: Rational) -> int:
    whole = math.ceil(abs(exponent))
    return math.comb(base + whole - 1, whole)


def _terms(value: Expr) -> int:
    """Return how many terms a value has at most when it is written out as a sum."""
    if isinstance(value, Add):
        return sum(map(_terms, value.args))
    if isinstance(value, Mul):
        return math.prod(map(_terms, value.args))
    if isinstance(value, Pow) and value.exp.is_Rational:
        return _power_terms(_terms(value.base), value.exp)
    return max(map(_terms, value.args), default=1)


def as_size_error(error: ExpressionError, sizes: Iterable[str]) -> ExpressionError:
    """Say `size` where the expression parser says `name`."""
    if not error.message.startswith("unknown name "):
        return error
    name = error.message.split("`")[1]
    return ExpressionError(f"unknown size `{name}`", error.offset, error.length, size_notes(name, list(sizes)), name)
