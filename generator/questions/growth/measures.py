"""What can be compared: the quantities of a sheet, and sums of them."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr

from generator.errors import SizeError
from generator.sheet.sheet import QUANTITIES, Quantity, Sheet
from generator.text.suggest import did_you_mean, listed

TOTAL_FLOPS = Quantity("total_flops", "Total FLOPs", "FLOP", "matmul FLOPs and vector FLOPs together")
MEASURES: tuple[Quantity, ...] = (*QUANTITIES, TOTAL_FLOPS)
MEASURE_KEYS = tuple(measure.key for measure in MEASURES)
_BY_KEY = {measure.key: measure for measure in MEASURES}


def measure(key: str) -> Quantity:
    """Return a measure by its key. Raises SizeError for an unknown one."""
    if key not in _BY_KEY:
        raise SizeError(f"`{key}` is no quantity", *did_you_mean(key, _BY_KEY), f"quantities: {listed(_BY_KEY, limit=20)}")
    return _BY_KEY[key]


def cost_formula(costs: Mapping[str, Expr], key: str) -> Expr:
    """Return a measure of a row, or of the whole sheet, from its costs by quantity."""
    if key == TOTAL_FLOPS.key:
        return costs["matmul_flops"] + costs["vector_flops"]
    return costs[measure(key).key]


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
