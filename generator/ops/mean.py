"""Means over axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.reduction import Reduction
from generator.trace import reduce


@dataclass(frozen=True)
class Mean(Reduction):
    """The mean over axes: `{op: mean, over: [h, w]}`.

    One addition an element read, one division an element of the result; nothing is kept.
    """

    name: ClassVar[str] = "mean"
    kernel: ClassVar[reduce.Reduction] = "mean"
    method: ClassVar[str] = "mean"
