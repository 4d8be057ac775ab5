"""Which parameters a forward pass cannot do without reading: what any implementation must fetch from memory at least once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sympy import Expr, Integer, Min, expand

from generator.formulas.symbols import Facts
from generator.sheet.costed import Costed
from generator.sheet.sheet import SheetWeight
from generator.trace.tensor import Storage
from generator.trace.tracer import RowWeight, Tracer

Place = tuple[str, int]  # of a weight: its row, and which of the row's weights it is


def weights_read(weights: Iterable[SheetWeight], facts: Facts) -> dict[Expr, Expr]:
    """Return the parameters that a pass reads whole, each once however often, by the share of them that one token uses.

    Tables in which rows are looked up, such as embeddings, are left out, unless something else reads them whole (a head that is tied to
    them), and so are parameters of which only views of a part are read; in later steps of decoding also those of rows that run in the first
    alone, whoever is tied to them. The share is 1, but for experts that tokens choose.
    """
    found: dict[Expr, Expr] = {}
    for weight in weights:
        if weight.read != 0:
            found[weight.share] = found.get(weight.share, Integer(0)) + weight.read
    return {share: expand(facts.simplify(count)) for share, count in found.items()}


def sheet_weights(traced: Costed) -> tuple[SheetWeight, ...]:
    """Return the weights of all rows, and what a pass reads of them; see `weights_read`."""
    tracer = traced.architecture.tracer
    ops = {row.path: row.op for row in traced.rows}
    read = _read_in(tracer)
    past, later = (None, read) if traced.later is None else (traced.later[0], _read_in(traced.later[1].architecture.tracer))
    shared: dict[Storage, set[Place]] = defaultdict(set)  # by all rows that have a weight in common
    for place, weight in _weights(tracer):
        shared[weight.storage].add(place)
    found = []
    for (row, _), weight in _weights(tracer):
        first, then = (Integer(not places.isdisjoint(shared[weight.storage])) for places in (read, later))
        part = first if past is None else first + Min(1, past) * (then - first)
        found.append(SheetWeight(row, ops.get(row, ""), part, weight.share, weight.shape, weight.copies, weight.learns))
    return tuple(found)


def ends_moved(traced: Costed) -> dict[str, Expr]:
    """Return how many numbers a pass cannot do without at its ends.

    Returns:
        `inputs`: of float inputs that it reads whole; `results`: of what it writes as results, each block of memory once. A result that is
        only another view of an input or a weight is not written.
    """
    found = _ends_of_one_pass(traced)
    if traced.later is None:
        return found
    past, step = traced.later
    then = _ends_of_one_pass(step)
    return {key: expand(count + Min(1, past) * (then[key] - count)) for key, count in found.items()}


def _ends_of_one_pass(traced: Costed) -> dict[str, Expr]:
    arch = traced.architecture
    read = [x for x in arch.inputs.values() if x.kind == "float" and x.storage in arch.tracer.read_whole]
    given = {x.storage.memory for x in arch.inputs.values()}
    written = {x.storage.memory: x for x in arch.outputs.values() if not x.storage.memory.persistent and x.storage.memory not in given}
    counts = {"inputs": [x.numel for x in read], "results": [Min(x.numel, x.storage.numel) for x in written.values()]}
    return {key: expand(traced.facts.simplify(sum(numbers, Integer(0)))) for key, numbers in counts.items()}


def _read_in(tracer: Tracer) -> set[Place]:
    return {place for place, weight in _weights(tracer) if weight.storage in tracer.read_whole}


def _weights(tracer: Tracer) -> Iterator[tuple[Place, RowWeight]]:
    for row, tally in tracer.tallies.items():
        for number, weight in enumerate(tally.weights):
            yield (row, number), weight
