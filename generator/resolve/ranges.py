"""Conditions that no size meets: those on one size that bound it from above are tried at every value it may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import And, Eq, Expr, Integer, Symbol
from sympy.logic.boolalg import Boolean

from generator.printing.evaluate import EvaluationError, evaluate
from generator.resolve.comparisons import slack

MOST = 4096  # values of one size that are tried


def contradiction(conditions: Iterable[Boolean]) -> tuple[str, tuple[Boolean, ...]] | None:
    """Return a size and the conditions on it alone that no whole number from 1 on meets; None where that is not seen."""
    by_size: dict[Symbol, list[Boolean]] = {}
    for condition in conditions:
        for part in sorted(And.make_args(condition), key=str):  # sympy has them in no fixed order
            if len(part.free_symbols) == 1:
                by_size.setdefault(next(iter(part.free_symbols)), []).append(part)
    for size, known in sorted(by_size.items(), key=lambda item: item[0].name):
        highest = min((bound for part in known if (bound := _upper_bound(part, size)) is not None), default=MOST + 1)
        if highest <= MOST and not any(_all_hold(known, size.name, value) for value in range(1, highest + 1)):
            return size.name, tuple(dict.fromkeys(known))
    return None


def _upper_bound(condition: Boolean, size: Symbol) -> int | None:
    """Return the greatest value of a size at which a condition a*n + c <= 0 may hold; None for other conditions."""
    margin = slack(condition)
    if margin is not None:
        excess = -margin
    elif isinstance(condition, Eq) and condition.lhs.is_Symbol:
        excess = condition.lhs - condition.rhs
    else:
        return None
    return _zero(excess.expand(), size)


def _zero(excess: Expr, size: Symbol) -> int | None:
    slope = excess.coeff(size)
    rest = excess - slope * size
    if not (slope.is_Rational and slope > 0 and rest.is_Rational):
        return None
    return int((-rest / slope) // Integer(1))


def _all_hold(conditions: Sequence[Boolean], size: str, value: int) -> bool:
    try:
        return all(evaluate(condition, {size: value}) for condition in conditions)
    except EvaluationError:
        return False
