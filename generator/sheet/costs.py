"""From an architecture to a Sheet: rows flattened, kernels summed, storages attributed, formulas expanded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from sympy import Add, Expr, Integer, expand

from generator.formulas.symbols import Facts
from generator.quantities import QUANTITIES, Counts, costs_of
from generator.resolve.architecture import Architecture, BoundRow
from generator.sheet.number_formats import KINDS
from generator.sheet.sheet import SheetRow
from generator.text.translated import Translated
from generator.trace.tensor import Storage
from generator.trace.tracer import Tally, Tracer

ZERO = Integer(0)
COUNTED_IN_FULL = Translated.of("what it hides has no closed form and counts as visible", {"zh": "所遮住的没有闭式，按可见计"})
OF_STEPS = Translated.of("first state and collected steps", {"zh": "初始状态和各步的汇集"})
OF_EXPERTS = Translated.of(
    "finds the tokens of each expert, weighs its results and adds them up; the shapes of experts are averages",
    {"zh": "找出各专家的词元，将其结果加权相加；专家的形状为平均值"},
)


def sheet_rows(arch: Architecture) -> tuple[SheetRow, ...]:
    """Return all rows of an architecture in order of computation, groups before their parts."""
    saved = _saved_by_row(arch.tracer.storages)
    return tuple(_rows(arch, 0, Integer(1), arch.tracer, saved))


def totals(rows: tuple[SheetRow, ...]) -> dict[str, Expr]:
    """Return the sum of each quantity over the rows of the outermost level."""
    return {q.key: _sum(row.costs[q.key] for row in rows if row.depth == 0) for q in QUANTITIES}


def saved_by_kind(arch: Architecture) -> dict[str, Expr]:
    """Return the elements kept for the backward pass by kind of element; kinds of which there are none are left out."""
    kept = [storage for storage in arch.tracer.storages if storage.saved_by is not None]
    sums = {kind: sum((s.elements for s in kept if s.kind == kind), ZERO) for kind in KINDS}
    return {kind: expand(arch.tracer.facts.simplify(total)) for kind, total in sums.items() if total != 0}


def _saved_by_row(storages: list[Storage]) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for storage in storages:
        if storage.saved_by is not None:
            found[storage.saved_by] = found.get(storage.saved_by, ZERO) + storage.elements
    return found


def _rows(arch: Architecture, depth: int, count: Expr, tracer: Tracer, saved: Mapping[str, Expr]) -> Iterator[SheetRow]:
    handed: dict[str, str] = {}  # rows that are switched off, and what they hand through
    for bound in arch.rows:
        inputs = tuple(handed.get(name, name) for name in bound.input_names)
        if not bound.active:
            handed[bound.name] = handed.get(bound.instead, bound.instead)
            continue
        repeat = count * bound.repeat
        own = _costs(tracer.tallies.get(bound.path, Tally()), saved.get(bound.path, ZERO), tracer.facts)
        if bound.child is None:
            row = _row(bound, inputs, depth, repeat, own, bound.row.op)
            remark = (
                {"note": f"{row.note}; {COUNTED_IN_FULL}" if row.note else COUNTED_IN_FULL} if bound.path in tracer.hidden.uncounted else {}
            )
            yield replace(row, told={**row.told, **remark})
            continue
        parts = tuple(_rows(bound.child, depth + 1, repeat, tracer, saved))
        overhead = _overhead(bound, depth + 1, count, own)
        inner = (*parts, *overhead)
        sums = {q.key: _sum(row.costs[q.key] for row in inner if row.depth == depth + 1) for q in QUANTITIES}
        op = "pattern" if bound.row.is_varied else f"use {bound.child.spec.name}"
        yield _row(bound, inputs, depth, repeat, sums, op, is_group=True)
        yield from inner


def _overhead(bound: BoundRow, depth: int, count: Expr, own: Mapping[str, Expr]) -> tuple[SheetRow, ...]:
    """The work of a recurrence around its cell (first state, collecting the steps), or of a mixture around its experts, as its own row."""
    if all(cost == 0 for cost in own.values()):
        return ()
    shapes = tuple((name, x.shape) for name, x in bound.results.items())
    if bound.row.scan:
        name, op, inputs, note = "steps", "scan", bound.input_names, OF_STEPS
    else:
        name, op, inputs = "mixing", "experts", tuple(bound.child.outputs) if bound.child is not None else ()
        note = OF_EXPERTS
    while bound.child is not None and name in bound.child.spec.rows:
        name += "_of_all"
    return (SheetRow(f"{bound.path}.{name}", name, depth, op, inputs, shapes, count, False, own, {"note": note}),)


def _row(
    bound: BoundRow, inputs: tuple[str, ...], depth: int, repeat: Expr, costs: Mapping[str, Expr], op: str, *, is_group: bool = False
) -> SheetRow:
    shapes = tuple((name, x.shape) for name, x in bound.results.items())
    arguments = tuple(bound.child.spec.inputs) if bound.child is not None else ()
    return SheetRow(bound.path, bound.name, depth, op, inputs, shapes, repeat, is_group, costs, bound.row.told(), arguments)


def makers(arch: Architecture) -> dict[str, str]:
    """Return, for each output, the row that makes it: a row that is switched off hands its input through."""
    handed: dict[str, str] = {}
    for bound in arch.rows:
        if not bound.active:
            handed[bound.name] = handed.get(bound.instead, bound.instead)
    return {name: handed.get(name, name) for name in arch.outputs}


def output_names(arch: Architecture) -> dict[str, str]:
    """Return, for each output, what a sheet calls it: by the row that makes it, unless that makes another output too."""
    made = makers(arch)
    counts = Counter(made.values())
    return {name: row if counts[row] == 1 else name for name, row in made.items()}


def _costs(tally: Tally, saved: Expr, facts: Facts) -> dict[str, Expr]:
    return {key: _expanded(facts.simplify(value)) for key, value in costs_of(Counts(tally, saved)).items()}


@lru_cache(maxsize=4096)  # a block costs the same wherever it is used with sizes of the same names
def _expanded(cost: Expr) -> Expr:
    return expand(cost)


def _sum(parts: Iterator[Expr]) -> Expr:
    """Add what is multiplied out already."""
    return Add(*parts)
