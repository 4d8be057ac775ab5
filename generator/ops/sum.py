"""Sums over axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.reduction import Reduction
from generator.trace import reduce


@dataclass(frozen=True)
class Sum(Reduction):
    """The sum over axes: `{op: sum, over: -1, keep: true}`. One addition an element read; nothing is kept."""

    name: ClassVar[str] = "sum"
    kernel: ClassVar[reduce.Reduction] = "sum"
    method: ClassVar[str] = "sum"
