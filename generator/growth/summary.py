"""How a spec grows, in one place: orders, dominant terms at its presets, and crossings inside it. What the page and the terminal show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from generator.feasible import GREATEST, Sizes, bounds, first, solutions
from generator.growth.bound import at, bound_sizes
from generator.growth.inside import InsideCrossing, crossings_inside
from generator.growth.measures import cost_formula
from generator.growth.orders import Order, order_of
from generator.growth.terms import TermValue, terms_by_size
from generator.sheet import Sheet
from generator.sheet_demands import search_order, sheet_demands
from generator.symbols import symbol

BATCH = "b"
SHOWN_MEASURES = ("params", "matmul_flops", "vector_flops", "saved_elements", "state_elements", "traffic_elements")
INSIDE_MEASURES = ("macs", "total_flops", "saved_elements")


@dataclass(frozen=True)
class Dominant:
    """The terms of a measure at a preset, the largest first.

    Args:
        preset: its name.
        chosen: sizes that the preset leaves open and that were chosen: one sequence, and as long as the conditions allow.
        terms: with value and share.
    """

    preset: str
    chosen: Mapping[str, int]
    terms: tuple[TermValue, ...]


@dataclass(frozen=True)
class Inside:
    """A crossing inside a spec, and its value at each preset that decides it; for one sequence where the preset leaves the batch open."""

    measure: str
    crossing: InsideCrossing
    at_presets: Mapping[str, Expr]


def orders(sheet: Sheet) -> dict[str, Order]:
    """Return the order of growth of each measure that is not zero."""
    found = {key: order_of(cost_formula(sheet.totals, key), sheet) for key in SHOWN_MEASURES}
    return {key: order for key, order in found.items() if order.terms}


def dominant_terms(sheet: Sheet, key: str) -> list[Dominant]:
    """Return the terms of a measure at each preset that leaves no size open but those that can be chosen."""
    found = []
    formula = cost_formula(sheet.totals, key)
    for preset in sheet.presets:
        sizes, chosen = example_sizes(sheet, preset.sizes)
        if {one.name for one in formula.free_symbols} <= sizes.keys():
            needed = {name: value for name, value in chosen.items() if symbol(name) in formula.free_symbols}
            terms = terms_by_size(formula, sizes, [size.name for size in sheet.sizes])
            found.append(Dominant(preset.name, needed, terms))
    return found


def example_sizes(sheet: Sheet, given: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Return all sizes that are known at a preset, and those among them that were chosen: b = 1, and n = P where n <= P must hold."""
    order, demands = search_order(sheet, given), sheet_demands(sheet, given)
    free = [size.name for size in sheet.sizes if size.kind == "free" and size.name not in given]
    ranges = bounds(order, demands, given) or {}
    limited = [name for name in free if name == BATCH or (name in ranges and ranges[name].high < GREATEST)]

    def candidates(name: str, sizes: Sizes) -> Iterator[int]:  # noqa: ARG001 - the same whatever is chosen
        yield from (1,) if name == BATCH else range(int(ranges[name].high), 0, -1)

    chosen = first(solutions(limited, demands, candidates, known=given)) or {}
    chosen = {name: chosen[name] for name in limited if name in chosen}
    known = bound_sizes(sheet, {**given, **chosen})
    return {name.name: int(value) for name, value in known.items() if value.is_Integer}, chosen


def inside(sheet: Sheet) -> list[Inside]:
    """Return the crossings inside a sheet with their values at its presets; a root that no measure changes is named once."""
    found: list[Inside] = []
    for key in INSIDE_MEASURES:
        for one in crossings_inside(sheet, key):
            if not any(known.crossing == one for known in found):
                found.append(Inside(key, one, _at_presets(sheet, one.root)))
    return found


def _at_presets(sheet: Sheet, root: Expr) -> dict[str, Expr]:
    values = {}
    for preset in sheet.presets:
        known: dict[Symbol, Expr] = bound_sizes(sheet, dict(preset.sizes))
        value = at(root, known).xreplace({symbol(BATCH): Integer(1)})
        if not value.free_symbols:
            values[preset.name] = value if value.is_Rational else value.evalf(30)
    return values
