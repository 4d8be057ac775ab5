"""Elementwise `*`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from generator.ops.arithmetic import Arithmetic


@dataclass(frozen=True)
class Mul(Arithmetic):
    """a * b * ...: gates. One operation per element of the result; each operand is kept where the other's gradient needs it."""

    name: ClassVar[str] = "mul"
    arity: ClassVar[tuple[int, int | None]] = (2, None)
    kernel: ClassVar[Literal["add", "sub", "mul", "div"]] = "mul"
    symbol: ClassVar[str] = "*"
    verb: ClassVar[str] = "multiply"
