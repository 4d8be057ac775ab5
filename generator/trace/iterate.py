"""A body run many times, derived once: stacks of equal layers, and recurrences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sympy import Expr, Integer

from generator.trace.diary import Bind
from generator.trace.seams import Seams, UnsettledError
from generator.trace.tensor import Shape, Storage, Tensor
from generator.trace.tracer import Tracer

Carried = Mapping[str, Tensor]
Body = Callable[[Carried], Carried]
ONE_BY_ONE = 3  # so many runs are traced one by one where their number is known, and more for each tensor that is handed on


@dataclass(frozen=True)
class Iterated:
    """What the last run returned, and from how many runs on the formulas hold."""

    results: Carried
    least: int = 1


def iterate(t: Tracer, count: Expr, carried: Carried, body: Body, *, shared: bool) -> Iterated:
    """Run `body` `count` times, each time on what it returned before.

    Where a diary is kept, it is traced as often as the sizes say. Otherwise it is traced once for all runs but the first ones, which may
    differ from the others (their input needs no gradient, or lies differently in memory) and are then traced apart.

    Args:
        shared: the runs use the same weights (a recurrence); otherwise each has its own (a stack of layers).

    Raises:
        UnsettledError: the runs go on differing, so that no one formula holds for any number of them.
    """
    if t.diary is not None:
        for _ in range(t.diary.times(count)):
            carried = body(carried)
            t.diary.events.append(Bind("carried", tuple(carried.values())))
        return Iterated(carried)
    if isinstance(count, Integer) and count <= ONE_BY_ONE * (1 + len(carried)):
        return Iterated(_one_by_one(t, int(count), carried, body, shared=shared))
    try:
        return _derived_once(t, count, carried, body, shared=shared)
    except UnsettledError:
        if isinstance(count, Integer):
            return Iterated(_one_by_one(t, int(count), carried, body, shared=shared))
        raise


def _derived_once(t: Tracer, count: Expr, carried: Carried, body: Body, *, shared: bool) -> Iterated:
    apart = _runs_apart(t, carried, body)
    before = len(t.storages)
    carried = _one_by_one(t, apart, carried, body, shared=shared)
    made_apart = t.storages[before:]
    rest = count - apart
    placeholders = {name: replace(x, storage=Storage(x.storage.numel, x.storage.kind, count=t.count)) for name, x in carried.items()}
    before, kept = len(t.storages), len(t.kept)
    with t.times(rest, copies=rest if not shared else Integer(0 if apart else 1)):
        results = body(placeholders)
    seams = Seams(t, rest, carried, placeholders, results, made_apart, t.storages[before:], t.kept[kept:])
    final = seams.settle()
    return Iterated({name: replace(x, storage=final[name]) for name, x in results.items()}, apart + seams.least)


def _one_by_one(t: Tracer, runs: int, carried: Carried, body: Body, *, shared: bool) -> Carried:
    for run in range(runs):
        with t.times(Integer(1), copies=Integer(0 if shared and run else 1)):
            carried = body(carried)
    return carried


def _runs_apart(t: Tracer, carried: Carried, body: Body) -> int:
    """Return how many runs it takes until what one returns is as what it was given. Raises UnsettledError if none of many does."""
    with t.scratch():
        given = _signatures(carried)
        for runs in range(2 * len(carried) + 2):
            carried = body(carried)
            returned = _signatures(carried)
            if returned == given:
                return runs
            given = returned
    raise UnsettledError


def _signatures(carried: Carried) -> Mapping[str, tuple[Shape, Shape, bool]]:
    return {name: (x.shape, x.strides, x.needs_grad) for name, x in carried.items()}
