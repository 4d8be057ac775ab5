"""What a model needs, whether that fits, and the largest sizes that do: what `gen memory` and `load(...).memory(...)` answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.quantities import STATE_ELEMENTS
from generator.questions.hardware.device import Device
from generator.questions.memory.decoding_passes import batch_size, last_step_cost, prompt_cost, step_cost, step_size
from generator.questions.memory.fits import LargestSize, MemoryNeeds, MemorySetting, largest, needs_of
from generator.questions.memory.recomputation import Recomputed, recomputed
from generator.questions.parallel.heaviest_device import DeviceShare, Splitting
from generator.sheet.costing import Cost, cost_of
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import preset_sizes
from generator.text.errors import SizeError


@dataclass(frozen=True)
class CacheNeeds:
    """Caches and states of a generation, in bytes.

    Args:
        prompt: tokens of the prompt of each request.
        generated: tokens that each request gets; the last of them is kept by none.
        requests: how many there are at a time.
        total: in the end, of all requests.
        for_each_token: by which they grow with each token of a request.
        prompt_needed: what the pass over the prompt needs in all, made at once, with results of all positions; None where it is not known.
        largest_part: of the prompt, passed at once, that fits behind the rest of it; None where nobody asked what fits.
    """

    prompt: int
    generated: int
    requests: int
    total: float
    for_each_token: float
    prompt_needed: int | None
    largest_part: LargestSize | None = None

    @property
    def for_each_request(self) -> float:
        """In the end, of one request."""
        return self.total / self.requests

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "prompt": self.prompt,
            "generated": self.generated,
            "requests": self.requests,
            "cache_bytes": self.total,
            "cache_bytes_per_request": self.for_each_request,
            "cache_bytes_per_token_of_a_request": self.for_each_token,
            "prompt_needed_bytes": self.prompt_needed,
            "largest_part_of_prompt": None if self.largest_part is None else self.largest_part.value,
        }


@dataclass(frozen=True)
class MemoryAnswer:
    """What a model needs, and what fits.

    Attributes:
        cost: the counts at the sizes asked for; of a generation those of its last step.
        setting: number formats, and the optimiser of a training step.
        needs: the parts, and their sum.
        there: bytes that there are; None where nobody said.
        device: on which; None where only an amount was given.
        largest: by size, the largest that fits, all else as it is.
        serving: the caches of a generation; None where none was asked for.
        recomputed: what comes of blocks that run once more; None where none do.
        heaviest: of the devices of a split the one that needs most; None where there is no split.
    """

    cost: Cost
    setting: MemorySetting
    needs: MemoryNeeds
    there: int | None = None
    device: Device | None = None
    largest: Mapping[str, LargestSize] = field(default_factory=dict)
    serving: CacheNeeds | None = None
    recomputed: Recomputed | None = None
    heaviest: DeviceShare | None = None

    @property
    def total(self) -> int | None:
        """Bytes at the highest moment; None where that is not known."""
        return self.needs.total

    @property
    def fits(self) -> bool | None:
        """Whether there are as many; None where nobody said how many there are."""
        return None if self.there is None or self.total is None else self.total <= self.there

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, as `gen memory --json` prints it."""
        said: dict[str, Any] = {
            "spec": self.cost.spec,
            "preset": self.cost.preset,
            "dims": dict(self.cost.dims),
            "dtype": self.setting.dtype,
            "weights": self.setting.weights.key,
            "cache": self.setting.cache.key,
            "train": self.setting.optimiser or None,
            **{part.key: part.bytes for part in self.needs.parts},
            "total_bytes": self.total,
        }
        if self.there is not None and self.total is not None:
            said |= {"memory_bytes": self.there, "left_bytes": self.there - self.total, "fits": self.fits}
            said["largest"] = {
                size: {"value": one.value, "bound_by": "memory" if one.is_by_memory else "conditions"} for size, one in self.largest.items()
            }
        said |= {"device": self.device.name} if self.device else {}
        said |= {"recomputation": self.recomputed.to_dict()} if self.recomputed else {}
        if self.setting.split is not None and self.heaviest is not None:
            said |= {"split": self.setting.split.to_dict(), "heaviest_device": self.heaviest.to_dict()}
        return said | ({"serving": self.serving.to_dict()} if self.serving else {})


def memory_of(
    sheet: Sheet,
    preset: str | None,
    given: Mapping[str, Any],
    setting: MemorySetting,
    *,
    device: Device | None = None,
    there: int | None = None,
    generated: int = 0,
    asked: Sequence[str] | None = None,
) -> MemoryAnswer:
    """Return what a model needs.

    Args:
        given: sizes by name; where a generation is asked for, that of new tokens is the prompt's length.
        device: on which it must fit.
        there: bytes into which it must fit, where no device is named.
        generated: tokens of a generation; 0 where none is asked for.
        asked: the sizes of which the largest that fits is wanted, where that is known; those given by default, of a generation that of the
            batch, and then it must be known.

    Raises:
        SizeError: sizes that are missing or break a condition, a question that does not fit the spec, nothing known of what must fit.
    """
    must_say = asked is None  # who asks for certain sizes can do without
    if generated and setting.optimiser:
        raise SizeError("a generation and a training step are two questions", "ask one of them, or `gen time`, which answers both")
    there = device.memory if device is not None else there
    if generated:
        cost = last_step_cost(sheet, preset, given, setting.dtype, generated)
        sizes = {size.name: cost.dims[size.name] for size in sheet.sizes if size.kind != "derived"}
        asked = [batch_size(sheet)] if asked is None else asked
    else:
        cost, sizes = cost_of(sheet, preset, given, setting.dtype), dict(given)
        asked = [*given] if asked is None else asked
    needs = needs_of(cost, setting)
    if there is not None and needs.total is None and must_say:
        raise SizeError(f"the highest moment of `{sheet.name}` is not known, so that nothing can be said of what fits")
    published = preset_sizes(sheet, preset)
    free = [size for size in asked if size in given and size not in published]
    found = (
        {size: largest(sheet, preset, sizes, setting, there, size) for size in free}
        if there is not None and needs.total is not None
        else {}
    )
    serving = cache_needs(sheet, preset, given, setting, generated, there) if generated else None
    saved = recomputed(cost, setting.recompute) if setting.recompute is not None else None
    heaviest = None if setting.split is None else Splitting(cost, setting).heaviest(setting.split)
    return MemoryAnswer(cost, setting, needs, there, device, found, serving, saved, heaviest)


def cache_needs(
    sheet: Sheet, preset: str | None, given: Mapping[str, Any], setting: MemorySetting, generated: int, there: int | None = None
) -> CacheNeeds:
    """Return the caches of a generation, and what its prompt needs. Raises SizeError as `memory_of`."""
    prompt = prompt_cost(sheet, preset, given, setting.dtype)
    new = step_size(sheet)
    length = int(prompt.dims[new])
    each = float(setting.cache.bytes_each)
    states = [
        float(cost.value(STATE_ELEMENTS.key)) * each
        for cost in (
            prompt,
            step_cost(sheet, preset, given, setting.dtype, length),
            last_step_cost(sheet, preset, given, setting.dtype, generated),
        )
    ]
    requests = int(prompt.dims.get(batch_size(sheet), 1))
    needed = needs_of(prompt, setting).total
    part = None
    if there is not None and needed is not None and sheet.growths:
        sizes = {size.name: prompt.dims[size.name] for size in sheet.sizes if size.kind != "derived"}
        part = LargestSize(length, is_by_memory=False) if needed <= there else largest(sheet, preset, sizes, setting, there, new)
    in_the_end = states[2] if generated > 1 else states[0]
    return CacheNeeds(length, generated, requests, in_the_end, (states[1] - states[0]) / requests, needed, part)
