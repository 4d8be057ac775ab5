"""Shapes as the spec writes them."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from generator.formulas.symbols import symbol
from generator.resolve.shape_text import show_shape
from generator.sheet.sheet import Sheet, SheetRow


def size_values(sheet: Sheet) -> dict[str, Expr]:
    """Return each size as an expression: itself, or what a derived one stands for."""
    return {size.name: size.value if size.kind == "derived" and size.value is not None else symbol(size.name) for size in sheet.sizes}


def row_shapes(row: SheetRow, sizes: Mapping[str, Expr]) -> tuple[str, ...]:
    """Return the shape of each result, `[b, n, d]`, or `values: [b, n, k]` where there are several."""
    return tuple(f"{name}: {show_shape(axes, sizes)}" if name else show_shape(axes, sizes) for name, axes in row.shapes)
