"""Small sizes at which a reader can see by hand that a published formula differs from the derived one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.feasible import Sizes, demanded, solutions
from generator.sheet.sheet import Constraint, SheetClaim

_BATCH = "b"
_SIZES = (2, 3, 4, 5, 6)
_MOST_SIZES = 7  # of one formula; 5**7 combinations at most are looked at
_MOST_STEPS = 2 * len(_SIZES) ** _MOST_SIZES
_PROPOSALS = 3  # greater numbers for a size, where the conditions ask for them


def counterexample(claim: SheetClaim, order: Sequence[str], constraints: Sequence[Constraint]) -> dict[str, int]:
    """Return small such sizes that satisfy the constraints; none for a claim that holds, is an order, or has too many sizes."""
    names = {size.name for expr in (claim.claimed, claim.derived) for size in expr.free_symbols}
    if claim.verdict != "differs" or claim.kind != "equals" or len(names) > _MOST_SIZES:
        return {}
    ordered = [*(name for name in order if name in names), *sorted(names - set(order))]
    demands = [demand for one in constraints for demand in demanded(one.condition)]
    for proposals in (0, _PROPOSALS):
        found = solutions(ordered, demands, _candidates, proposals=proposals, steps=_MOST_STEPS)
        # Different ones first, so that none is taken for another, then those with the smallest sum.
        ranked = sorted(found, key=lambda sizes: (len(sizes) - len(set(sizes.values())), sum(sizes.values()), tuple(sizes.values())))
        fit = next((sizes for sizes in ranked if _is_fit(claim, sizes)), None)
        if fit is not None:
            return fit
    return {}


def _candidates(name: str, sizes: Sizes) -> Iterator[int]:  # noqa: ARG001 - the same whatever is chosen
    """Yield the numbers to try for a size. The batch is one."""
    yield from (1,) if name == _BATCH else _SIZES


def _is_fit(claim: SheetClaim, sizes: Mapping[str, int]) -> bool:
    try:
        claimed, derived = evaluate(claim.claimed, sizes), evaluate(claim.derived, sizes)
    except EvaluationError:
        return False
    return isinstance(claimed, int) and isinstance(derived, int) and claimed != derived
