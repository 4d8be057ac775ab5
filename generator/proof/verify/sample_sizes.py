"""Random small sizes that satisfy a spec's conditions."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence

from sympy import Expr, Ge, Le, Mod, floor, fraction

from generator.formulas.algebra import together
from generator.formulas.feasible import AtLeast, Demand, Holds, Sizes, first, solutions
from generator.formulas.symbols import symbol
from generator.sheet.demands import search_order, sheet_demands
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet

CHOICES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
DEPTHS = (1, 2, 3)
PERIODS = (2, 3)
FIRST_FEW = 4  # of the numbers that the conditions propose: any of them, so that they vary and stay small
ATTEMPTS = 12


class NoSampleError(Exception):
    """No sizes were found that satisfy the conditions; the message names the conditions."""


def sample(
    sheet: Sheet,
    rng: random.Random,
    *,
    fixed: Mapping[str, int] | None = None,
    least: int = 2,
    limit: int = 64,
    attempts: int = ATTEMPTS,
) -> dict[str, int]:
    """Return random sizes, defaults and derived ones included.

    Args:
        fixed: sizes that are given, such as a preset's; defaults are then left alone.
        least: the smallest size drawn, and the smallest axis that what is drawn decides.
        limit: the square root of the greatest size allowed.
        attempts: how often to try.

    Raises:
        NoSampleError: after so many attempts.
    """
    given = dict(fixed or {})
    layers = depths(sheet)

    def candidates(name: str, sizes: Sizes) -> Iterator[int]:  # noqa: ARG001 - the same whatever is chosen
        return _in_random_order(rng, () if name in following else layers.get(name, CHOICES))

    def arranged(proposed: Sequence[int]) -> Iterator[int]:
        yield from _in_random_order(rng, proposed[:FIRST_FEW])
        yield from proposed[FIRST_FEW:]

    defaults = {} if given else {size.name: size.value for size in sheet.sizes if size.kind == "default" and size.value is not None}
    for attempt in range(attempts):
        drawn = {name for name in defaults if rng.random() < 0.5}
        if attempt >= attempts // 2:  # several defaults may be beyond the limits, and are seldom all drawn
            drawn |= {name for name, value in defaults.items() if value.is_Integer and not least <= value <= limit * limit}
        following = {size.name for size in sheet.sizes if size.value is not None} - drawn
        demands = [*sheet_demands(sheet, {*given, *drawn}, in_training=True), *_of_drawn(sheet, given, layers, least)]
        if fixed is None:
            demands += [Holds(Le(symbol(size.name), limit * limit)) for size in sheet.sizes]
        order = search_order(sheet, given)
        found = first(solutions(order, demands, candidates, known=given, arranged=arranged))
        if found is not None:
            return {size.name: found[size.name] for size in sheet.sizes}
    conditions = ", ".join(c.text for c in (*sheet.constraints, *sheet.trained))
    without = "no small sizes were found at which every axis is at least 2"
    raise NoSampleError(f"no sizes were found that satisfy {conditions}" if conditions else without)


def _in_random_order(rng: random.Random, values: Sequence[int]) -> Iterator[int]:
    """Yield values in random order, drawn one by one as they are asked for."""
    left = list(values)
    while left:
        value = rng.choice(left)
        left.remove(value)
        yield value


def depths(sheet: Sheet) -> dict[str, Sequence[int]]:
    """Return the sizes that only count layers, and how many there may be.

    One is first and last, of two none is between, three are as good as many; of layers in turn, two periods and what is left of a third, or
    one period or two where only whole ones are allowed. A period that is itself a size is two or three.
    """
    counts = {s.name for row in sheet.rows if row.is_group for s in row.repeat.free_symbols}
    axes = {s.name for row in sheet.rows for _, shape in row.shapes for axis in shape for s in axis.free_symbols}
    periods: dict[str, int] = {}
    whole: dict[str, int] = {}
    divisors: set[str] = set()
    for row in sheet.rows:
        for part in row.repeat.atoms(Mod, floor):
            numbers = [int(number) for number in (part.args[-1], fraction(together(part.args[0]))[1]) if number.is_Integer]
            for size in part.free_symbols if row.is_group else ():
                periods[size.name] = max([periods.get(size.name, 1), *numbers])
        divisor = fraction(together(row.repeat))[1]  # periods and chunks may be sizes
        divisors |= {size.name for size in divisor.free_symbols if row.is_group}
        for size in row.repeat.free_symbols if row.is_group else ():
            whole[size.name] = max(whole.get(size.name, 1), int(divisor) if divisor.is_Integer else 1)
            periods[size.name] = max(periods.get(size.name, 1), 1 if divisor.is_Integer else max(PERIODS))
    return {name: PERIODS if name in divisors else _numbers_of_layers(periods.get(name, 1), whole[name]) for name in counts - axes}


def _numbers_of_layers(period: int, whole: int) -> Sequence[int]:
    """Return how many layers may be drawn: of layers in turn, whose period may be cut off, or come as a whole only."""
    if whole > 1:
        return (whole, 2 * whole)
    return DEPTHS if period == 1 else range(1, 2 * period + 2)


def _of_drawn(sheet: Sheet, given: Mapping[str, int], depths: Collection[str], least: int) -> list[Demand]:
    """Return that sizes and axes are at least so great, but those that what is given decides: at an axis of one PyTorch skips copies."""
    known = {name for name, value in complete(sheet.sizes, given).items() if value is not None} if given else set()
    drawn: list[Expr] = [symbol(size.name) for size in sheet.sizes if size.name not in {*known, *depths}]
    axes = [axis for axis in _all_axes(sheet) if not {s.name for s in axis.free_symbols} <= known]
    return [
        Holds(Ge(formula, least)) if sheet.is_average(formula) else AtLeast(formula, least) for formula in dict.fromkeys([*drawn, *axes])
    ]


def _all_axes(sheet: Sheet) -> list[Expr]:
    return [*sheet.axes, *(axis for row in sheet.rows for _, shape in row.shapes for axis in shape if axis.free_symbols)]
