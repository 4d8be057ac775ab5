"""Rooflines: the least time of some work on a device, and an estimate at a stated efficiency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generator.questions.hardware.device import Device
from generator.questions.time.work import Work
from generator.text.errors import SizeError

USUAL_EFFICIENCY = Fraction(1, 2)


@dataclass(frozen=True)
class TimeSetting:
    """On what a model runs.

    Args:
        device: the device.
        compute: the number format of its products.
        efficiency: the part of the bound's speed that estimates assume.
    """

    device: Device
    compute: str
    efficiency: Fraction = USUAL_EFFICIENCY

    @property
    def peak(self) -> float | None:
        """Operations a second; None where the device's file has none in this format."""
        found = self.device.peak.get(self.compute)
        return None if found is None else float(found)


@dataclass(frozen=True)
class LeastTime:
    """The least time that a pass takes, and an estimate.

    Args:
        key: the name used in JSON.
        title: what is run.
        items: how many tokens or samples come of it.
        unit: what these are.
        flops: the least arithmetic.
        moved: the least bytes, by what they are.
        compute_seconds: what the arithmetic takes at the peak; None where the peak is not known.
        memory_seconds: what the bytes take at the bandwidth.
        estimate_seconds: at the efficiency asked for, with experts spread evenly; None where the peak is not known.
    """

    key: str
    title: str
    items: int
    unit: str
    flops: float
    moved: Mapping[str, float]
    compute_seconds: float | None
    memory_seconds: float
    estimate_seconds: float | None

    @property
    def seconds(self) -> float:
        """The bound: nothing is faster."""
        return max(self.compute_seconds or 0.0, self.memory_seconds)

    @property
    def limit(self) -> str:
        """What binds: `compute` or `memory`; empty where the peak is not known."""
        if self.compute_seconds is None:
            return ""
        return "compute" if self.compute_seconds >= self.memory_seconds else "memory"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; each rate and time says whether it is a bound or an estimate."""
        said: dict[str, Any] = {
            "items": self.items,
            "unit": self.unit,
            "least_flops": self.flops,
            "least_bytes": sum(self.moved.values()),
            "least_bytes_by_part": dict(self.moved),
            "compute_seconds": self.compute_seconds,
            "memory_seconds": self.memory_seconds,
            "bound_by": self.limit or None,
            "bound_seconds": self.seconds,
            "estimate_seconds": self.estimate_seconds,
            f"bound_{self.unit}_per_second": rate(self.items, self.seconds),
            f"estimate_{self.unit}_per_second": rate(self.items, self.estimate_seconds),
        }
        return said


def bound_of(key: str, title: str, items: tuple[int, str], work: Work, setting: TimeSetting) -> LeastTime:
    """Return the least time of one pass."""
    compute, memory, estimate = seconds_of(work, setting)
    return LeastTime(
        key,
        title,
        int(items[0]),
        items[1],
        float(work.flops),
        {part: float(size) for part, size in work.moved.items() if size},
        None if compute is None else float(compute),
        float(memory),
        None if estimate is None else float(estimate),
    )


def seconds_of(work: Work, setting: TimeSetting) -> tuple[Any, Any, Any]:
    """Return the seconds of the arithmetic, of the traffic, and of the estimate; numbers or arrays, None where the peak is not known."""
    import numpy as np

    bandwidth = float(setting.device.bandwidth)
    memory = work.bytes / bandwidth
    if setting.peak is None:
        return None, memory, None
    compute = work.flops / setting.peak
    return compute, memory, np.maximum(compute, (work.bytes + work.spread) / bandwidth) / float(setting.efficiency)


def rate(items: float, seconds: float | None) -> float | None:
    """Return how many a second; None where the time is not known, or nothing takes none."""
    return items / seconds if seconds else None


def efficiency_of(text: str) -> Fraction:
    """Return an efficiency as people write it, 0.5 or 50%. Raises SizeError unless it is above 0 and at most 1."""
    try:
        value = Fraction(text.rstrip("% ")) / (100 if text.rstrip().endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not 0 < value <= 1:
        raise SizeError(f"`{text}` is no efficiency", "it is the part of the bound's speed that is reached: 0.5 or 50%, at most 1")
    return value
