"""The points of a grid, chunk by chunk. numpy is imported only in this package and in `generator.formulas.evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from generator.questions.growth.axes import Axis

CHUNK = 1 << 16  # points worked out together


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of some axes, the last running fastest, and sizes that stay the same."""

    axes: tuple[Axis, ...]
    fixed: Mapping[str, int]

    @property
    def count(self) -> int:
        """How many points there are."""
        return prod(len(axis.values) for axis in self.axes)

    @property
    def greatest(self) -> dict[str, int]:
        """The greatest value of each size that is given."""
        return {**self.fixed, **{axis.size: max(axis.values) for axis in self.axes}}

    def chunks(self, first: int = 0, end: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the points as one array a size, `CHUNK` points at a time; fixed sizes are single numbers.

        Args:
            first: the number of the first point, from 0 on.
            end: that of the first point that is left out; None for all to the last.
        """
        values = [_as_array(axis.values) for axis in self.axes]
        lengths = [prod(len(axis.values) for axis in self.axes[place + 1 :]) for place in range(len(self.axes))]
        last = self.count if end is None else min(end, self.count)
        for start in range(first, last, CHUNK):
            stop = min(start + CHUNK, last)
            swept = {axis.size: _points(array, each, start, stop) for axis, array, each in zip(self.axes, values, lengths, strict=True)}
            yield {**self.fixed, **swept}


def _points(values: Any, each: int, start: int, stop: int) -> Any:
    """Return an axis at the points from `start` to `stop`: its values over and over, each for so many points."""
    first, last = start // each, (stop - 1) // each
    whole, begin = values.size, first % values.size
    count = last - first + 1
    if begin + count <= whole:
        found = values[begin : begin + count]
    else:
        rounds, rest = divmod(count - (whole - begin), whole)
        found = np.concatenate([values[begin:], np.tile(values, rounds), values[:rest]])
    if each == 1:
        return found.copy()
    times = np.full(count, each)
    times[0] -= start - first * each
    times[-1] -= (last + 1) * each - stop
    return np.repeat(found, times)


def _as_array(values: Sequence[int]) -> Any:
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step)
    return np.asarray(values, dtype=np.int64 if max(values) < 2**63 else object)
