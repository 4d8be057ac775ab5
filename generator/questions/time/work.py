"""What a pass cannot do without, however it is implemented: the least arithmetic, and the least that goes through the device's memory.

Arithmetic is that of contractions, without scores that masks made of positions hide. Traffic is what must be moved once: weights that are
read whole, caches and states, float inputs, and results. Intermediate results, lookups in tables and arithmetic outside of contractions
are left out, since fused implementations may do without most of it. So the least time follows from it, where weights do not stay in
memory on the chip from pass to pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Integer, Mul

from generator.formulas.evaluate import evaluate
from generator.quantities import (
    MATMUL_FLOPS,
    STATE_ELEMENTS,
    TRAINABLE_PARAMS,
    VISIBLE_BACKWARD_MATMUL_FLOPS,
    VISIBLE_MATMUL_FLOPS,
)
from generator.questions.memory.decoding_passes import batch_size, step_size
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.optimisers import state_bytes
from generator.questions.memory.recomputation import again
from generator.questions.memory.stored_formats import StoredFormat
from generator.sheet.costing import Cost, RowCost
from generator.sheet.heads import head_rows
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Work:
    """The least that a pass does; numbers, or numpy arrays of them where a size is an array.

    Args:
        flops: of its contractions.
        moved: bytes, by what they are.
        spread: bytes of weights beside, where the tokens spread evenly over experts; the least is that all choose the same.
    """

    flops: Any
    moved: Mapping[str, Any] = field(default_factory=dict)
    spread: Any = 0.0

    @property
    def bytes(self) -> Any:
        """All that is moved at least."""
        return sum(self.moved.values())


def forward_work(cost: Cost, setting: MemorySetting, *, last_alone: bool = False) -> Work:
    """Return the least of a forward pass.

    Args:
        last_alone: whether the head works on the last position only, as it may where a prompt is read.

    Raises:
        MissingSizeError: a size is not given.
    """
    least, spread = _weights(cost, setting)
    head, results = _head(cost, setting) if last_alone else (0, _at_end(cost, setting, "results"))
    moved = {
        "weights": least,
        "cache": _cache(cost) * float(setting.cache.bytes_each),
        "inputs": _at_end(cost, setting, "inputs"),
        "results": results,
    }
    return Work(cost.value(VISIBLE_MATMUL_FLOPS.key) - head, moved, spread)


def training_work(cost: Cost, setting: MemorySetting) -> Work:
    """Return the least of a training step: weights read and written once, states of the optimiser too; no gradient need be stored.

    What runs once more in the backward pass, where that is asked for, is counted.
    """
    states, item = state_bytes(cost, setting.optimiser), ITEM_BYTES[setting.dtype]
    learned = cost.value(TRAINABLE_PARAMS.key)
    read, spread = _weights(cost, setting)
    written = learned * item if states else min(learned * item, read)  # what is not read gets no gradient
    moved = {"weights": read + written, "optimiser": 2 * states, "inputs": _at_end(cost, setting, "inputs")}
    flops = cost.value(VISIBLE_MATMUL_FLOPS.key) + cost.value(VISIBLE_BACKWARD_MATMUL_FLOPS.key)
    return Work(flops + again(cost, setting.recompute, VISIBLE_MATMUL_FLOPS.key), moved, spread)


def _weights(cost: Cost, setting: MemorySetting) -> tuple[Any, Any]:
    """Return the bytes of weights read at least, and those beside where tokens spread evenly over experts."""
    tokens = items_of(cost)[0]
    least, spread = 0.0, 0.0
    for share, count, each in _weights_read(cost.sheet, setting):
        part, all_of_them = float(evaluate(share, cost.dims)), evaluate(count, cost.dims)
        least = least + all_of_them * part * each
        if share != 1:
            spread = spread + all_of_them * (1 - (1 - part) ** float(tokens) - part) * each
    return least, spread


def _weights_read(sheet: Sheet, setting: MemorySetting) -> Iterator[tuple[Expr, Expr, float]]:
    """Yield the weights that are read whole: the share of them that a token uses, how many there are, and the bytes of each."""
    if isinstance(setting.weights, StoredFormat):
        for share, count in sheet.weights_read.items():
            yield share, count, float(setting.weights.bytes_each)
    else:
        for stored, weights in setting.weights.counts(sheet).items():
            for weight in weights:
                if weight.read != 0:
                    yield weight.share, weight.read, float(stored.bytes_each)


def _cache(cost: Cost) -> Any:
    """Return the elements of caches and states that are read or written at least."""
    state, full, seen = (cost.value(key) for key in (STATE_ELEMENTS.key, MATMUL_FLOPS.key, VISIBLE_MATMUL_FLOPS.key))
    past = any(_is_any(growth.past(cost.dims)) for growth in cost.sheet.growths)
    if not past or not _is_any(full - seen):
        return state
    return sum(row.value(STATE_ELEMENTS.key) * _seen_beside(cost, row) for row in cost.rows if row.row.costs[STATE_ELEMENTS.key] != 0)


def _seen_beside(cost: Cost, cache: RowCost) -> Any:
    """Return the part of a cache that its block cannot do without: that of the keys which the block's masks leave, at least."""
    import numpy as np

    around = cache.name.rpartition(".")[0]
    part: Any = np.float64(1.0)
    for row in cost.rows:
        if row.name.rpartition(".")[0] == around and row.row.costs[MATMUL_FLOPS.key] != 0:
            full, seen = row.value(MATMUL_FLOPS.key), row.value(VISIBLE_MATMUL_FLOPS.key)
            part = np.minimum(part, np.where(full != 0, seen / np.maximum(full, 1), 1.0))  # rows of the first step do nothing later
    return part


def _is_any(value: Any) -> bool:
    return bool(value.any()) if getattr(value, "ndim", 0) else bool(value)


def _at_end(cost: Cost, setting: MemorySetting, end: str) -> Any:
    """Return the bytes of `inputs` that are read, or of `results` that are written."""
    return evaluate(cost.sheet.ends_moved[end], cost.dims) * ITEM_BYTES[setting.dtype]


def _head(cost: Cost, setting: MemorySetting) -> tuple[Any, Any]:
    """Return the work of the head on all positions but the last, and the bytes of what it makes of the last."""
    new = step_size(cost.sheet)
    rest, every = 1 - 1 / cost.dims[new], _at_end(cost, setting, "results")
    heads = [row for row in head_rows(cost.sheet) if any(axis.name == new for _, shape in row.shapes for axis in shape if axis.is_Symbol)]
    return sum(evaluate(row.costs[VISIBLE_MATMUL_FLOPS.key], cost.dims) for row in heads) * rest, every * (1 - rest) if heads else every


def items_of(cost: Cost) -> tuple[Any, str]:
    """Return what a pass works on, and its name, as `items_formula` says it."""
    formula, name = items_formula(cost.sheet)
    return evaluate(formula, cost.dims), name


def items_formula(sheet: Sheet) -> tuple[Expr, str]:
    """Return what a pass works on, and its name: tokens, where inputs hold their numbers or caches grow by them; else samples."""
    new = {growth.new for growth in sheet.growths}
    ids = [shape for name, shape in sheet.inputs.items() if sheet.input_kinds.get(name) == "index"]
    for shape in (*(shape for shape in ids if new & set(shape)), *ids):
        return Mul(*shape), "tokens"
    for shape in sheet.inputs.values():
        for place, axis in enumerate(shape):
            if axis in new:
                return Mul(*shape[: place + 1]), "tokens"
    first = next(iter(sheet.inputs.values()), ())
    counts_samples = first and (batch_size(sheet) or not first[0].is_Symbol)
    return (first[0], "samples") if counts_samples else (Integer(1), "passes")
