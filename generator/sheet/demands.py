"""What the sizes of a sheet must meet, for the search of sizes that do."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sympy import Expr

from generator.formulas.feasible import AtLeast, Demand, Equals, demanded
from generator.sheet.sheet import Sheet


def search_order(sheet: Sheet, given: Collection[str]) -> list[str]:
    """Return the sizes of a sheet that are not given, defaults and derived ones among them, in the order of the spec."""
    return [size.name for size in sheet.sizes if size.kind == "derived" or size.name not in given]


def sheet_demands(sheet: Sheet, given: Collection[str], *, in_training: bool = False) -> list[Demand]:
    """Return what sizes of a sheet must meet: its conditions, sizes that follow from others, and whole axes of at least one.

    Args:
        given: the sizes that do not follow from others though they could: those of a preset, and defaults that are drawn.
        in_training: whether the module must run in training mode.
    """
    constraints = (*sheet.constraints, *(sheet.trained if in_training else ()))
    found: list[Demand] = [demand for constraint in constraints for demand in demanded(constraint.condition)]
    for size in sheet.sizes:
        if size.value is not None and (size.kind == "derived" or size.name not in given):
            found += [Equals(size.name, size.value), AtLeast(size.value)]
    return [*found, *(AtLeast(axis) for axis in axes_of(sheet) if not axis.is_Symbol)]


def axes_of(sheet: Sheet) -> Iterator[Expr]:
    """Yield the axes of all results of rows that depend on sizes, but not on values, each once, in order of computation."""
    axes = dict.fromkeys(axis for row in sheet.rows for _, shape in row.shapes for axis in shape if axis.free_symbols)
    yield from (axis for axis in axes if not sheet.is_average(axis))
