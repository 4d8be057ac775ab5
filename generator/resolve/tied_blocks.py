"""Blocks that are applied again: a row with `use` that is tied to another one has the weights of that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generator.resolve.architecture import Architecture, BlockRow, BoundRow, Weight
from generator.resolve.declared_sizes import Unresolved
from generator.resolve.shape_text import show_shape
from generator.resolve.spec_run import Run
from generator.spec.model import Row
from generator.text.suggest import did_you_mean


def tied_block(run: Run, row: Row, rows: Mapping[str, BoundRow | None]) -> BlockRow | None:
    """Return the row whose weights a row with `use` has; None where it has its own. Raises Unresolved after reporting.

    Args:
        rows: the rows above; None where one is broken.
    """
    if not row.tie:
        return None
    found, place = rows.get(row.tie), row.where("tie")
    if found is None:
        if row.tie not in rows:
            run.problems.add(f"`tie` names `{row.tie}`, but no row above has that name", place, *did_you_mean(row.tie, rows))
        raise Unresolved
    other = found.row.use
    if not isinstance(found, BlockRow) or other is None or row.use is None or other.spec != row.use.spec:
        what = f"runs the op {found.row.op}" if found.row.op else f"uses `{other.spec}`" if other is not None else "fills a slot"
        note = f"`{row.name}` uses `{row.use.spec}`" if row.use is not None else ""
        run.problems.add(f"`tie` names `{row.tie}`, which {what}; a block is tied to another use of the same spec", place, note)
        raise Unresolved
    if found.row.when and found.row.when != row.when:
        note = f"give `{row.name}` the same `when`, or `{row.tie}` none"
        run.problems.add(f"`tie` names `{row.tie}`, which has no weights where `{found.row.when}` is false", place, note)
        raise Unresolved
    return found


def check_tied_block(run: Run, row: Row, bound: BlockRow, owner: BlockRow) -> None:
    """Raise Unresolved after reporting unless a block can be the very one that another row has applied."""
    if (bound.repeat, row.scan, row.share) != (owner.repeat, owner.row.scan, owner.row.share):
        run.problems.add(f"`{row.name}` is tied to `{row.tie}`, but is not repeated as often in the same way", row.where("tie"))
        raise Unresolved
    check_same_weights(run, row, bound.child, owner.child)


def check_one_block(run: Run, row: Row, owner: BlockRow) -> None:
    """Raise Unresolved after reporting unless the row that a layer is tied to applies one block, once."""
    key = next((key for key in ("repeat", "scan", "experts") if key in owner.row.spans), "")
    if key:
        note = f"`{row.tie}` has `{key}`"
        run.problems.add(
            f"a layer of a pattern can be tied only to a row that uses its block once, and `{row.tie}` does not", row.where("tie"), note
        )
        raise Unresolved


def check_same_weights(run: Run, row: Row, here: Architecture, there: Architecture) -> None:
    """Raise Unresolved after reporting unless a block is built as the one of the row that it is tied to."""
    place = row.where("tie")
    said = f"`{row.name}` is tied to `{row.tie}`, but"
    for one, other in _pairs(here, there):
        if one.spec.name != other.spec.name:
            run.problems.add(f"{said} a slot in it is filled with `{one.spec.name}`, and there with `{other.spec.name}`", place)
            raise Unresolved
        different = [name for name, value in one.options.items() if other.options[name] != value]
        if different:
            run.problems.add(f"{said} option `{different[0]}` of `{one.spec.name}` differs", place)
            raise Unresolved
        for mine, its in zip(_weights(one), _weights(other), strict=True):
            if not all(run.facts.equal(a, b) for a, b in zip(mine.shape, its.shape, strict=True)):
                shapes = [show_shape(weight.shape, {}) for weight in (mine, its)]
                run.problems.add(f"{said} a {mine.name} of `{one.spec.name}` is {shapes[0]} here and {shapes[1]} there", place)
                raise Unresolved


def _pairs(one: Architecture, other: Architecture) -> Iterator[tuple[Architecture, Architecture]]:
    """Yield a block and its counterpart, then those inside them."""
    yield one, other
    if one.spec.name == other.spec.name:
        for mine, its in zip(one.rows, other.rows, strict=True):
            if mine.child is not None and its.child is not None:
                yield from _pairs(mine.child, its.child)


def _weights(arch: Architecture) -> Iterator[Weight]:
    for row in arch.rows:
        yield from row.weights.values()
