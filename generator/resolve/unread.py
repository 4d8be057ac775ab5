"""Results of blocks that nothing reads although they cost work: no gradient flows there, so the backward pass would be counted too high."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.resolve.architecture import BoundRow
from generator.spec.dead_rows import read_by_row
from generator.spec.model import Ref, Spec
from generator.text.problems import Problem
from generator.text.suggest import listed


def unread_results(spec: Spec, rows: Iterable[BoundRow], outputs: Iterable[Ref]) -> Iterator[Problem]:
    """Yield a problem for each row with several results of which one is read by nothing and worked out for nothing else."""
    read = {(ref.name, ref.part) for refs in (outputs, *read_by_row(spec).values()) for ref in refs}
    for bound in rows:
        if bound.child is None or not bound.active or bound.row.scan:
            continue
        unread = [part for part in bound.results if (bound.name, part) not in read]
        if unread and len(unread) < len(bound.results):
            yield from _problems(bound, bound.child.spec, unread)


def _problems(bound: BoundRow, child: Spec, unread: list[str]) -> Iterator[Problem]:
    names = [f"{bound.name}.{part}" for part in unread]
    advice = f"read it, or name it under `outputs`: {', '.join(names)}"
    if bound.row.repeat is not None:
        message = f"nothing reads {listed(names)}, which the last layer computes"
        yield Problem(message, bound.row.span, (advice,))
        return
    wanted = [ref for ref in child.outputs if ref.result_name not in unread]
    needed = _needed(child, wanted)
    idle = [row for row in child.rows if row not in needed]
    if idle:
        message = f"`{child.name}` computes {listed(idle)} for {listed(names)} alone, which nothing reads"
        yield Problem(message, bound.row.span, (advice, f"or use a spec without {'it' if len(idle) == 1 else 'them'}"))


def _needed(spec: Spec, wanted: Iterable[Ref]) -> set[str]:
    """Return the rows that some results depend on."""
    needed = {ref.name for ref in wanted}
    for row, refs in reversed(read_by_row(spec).items()):
        if row in needed:
            needed |= {ref.name for ref in refs}
    return needed
