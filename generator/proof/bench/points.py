"""What was measured at one set of sizes, and how it grows from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import median


@dataclass(frozen=True)
class Point:
    """The times of some runs at one value of the size that is varied.

    Args:
        value: of the size; 0 where none is varied.
        seconds: of each run.
        flops: what the formulas predict of one run.
    """

    value: int
    seconds: tuple[float, ...]
    flops: int

    @property
    def median(self) -> float:
        """The median of the times, in seconds."""
        return median(self.seconds)

    @property
    def spread(self) -> float:
        """How far the middle half of the times lies apart, as a part of the median."""
        ordered = sorted(self.seconds)
        quarter = len(ordered) // 4
        return (ordered[-1 - quarter] - ordered[quarter]) / self.median

    @property
    def rate(self) -> float:
        """Floating point operations in a second, as the formulas count them."""
        return self.flops / self.median


@dataclass(frozen=True)
class MeasuredGrowth:
    """From one point to the next: the ratios of times and of predicted FLOPs, and the powers of the size that these are."""

    time_ratio: float
    time_exponent: float
    flops_ratio: float
    flops_exponent: float


def growth(before: Point, after: Point) -> MeasuredGrowth:
    """Return how times and predictions grow between two points with different values of the size."""
    step = log(after.value / before.value)
    times, flops = after.median / before.median, after.flops / before.flops
    return MeasuredGrowth(times, log(times) / step, flops, log(flops) / step)


def fitted_exponent(points: Sequence[Point]) -> float:
    """Return the power in which time grows: the slope of the line fitted through all points on logarithmic axes by least squares."""
    x = [log(point.value) for point in points]
    y = [log(point.median) for point in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return slope / sum((a - mean_x) ** 2 for a in x)
