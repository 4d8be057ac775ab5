"""Elementwise `/`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from generator.ops.arithmetic import Arithmetic


@dataclass(frozen=True)
class Div(Arithmetic):
    """a / b. One operation per element of the result; the divisor is kept, and the dividend where the divisor's gradient needs it."""

    name: ClassVar[str] = "div"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)
    kernel: ClassVar[Literal["add", "sub", "mul", "div"]] = "div"
    symbol: ClassVar[str] = "/"
    verb: ClassVar[str] = "divide"
