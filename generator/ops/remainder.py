"""Remainders of whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from generator.ops.base import param
from generator.ops.params import SIZE
from generator.ops.whole_numbers import WholeNumbers


@dataclass(frozen=True)
class Remainder(WholeNumbers):
    """Whole numbers modulo a size, such as places in several rounds of n positions: `{op: remainder, by: n}`.

    Arithmetic on whole numbers is not counted; each is read and written.
    """

    name: ClassVar[str] = "remainder"

    by: Expr = param(SIZE, "the divisor", example="n")
