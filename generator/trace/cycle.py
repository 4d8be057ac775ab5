"""Layers of several kinds in turn, derived once each: a, a, b, a, a, b, a for any number of layers.

A kind stands in the same places of each period, so its layers are counted by the length of the stack, rounded down, and what is left over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise, takewhile

from sympy import Expr, Integer, Min, Mod, floor

from generator.formulas.symbols import Facts
from generator.trace.diary import Bind
from generator.trace.flow import REST
from generator.trace.iterate import ONE_BY_ONE, Body, Carried, Iterated, refuse_hidden, refuse_partly_needed, signatures
from generator.trace.seams import UnsettledError
from generator.trace.tensor import Storage, Tensor
from generator.trace.tracer import SharedWeights, Tracer

MOST_APART = 4  # layers at the beginning that may differ from those that follow in what they are given


@dataclass(frozen=True)
class Turn:
    """One kind of layer: the path of its row, how many of it follow each other in a period, and what a layer does.

    Args:
        shared: all layers of the kind have the same weights.
    """

    path: str
    times: Expr
    body: Body
    shared: bool = False


def before(length: Expr, places: Expr, period: Expr, facts: Facts) -> Expr:
    """Return how many of `length` layers stand in the first `places` of a period."""
    if places == 0:
        return Integer(0)
    if places == period:
        return length
    if facts.is_whole(length / period):
        return places * facts.simplify(length / period)
    if period - places == 1:
        return length - floor(length / period)
    if places == 1:
        return floor((length + period - 1) / period)
    return places * floor(length / period) + Min(places, Mod(length, period))


def numbers(length: Expr, kinds: Sequence[Turn], facts: Facts) -> list[Expr]:
    """Return how many layers of each kind there are among `length` of them."""
    ends = [*accumulate((kind.times for kind in kinds), initial=Integer(0))]
    upto = [before(length, end, ends[-1], facts) for end in ends]
    return [b - a for a, b in pairwise(upto)]


def cycle(t: Tracer, length: Expr, kinds: Sequence[Turn], carried: Carried) -> Iterated:
    """Run layers in turn, each on what the one before returned.

    Where a diary is kept, and where the numbers are known and small, each layer is traced by itself; otherwise one of each kind.

    Raises:
        NoFormulaError: a diary is kept for any sizes: which layer is the last depends on them.
        UnsettledError: layers go on differing in more than their kind, so that no one formula holds for any number of them.
    """
    if t.diary is not None:
        order = _order([t.diary.number(kind.times) for kind in kinds])
        weights: dict[str, SharedWeights] = {}
        for number in range(t.diary.number(length)):
            kind = kinds[order[number % len(order)]]
            with t.flow.run(kind.path, str(number)), t.sharing(weights.get(kind.path)) if kind.shared else nullcontext() as known:
                carried = kind.body(carried)
            weights |= {} if known is None else {kind.path: known}
            t.diary.events.append(Bind("carried", tuple(carried.values())))
        return Iterated(carried)
    is_known = isinstance(length, Integer) and all(isinstance(kind.times, Integer) for kind in kinds)
    if is_known and (length <= ONE_BY_ONE * (1 + len(carried)) or any(kind.path in t.flow.one_by_one for kind in kinds)):
        return _one_by_one(t, int(length), kinds, carried)
    try:
        with t.attempt():
            return _derived_once(t, length, kinds, carried)
    except UnsettledError:
        if is_known:
            return _one_by_one(t, int(length), kinds, carried)
        raise


def _order(times: Sequence[int]) -> list[int]:
    """Return which kind stands in each place of a period."""
    return [kind for kind, number in enumerate(times) for _ in range(number)]


def _one_by_one(t: Tracer, length: int, kinds: Sequence[Turn], carried: Carried) -> Iterated:
    order = _order([int(kind.times) for kind in kinds])
    had: set[str] = set()
    for number in range(length):
        carried = _run(t, kinds[order[number % len(order)]], str(number), Integer(1), carried, had)
    return Iterated(carried)


def _run(t: Tracer, kind: Turn, label: str, runs: Expr, carried: Carried, had: set[str]) -> Carried:
    """Run so many layers of one kind; `had` are those whose shared weights have been counted, and is extended."""
    copies = Integer(kind.path not in had) if kind.shared else runs
    had.add(kind.path)
    with t.flow.run(kind.path, label), t.times(runs, copies=copies):
        return kind.body(carried)


def _derived_once(t: Tracer, length: Expr, kinds: Sequence[Turn], carried: Carried) -> Iterated:
    """Trace one layer of each kind. Raises UnsettledError."""
    order = _beginning(kinds)
    apart = _apart(t, kinds, order, carried)
    amounts = numbers(length, kinds, t.facts)
    storages = len(t.storages)
    had: set[str] = set()
    for number in range(apart):
        carried = _run(t, kinds[order[number]], f"first {number}", Integer(1), carried, had)
        amounts[order[number]] -= 1
    refuse_hidden(t, carried)
    head = order[apart]
    before_rest = len(t.storages)
    in_turn = [*range(head, len(kinds)), *range(head)]
    found = [_Traced.of(t, kinds[i], amounts[i], carried, had, is_sure=i == head and not apart) for i in in_turn]
    earlier = {*t.storages[storages:before_rest]}
    tensors = [*carried.values()]
    is_continued = bool(apart) and all(_continues(t, x.storage, earlier, tensors, found[0].given[name]) for name, x in carried.items())
    final = {name: _settled(t, name, x.storage, found, is_continued=is_continued) for name, x in carried.items()}
    _note_flow(t, found, {name: x.storage for name, x in carried.items()}, final)
    last = {name: replace(x, storage=final[name]) for name, x in found[0].results.items()}
    return Iterated(last, apart if is_continued else apart + 1)


def _beginning(kinds: Sequence[Turn]) -> list[int]:
    """Return which kinds the first layers are of, as far as it can be told."""
    known = [*takewhile(lambda kind: isinstance(kind.times, Integer), kinds)]
    order = _order([int(kind.times) for kind in known])
    return (order * MOST_APART)[: MOST_APART + 1] if len(known) == len(kinds) else order or [0]


def _apart(t: Tracer, kinds: Sequence[Turn], order: Sequence[int], carried: Carried) -> int:
    """Return how many layers it takes until each kind returns what it was given: in shape, order in memory, and need of a gradient."""
    with t.scratch():
        for number, kind in enumerate(order):
            given = signatures(t, carried)
            if all(signatures(t, other.body(carried)) == given for other in kinds):
                return number
            carried = kinds[kind].body(carried)
    raise UnsettledError


@dataclass(frozen=True)
class _Traced:
    """One layer that stands for all of its kind."""

    kind: Turn
    amount: Expr
    given: Mapping[str, Storage]
    results: Carried
    made: frozenset[Storage]

    @classmethod
    def of(cls, t: Tracer, kind: Turn, amount: Expr, carried: Carried, had: set[str], *, is_sure: bool) -> _Traced:
        placeholders = {name: replace(x, storage=Storage(x.storage.numel, x.storage.kind, count=t.count)) for name, x in carried.items()}
        storages, kept = len(t.storages), len(t.kept)
        if t.flow.ends(kind.path).apart:
            raise UnsettledError  # the last layers differ from the others in what gets a gradient
        for x in placeholders.values():
            t.hidden.stand_in(x)
        results = _run(t, kind, REST, amount, placeholders, had)
        refuse_hidden(t, results)
        refuse_partly_needed(t, carried, placeholders, results)
        given = {name: x.storage for name, x in placeholders.items()}
        made = frozenset(t.storages[storages:])
        if not (is_sure or amount.is_positive):
            outside = [storage for storage in t.kept[kept:] if storage not in made and storage not in given.values()]
            for storage in outside:
                t.keep_where(storage, Min(1, amount))
        return cls(kind, amount, given, results, made)


def _continues(t: Tracer, first: Storage, earlier: Collection[Storage], carried: Sequence[Tensor], placeholder: Storage) -> bool:
    """Say whether what the layers traced apart return is as what the others return, so that there need not be any of those."""
    alike = first.kind == placeholder.kind and t.facts.equal(first.numel, placeholder.numel)
    return alike and first in earlier and sum(x.storage is first for x in carried) == 1


def _settled(t: Tracer, name: str, first: Storage, found: Sequence[_Traced], *, is_continued: bool) -> Storage:
    """Count what each layer returns under a name and the next one is given, once; return what the last one returned.

    Args:
        first: what the first of them is given; where it `is_continued`, it is one of those that layers return.

    Raises:
        UnsettledError: a layer returns something that it has not made, or some layers keep what they return and others do not.
    """
    returned = [one.results[name].storage for one in found]
    if any(storage not in one.made or storage.persistent for storage, one in zip(returned, found, strict=True)):
        raise UnsettledError
    if any(sum(x.storage is storage for x in one.results.values()) > 1 for storage, one in zip(returned, found, strict=True)):
        raise UnsettledError
    keeps = {storage.saved_by is not None for storage in (*returned, *([first] if is_continued else []))}
    if len(keeps) > 1:
        raise UnsettledError
    for number, one in enumerate(found):
        row = one.given[name].saved_by
        if row is None:
            continue
        is_first = number == 0 and not is_continued
        if is_first:
            t.keep(first, row)  # the first layer keeps what is handed to the whole
        if keeps == {False}:
            between = Storage(first.numel, one.given[name].kind, count=t.count * (one.amount - (1 if is_first else 0)))
            t.storages.append(between)
            t.keep(between, row)
    last = Storage(first.numel, returned[0].kind, count=t.count)
    if keeps == {True}:
        last.saved_by = returned[0].saved_by  # counted with those of all layers, so it is not among the storages
    else:
        t.storages.append(last)
    return last


def _note_flow(t: Tracer, found: Sequence[_Traced], first: Mapping[str, Storage], final: Mapping[str, Storage]) -> None:
    """Tell where gradients flow: through the layers of one kind after those of another, which comes to the same."""
    runs = [t.flow.taken() for _ in found][::-1]
    given = first
    for run, one in zip(runs, found, strict=True):
        is_last = one is found[-1]
        handed = final if is_last else {name: Storage(storage.numel, storage.kind, count=t.count) for name, storage in first.items()}
        returned = {name: x.storage for name, x in one.results.items()}
        t.flow.put(run)
        t.flow.stands_for(one.amount, given, one.given, returned, handed)
        given = handed
