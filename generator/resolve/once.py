"""Rows that run in the first step of decoding alone: those that only serve what is kept once, such as the encoder of a translation."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer

from generator.ops.cache import Cache
from generator.resolve.architecture import Architecture
from generator.resolve.decoding_sizes import caches
from generator.spec.dead_rows import read_by_row
from generator.spec.model import Row, Spec


def is_kept_once(row: Row) -> bool:
    """Say whether a row keeps what the first step has made, whatever its options are."""
    return row.op == Cache.name and row.params.get("once") is True and not row.when


def run_once(spec: Spec) -> frozenset[str]:
    """Return the names of the rows of a spec of which only rows that are kept once, or run once, read anything."""
    if not any(is_kept_once(row) for row in spec.rows.values()):
        return frozenset()
    reads = read_by_row(spec)
    results = {ref.name for ref in spec.outputs} or {[*spec.rows][-1]}
    found: set[str] = set()
    for name in reversed([*spec.rows]):
        readers = [other for other, refs in reads.items() if any(ref.name == name for ref in refs)]
        serves = all(other in found or is_kept_once(spec.rows[other]) for other in readers)
        if readers and serves and name not in results and not is_kept_once(spec.rows[name]):
            found.add(name)
    return frozenset(found)


def keeps_once(arch: Architecture) -> bool:
    """Say whether something is kept once, in a nested block or not."""
    return any(row.active and (is_kept_once(row.row) or (row.child is not None and keeps_once(row.child))) for row in arch.rows)


def earlier_tokens(arch: Architecture) -> Expr:
    """Return how many tokens came in earlier steps, as a cache that grows tells it, or else one that is kept once; 0 where none does."""
    grown = next((one.total - one.new for one in caches(arch)), None)
    return next(_offsets(arch), Integer(0)) if grown is None else grown


def _offsets(arch: Architecture) -> Iterator[Expr]:
    for row in arch.rows:
        if row.active and row.child is not None:
            yield from _offsets(row.child)
        elif row.active and isinstance(row.op, Cache) and row.op.offset is not None:
            yield row.op.offset
