"""Whole numbers divided and rounded down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from generator.ops.base import param
from generator.ops.params import SIZE
from generator.ops.whole_numbers import WholeNumbers


@dataclass(frozen=True)
class FloorDivide(WholeNumbers):
    """Whole numbers divided by a size and rounded down, such as the block that a place stands in: `{op: floor_divide, by: w}`.

    Arithmetic on whole numbers is not counted; each is read and written.
    """

    name: ClassVar[str] = "floor_divide"

    by: Expr = param(SIZE, "the divisor", example="w")
