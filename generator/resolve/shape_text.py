"""Shapes as the author of a spec would write them."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from generator.formulas.text import to_text
from generator.trace.tensor import Shape


def show_size(size: Expr, sizes: Mapping[str, Expr]) -> str:
    """Print one size; a derived size is printed by its name where it stands alone."""
    for name, value in sizes.items():
        if value == size and not size.is_Integer:
            return name
    return to_text(size, tuple(sizes))


def show_shape(shape: Shape, sizes: Mapping[str, Expr]) -> str:
    """Print a shape in brackets."""
    return "[" + ", ".join(show_size(size, sizes) for size in shape) + "]"
