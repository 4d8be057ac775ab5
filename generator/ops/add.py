"""Elementwise `+`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from generator.ops.arithmetic import Arithmetic


@dataclass(frozen=True)
class Add(Arithmetic):
    """a + b + ...: residuals, positions. One operation per element of the result and operand beyond the first; nothing is kept."""

    name: ClassVar[str] = "add"
    arity: ClassVar[tuple[int, int | None]] = (2, None)
    kernel: ClassVar[Literal["add", "sub", "mul", "div"]] = "add"
    symbol: ClassVar[str] = "+"
    verb: ClassVar[str] = "add"
