"""The tree of an expression, and what is read off it without evaluating it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar, Union

T = TypeVar("T")

# How tightly operators bind, as in Python; an operand that binds less tightly needs parentheses.
OR, AND, COMPARISON, SUM, PRODUCT, UNARY, POWER, ATOM = range(1, 9)
BINDING = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), COMPARISON),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "/", "//", "%"), PRODUCT),
    "**": POWER,
}


@dataclass(frozen=True)
class _Located:
    """Offsets of the first character and behind the last one; they do not count when trees are compared."""

    start: int = field(default=0, compare=False, kw_only=True)
    end: int = field(default=0, compare=False, kw_only=True)


@dataclass(frozen=True)
class Number(_Located):
    """A number that is not negative, exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(_Located):
    """The name of a size."""

    id: str


@dataclass(frozen=True)
class Unary(_Located):
    """A negated operand; `op` is always `-`."""

    op: str
    operand: Ast


@dataclass(frozen=True)
class Binary(_Located):
    """Arithmetic on two operands; `op` is one of + - * / // % **."""

    op: str
    left: Ast
    right: Ast


@dataclass(frozen=True)
class Call(_Located):
    """A call of one of the functions ceil, floor, min, max, log2, sqrt."""

    function: str
    arguments: tuple[Ast, ...]


@dataclass(frozen=True)
class Compare(_Located):
    """A comparison of two numbers; `op` is one of == != < <= > >=."""

    op: str
    left: Ast
    right: Ast


@dataclass(frozen=True)
class Bool(_Located):
    """Two conditions joined; `op` is `and` or `or`."""

    op: str
    left: Ast
    right: Ast


Ast = Union[Number, Name, Unary, Binary, Call, Compare, Bool]  # noqa: UP007  an alias is evaluated at run time


def children(ast: Ast) -> tuple[Ast, ...]:
    """Return the operands of a node, from left to right."""
    if isinstance(ast, (Binary, Compare, Bool)):
        return (ast.left, ast.right)
    if isinstance(ast, Call):
        return ast.arguments
    return (ast.operand,) if isinstance(ast, Unary) else ()


def fold(ast: Ast, visit: Callable[[Ast, list[T]], T]) -> T:
    """Return `visit(node, results of its operands)` of the root, from the leaves up and from left to right.

    It does not recurse: a sum of hundreds of terms is a tree of that depth.
    """
    order: list[Ast] = []
    waiting = [ast]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children(node))
    results: list[T] = []
    for node in reversed(order):
        first = len(results) - len(children(node))
        operands = results[first:]
        results[first:] = [visit(node, operands)]
    return results[0]


def names(ast: Ast) -> tuple[str, ...]:
    """Return the names in an expression, each once, in the order in which they appear."""

    def visit(node: Ast, operands: list[tuple[str, ...]]) -> tuple[str, ...]:
        return (node.id,) if isinstance(node, Name) else tuple(dict.fromkeys(name for operand in operands for name in operand))

    return fold(ast, visit)


def unparse(ast: Ast) -> str:
    """Return an expression in normal form: `2*n + d/h`, with the parentheses that it needs and no others."""
    return fold(ast, _unparse_node)[0]


_Text = tuple[str, int]  # and how tightly its outermost operator binds


def _unparse_node(node: Ast, operands: list[_Text]) -> _Text:
    if isinstance(node, Number):
        return decimal(node.value), ATOM
    if isinstance(node, Name):
        return node.id, ATOM
    if isinstance(node, Call):
        return f"{node.function}({', '.join(text for text, _ in operands)})", ATOM
    if isinstance(node, Unary):
        return f"-{_wrapped(operands[0], UNARY)}", UNARY
    binding = BINDING[node.op]
    # Powers group from the right and take a bare minus there; comparisons do not chain; the others group from the left.
    left, right = {POWER: (ATOM, UNARY), COMPARISON: (SUM, SUM)}.get(binding, (binding, binding + 1))
    space = "" if binding >= PRODUCT else " "
    return f"{_wrapped(operands[0], left)}{space}{node.op}{space}{_wrapped(operands[1], right)}", binding


def _wrapped(operand: _Text, least: int) -> str:
    text, binding = operand
    return text if binding >= least else f"({text})"


def decimal(value: Fraction) -> str:
    """Return a fraction that came from a decimal number as one: `30000`, `0.5`, `1e-12`.

    Raises:
        ValueError: if the fraction has no finite decimal form.
    """
    places = 0
    rest = value.denominator
    while rest % 10 == 0 or rest % 5 == 0 or rest % 2 == 0:
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2
        places += 1
    if rest != 1:
        raise ValueError(f"{value} has no finite decimal form")
    digits = str(value.numerator * 10**places // value.denominator)
    stripped = digits.rstrip("0") or "0"
    power = len(digits) - len(stripped) - places
    if not -7 < power < 16:
        return f"{stripped}e{power}"
    if power >= 0:
        return stripped + "0" * power
    padded = stripped.zfill(1 - power)
    return f"{padded[:power]}.{padded[power:]}"
