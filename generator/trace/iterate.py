"""A body run many times, derived once: stacks of equal layers, and recurrences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from sympy import Expr, Integer

from generator.trace.diary import Bind
from generator.trace.flow import REST, last
from generator.trace.hidden import Seen
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


def iterate(t: Tracer, row: str, count: Expr, carried: Carried, body: Body, *, shared: bool) -> Iterated:
    """Run `body` `count` times, each time on what it returned before.

    Where a diary is kept, it is traced as often as the sizes say. Otherwise it is traced once for all runs but the first ones and the last
    ones, which may differ from the others (the input of the first needs no gradient, or lies differently in memory; of the last, not all
    results get one) and are then traced apart.

    Args:
        row: the path of the row whose runs they are.
        shared: the runs use the same weights (a recurrence, a stack that shares them); otherwise each has its own.

    Raises:
        UnsettledError: the runs go on differing, so that no one formula holds for any number of them.
    """
    if t.diary is not None:
        with t.sharing() if shared else nullcontext() as weights:
            for run in range(t.diary.times(row, count, handed_on=len(carried))):
                if weights is not None:
                    weights.next_step()
                with t.flow.run(row, str(run)), t.diary.run(row, run):
                    carried = body(carried)
                t.diary.events.append(Bind("carried", tuple(carried.values())))
        return Iterated(carried)
    runs = _Runs(t, row, body, shared=shared)
    if isinstance(count, Integer) and (count <= ONE_BY_ONE * (1 + len(carried)) or row in t.flow.one_by_one):
        return Iterated(runs.one_by_one([str(run) for run in range(int(count))], carried))
    try:
        with t.attempt():
            return runs.derived_once(count, carried)
    except UnsettledError:
        if isinstance(count, Integer):
            return Iterated(runs.one_by_one([str(run) for run in range(int(count))], carried))
        raise


class _Runs:
    """The runs of one row."""

    def __init__(self, t: Tracer, row: str, body: Body, *, shared: bool) -> None:
        self.t = t
        self.row = row
        self.body = body
        self.shared = shared
        self.has_weights = False  # whether the weights of all runs have been counted, where they are shared

    def derived_once(self, count: Expr, carried: Carried) -> Iterated:
        """Trace one run for all that are equal. Raises UnsettledError."""
        t = self.t
        apart, ends = _runs_apart(t, carried, self.body), t.flow.ends(self.row)
        before = len(t.storages)
        carried = self.one_by_one([f"first {run}" for run in range(apart)], carried)
        made_apart = t.storages[before:]
        refuse_hidden(t, carried)
        rest = count - apart - ends.apart
        placeholders = {name: replace(x, storage=Storage(x.storage.numel, x.storage.kind, count=t.count)) for name, x in carried.items()}
        before, kept = len(t.storages), len(t.kept)
        for x in placeholders.values():
            t.hidden.stand_in(x)
        with t.flow.run(self.row, REST), t.times(rest, copies=self._copies(rest)):
            results = self.body(placeholders)
        refuse_hidden(t, results)
        refuse_partly_needed(t, carried, placeholders, results)
        seams = Seams(t, rest, carried, placeholders, results, made_apart, t.storages[before:], t.kept[kept:])
        final = seams.settle()
        for made, settled in dict.fromkeys((x.storage, final[name]) for name, x in results.items()):
            t.hidden.last(made, settled, rest)
        t.flow.stands_for(rest, seams.given, seams.placeholders, seams.returned, final)
        carried = {name: replace(x, storage=final[name]) for name, x in results.items()}
        carried = self.one_by_one([last(age) for age in reversed(range(ends.apart))], carried)
        return Iterated(carried, apart + max(seams.least, ends.least) + ends.apart)

    def one_by_one(self, labels: Sequence[str], carried: Carried) -> Carried:
        """Trace runs each by itself."""
        for label in labels:
            with self.t.flow.run(self.row, label), self.t.times(Integer(1), copies=self._copies(Integer(1))):
                carried = self.body(carried)
        return carried

    def _copies(self, runs: Expr) -> Expr:
        """Return how many sets of weights so many runs bring."""
        if not self.shared:
            return runs
        had, self.has_weights = self.has_weights, True
        return Integer(0 if had else 1)


def _runs_apart(t: Tracer, carried: Carried, body: Body) -> int:
    """Return how many runs it takes until what one returns is as what it was given. Raises UnsettledError if none of many does."""
    with t.scratch():
        given = signatures(t, carried)
        for runs in range(2 * len(carried) + 2):
            carried = body(carried)
            returned = signatures(t, carried)
            if returned == given:
                return runs
            given = returned
    raise UnsettledError


def signatures(t: Tracer, carried: Carried) -> Mapping[str, tuple[Shape, Shape, bool, Seen | None]]:
    """Return what of tensors decides how rows run on them."""
    return {name: (x.shape, x.strides, x.needs_grad, t.hidden.seen(x)) for name, x in carried.items()}


def refuse_hidden(t: Tracer, handed_on: Carried) -> None:
    """Raise UnsettledError where a run gets what a mask has hidden in part: how much of it the one before has to make is not followed."""
    if any(t.hidden.seen(x) is not None for x in handed_on.values()):
        raise UnsettledError


def refuse_partly_needed(t: Tracer, given: Carried, placeholders: Carried, results: Carried) -> None:
    """Note that the first run reads what it is given, as a whole.

    Raises:
        UnsettledError: masks leave only a part needed of what runs hand on, and of what another one reads.
    """
    if any(t.hidden.is_needed_in_part(x) for x in (*placeholders.values(), *results.values())):
        raise UnsettledError
    t.hidden.read(given.values(), is_idle=False)
