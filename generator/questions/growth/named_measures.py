"""What can be asked for by name: a measure by its key, and the costs of rows by their paths."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr

from generator.quantities import BY_KEY, QUANTITIES, Quantity
from generator.sheet.sheet import Sheet
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed


def measure(key: str) -> Quantity:
    """Return a measure by its key. Raises SizeError for an unknown one."""
    if key not in BY_KEY:
        raise SizeError(f"`{key}` is no quantity", *did_you_mean(key, BY_KEY), f"quantities: {listed(BY_KEY, limit=20)}")
    return BY_KEY[key]


def row_costs(sheet: Sheet, path: str) -> Mapping[str, Expr]:
    """Return the costs of a row by its path, of several (`scores + mixed`) together, or of the whole sheet for an empty path.

    Raises:
        SizeError: there is no such row.
    """
    if not path:
        return sheet.totals
    rows = {row.path: row.costs for row in sheet.rows}
    paths = [part.strip() for part in path.split("+")]
    for part in paths:
        if part not in rows:
            raise SizeError(f"`{sheet.name}` has no row `{part}`", *did_you_mean(part, rows), f"rows: {listed(rows, limit=20)}")
    return {quantity.key: Add(*(rows[part][quantity.key] for part in paths)) for quantity in QUANTITIES}
