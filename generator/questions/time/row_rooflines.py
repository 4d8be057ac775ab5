"""Rooflines row by row: what each row alone would take, as unfused operations that read their operands and write their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from generator.quantities import MATMUL_FLOPS, TRAFFIC_ELEMENTS
from generator.questions.time.roofline import TimeSetting
from generator.sheet.costing import Cost
from generator.sheet.number_formats import ITEM_BYTES


@dataclass(frozen=True)
class RowTime:
    """A row on its own. An estimate: implementations that fuse rows move less, and none reaches peak and bandwidth.

    Args:
        flops: of its contractions, the full square of scores.
        bytes: that its unfused operations read and write, in the format of the model.
        seconds: the greater of both times; None where the peak is not known.
        limit: which that is, `compute` or `memory`.
    """

    name: str
    op: str
    flops: int
    bytes: int
    seconds: float | None
    limit: str

    @property
    def intensity(self) -> float | None:
        """FLOPs for each byte; None where nothing is moved."""
        return self.flops / self.bytes if self.bytes else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "op": self.op,
            "flops": self.flops,
            "traffic_bytes": self.bytes,
            "flops_per_byte": self.intensity,
            "unfused_estimate_seconds": self.seconds,
            "bound_by": self.limit or None,
        }


def row_times(cost: Cost, setting: TimeSetting) -> tuple[RowTime, ...]:
    """Return the rows of a forward pass that do anything, in order of computation."""
    return tuple(_row_times(cost, setting))


def _row_times(cost: Cost, setting: TimeSetting) -> Iterator[RowTime]:
    item, bandwidth, peak = ITEM_BYTES[cost.dtype], float(setting.device.bandwidth), setting.peak
    for row in cost.rows:
        flops, size = row.value(MATMUL_FLOPS.key), item * row.value(TRAFFIC_ELEMENTS.key)
        if not flops and not size:
            continue
        memory = size / bandwidth
        if peak is None:
            yield RowTime(row.name, row.op, flops, size, None if flops else memory, "" if flops else "memory")
        else:
            compute = flops / peak
            yield RowTime(row.name, row.op, flops, size, max(compute, memory), "compute" if compute >= memory else "memory")
