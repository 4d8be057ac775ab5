"""Formulas on numpy arrays, exact: machine integers where they provably suffice, Python's otherwise. numpy is imported only here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Expr

from generator.formulas.evaluate import EvaluationError, evaluate_scalar
from generator.formulas.order import Polynomial, polynomial

_LIMIT = 2**63 - 1


def evaluate_arrays(expr: Any, sizes: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Return the value at sizes of which at least one is an array; see `evaluate`."""
    for name, value in sizes.items():
        if getattr(value, "ndim", 0) and not (value.dtype.kind in "iu" or value.dtype == object):
            raise EvaluationError(f"the size `{name}` must hold whole numbers, not {value.dtype}")
    names = list(sizes)
    whole = [np.asarray(sizes[name], dtype=object) for name in names]
    if all(array.size for array in whole):
        terms = polynomial(expr) if isinstance(expr, Expr) else {}
        largest = {name: max(1, *(abs(int(value)) for value in array.flat)) for name, array in zip(names, whole, strict=True)}
        if terms and _is_plain(terms) and _bound(terms, largest) <= _LIMIT:
            return _in_int64(terms, {name: array.astype(np.int64) for name, array in zip(names, whole, strict=True)})
    one_by_one = np.frompyfunc(lambda *values: evaluate_scalar(expr, dict(zip(names, values, strict=True))), len(names), 1)
    return _narrowed(np.asarray(one_by_one(*whole), dtype=object))


def _is_plain(terms: Polynomial) -> bool:
    return all(
        coefficient.q == 1 and all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in monomial)
        for monomial, coefficient in terms.items()
    )


def _bound(terms: Polynomial, largest: Mapping[str, int]) -> int:
    """Return a bound on the size of the result and of everything on the way to it."""
    total = 0
    for monomial, coefficient in terms.items():
        product = abs(int(coefficient))
        for base, exponent in monomial:
            product *= largest[base.name] ** int(exponent)
        total += product
    return total


def _in_int64(terms: Polynomial, sizes: Mapping[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    total = np.zeros(np.broadcast_shapes(*(array.shape for array in sizes.values())), dtype=np.int64)
    for monomial, coefficient in terms.items():
        product: Any = np.int64(coefficient)
        for base, exponent in monomial:
            product = product * sizes[base.name] ** int(exponent)
        total += product
    return total


def _narrowed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if values.size and all(isinstance(value, bool) for value in values.flat):
        return values.astype(bool)
    if values.size and all(isinstance(value, int) and abs(value) <= _LIMIT for value in values.flat):
        return values.astype(np.int64)
    return values
