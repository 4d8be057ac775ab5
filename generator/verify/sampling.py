"""Random small sizes that satisfy a spec's conditions."""

from __future__ import annotations

import random
import sys
from collections.abc import Collection, Mapping, Sequence

from sympy import Eq, Expr, Mod
from sympy.logic.boolalg import And, Boolean

from generator.claims import complete
from generator.printing.evaluate import evaluate
from generator.sheet import Sheet

CHOICES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
SMALL = (1, 2, 3)
DEPTHS = (1, 2, 3)
GREATER = (16, 24, 32, 48, 64, 96, 128)
ATTEMPTS = 2000


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
        least: the smallest size drawn.
        limit: the greatest size allowed.
        attempts: how often to try.

    Raises:
        NoSampleError: after so many attempts.
    """
    given = dict(fixed or {})
    layers = sorted(_depths(sheet) - given.keys())
    for attempt in range(attempts):
        values = _draw(sheet, rng, given, _choices(attempt / attempts))
        depths = {name: rng.choice(DEPTHS) for name in layers if name in values}
        values = {name: value if name in given else max(least, value) for name, value in values.items()} | depths
        for _ in range(4):
            _repair(sheet, values, rng, given)
        found = satisfied(sheet, values)
        if (
            found is not None
            and _smallest(sheet, found, {*given, *depths}) >= least
            and (fixed is not None or max(found.values()) <= limit * limit)
        ):
            return found
    conditions = ", ".join(c.text for c in sheet.constraints)
    raise NoSampleError(f"no small sizes satisfy {conditions}" if conditions else "no small sizes leave every axis at least 2")


def _depths(sheet: Sheet) -> set[str]:
    """Return the sizes that only count layers: one is first and last, of two none is between, three are as good as many."""
    counts = {s.name for row in sheet.rows if row.is_group for s in row.repeat.free_symbols}
    axes = {s.name for row in sheet.rows for _, shape in row.shapes for axis in shape for s in axis.free_symbols}
    return counts - axes


def _choices(progress: float) -> tuple[int, ...]:
    """Small sizes at first; where nothing fits (a network that halves its image five times), greater ones too."""
    if progress < 0.3:
        return CHOICES
    return (*SMALL, *CHOICES) if progress < 0.5 else (*CHOICES, *GREATER)


def _draw(sheet: Sheet, rng: random.Random, given: Mapping[str, int], choices: Sequence[int]) -> dict[str, int]:
    values = dict(given)
    for size in sheet.sizes:
        if size.name in given or size.kind == "derived":
            continue
        if size.kind == "free" or (not given and rng.random() < 0.5):
            values[size.name] = rng.choice(choices)
    return values


def satisfied(sheet: Sheet, given: Mapping[str, int]) -> dict[str, int] | None:
    """Return all sizes if they are whole, at least one, and meet all conditions; None otherwise."""
    try:
        values = complete(sheet.sizes, given)
    except (ValueError, ZeroDivisionError):
        return None
    whole: dict[str, int] = {}
    for name, value in values.items():
        if not isinstance(value, int) or value < 1:
            return None
        whole[name] = value
    shapes: Sequence[tuple[Expr, ...]] = [axes for row in sheet.rows for _, axes in row.shapes]
    if not all(evaluate(c.condition, whole) for c in sheet.constraints):
        return None
    if any(evaluate(axis, whole) < 1 for axes in shapes for axis in axes):
        return None
    return whole


def _smallest(sheet: Sheet, sizes: Mapping[str, int], given: Collection[str]) -> int:
    """Return the smallest size that is not given, or axis that is not always the same: an axis of one lets PyTorch skip copies."""
    axes = {*sheet.axes, *(axis for row in sheet.rows for _, shape in row.shapes for axis in shape if axis.free_symbols)}
    drawn = [value for name, value in sizes.items() if name not in given]
    smallest: int = min((*drawn, *(evaluate(axis, sizes) for axis in axes)), default=sys.maxsize)
    return smallest


def _repair(sheet: Sheet, values: dict[str, int], rng: random.Random, given: Mapping[str, int]) -> None:
    """Make one side of each broken divisibility a multiple of the other."""
    for constraint in sheet.constraints:
        for part in _parts(constraint.condition):
            divisible = _divisibility(part)
            if divisible is None:
                continue
            dividend, divisor = divisible
            known = {n: v for n, v in complete(sheet.sizes, values).items() if v is not None}
            try:
                if evaluate(part, known):
                    continue
                step = evaluate(divisor, known)
            except (ValueError, ZeroDivisionError, KeyError):
                continue
            symbols = sorted((s.name for s in dividend.free_symbols if s.name in values and s.name not in given), key=str)
            if symbols and isinstance(step, int):
                name = rng.choice(symbols)
                denominator = dividend.as_numer_denom()[1]
                scale = evaluate(denominator, known) if denominator.free_symbols <= {*part.free_symbols} else 1
                values[name] = step * int(scale) * rng.choice(SMALL)


def _parts(condition: Boolean) -> tuple[Boolean, ...]:
    return condition.args if isinstance(condition, And) else (condition,)


def _divisibility(condition: Boolean) -> tuple[Expr, Expr] | None:
    if isinstance(condition, Eq):
        for side, other in (condition.args, tuple(reversed(condition.args))):
            modulo = side.as_coeff_Mul()[1] if isinstance(side, Expr) else side
            if isinstance(modulo, Mod) and other == 0:
                return modulo.args[0], modulo.args[1]
    return None
