"""Whether the tables of a generated module hold what their rows say: each place worked out by itself, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from sympy import Integer
from torch import Tensor, nn

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.ops.table import Table
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.instance_checks import Check
from generator.proof.verify.submodules import blocks_of
from generator.render.module.lines import row_names
from generator.resolve.architecture import Architecture, BoundRow
from generator.text.expression_tree import Ast, Binary, Bool, Call, Compare, Name, Number, Unary, fold

NUDGE = 1e-5  # a number that is so near to a whole one may be rounded down to either side, in single precision
MOST = 4096  # places of a table that are worked out

_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: float(a) ** b if b < 0 else a**b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
_PLAIN: Mapping[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}


def table_checks(instance: Instance) -> Iterator[Check]:
    """Build the module once more, with numbers, and work out its tables place by place."""
    arch = instance.bench.compiled(instance.name).architecture
    if not _has_tables(arch):
        return
    tables = list(_tables(arch, instance.bench.build(instance.name, instance.sizes), instance.sizes))
    wrong = [row for row, sizes, table in tables if not _holds(row.op, sizes, table, instance.sizes)]

    def locate() -> RowDifference:
        return RowDifference(wrong[0].path, wrong[0].row.op, "values", 0, 1)

    yield Check("tables that hold what they say", len(tables), len(tables) - len(wrong), locate)


def _has_tables(arch: Architecture) -> bool:
    return any(isinstance(row.op, Table) or (row.child is not None and _has_tables(row.child)) for row in arch.rows if row.active)


def _tables(arch: Architecture, module: nn.Module, sizes: Mapping[str, int]) -> Iterator[tuple[BoundRow, Mapping[str, Any], Tensor]]:
    attributes = row_names(arch).attributes
    for row in arch.rows:
        if row.active and isinstance(row.op, Table):
            yield row, arch.sizes, getattr(module, attributes[row.name])
        elif row.active and row.child is not None and not row.row.tie and _has_tables(row.child):
            for inner, block in blocks_of(row, module, attributes[row.name], sizes):
                yield from _tables(inner, block, sizes)


def _holds(op: Any, own: Mapping[str, Any], table: Tensor, sizes: Mapping[str, int]) -> bool:
    numbers = {symbol(name): Integer(size) for name, size in sizes.items()}
    known = {name: int(value.xreplace(numbers)) for name, value in own.items()}
    lengths = [int(evaluate(length, sizes)) for _, length in op.axes]
    if list(table.shape) != lengths:
        return False
    for at, place in enumerate(product(*(range(length) for length in lengths))):
        if at == MOST:
            break
        names = known | {name: number for (name, _), number in zip(op.axes, place, strict=True)}
        found = float(table[place])
        wanted = [float(_value(op.value.ast, names, nudge)) for nudge in (0.0, NUDGE, -NUDGE)]
        if not any(math.isclose(found, one, rel_tol=1e-4, abs_tol=1e-5) for one in wanted):
            return False
    return True


def _value(ast: Ast, names: Mapping[str, int], nudge: float) -> Any:
    def visit(node: Ast, operands: list[Any]) -> Any:
        if isinstance(node, Number):
            return node.value.numerator if node.value.denominator == 1 else float(node.value)
        if isinstance(node, Name):
            return names[node.id]
        if isinstance(node, Unary):
            return -operands[0]
        if isinstance(node, Call):
            return _called(node.function, operands, nudge)
        assert isinstance(node, Binary | Compare | Bool)
        return _OPERATIONS[node.op](*operands)

    return fold(ast, visit)


def _called(function: str, operands: list[Any], nudge: float) -> Any:
    if function == "where":
        return operands[1] if operands[0] else operands[2]
    if function in _PLAIN:
        return _PLAIN[function](*operands)
    if function in ("floor", "ceil") and isinstance(operands[0], float):
        return getattr(math, function)(operands[0] + nudge)
    return getattr(math, function)(*operands)
