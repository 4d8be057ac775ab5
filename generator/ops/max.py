"""Maxima over axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.reduction import Reduction
from generator.trace import reduce


@dataclass(frozen=True)
class Max(Reduction):
    """The maximum over axes: `{op: max, over: n}`. One comparison an element read. Kept for the backward pass: the input and the result."""

    name: ClassVar[str] = "max"
    kernel: ClassVar[reduce.Reduction] = "amax"
    method: ClassVar[str] = "amax"
