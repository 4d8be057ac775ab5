"""Elementwise `-`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from generator.ops.arithmetic import Arithmetic


@dataclass(frozen=True)
class Sub(Arithmetic):
    """a - b. One operation per element of the result; nothing is kept."""

    name: ClassVar[str] = "sub"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)
    kernel: ClassVar[Literal["add", "sub", "mul", "div"]] = "sub"
    symbol: ClassVar[str] = "-"
    verb: ClassVar[str] = "subtract"
