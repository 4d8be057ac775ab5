"""An architecture with its costs, also where a stack may have no layers at all.

The formulas of a stack are derived for any number of layers from one on: what its last layer leaves for the rows below, say, is kept once.
Where a stack may be empty (`repeat: L - 1`), the whole is derived once more for that number (L = 1), and the difference, which as a rule
is zero, is added by a factor that is one exactly there: 1 - min(1, L - 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Expr, Integer, Min, expand

from generator.formulas.symbols import Facts, symbol
from generator.resolve.architecture import Architecture, EmptyStack
from generator.resolve.resolver import Resolver
from generator.sheet.costs import saved_by_kind, sheet_rows
from generator.sheet.sheet import SheetRow
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.text.problems import ProblemsError


@dataclass(frozen=True)
class Costed:
    """A traced architecture, its rows with their costs, and what is kept for the backward pass by kind of element."""

    architecture: Architecture
    facts: Facts
    rows: tuple[SheetRow, ...]
    saved: Mapping[str, Expr]


def costed(
    library: Library,
    spec: Spec,
    options: Mapping[str, Any] | None = None,
    *,
    on_inputs: bool | None = None,
    half: bool = False,
    bound: Mapping[str, Expr] | None = None,
) -> Costed:
    """Trace a spec and sum its costs.

    Args:
        options: values for options of the spec, instead of their defaults.
        on_inputs: whether all float inputs need a gradient, or none does; as the spec declares them by default.
        half: whether the model's numbers have two bytes.
        bound: sizes that are numbers.

    Raises:
        ProblemsError: with all independent problems.
    """
    arch = Resolver(library, on_inputs, half, bound or {}).architecture(spec, options)
    found = Costed(arch, arch.tracer.facts, sheet_rows(arch), saved_by_kind(arch))
    for stack in arch.empty_stacks:
        numbers = {**(bound or {}), stack.size: Integer(stack.value)}
        try:
            without = costed(library, spec, options, on_inputs=on_inputs, half=half, bound=numbers)
        except ProblemsError:
            continue  # other conditions leave this number out
        found = _corrected(found, stack, without)
    return found


def _corrected(found: Costed, stack: EmptyStack, without: Costed) -> Costed:
    """Return costs that are those `without` the layers of a stack exactly where it has none."""
    others = {row.path: row.costs for row in without.rows}
    rows = tuple(
        replace(row, costs={key: _with(cost, others.get(row.path, {}).get(key, Integer(0)), stack) for key, cost in row.costs.items()})
        for row in found.rows
    )
    kinds = dict.fromkeys((*found.saved, *without.saved))
    saved = {kind: _with(found.saved.get(kind, Integer(0)), without.saved.get(kind, Integer(0)), stack) for kind in kinds}
    return replace(found, rows=rows, saved={kind: total for kind, total in saved.items() if total != 0})


def _with(cost: Expr, other: Expr, stack: EmptyStack) -> Expr:
    difference = expand(other - cost.xreplace({symbol(stack.size): Integer(stack.value)}))
    return cost if difference == 0 else expand(cost + (1 - Min(1, stack.count)) * difference)
