"""Small sizes at which a reader can see by hand that a published formula differs from the derived one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from generator.printing.evaluate import EvaluationError, evaluate
from generator.sheet import Constraint, SheetClaim

_BATCH = "b"
_SIZES = (2, 3, 4, 5, 6)
_MOST_SIZES = 7  # of one formula; 5**7 combinations at most are looked at


def example_sizes(claim: SheetClaim, order: Sequence[str], constraints: Sequence[Constraint]) -> dict[str, int]:
    """Return small such sizes that satisfy the constraints; none for a claim that holds, is an order, or has too many sizes."""
    names = {size.name for expr in (claim.claimed, claim.derived) for size in expr.free_symbols}
    if claim.verdict != "differs" or claim.kind != "equals" or len(names) > _MOST_SIZES:
        return {}
    ordered = [*(name for name in order if name in names), *sorted(names - set(order))]
    conditions = [one.condition for one in constraints if {size.name for size in one.condition.free_symbols} <= names]
    for sizes in _combinations(ordered):
        if _is_fit(claim, sizes) and all(evaluate(condition, sizes) for condition in conditions):
            return sizes
    return {}


def _combinations(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Yield sizes: different ones first, so that none is taken for another, then those with the smallest sum. The batch is one."""
    choices = [(1,) if name == _BATCH else _SIZES for name in names]
    for values in sorted(product(*choices), key=lambda values: (len(values) - len(set(values)), sum(values), values)):
        yield dict(zip(names, values, strict=True))


def _is_fit(claim: SheetClaim, sizes: Mapping[str, int]) -> bool:
    try:
        claimed, derived = evaluate(claim.claimed, sizes), evaluate(claim.derived, sizes)
    except EvaluationError:
        return False
    return isinstance(claimed, int) and isinstance(derived, int) and claimed != derived
