"""What each row reads, and the rows that nothing reads: their work is dead, and no gradient flows through it."""

from __future__ import annotations

from collections.abc import Iterator

from generator.ops.registry import ops
from generator.spec.model import Ref, Row, Spec
from generator.text.problems import Problem


def references(row: Row, above: str) -> tuple[Ref, ...]:
    """Return what a row reads: what it names under `in`, or else the row above, if its op reads anything; then how experts are chosen."""
    routing = tuple(ref for ref in (row.by, row.weights) if ref is not None)
    if row.inputs is not None:
        return (*row.inputs, *routing)
    if row.op and ops()[row.op].arity == (0, 0):  # such as a parameter
        return ()
    return (Ref(above, "", row.span), *routing)


def read_by_row(spec: Spec) -> dict[str, tuple[Ref, ...]]:
    """Return what each row reads, in order."""
    found: dict[str, tuple[Ref, ...]] = {}
    above = next(iter(spec.inputs))
    for row in spec.rows.values():
        found[row.name] = (*references(row, above), *([row.otherwise] if row.otherwise is not None else []))
        above = row.name
    return found


def check_reading(spec: Spec) -> Iterator[Problem]:
    """Yield the rows of which no result is read. Nothing is said where a reference is wrong, as it may be meant for such a row."""
    if spec.is_broken or not spec.inputs or not spec.rows:
        return
    known, read = set(spec.inputs), set()
    for row_name, refs in read_by_row(spec).items():
        names = {ref.name for ref in refs}
        if names - known:
            return
        read |= names
        known.add(row_name)
    results = {ref.name for ref in spec.outputs} or {list(spec.rows)[-1]}
    if results - known:
        return
    for row in spec.rows.values():
        if row.name not in read | results:
            yield Problem(f"nothing reads `{row.name}`", row.span, ("remove the row, or name it under `outputs`",))
