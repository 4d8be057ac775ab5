"""Serving a model that decodes: reading a prompt, each step with what came before, and a whole generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.questions.memory.decoding_passes import last_step_cost, prompt_cost, step_cost, step_size
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.memory_answer import CacheNeeds, cache_needs
from generator.questions.time.roofline import LeastTime, TimeSetting, bound_of, rate, seconds_of
from generator.questions.time.work import forward_work, items_of
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Serving:
    """A generation of one batch.

    Args:
        cache: what caches and states take, and how many tokens and requests there are.
        prefill: the pass over the prompt; its head works on the last position alone.
        first, last: the first and the last step behind it; None where the prompt's pass makes the only token.
        seconds: the bound of it all.
        estimate_seconds: the estimate of it all.
    """

    cache: CacheNeeds
    prefill: LeastTime
    first: LeastTime | None
    last: LeastTime | None
    seconds: float
    estimate_seconds: float | None

    @property
    def tokens(self) -> int:
        """Of all requests; the prompt's pass makes the first of each."""
        return self.cache.requests * self.cache.generated

    @property
    def whole(self) -> LeastTime:
        """All of it as one line of a table."""
        steps = [one for one in (self.prefill, self.last) if one is not None]
        known = all(one.compute_seconds is not None for one in steps)
        compute, memory = (self.seconds if known else None), (0.0 if known else self.seconds)
        return LeastTime(
            "generation",
            f"{self.cache.prompt:,} + {self.cache.generated:,} tokens",
            self.tokens,
            "tokens",
            0.0,
            {},
            compute,
            memory,
            self.estimate_seconds,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {
            **self.cache.to_dict(),
            "prefill": self.prefill.to_dict(),
            "first_step": None if self.first is None else self.first.to_dict(),
            "last_step": None if self.last is None else self.last.to_dict(),
            "bound_seconds": self.seconds,
            "estimate_seconds": self.estimate_seconds,
            "bound_tokens_per_second": rate(self.tokens, self.seconds),
            "estimate_tokens_per_second": rate(self.tokens, self.estimate_seconds),
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

    prompt = prompt_cost(sheet, preset, given, memory.dtype)
    length = int(prompt.dims[step_size(sheet)])
    prefill = bound_of("prefill", "the prompt", items_of(prompt), forward_work(prompt, memory, last_alone=True), setting)
    steps = generated - 1
    first = step_cost(sheet, preset, given, memory.dtype, length)
    last = last_step_cost(sheet, preset, given, memory.dtype, generated)
    bounds = [
        bound_of(key, title, items_of(cost), forward_work(cost, memory), setting)
        for key, title, cost in (("first_step", "the first step", first), ("last_step", "the last step", last))
    ]
    total, estimate = prefill.seconds, prefill.estimate_seconds
    if steps:
        starts = np.arange(length, length + steps, dtype=np.int64)
        compute, moving, guess = seconds_of(forward_work(step_cost(sheet, preset, given, memory.dtype, starts), memory), setting)
        each = moving if compute is None else np.maximum(compute, moving)
        total += _sum(each, steps)
        estimate = None if estimate is None or guess is None else estimate + _sum(guess, steps)
    return Serving(
        cache_needs(sheet, preset, given, memory, generated, setting.device.memory),
        prefill,
        bounds[0] if steps else None,
        bounds[1] if steps else None,
        float(total),
        None if estimate is None else float(estimate),
    )


def _sum(seconds: Any, steps: int) -> float:
    return float(seconds.sum()) if getattr(seconds, "ndim", 0) else float(seconds) * steps
