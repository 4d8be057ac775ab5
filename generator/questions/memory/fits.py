"""What a model needs at given sizes, whether that fits, and the largest sizes that do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from sympy import divisors

from generator.in_bytes import FORWARD_PEAK_BYTES, STEP_PEAK_BYTES
from generator.quantities import STATE_ELEMENTS
from generator.questions.memory.mixed_formats import WeightFormats, in_bytes, stored_weights, weight_formats
from generator.questions.memory.optimisers import keeps_words, state_bytes
from generator.questions.memory.recomputation import recompute_of, recomputed_words
from generator.questions.memory.stored_formats import StoredFormat, stored_format
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import Cost, cost_of
from generator.sheet.pass_peak import Pass
from generator.sheet.sheet import Sheet
from generator.text.errors import MissingSizeError, SizeError
from generator.trace.diary import Recompute

_MOST = 1 << 48  # no size is looked for beyond


@dataclass(frozen=True)
class MemorySetting:
    """How a model is run.

    Args:
        dtype: the format in which it computes.
        weights: the format in which its weights are stored; or several, by a rule.
        cache: the format in which caches and states are stored.
        optimiser: with which it trains; empty for inference.
        beside: what else takes memory, by names that the user gives: bytes of a framework, of an engine's tables.
        recompute: which blocks run once more in the backward pass; None where all keep what they save.
        split: of a training step over several devices; None where there is one.
    """

    dtype: str
    weights: WeightFormats
    cache: StoredFormat
    optimiser: str = ""
    beside: tuple[tuple[str, int], ...] = ()
    recompute: Recompute | None = None
    split: DeviceSplit | None = None

    @classmethod
    def asked(
        cls,
        dtype: str,
        weights: str | Mapping[str, str] | None = None,
        cache: str | None = None,
        optimiser: str = "",
        recompute: str = "",
        *,
        beside: tuple[tuple[str, int], ...] = (),
        split: DeviceSplit | None = None,
    ) -> MemorySetting:
        """Return what people write of it; weights and caches are stored in `dtype` unless they say otherwise. Raises SizeError."""
        stored = weight_formats(weights or dtype, dtype), stored_format(cache or dtype)
        return cls(dtype, *stored, optimiser, beside, recompute_of(recompute), split)


@dataclass(frozen=True)
class MemoryPart:
    """Something that takes memory.

    Args:
        key: the name used in JSON.
        title: what it is.
        bytes: how much; None where it is not known.
        how: how it is counted.
    """

    key: str
    title: str
    bytes: int | None
    how: str


@dataclass(frozen=True)
class MemoryNeeds:
    """What a model needs at its highest moment; the total is None where a part is not known."""

    parts: Sequence[MemoryPart]

    @property
    def total(self) -> int | None:
        """The sum of the parts."""
        known = [part.bytes for part in self.parts if part.bytes is not None]
        return sum(known) if len(known) == len(self.parts) else None


def needs_of(cost: Cost, setting: MemorySetting) -> MemoryNeeds:
    """Return what a model needs at the sizes of a cost.

    Raises:
        MissingSizeError: a size is not given.
        SizeError: an unknown optimiser; training in a format in which it does not compute.
    """
    cost.require_all()
    require_training(setting)
    weights = MemoryPart("weight_bytes", "Weights", stored_weights(cost, setting.weights), setting.weights.words)
    beside = [MemoryPart(f"beside_{name}", name, taken, "beside the model, as given") for name, taken in setting.beside]
    if not setting.optimiser:
        return MemoryNeeds((weights, *_of_inference(cost, setting), *beside))
    if setting.weights.key != setting.dtype:
        raise SizeError(
            f"weights in {setting.weights.key} do not learn in {setting.dtype}", f"gradients and states have one format: {setting.dtype}"
        )
    return MemoryNeeds((weights, *_of_training(cost, setting), *beside))


def require_training(setting: MemorySetting) -> None:
    """Raise SizeError where blocks are to run once more in a backward pass that there is not."""
    if setting.recompute is not None and not setting.optimiser:
        raise SizeError("without a training step nothing runs once more", "name the optimiser too, such as --train adamw")


def _of_inference(cost: Cost, setting: MemorySetting) -> Iterator[MemoryPart]:
    state = cost.value(STATE_ELEMENTS.key)
    if state:
        yield MemoryPart(
            "cache_bytes", "KV cache and state", in_bytes(state, setting.cache.bytes_each), f"after this pass, {setting.cache.words}"
        )
    peak = _peak(cost, Pass.FORWARD)
    yield MemoryPart(
        FORWARD_PEAK_BYTES.key, "Highest moment of a pass", peak, "activations of a forward pass without gradients, beside the above"
    )


def _of_training(cost: Cost, setting: MemorySetting) -> Iterator[MemoryPart]:
    states, kept = state_bytes(cost, setting.optimiser), keeps_words(setting.optimiser)
    yield MemoryPart("optimiser_bytes", f"States of {setting.optimiser}", states, kept)
    how = "activations and gradients, those of weights from when they are made on; none are there before the step"
    how += "" if setting.recompute is None else f"; {recomputed_words(setting.recompute)} once more in the backward pass"
    peak = _peak(cost, Pass.GRADIENTS, setting.recompute)
    yield MemoryPart(STEP_PEAK_BYTES.key, "Highest moment of a step", peak, how)


def _peak(cost: Cost, what: Pass, recompute: Recompute | None = None) -> int | None:
    peak = None if cost.sheet.peak is None else cost.sheet.peak.of(what).recomputing(recompute)
    return None if peak is None or peak.is_unknown else peak.bytes_at(cost.dtype, cost.dims)


@dataclass(frozen=True)
class LargestSize:
    """The largest value of a size with which a model fits; 0 where it fits with none.

    Args:
        is_by_memory: whether one more would take more memory than there is; else a condition of the spec does not allow it.
    """

    value: int
    is_by_memory: bool


def largest(sheet: Sheet, preset: str | None, given: Mapping[str, Any], setting: MemorySetting, memory: int, size: str) -> LargestSize:
    """Return the largest value of one size with which a model fits, all others as given.

    More of a size is taken never to need less memory, so the value is found by halving, among multiples of the finest step from the given
    value that the conditions of the spec allow.

    Args:
        given: sizes, among them the one that is looked for.

    Raises:
        SizeError: a size without which nothing can be said is missing; the memory is not known.
    """
    known: dict[int, int | None] = {}  # what a value needs; None for one that breaks a condition of the spec

    def fits(value: int) -> bool | None:
        """Say whether a value fits; None for one that breaks a condition of the spec."""
        if value not in known:
            try:
                total = needs_of(cost_of(sheet, preset, {**given, size: value}, setting.dtype), setting).total
            except MissingSizeError:
                raise
            except SizeError:
                known[value] = None
            else:
                if total is None:
                    raise SizeError("the highest moment of this spec is not known")
                known[value] = total
        total = known[value]
        return None if total is None else total <= memory

    start = given[size]
    step = next(one for one in divisors(start) if one == start or any(fits(near) is not None for near in (start + one, start - one)))
    low, high = (start // step, 2 * start // step) if fits(start) else (0, start // step)
    while low and high < _MOST and fits(high * step):
        low, high = high, max(2 * high, min(_on_the_line(known, memory) // step + 1, _MOST))
    for turn in count():
        if high - low <= 1:
            break
        line = _on_the_line(known, memory) // step + turn % 2  # the value itself, then the one behind it
        # What needs no straight line of memory is halved, and so is every third part.
        middle = line if low < line < high and turn % 3 < 2 else (low + high) // 2
        found = fits(middle * step)
        # What breaks a condition below the given value is too small, and what does so above is too large.
        if found or (found is None and middle * step < start):
            low = middle
        else:
            high = middle
    best = low * step if low and fits(low * step) else 0
    return LargestSize(best, fits((low + 1) * step) is not None)


def _on_the_line(known: Mapping[int, int | None], memory: int) -> int:
    """Return the value at which the straight line through the last two that are known to need something meets the memory; else 0."""
    points = [(value, total) for value, total in known.items() if total is not None][-2:]
    if len(points) < 2:
        return 0
    (a, at_a), (b, at_b) = points
    return a + (memory - at_a) * (b - a) // (at_b - at_a) if at_a != at_b else 0
