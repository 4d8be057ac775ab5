"""Formulas on chunks of points: exact integers, in machine words where the greatest sizes of the grid prove that these suffice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sympy import Expr

from generator.formulas.evaluate import array_formula, evaluate, evaluate_arrays
from generator.formulas.exact import over_common_denominator
from generator.formulas.in_words import plan_of
from generator.formulas.order import Polynomial, polynomial
from generator.formulas.stored_formula import size_names
from generator.formulas.words import DoesNotFitError

Column = Callable[[Mapping[str, Any]], Any]


class Columns:
    """Makes columns of formulas and conditions for one grid.

    Args:
        greatest: the greatest value of each size in the grid, defaults and derived ones included, from which it is decided how many bits
            are needed.
    """

    def __init__(self, greatest: Mapping[str, int]) -> None:
        self._greatest = greatest

    def bound(self, expr: Expr) -> int | None:
        """Return a bound on the values of a formula and of all on the way to them; None where there is none to be had."""
        numerator, denominator = (polynomial(side) for side in over_common_denominator(expr))
        if not (_is_plain(numerator) and _is_plain(denominator)):
            return None
        return max(self._largest(numerator), self._largest(denominator))

    def column(self, expr: Any) -> Column:
        """Return what works out a formula or a condition; see `together`."""
        together = self.together([expr])
        return lambda sizes: together(sizes)[0]

    def together(self, formulas: Sequence[Any]) -> Callable[[Mapping[str, Any]], list[Any]]:
        """Return what works out several formulas, so that what they have in common is worked out once.

        Of each it is an array of int64, of bools for a condition, or of exact Python numbers where 64 bits might not do; one number where
        none of its sizes is an array.
        """
        plain = tuple(array_formula(one) for one in formulas)
        names = [name for name in self._greatest if any(name in size_names(one) for one in formulas)]

        def worked_out(sizes: Mapping[str, Any]) -> list[Any]:
            arrays = {name: sizes[name] for name in names if isinstance(sizes[name], np.ndarray)}
            if arrays and all(array.dtype == np.int64 for array in arrays.values()):
                known = tuple((name, int(sizes[name])) for name in names if name not in arrays)
                places = tuple((name, place) for place, name in enumerate(arrays))
                try:
                    plan = plan_of(plain, known, places, tuple((1, self._greatest[name]) for name in arrays))
                    with np.errstate(divide="ignore"):  # by a derived size that comes to 0: such a point is left out
                        return list(plan.values(list(arrays.values())))
                except DoesNotFitError:
                    pass
            if len(formulas) > 1:
                return [self.column(one)(sizes) for one in formulas]
            return [_general(one, sizes) for one in formulas]

        return worked_out

    def _largest(self, terms: Polynomial) -> int:
        total = 0
        for monomial, coefficient in terms.items():
            product = abs(int(coefficient))
            for base, exponent in monomial:
                product *= self._greatest[base.name] ** int(exponent)
            total += product
        return total


def _is_plain(terms: Polynomial) -> bool:
    return all(
        coefficient.q == 1 and all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in monomial)
        for monomial, coefficient in terms.items()
    )


def _general(expr: Any, sizes: Mapping[str, Any]) -> Any:
    """Return a formula for which machine words may be too short, at the numbers that these points have."""
    used = {name: sizes[name] for name in size_names(expr)}
    if any(isinstance(value, np.ndarray) for value in used.values()):
        return evaluate_arrays(expr, used)
    return evaluate(expr, used)
