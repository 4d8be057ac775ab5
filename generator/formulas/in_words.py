"""The values of a formula at arrays of sizes: in machine words wherever these hold them, part by part of long arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from generator.formulas.evaluate import exact_size, formula_data_of
from generator.formulas.whole_terms import Bounds
from generator.formulas.words import LARGEST, DoesNotFitError, Plan, planned

PART = 1 << 16  # places of which one may need longer integers without the others having to

Array = np.ndarray[Any, Any]
Beyond = Callable[[Any, Mapping[str, Any]], Array]


def in_words(expr: Any, sizes: Mapping[str, Any], beyond: Beyond) -> Array:
    """Return the values of a formula or condition.

    Args:
        sizes: numbers, and at least one array of whole numbers.
        beyond: works out what may need more than 64 bits, and whatever else there is no plan for.

    Raises:
        EvaluationError: as `beyond` does.
    """
    known = {name: exact_size(name, value) for name, value in sizes.items() if not getattr(value, "ndim", 0)}
    places: dict[int, int] = {}
    arrays: list[Array] = []
    swept = {}
    for name, value in sizes.items():
        if name not in known:
            if id(value) not in places:
                places[id(value)] = len(arrays)
                arrays.append(value)
            swept[name] = places[id(value)]
    words = [_in_int64(array) for array in arrays]
    if any(array is None or not array.size for array in words):
        return beyond(expr, sizes)
    held = [array for array in words if array is not None]
    bounds = tuple((int(array.min()), int(array.max())) for array in held)
    try:
        return plan_of((expr,), tuple(known.items()), tuple(swept.items()), bounds).values(held)[0]
    except DoesNotFitError:
        if len({array.shape for array in held}) > 1 or held[0].size <= PART:
            return beyond(expr, sizes)
    return _in_parts(expr, known, {name: held[place] for name, place in swept.items()}, beyond)


@lru_cache(maxsize=4096)
def plan_of(
    formulas: tuple[Any, ...], known: tuple[tuple[str, int | Fraction], ...], swept: tuple[tuple[str, int], ...], bounds: Sequence[Bounds]
) -> Plan:
    """Return the plan for some formulas and conditions; see `generator.formulas.words.planned`. Raises DoesNotFitError."""
    return planned([formula_data_of(one) for one in formulas], dict(known), dict(swept), bounds)


def _in_parts(expr: Any, known: Mapping[str, Any], arrays: Mapping[str, Array], beyond: Beyond) -> Array:
    shape = next(iter(arrays.values())).shape
    flat = {id(array): array.reshape(-1) for array in arrays.values()}
    parts = []
    for start in range(0, next(iter(flat.values())).size, PART):
        here = {place: array[start : start + PART] for place, array in flat.items()}
        parts.append(in_words(expr, {**known, **{name: here[id(array)] for name, array in arrays.items()}}, beyond))
    return np.concatenate(parts).reshape(shape)


def _in_int64(array: Array) -> Array | None:
    """Return an array of machine integers; None for numbers that are longer, or not whole."""
    if array.dtype != object:
        return array
    try:
        numbers = [index(value) for value in array.flat]
    except TypeError:
        return None
    if any(abs(number) > LARGEST for number in numbers):
        return None
    return np.asarray(numbers, dtype=np.int64).reshape(array.shape)
