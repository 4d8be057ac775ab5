"""The greater of tensors, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.arithmetic import Arithmetic
from generator.trace.pointwise import Binary


@dataclass(frozen=True)
class Maximum(Arithmetic):
    """The greater of two or more tensors at each place; axes are aligned at the right and stretch from one. `max` reduces axes.

    One operation an element of the result for each tensor but the first. Kept for the backward pass: both.
    """

    name: ClassVar[str] = "maximum"
    arity: ClassVar[tuple[int, int | None]] = (2, None)
    kernel: ClassVar[Binary] = "maximum"
    verb: ClassVar[str] = "compare"
