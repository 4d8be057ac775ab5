"""Which rows keep a state between decoding steps: a recurrence along the tokens does, and one over depth or a whole sequence does not.

A recurrence and a causal convolution could always go on where they stopped. Whether there is anything to go on with depends on the spec
around them. What a row could keep and does not is no state on any sheet, and its module neither takes nor makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sympy import Integer

from generator.formulas.text import to_text
from generator.resolve.architecture import Architecture, BlockRow, BoundRow
from generator.resolve.decoding_sizes import growths
from generator.resolve.keepers import OVER_DEPTH, Keeper, keepers
from generator.resolve.stepwise_mistakes import mixed_in_front
from generator.spec.model import Spec
from generator.text.problems import ProblemsError

Alone = Callable[[Spec], Architecture]


def with_states(arch: Architecture, alone: Alone, *, like: Callable[[], Architecture] | None = None) -> Architecture:
    """Return an architecture that knows which of its rows keep no state, which then counts nowhere.

    Args:
        alone: traces a spec that it uses in its own sizes: what its module does not keep there, it keeps nowhere. May raise ProblemsError.
        like: traces the same in sizes that are not bound to numbers, by which two that differ may have become one.
    """
    found = [*keepers(arch)]
    if not found:
        return arch
    forgets = {} if like is not None else _forgotten(arch, found)
    settled = _settled(arch, forgets, alone, () if like is None else (like(),))
    for one in keepers(settled):
        if (one.row.forgets or one.reason) and one.row.path in arch.tracer.tallies:  # what an earlier step alone runs is not counted
            arch.tracer.tallies[one.row.path].state_elements = Integer(0)
    return settled


def forgetting(arch: Architecture) -> Iterator[BoundRow]:
    """Yield the rows that could keep a state in another spec and do not here, those of nested blocks included."""
    return (one.row for one in keepers(arch) if one.row.forgets and not one.reason and one.row.forgets != OVER_DEPTH)


def _forgotten(arch: Architecture, found: list[Keeper]) -> dict[int, str]:
    """Return the rows, by identity, that keep no state, and why."""
    reasons = {id(one.row): one.reason for one in found if one.reason}
    new = {pair.new for pair in growths(arch)}
    others = [one for one in found if id(one.row) not in reasons]
    if new:
        return reasons | {id(one.row): OVER_DEPTH for one in others if not one.length.free_symbols & new}
    reason = _of_whole_sequences(arch, others)
    return reasons | {id(one.row): reason for one in others} if reason else reasons


def _of_whole_sequences(arch: Architecture, found: Sequence[Keeper]) -> str:
    """Say why nothing can go on with what rows keep; empty where it can."""
    mixing = mixed_in_front(arch)
    if mixing:
        return f"`{mixing}`, in front of one that could keep it, mixes tokens and keeps none of them"
    lengths = {one.length: one for one in found if one.length.free_symbols}
    apart = [one for one in lengths.values() if not one.length.free_symbols & next(iter(lengths)).free_symbols]
    if apart:
        first = next(iter(lengths.values()))
        order = tuple(arch.spec.dims)
        along = [f"`{one.row.path}` goes on along {to_text(one.length, order)}" for one in (first, apart[0])]
        return f"{along[0]} and {along[1]}, and a step brings new places along one"
    return ""


def _settled(arch: Architecture, forgets: Mapping[int, str], alone: Alone, models: Sequence[Architecture]) -> Architecture:
    """Return an architecture whose rows know what they forget: what is said of them, or of those of the same name in its models."""
    rows = {name: [row for row in (_named(model, name) for model in models) if row is not None] for name in (r.name for r in arch.rows)}
    return replace(arch, rows=tuple(_row(row, forgets, alone, rows[row.name]) for row in arch.rows))


def _named(arch: Architecture, name: str) -> BoundRow | None:
    return next((row for row in arch.rows if row.name == name), None)


def _row(row: BoundRow, forgets: Mapping[int, str], alone: Alone, models: Sequence[BoundRow]) -> BoundRow:
    if not isinstance(row, BlockRow) or row.row.scan:
        reason = next((text for text in (forgets.get(id(row), ""), *(model.forgets for model in models)) if text), "")
        return replace(row, forgets=reason) if reason else row
    if not any(keepers(row.child)):
        return row
    children = [model.child for model in models if model.child is not None and model.child.spec is row.child.spec]
    if not row.row.is_varied:  # layers of several kinds are no spec of their own
        with suppress(ProblemsError):  # it is among the problems of that spec
            children.append(alone(row.child.spec))
    child = _settled(row.child, forgets, alone, children)
    reasons = [one.row.forgets for one in keepers(child)]
    is_kept = any(inner.keeps_state for inner in child.rows)
    return replace(row, child=child, forgets="" if is_kept else reasons[0])
