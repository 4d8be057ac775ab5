"""A body run many times, derived once: stacks of equal layers, and recurrences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sympy import Expr, Integer

from generator.trace.diary import Bind
from generator.trace.tensor import Shape, Storage, Tensor
from generator.trace.tracer import Tracer

Carried = Mapping[str, Tensor]
Body = Callable[[Carried], Carried]


def iterate(t: Tracer, count: Expr, carried: Carried, body: Body, *, shared: bool) -> Carried:
    """Run `body` `count` times, each time on what it returned before, and return the last result.

    Where a diary is kept, it is traced as often as the sizes say. Otherwise it is traced once for all runs; the first one may differ
    from the others (its input needs no gradient, or lies differently in memory) and is then traced apart.

    Args:
        shared: the runs use the same weights (a recurrence); otherwise each has its own (a stack of layers).
    """
    if t.diary is not None:
        for _ in range(t.diary.times(count)):
            carried = body(carried)
            t.diary.events.append(Bind("carried", tuple(carried.values())))
        return carried
    with t.scratch():
        settled = {name: _signature(x) for name, x in body(carried).items()}
    first_differs = any(_signature(x) != settled[name] for name, x in carried.items())
    if first_differs:
        carried = body(carried)
        count = count - 1
        if count == 0:
            return carried
    copies = count if not shared else Integer(0 if first_differs else 1)
    outer = t.count
    placeholders = {name: replace(x, storage=Storage(x.storage.numel, x.storage.kind, count=outer)) for name, x in carried.items()}
    with t.times(count, copies=copies):
        results = body(placeholders)
    for name, before in carried.items():
        _join(t, before, placeholders[name], results[name], count)
    return results


def _signature(x: Tensor) -> tuple[Shape, Shape, bool]:
    return x.shape, x.strides, x.needs_grad


def _join(t: Tracer, before: Tensor, placeholder: Tensor, after: Tensor, count: Expr) -> None:
    """Settle what is kept at the seams: a run's result is the next run's input, one storage."""
    kept_by_reader, storage = placeholder.storage.saved_by, after.storage
    if kept_by_reader:
        t.keep(before.storage, kept_by_reader)
    if storage is placeholder.storage:
        return
    storage.count = t.count  # the last result
    between = Storage(storage.numel, storage.kind, count=t.count * (count - 1), saved_by=storage.saved_by or kept_by_reader)
    t.storages.append(between)
