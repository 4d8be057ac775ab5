"""Serving a model that decodes: reading a prompt, each step with what came before, and a whole generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.errors import SizeError
from generator.quantities import STATE_ELEMENTS
from generator.questions.memory.fits import MemorySetting
from generator.questions.time.bound import Bound, TimeSetting, bound_of, rate, seconds_of
from generator.questions.time.work import forward_work, items_of, step_size
from generator.sheet.costing import Cost, cost_of
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Serving:
    """A generation of one batch.

    Args:
        prompt: tokens of the prompt of each request.
        generated: tokens that each request gets; the prompt's pass makes the first of them.
        requests: how many there are at a time.
        prefill: the pass over the prompt; its head works on the last position alone.
        first, last: the first and the last step behind it; None where the prompt's pass makes the only token.
        seconds: the bound of it all.
        estimate_seconds: the estimate of it all.
        cache_bytes: of the caches and states in the end.
        cache_bytes_per_token: by which they grow for each token of a request.
    """

    prompt: int
    generated: int
    requests: int
    prefill: Bound
    first: Bound | None
    last: Bound | None
    seconds: float
    estimate_seconds: float | None
    cache_bytes: float
    cache_bytes_per_token: float

    @property
    def whole(self) -> Bound:
        """All of it as one line of a table."""
        steps = [one for one in (self.prefill, self.last) if one is not None]
        items = self.requests * self.generated
        known = all(one.compute_seconds is not None for one in steps)
        compute, memory = (self.seconds if known else None), (0.0 if known else self.seconds)
        return Bound(
            "generation", f"{self.prompt:,} + {self.generated:,} tokens", items, "tokens", 0.0, {}, compute, memory, self.estimate_seconds
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        tokens = self.requests * self.generated
        return {
            "prompt": self.prompt,
            "generated": self.generated,
            "requests": self.requests,
            "prefill": self.prefill.to_dict(),
            "first_step": None if self.first is None else self.first.to_dict(),
            "last_step": None if self.last is None else self.last.to_dict(),
            "bound_seconds": self.seconds,
            "estimate_seconds": self.estimate_seconds,
            "bound_tokens_per_second": rate(tokens, self.seconds),
            "estimate_tokens_per_second": rate(tokens, self.estimate_seconds),
            "cache_bytes": self.cache_bytes,
            "cache_bytes_per_request": self.cache_bytes / self.requests,
            "cache_bytes_per_token_of_a_request": self.cache_bytes_per_token,
        }


def serving_of(
    sheet: Sheet, preset: str | None, given: Mapping[str, Any], generated: int, memory: MemorySetting, setting: TimeSetting
) -> Serving:
    """Return how long a generation takes.

    Args:
        given: sizes, of which that of new tokens is the prompt's length.
        generated: tokens that each request gets.

    Raises:
        SizeError: the spec does not decode; sizes that are missing or break a condition, at the end of the generation too.
    """
    import numpy as np

    prompt = prompt_of(sheet, preset, given, memory)
    length = int(prompt.dims[step_size(sheet)])
    prefill = bound_of("prefill", "the prompt", items_of(prompt), forward_work(prompt, memory, last_alone=True), setting)
    steps = generated - 1
    first, last = (step_cost(sheet, preset, given, memory, length + more) for more in (0, max(steps - 1, 0)))
    bounds = [
        bound_of(key, title, items_of(cost), forward_work(cost, memory), setting)
        for key, title, cost in (("first_step", "the first step", first), ("last_step", "the last step", last))
    ]
    total, estimate = prefill.seconds, prefill.estimate_seconds
    if steps:
        starts = np.arange(length, length + steps, dtype=np.int64)
        compute, moving, guess = seconds_of(forward_work(step_cost(sheet, preset, given, memory, starts), memory), setting)
        each = moving if compute is None else np.maximum(compute, moving)
        total += _sum(each, steps)
        estimate = None if estimate is None or guess is None else estimate + _sum(guess, steps)
    requests = int(items_of(last)[0])
    states = [float(cost.value(STATE_ELEMENTS.key)) * float(memory.cache.bytes_each) for cost in (prompt, first, last)]
    return Serving(
        length,
        generated,
        requests,
        prefill,
        bounds[0] if steps else None,
        bounds[1] if steps else None,
        float(total),
        None if estimate is None else float(estimate),
        states[2] if steps else states[0],
        (states[1] - states[0]) / requests,
    )


def prompt_of(sheet: Sheet, preset: str | None, given: Mapping[str, Any], memory: MemorySetting) -> Cost:
    """Return the cost of the pass over the prompt, before which there was nothing. Raises SizeError."""
    new = step_size(sheet)
    cost = cost_of(sheet, preset, given, memory.dtype)
    cost.require_all()
    alone = {key: value for growth in sheet.growths for key, value in growth.at(0, int(cost.dims[growth.new.name])).items()}
    for key, value in alone.items():
        if key in given and given[key] != value:
            raise SizeError(
                f"`{key}` follows from the prompt and the tokens that are generated: leave it out",
                f"the prompt has {new}={cost.dims[new]:,} tokens, before which there are none",
            )
    found = cost_of(sheet, preset, {**given, **alone}, memory.dtype)
    found.require_all()
    return found


def step_cost(sheet: Sheet, preset: str | None, given: Mapping[str, Any], memory: MemorySetting, start: Any) -> Cost:
    """Return the cost of a step of one token behind `start` others; an array of them gives arrays. Raises SizeError."""
    sizes = {key: value for growth in sheet.growths for key, value in growth.at(start, 1).items()}
    return cost_of(sheet, preset, {**given, step_size(sheet): 1, **sizes}, memory.dtype)


def _sum(seconds: Any, steps: int) -> float:
    return float(seconds.sum()) if getattr(seconds, "ndim", 0) else float(seconds) * steps
