"""How a spec grows, in one place: orders, dominant terms at its presets, and crossings inside it. What the page and the terminal show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, Symbol

from generator.formulas.evaluate import evaluate
from generator.formulas.feasible import GREATEST, Sizes, bounds, first, solutions
from generator.formulas.symbols import symbol
from generator.quantities import Shown, cost_formula, keys_in
from generator.questions.growth.at_sizes import at, bound_sizes
from generator.questions.growth.inner_crossings import Division, InsideCrossing, Met, division_of, met
from generator.questions.growth.orders import Order, order_of
from generator.questions.growth.terms import TermValue, terms_by_size
from generator.sheet.demands import search_order, sheet_demands
from generator.sheet.sheet import Sheet

BATCH = "b"


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
class AtPreset:
    """A crossing at a preset, for one sequence where the preset leaves the batch open.

    Args:
        root: where both cost the same.
        met: what happens there; None if no two neighbouring whole sizes have different orders.
        is_first_more: whether the first side costs more at two, where nothing happens.
    """

    root: Expr
    met: Met | None
    is_first_more: bool


@dataclass(frozen=True)
class Inside:
    """A crossing inside a spec, and what becomes of it at each preset that decides it."""

    measure: str
    crossing: InsideCrossing
    at_presets: Mapping[str, AtPreset]


def orders(sheet: Sheet) -> dict[str, Order]:
    """Return the order of growth of each measure that is not zero."""
    found = {key: order_of(cost_formula(sheet.totals, key), sheet) for key in keys_in(Shown.GROWTH, sheet.totals)}
    return {key: order for key, order in found.items() if order.terms}


def dominant_terms(sheet: Sheet, key: str) -> list[Dominant]:
    """Return the terms of a measure at each preset that leaves no size open but those that can be chosen."""
    found = []
    formula = cost_formula(sheet.totals, key)
    for preset in sheet.presets:
        sizes, chosen = one_long_sequence(sheet, preset.sizes)
        if {one.name for one in formula.free_symbols} <= sizes.keys():
            needed = {name: value for name, value in chosen.items() if symbol(name) in formula.free_symbols}
            terms = terms_by_size(formula, sizes, [size.name for size in sheet.sizes])
            found.append(Dominant(preset.name, needed, terms))
    return found


def one_long_sequence(sheet: Sheet, given: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
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
    division = division_of(sheet)
    for key in keys_in(Shown.CROSSINGS):
        for one in division.crossings(key):
            if not any(_says_the_same(one, known.crossing) for known in found):
                found.append(Inside(key, one, _at_presets(division, one)))
    return found


def first_of_pairs(found: Sequence[Inside]) -> list[Inside]:
    """Return each pair in the first size in which it crosses: n = 2*d says no less than d = n/2."""
    pairs: dict[tuple[str, frozenset[str]], Inside] = {}
    for one in found:
        pairs.setdefault((one.measure, frozenset((one.crossing.first.words, one.crossing.second.words))), one)
    return [*pairs.values()]


def _says_the_same(one: InsideCrossing, other: InsideCrossing) -> bool:
    names, others = ((each.size, each.root, each.first.words, each.second.words) for each in (one, other))
    return names == others


def _at_presets(division: Division, one: InsideCrossing) -> dict[str, AtPreset]:
    found = {}
    for view in division.views:
        open_sizes = {symbol(name) for name in view.examples if name != BATCH}
        if view.preset is None or any(one.root.has(name) for name in open_sizes):
            continue
        known: dict[Symbol, Expr] = bound_sizes(division.sheet, dict(view.preset.sizes))
        value = at(one.root, known).xreplace({symbol(BATCH): Integer(1)})
        if not value.free_symbols:
            sizes = {**view.sizes, one.size: 2}
            is_first_more = bool(evaluate(one.first.cost, sizes) > evaluate(one.second.cost, sizes))
            found[view.preset.name] = AtPreset(value if value.is_Rational else value.evalf(30), met(one, view.sizes), is_first_more)
    return found
