"""The values of a formula at arrays of sizes: in machine words wherever these hold them, part by part of long arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from generator.formulas.whole_terms import Bounds
from generator.formulas.words import LARGEST, AtNumbers, DoesNotFitError, WordPlan, planned

PART = 1 << 16  # places of which one may need longer integers without the others having to

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class ArrayFormula:
    """A formula or condition, and what is done where there is no plan for it. Plans are kept for each of these objects.

    Args:
        data: see `generator.formulas.formula_data`.
        alone: see `generator.formulas.words.planned`.
        beyond: works out at arrays of sizes what may need more than 64 bits, and whatever else there is no plan for.
    """

    data: Any
    alone: AtNumbers
    beyond: Callable[[Mapping[str, Any]], Array]


def in_words(formula: ArrayFormula, known: Mapping[str, int | Fraction], swept: Mapping[str, Array]) -> Array:
    """Return the values of a formula or condition.

    Args:
        known: the sizes that are numbers.
        swept: the others, as arrays of whole numbers, which broadcast.

    Raises:
        EvaluationError: as `beyond` of the formula does.
    """
    words: dict[int, Array | None] = {id(array): _in_int64(array) for array in swept.values()}
    held = [array for array in words.values() if array is not None and array.size]
    if len(held) < len(words):
        return formula.beyond({**known, **swept})
    numbers = {place: number for number, place in enumerate(words)}
    bounds = tuple((int(array.min()), int(array.max())) for array in held)
    places = tuple((name, numbers[id(array)]) for name, array in swept.items())
    try:
        return plan_of((formula,), tuple(known.items()), places, bounds).values(held)[0]
    except DoesNotFitError:
        if len({array.shape for array in held}) > 1 or held[0].size <= PART:
            return formula.beyond({**known, **swept})
    return _in_parts(formula, known, {name: held[place] for name, place in places})


@lru_cache(maxsize=4096)
def plan_of(
    formulas: tuple[ArrayFormula, ...],
    known: tuple[tuple[str, int | Fraction], ...],
    swept: tuple[tuple[str, int], ...],
    bounds: Sequence[Bounds],
) -> WordPlan:
    """Return the plan for some formulas and conditions; see `generator.formulas.words.planned`. Raises DoesNotFitError."""
    return planned([one.data for one in formulas], dict(known), dict(swept), bounds, formulas[0].alone)


def _in_parts(formula: ArrayFormula, known: Mapping[str, Any], arrays: Mapping[str, Array]) -> Array:
    flat = {id(array): array.reshape(-1) for array in arrays.values()}
    shape, size = next((array.shape, array.size) for array in arrays.values())
    parts = []
    for start in range(0, size, PART):
        here = {place: array[start : start + PART] for place, array in flat.items()}
        parts.append(in_words(formula, known, {name: here[id(array)] for name, array in arrays.items()}))
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
