"""Stacks of layers of which there may be none."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr


@dataclass(frozen=True)
class EmptyStack:
    """A stack whose number of layers, `count`, is zero where a size of the outermost spec has one value."""

    size: str
    value: int
    count: Expr
