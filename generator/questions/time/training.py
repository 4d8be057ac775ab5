"""Training runs, and how much of a device a measured time uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.formulas.evaluate import evaluate
from generator.quantities import (
    BACKWARD_MATMUL_FLOPS,
    MATMUL_FLOPS,
    PARAMS,
    VISIBLE_BACKWARD_MATMUL_FLOPS,
    VISIBLE_MATMUL_FLOPS,
)
from generator.questions.hardware.amounts import split_amount
from generator.questions.hardware.device import Price
from generator.questions.memory.recomputation import again, recomputed_words
from generator.questions.time.roofline import LeastTime, TimeSetting
from generator.questions.time.work import items_of
from generator.sheet.costing import Cost
from generator.text.errors import SizeError
from generator.trace.diary import Recompute

_HOUR = 3600.0


@dataclass(frozen=True)
class TrainingRun:
    """A run over so many tokens or samples on one device; on several, hours are those of all devices together.

    Args:
        items: tokens or samples in all.
        steps: steps of the batch asked for.
        hours: the bound and the estimate; None where the peak is not known.
        kilowatt_hours: the estimate at the highest power of the device; None where either is not known.
        price: the estimate; None where no price is known.
        currency: of the price.
    """

    items: int
    unit: str
    steps: float
    bound_hours: float
    estimate_hours: float | None
    estimate_kilowatt_hours: float | None
    estimate_price: float | None
    currency: str

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return dict(vars(self))


def training_run(step: LeastTime, items: int, setting: TimeSetting, price: Price | None) -> TrainingRun:
    """Return what a run takes, from the time of a step."""
    steps = items / step.items
    hours = None if step.estimate_seconds is None else steps * step.estimate_seconds / _HOUR
    power, paid = setting.device.power, price or setting.device.price
    energy = None if hours is None or power is None else hours * float(power) / 1000
    cost = None if hours is None or paid is None else hours * float(paid.amount)
    return TrainingRun(items, step.unit, steps, steps * step.seconds / _HOUR, hours, energy, cost, "" if paid is None else paid.currency)


def price_of(text: str) -> Price:
    """Return the price of an hour as people write it: 2.50, or 2.50 USD. Raises SizeError."""
    number, unit = split_amount(text)
    if number is None or number <= 0:
        raise SizeError(f"`{text}` is no price", "it is that of an hour on one device, such as 2.50 or 2.50USD")
    return Price(Fraction(number), unit.removesuffix("/h").strip())


@dataclass(frozen=True)
class Utilisation:
    """How much of the peak a measured time uses, by one convention of counting.

    Args:
        key: the name used in JSON.
        title: what is counted.
        flops: in the measured time.
        part: of the peak.
    """

    key: str
    title: str
    flops: float
    part: float


def utilisations(
    cost: Cost, setting: TimeSetting, seconds: float, *, trains: bool, recompute: Recompute | None = None
) -> tuple[Utilisation, ...]:
    """Return how much of the peak a measured time uses; MFU counts what the model needs, HFU what the hardware does.

    Args:
        recompute: what of a training step runs once more.

    Raises:
        SizeError: the device's peak is not known.
    """
    peak = float(setting.device.require_peak(setting.compute))
    counted = _counted(cost, recompute, trains=trains)
    return tuple(Utilisation(key, title, float(flops), float(flops) / seconds / peak) for key, title, flops in counted)


def _counted(cost: Cost, recompute: Recompute | None, *, trains: bool) -> Iterator[tuple[str, str, Any]]:
    backward, hidden = (cost.value(key) if trains else 0 for key in (BACKWARD_MATMUL_FLOPS.key, VISIBLE_BACKWARD_MATMUL_FLOPS.key))
    full, seen = cost.value(MATMUL_FLOPS.key) + backward, cost.value(VISIBLE_MATMUL_FLOPS.key) + hidden
    yield "mfu_visible", "MFU: matmul FLOPs of the rows, without hidden scores (the causal half)", seen
    yield "mfu_full_square", "MFU: matmul FLOPs of the rows, the full square of scores", full
    items, each = items_of(cost)[0], 3 if trains else 1
    attention = each * sum(row.value(MATMUL_FLOPS.key) for row in cost.rows if _has_no_weights(row.row.op, row.row.costs))
    params = cost.value(PARAMS.key)
    tables = params - sum(evaluate(count, cost.dims) for count in cost.sheet.weights_read.values())
    n, lhqt = (f"{2 * each}N", f"{4 * each}LHQT")
    yield "mfu_palm", f"MFU: {n} + {lhqt} (PaLM), N all parameters", 2 * each * params * items + attention
    yield "mfu_palm_without_tables", f"MFU: {n} + {lhqt}, N without tables of embeddings", 2 * each * (params - tables) * items + attention
    half = f"{2 * each}N + {2 * each}LHQT"
    yield "mfu_causal", f"MFU: {half}, the causal half of attention, N all parameters", 2 * each * params * items + Fraction(attention, 2)
    yield "mfu_params", f"MFU: {n} alone, N all parameters", 2 * each * params * items
    yield "hfu", "HFU: what PyTorch runs, nothing recomputed", full
    if recompute is not None:
        title = f"HFU: the same, and {recomputed_words(recompute)} once more in the backward pass"
        yield "hfu_recomputed", title, full + again(cost, recompute, MATMUL_FLOPS.key)
    elif trains:
        yield "hfu_recomputed", "HFU: the same, the forward pass run twice (full recomputation)", full + cost.value(MATMUL_FLOPS.key)


def _has_no_weights(op: str, costs: Any) -> bool:
    """Say whether a row multiplies what it reads, as attention does; a tied head has its weights elsewhere."""
    return op in ("einsum", "attention") and bool(costs[PARAMS.key] == 0)
