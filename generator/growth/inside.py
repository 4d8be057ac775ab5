"""Crossings inside one spec: between neighbouring blocks, and between the part that grows fastest and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Expr, Symbol

from generator.growth.closed import ClosedForm, closed_form
from generator.growth.measures import cost_formula
from generator.printing.order import polynomial, rebuilt
from generator.sheet import Sheet, SheetRow
from generator.symbols import symbol

_WITH_FEATURES = 3  # axes of an input whose last one holds features


@dataclass(frozen=True)
class InsideCrossing:
    """Two parts of a spec whose costs change places as a size grows.

    Args:
        size: the size that grows.
        small, large: what the parts are; the second is more from the root on.
        root: the size at which both are equal.
        condition: what must hold for it to be positive; None where that is certain.
    """

    size: str
    small: str
    large: str
    root: Expr
    condition: Expr | None


def crossings_inside(sheet: Sheet, key: str = "macs") -> tuple[InsideCrossing, ...]:
    """Return the crossings of a measure inside a sheet that have a closed form.

    Two parts are compared in one size only, the first that the spec lists: n = 2*d says no more than d = n/2. Of blocks that are built
    alike and cross at the same size, the first is named.
    """
    found: dict[tuple[str, Expr, str, str], InsideCrossing] = {}
    for one in (*_between_blocks(sheet, key), *_between_powers(sheet, key)):
        found.setdefault((one.size, one.root, *(part.rpartition(".")[2].strip("`") for part in (one.small, one.large))), one)
    return tuple(found.values())


def _between_blocks(sheet: Sheet, key: str) -> Iterator[InsideCrossing]:
    """Compare each two blocks of one parent, in each size of which they have different powers."""
    for siblings in _families(sheet):
        for first, second in combinations(siblings, 2):
            a, b = (_as_given(sheet, cost_formula(row.costs, key)) for row in (first, second))
            size = next((size for size in _settable(sheet) if _degree(a, size) != _degree(b, size)), None)
            if size is not None:
                (low, small), (high, large) = sorted([(a, first.path), (b, second.path)], key=lambda pair: _degree(pair[0], size))
                yield from _crossing(closed_form(high, low, size), size, f"`{small}`", f"`{large}`")


def _families(sheet: Sheet) -> list[list[SheetRow]]:
    """Return the blocks of each parent that has several."""
    families: dict[str, list[SheetRow]] = {}
    for row in sheet.rows:
        if row.is_group:
            families.setdefault(row.path.rpartition(".")[0], []).append(row)
    return [rows for rows in families.values() if len(rows) > 1]


def _between_powers(sheet: Sheet, key: str) -> Iterator[InsideCrossing]:
    """Compare the terms of the highest power of a size with those of the next lower one."""
    total = _as_given(sheet, cost_formula(sheet.totals, key))
    for size in _settable(sheet):
        parts = _by_power(total, size)
        if len(parts) < 2:
            continue
        high, low = sorted(parts, reverse=True)[:2]
        if low < 1:
            continue
        form = closed_form(parts[high] * size**high, parts[low] * size**low, size)
        yield from _crossing(form, size, _part(low), _part(high))
        return


def _part(power: int) -> str:
    return f"{({1: 'linear', 2: 'quadratic', 3: 'cubic', 4: 'quartic'}).get(power, f'degree-{power}')} part"


def _by_power(total: Expr, size: Symbol) -> dict[int, Expr]:
    """Return the coefficients of a size's powers; none where it stands in more than whole powers."""
    parts: dict[int, list[Expr]] = {}
    for monomial, coefficient in polynomial(total).items():
        powers = dict(monomial)
        exponent = powers.pop(size, None)
        if any(base.has(size) for base in powers) or (exponent is not None and not exponent.is_Integer):
            return {}
        parts.setdefault(int(exponent or 0), []).append(rebuilt({frozenset(powers.items()): coefficient}))
    return {power: Add(*terms) for power, terms in parts.items()}


def _crossing(form: ClosedForm, size: Symbol, small: str, large: str) -> Iterator[InsideCrossing]:
    if form.verdict == "crosses":
        yield InsideCrossing(size.name, small, large, form.roots[0], form.condition)


def _settable(sheet: Sheet) -> list[Symbol]:
    """Return the sizes that say how much there is to process: those of the inputs' axes, without the features (last of three or more)."""
    axes: set[Symbol] = set()
    for shape in sheet.inputs.values():
        processed = shape if len(shape) < _WITH_FEATURES or shape[-1] in shape[:-1] else shape[:-1]
        axes |= {one for axis in processed for one in axis.free_symbols}
    return [symbol(size.name) for size in sheet.sizes if size.kind != "derived" and symbol(size.name) in axes]


def _as_given(sheet: Sheet, expr: Expr) -> Expr:
    """Return a formula in which sizes that are another one unless they are given (m = n) are that one."""
    same = {
        symbol(size.name): size.value for size in sheet.sizes if size.kind == "default" and size.value is not None and size.value.is_Symbol
    }
    return expr.xreplace(same)


def _degree(expr: Expr, size: Symbol) -> int:
    parts = _by_power(expr, size)
    return max(parts) if parts else 0
