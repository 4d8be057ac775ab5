"""An architecture with its costs, also where a stack may have no layers at all.

The formulas of a stack are derived for any number of layers from one on: what its last layer leaves for the rows below, say, is kept once.
Where a stack may be empty (`repeat: L - 1`), the whole is derived once more for that number (L = 1), and the difference, which as a rule
is zero, is added by a factor that is one exactly there: 1 - min(1, L - 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sympy import Expr, Integer, Min, expand

from generator.formulas.symbols import Facts, symbol
from generator.quantities import BY_KEY, PARAMS
from generator.resolve.architecture import Architecture, FewRuns
from generator.resolve.once import earlier_tokens, keeps_once
from generator.resolve.resolver import Resolver
from generator.sheet.costs import saved_by_kind, sheet_rows
from generator.sheet.sheet import SheetRow
from generator.spec.library import Library
from generator.spec.model import Spec
from generator.text.problems import ProblemsError

Costs = Mapping[str, Expr]


@dataclass(frozen=True)
class Costed:
    """A traced architecture with its costs, each worked out when it is asked for.

    Args:
        few_runs: for each stack that may be empty, and recurrence that may have one step, what the architecture comes to where it is so.
        later: how many tokens came in earlier steps of decoding, and what the architecture comes to where there were some; None where
            nothing is made in the first step alone, or no tokens are counted.
    """

    architecture: Architecture
    few_runs: tuple[tuple[FewRuns, Costed], ...] = ()
    later: tuple[Expr, Costed] | None = None

    @property
    def facts(self) -> Facts:
        """What is known of its sizes."""
        return self.architecture.tracer.facts

    @cached_property
    def rows(self) -> tuple[SheetRow, ...]:
        """Its rows with their costs."""
        rows = sheet_rows(self.architecture)
        for stack, empty in self.few_runs:
            others = {row.path: row.costs for row in empty.rows}
            rows = tuple(replace(row, costs=_corrected(row.costs, others.get(row.path, {}), stack)) for row in rows)
        if self.later is not None:
            past, step = self.later
            others = {row.path: row.costs for row in step.rows}
            rows = tuple(replace(row, costs=_in_later_steps(row.costs, others.get(row.path, {}), past)) for row in rows)
        return rows

    @cached_property
    def saved(self) -> Costs:
        """What is kept for the backward pass by kind of element."""
        found: Costs = saved_by_kind(self.architecture)
        for stack, empty in self.few_runs:
            kinds = dict.fromkeys((*found, *empty.saved))
            all_kinds = _corrected({kind: found.get(kind, Integer(0)) for kind in kinds}, empty.saved, stack)
            found = {kind: total for kind, total in all_kinds.items() if total != 0}
        if self.later is not None:
            past, step = self.later
            kinds = dict.fromkeys((*found, *step.saved))
            found = _in_later_steps({kind: found.get(kind, Integer(0)) for kind in kinds}, step.saved, past)
        return found


def costed(
    library: Library,
    spec: Spec,
    options: Mapping[str, Any] | None = None,
    *,
    on_inputs: bool | None = None,
    half: bool = False,
    bound: Mapping[str, Expr] | None = None,
    is_later: bool = False,
) -> Costed:
    """Trace a spec and sum its costs.

    Args:
        options: values for options of the spec, instead of their defaults.
        on_inputs: whether all float inputs need a gradient, or none does; as the spec declares them by default.
        half: whether the model's numbers have two bytes.
        bound: sizes that are numbers.
        is_later: whether it is a step of decoding behind others alone.

    Raises:
        ProblemsError: with all independent problems.
    """
    known: dict[frozenset[tuple[str, Expr]], Costed] = {}

    def traced(numbers: Mapping[str, Expr]) -> Costed:
        """Trace each choice of few runs once, in whatever order they were chosen."""
        key = frozenset(numbers.items())
        if key not in known:
            arch = Resolver(library, on_inputs, half, numbers, is_later=is_later).architecture(spec, options)
            without = []
            for stack in arch.few_runs:
                with suppress(ProblemsError):  # other conditions leave this number out
                    without.append((stack, traced({**numbers, stack.size: Integer(stack.value)})))
            known[key] = Costed(arch, tuple(without), later_step(arch, numbers))
        return known[key]

    def later_step(arch: Architecture, numbers: Mapping[str, Expr]) -> tuple[Expr, Costed] | None:
        past = earlier_tokens(arch)
        if is_later or past == 0 or not keeps_once(arch):
            return None
        return past, costed(library, spec, options, on_inputs=on_inputs, half=half, bound=numbers, is_later=True)

    return traced(bound or {})


def _in_later_steps(costs: Costs, others: Costs, past: Expr) -> Costs:
    """Return costs that are others where tokens came in earlier steps; weights stay what they are."""
    found = {}
    for key, cost in costs.items():
        is_of_weights = key in BY_KEY and BY_KEY[key].unit == PARAMS.unit
        difference = Integer(0) if is_of_weights else expand(others.get(key, Integer(0)) - cost)
        found[key] = cost if difference == 0 else expand(cost + Min(1, past) * difference)
    return found


def _corrected(costs: Costs, others: Costs, stack: FewRuns) -> Costs:
    """Return costs that are others exactly where a stack has no layers, or a recurrence one step."""
    return {key: _with(cost, others.get(key, Integer(0)), stack) for key, cost in costs.items()}


def _with(cost: Expr, other: Expr, stack: FewRuns) -> Expr:
    difference = expand(other - cost.xreplace({symbol(stack.size): Integer(stack.value)}))
    return cost if difference == 0 else expand(cost + (1 - Min(1, stack.more)) * difference)
