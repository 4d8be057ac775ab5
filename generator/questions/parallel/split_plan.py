"""Which splits of a training step over so many devices fit, by the least time that a step takes: what `gen plan` answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sympy import divisors

from generator.questions.parallel.heaviest_device import DeviceShare, Splitting
from generator.questions.parallel.splits import DeviceSplit
from generator.questions.time.roofline import TimeSetting
from generator.text.errors import SizeError

MOST_TENSOR = 8  # devices of one machine, as a rule: beyond it links are slower than the one that a device's file tells


@dataclass(frozen=True)
class Planned:
    """A split.

    Args:
        heaviest: the device that needs most.
        compute_seconds: what the busiest stage computes in a step at the peak, and the time in which it waits for others.
        link_seconds: what the device that sends most sends, at half of its link, which is told both ways; None where that is not known.
        there: bytes of a device.
    """

    split: DeviceSplit
    heaviest: DeviceShare
    compute_seconds: float
    link_seconds: float | None
    there: int

    @property
    def seconds(self) -> float:
        """The bound of a step: it computes and sends at the same time."""
        return max(self.compute_seconds, self.link_seconds or 0.0)

    @property
    def limit(self) -> str:
        """What binds."""
        return "link" if (self.link_seconds or 0.0) > self.compute_seconds else "compute"

    @property
    def fits(self) -> bool:
        """Whether the heaviest device has room for it."""
        return (self.heaviest.needs.total or 0) <= self.there

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            **self.split.to_dict(),
            "heaviest": self.heaviest.to_dict(),
            "fits": self.fits,
            "compute_seconds": self.compute_seconds,
            "link_seconds": self.link_seconds,
            "bound_seconds": self.seconds,
            "bound_by": self.limit,
        }


@dataclass(frozen=True)
class SplitPlan:
    """All splits that the model allows, those that fit first, by their bounds.

    Args:
        refused: why others are none, and how many are for that reason.
    """

    splits: tuple[Planned, ...]
    refused: dict[str, int]

    @property
    def fitting(self) -> tuple[Planned, ...]:
        """Those that fit."""
        return tuple(one for one in self.splits if one.fits)


def planned(splitting: Splitting, split: DeviceSplit, setting: TimeSetting) -> Planned:
    """Return a split with its times. Raises SizeError where the model does not allow it, or the device's peak is not known."""
    shares = splitting.of_each_kind(split)
    peak, link = float(setting.device.require_peak(setting.compute)), setting.device.link
    compute = max(share.flops for share in shares) / peak * (1 + split.bubble)
    sent = max(sum(share.sent.values()) for share in shares)
    heaviest = max(shares, key=lambda share: share.needs.total or 0)
    return Planned(split, heaviest, compute, None if link is None else sent / (float(link) / 2), setting.device.memory)


def plan(splitting: Splitting, count: int, batch: int, global_batch: int, setting: TimeSetting) -> SplitPlan:
    """Return all splits over so many devices.

    Args:
        batch: samples of a microbatch, at which the model is.
        global_batch: samples of a step, all replicas together.

    Raises:
        SizeError: no split is possible; the device's peak is not known.
    """
    setting.device.require_peak(setting.compute)
    found: list[Planned] = []
    refused: Counter[str] = Counter()
    for data, tensor, pipeline, context in _shapes(count, splitting.contexts):
        if global_batch % (data * batch):
            refused[f"{global_batch:,} samples of a step cannot be divided among {data} replicas in microbatches of {batch}"] += 1
            continue
        one = DeviceSplit(data=data, tensor=tensor, pipeline=pipeline, context=context, micro=global_batch // (data * batch))
        for split in _variants(splitting, one):
            try:
                found.append(planned(splitting, split, setting))
            except SizeError as error:
                refused[str(error).splitlines()[0]] += 1
    if not found:
        raise SizeError(f"no split over {count} devices is possible", *refused)
    return SplitPlan(tuple(sorted(found, key=_rank)), refused)


def _rank(one: Planned) -> tuple[bool, float, float, int]:
    """Return what sorts a split: those that fit by time, then by what they send; others by memory."""
    total = one.heaviest.needs.total or 0
    return (not one.fits, one.seconds, one.link_seconds or 0.0, total) if one.fits else (not one.fits, 0.0, 0.0, total)


def _shapes(count: int, contexts: Callable[[int], bool]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the numbers of replicas, of devices of a tensor parallel group, of stages, and of devices of a context."""
    for tensor in divisors(count):
        if tensor <= MOST_TENSOR:
            for pipeline in divisors(count // tensor):
                for context in filter(contexts, divisors(count // tensor // pipeline)):
                    yield count // tensor // pipeline // context, tensor, pipeline, context


def _variants(splitting: Splitting, one: DeviceSplit) -> Iterator[DeviceSplit]:
    """Yield a split with all that replicas may divide, all pieces of stages, and all numbers of experts on a device."""
    experts = divisors(one.data) if splitting.places.experts else [1]
    for zero in range(4) if one.data * one.context > 1 else (0,):
        for interleave in (1, 2) if one.pipeline > 1 and one.micro % one.pipeline == 0 else (1,):
            for expert in experts:
                yield replace(one, zero=zero, interleave=interleave, expert=expert)
