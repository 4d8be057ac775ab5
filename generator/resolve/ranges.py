"""Conditions that no size meets: those on one size that bound it from above are tried at every value it may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import And, Symbol
from sympy.logic.boolalg import Boolean

from generator.formulas.feasible import Holds, bounds, first, solutions

MOST = 4096  # values of one size that are tried


def contradiction(conditions: Iterable[Boolean]) -> tuple[str, tuple[Boolean, ...]] | None:
    """Return a size and the conditions on it alone that no whole number from 1 on meets; None where that is not seen."""
    by_size: dict[Symbol, list[Boolean]] = {}
    for condition in conditions:
        for part in sorted(And.make_args(condition), key=str):  # sympy has them in no fixed order
            if len(part.free_symbols) == 1:
                by_size.setdefault(next(iter(part.free_symbols)), []).append(part)
    for size, known in sorted(by_size.items(), key=lambda item: item[0].name):
        if _is_void(size.name, [Holds(part) for part in known]):
            return size.name, tuple(dict.fromkeys(known))
    return None


def _is_void(name: str, demands: Sequence[Holds]) -> bool:
    """Say whether no number meets all demands upon one size; false where too many would have to be tried."""
    ranges = bounds([name], demands)
    if ranges is None:
        return True
    low, high = int(ranges[name].low), int(ranges[name].high)
    return high <= MOST and first(solutions([name], demands, lambda *_: iter(range(low, high + 1)))) is None
