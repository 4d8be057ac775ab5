"""Memory and least times of a model as formulas: the same that `generator.questions.memory` and `.time` evaluate at given sizes.

What is counted in samples or requests is linear in their number, and so it is parted: what is there without any, and what each adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Add, Expr, Integer, Symbol, expand

from generator.formulas.symbols import symbol
from generator.quantities import (
    MATMUL_FLOPS,
    PARAMS,
    STATE_ELEMENTS,
    TRAINABLE_PARAMS,
    VISIBLE_BACKWARD_MATMUL_FLOPS,
    VISIBLE_MATMUL_FLOPS,
)
from generator.questions.memory.decoding_passes import batch_size, step_size
from generator.questions.memory.optimisers import NUMBERS_BY_SHAPE, numbers_kept
from generator.questions.time.work import items_formula
from generator.sheet.heads import head_rows
from generator.sheet.pass_peak import Pass, PeakMemory
from generator.sheet.sheet import Sheet, SheetRow
from generator.text.errors import SizeError

MOST_MOMENTS = 40  # that are listed; of a pass with more the highest is left to `gen memory`
FULL, HALF = "float32", "bfloat16"  # which stand for all formats of their size


@dataclass(frozen=True)
class PartedByBatch:
    """A number that is linear in the batch: `alone` without it, and `each` more for each sample or request."""

    alone: Expr
    each: Expr


@dataclass(frozen=True)
class Moments:
    """The bytes of the moments of which one is the highest of a pass.

    Args:
        bytes: of each moment.
        limits: formulas, and the least that each must come to where that is so: numbers of layers.
        spreads: what must come to 0 where tokens spread evenly over experts; else the bytes are those of an average.
    """

    bytes: tuple[PartedByBatch, ...]
    limits: tuple[tuple[Expr, int], ...] = ()
    spreads: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class CacheMoved:
    """A cache of which masks may hide a part, and the contractions around it: with all scores, and with those that are seen.

    Of the cache as much is moved at least as the least share that these leave.
    """

    elements: Expr
    seen: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True)
class Head:
    """The work of heads on all positions, and whether it is their results that are given back: of a prompt the last position is enough."""

    flops: Expr
    is_there: bool


@dataclass(frozen=True)
class Workload:
    """What memory and times follow from.

    Args:
        batch: the size that counts samples or requests; empty where there is none in which memory is linear.
        length: the size that counts the tokens of a sample or a step; empty where there is none.
        decodes: whether it keeps a state from step to step, so that tokens come one by one.
        items: what a pass works on, and what these are called: `tokens`, `samples` or `passes`.
        kept: the numbers that optimisers keep by the shapes of weights, by their names.
        training: the moments of a forward and backward pass by format, gradients of weights left out; none where no formula holds.
        forward: those of a forward pass without gradients; those of two bytes alone where they are others than those of four.
        read: the parameters that a pass reads whole, by the share of them that one token uses.
    """

    batch: str
    length: str
    decodes: bool
    items: tuple[Expr, str]
    params: Expr
    learned: Expr
    state: PartedByBatch
    kept: dict[str, Expr]
    training: dict[str, Moments]
    forward: dict[str, Moments]
    flops: Expr
    all_flops: Expr
    backward_flops: Expr
    head: Head
    inputs: Expr
    results: Expr
    read: tuple[tuple[Expr, Expr], ...]
    caches: tuple[CacheMoved, ...]


def workload_of(sheet: Sheet) -> Workload:
    """Return the formulas of the sheet of a module in training."""
    totals = {**sheet.totals, **sheet.inference}
    batch = _linear_batch(sheet)
    length = _length(sheet)
    state = _linear(totals[STATE_ELEMENTS.key], batch)
    used = (sheet.inference_peak or sheet.peak) if sheet.inference else sheet.peak
    if state is None:
        batch, state = "", PartedByBatch(totals[STATE_ELEMENTS.key], Integer(0))
    return Workload(
        batch,
        length,
        _decodes(sheet),
        items_formula(sheet),
        totals[PARAMS.key],
        sheet.totals[TRAINABLE_PARAMS.key],
        state,
        {optimiser: numbers_kept(sheet, optimiser) for optimiser in NUMBERS_BY_SHAPE},
        _moments(sheet.peak, Pass.TRAINING, batch),
        _moments(used, Pass.FORWARD, batch),
        totals[VISIBLE_MATMUL_FLOPS.key],
        totals[MATMUL_FLOPS.key],
        sheet.totals[VISIBLE_BACKWARD_MATMUL_FLOPS.key],
        _head(sheet, length),
        sheet.ends_moved.get("inputs", Integer(0)),
        sheet.ends_moved.get("results", Integer(0)),
        tuple(sheet.weights_read.items()),
        tuple(_caches(sheet)),
    )


def _linear_batch(sheet: Sheet) -> str:
    """Return the size of the batch, if it can be set, no size follows from it, and no condition is about it."""
    name = batch_size(sheet)
    own = symbol(name) if name else None
    found = next((size for size in sheet.sizes if size.name == name), None)
    if own is None or found is None or found.kind == "derived":
        return ""
    follows = any(size.value is not None and own in size.value.free_symbols for size in sheet.sizes)
    return "" if follows or any(own in one.condition.free_symbols for one in sheet.constraints) else name


def _decodes(sheet: Sheet) -> bool:
    try:
        return bool(step_size(sheet))
    except SizeError:
        return False


def _length(sheet: Sheet) -> str:
    """Return the size that counts tokens: those of a step, or of what the spec reads; empty where there is none that can be set."""
    if _decodes(sheet):
        return step_size(sheet)
    axes = [shape[-1] for name, shape in sheet.inputs.items() if sheet.input_kinds.get(name) == "index" and len(shape) > 1]
    axes += [shape[1] for shape in sheet.inputs.values() if len(shape) == 3]
    free = {size.name for size in sheet.sizes if size.kind == "free"}
    counted = {shape[0] for shape in sheet.inputs.values() if shape}  # samples, or what else is no place of a sample
    return next((axis.name for axis in axes if isinstance(axis, Symbol) and axis.name in free and axis not in counted), "")


def _moments(peak: PeakMemory | None, what: Pass, batch: str) -> dict[str, Moments]:
    if peak is None or (chosen := peak.of(what)).is_unknown:
        return {}
    # Those of inference are wanted nowhere else: one format is enough where each takes a replay of its own.
    formats = (HALF,) if what is Pass.FORWARD and chosen.depends_on_precision else (FULL, HALF)
    found = {}
    for dtype in formats:
        summits = chosen.summits(dtype)
        if summits is None or len(summits.beside) > MOST_MOMENTS:
            return {}
        parted = [_linear(summits.shared + one, batch) for _, one in summits.beside]
        if None in parted:
            return {}
        limits = chosen.limits(dtype)
        found[dtype] = Moments(
            tuple(one for one in parted if one is not None),
            tuple((count, least) for count, least in limits if least > 0),
            tuple(count for count, least in limits if least <= 0),
        )
    return found


def _linear(expr: Expr, batch: str) -> PartedByBatch | None:
    """Part a formula into what it is without the batch and what it is for each sample; None where it is not linear in that."""
    if not batch:
        return PartedByBatch(expr, Integer(0))
    own = symbol(batch)
    alone, each = [], []
    for term in Add.make_args(expand(expr)):
        if own not in term.free_symbols:
            alone.append(term)
            continue
        share = term / own
        if own in share.free_symbols:
            return None
        each.append(share)
    return PartedByBatch(Add(*alone), Add(*each))


def _head(sheet: Sheet, length: str) -> Head:
    rows = [row for row in head_rows(sheet) if length and _has_axis(row, length)]
    return Head(Add(*(row.costs[VISIBLE_MATMUL_FLOPS.key] for row in rows)), bool(rows))


def _has_axis(row: SheetRow, size: str) -> bool:
    return any(axis.is_Symbol and axis.name == size for _, shape in row.shapes for axis in shape)


def _caches(sheet: Sheet) -> Iterator[CacheMoved]:
    """Yield the caches of which masks may hide a part; none where nothing is hidden, or nothing grows."""
    leaves = [row for row in sheet.rows if not row.is_group]
    if not sheet.growths or sheet.totals[MATMUL_FLOPS.key] == sheet.totals[VISIBLE_MATMUL_FLOPS.key]:
        return
    for cache in leaves:
        if cache.costs[STATE_ELEMENTS.key] != 0:
            yield CacheMoved(cache.costs[STATE_ELEMENTS.key], tuple(_seen_beside(cache, leaves)))


def _seen_beside(cache: SheetRow, leaves: Sequence[SheetRow]) -> Iterator[tuple[Expr, Expr]]:
    around = cache.path.rpartition(".")[0]
    for row in leaves:
        full, seen = row.costs[MATMUL_FLOPS.key], row.costs[VISIBLE_MATMUL_FLOPS.key]
        if row.path.rpartition(".")[0] == around and full != seen:
            yield full, seen
