"""What optimisers keep: for each parameter that learns, or by the shapes of weights, as those of torch.optim, timm and bitsandbytes do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import prod
from typing import Any, Final

from sympy import Add, Expr, expand

from generator.formulas.evaluate import evaluate
from generator.formulas.human import counted
from generator.quantities import TRAINABLE_PARAMS
from generator.sheet.costing import Cost
from generator.sheet.heads import head_rows
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.sheet import Sheet, SheetWeight
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed

COPIES: Final[Mapping[str, int]] = {
    "sgd": 0,
    "momentum": 1,  # SGD with momentum
    "adam": 2,
    "adamw": 2,
    "adamax": 2,
    "nadam": 2,
    "radam": 2,
    "amsgrad": 3,  # AdamW with amsgrad=True
    "rmsprop": 1,
    "adagrad": 1,
    "adadelta": 2,
    "lion": 1,  # its momentum: Chen et al., Symbolic Discovery of Optimization Algorithms, algorithm 2
}
"""Numbers kept for each parameter, in the format of the parameters; counters of steps, one for each weight, are left out."""
BY_SHAPE: Final[Mapping[str, str]] = {
    "adafactor": "a number for each row and column of a matrix, one for each parameter of a vector",
    "muon": "a number for each parameter of matrices in hidden layers, two of all others (AdamW)",
    "adam8bit": "two of 8 bits for each parameter, with a scale for every 256; in float32 of weights with less than 4,096",
}
"""What those keep of which the states depend on the shapes of weights."""
_BLOCK, _LEAST = 256, 4096  # of bitsandbytes (0.44 and later; before, blocks had 2,048): its `init_state`, and `min_8bit_size`
_MAPS = 2 * 256 * 4  # the numbers that 8 bits stand for, signed and unsigned, in float32; once for all weights


def copies_of(optimiser: str) -> int:
    """Return how many numbers an optimiser keeps for each parameter. Raises SizeError for one of which that depends, or an unknown one."""
    if optimiser in BY_SHAPE:
        raise SizeError(
            f"what `{optimiser}` keeps depends on the shapes of weights, which are not known of parts", f"of parts: {listed(COPIES)}"
        )
    require_optimiser(optimiser)
    return COPIES[optimiser]


def require_optimiser(optimiser: str) -> None:
    """Raise SizeError for an unknown optimiser."""
    known = [*COPIES, *BY_SHAPE]
    if optimiser not in known:
        raise SizeError(f"unknown optimiser `{optimiser}`", *did_you_mean(optimiser, known), f"optimisers: {listed(known)}")


def keeps_words(optimiser: str) -> str:
    """Say what an optimiser keeps, for people. Raises SizeError for an unknown one."""
    require_optimiser(optimiser)
    return BY_SHAPE.get(optimiser) or f"{counted(COPIES[optimiser], 'number')} for each parameter that learns"


def state_bytes(cost: Cost, optimiser: str) -> Any:
    """Return the bytes that an optimiser keeps of a model in the format of the cost. Raises SizeError for an unknown one."""
    require_optimiser(optimiser)
    item = ITEM_BYTES[cost.dtype]
    if optimiser in COPIES:
        return COPIES[optimiser] * cost.value(TRAINABLE_PARAMS.key) * item
    if optimiser in NUMBERS_BY_SHAPE:
        return int(evaluate(numbers_kept(cost.sheet, optimiser), cost.dims)) * item
    return _adam_in_8_bits(cost)


@lru_cache(maxsize=16)  # questions for a largest size ask it of one sheet again and again
def numbers_kept(sheet: Sheet, optimiser: str) -> Expr:
    """Return how many numbers one of `NUMBERS_BY_SHAPE` keeps, as a formula of the sizes of a sheet."""
    return expand(NUMBERS_BY_SHAPE[optimiser](sheet))


def _adafactor(sheet: Sheet) -> Expr:
    """Shazeer and Stern 2018, without momentum: torch.optim.Adafactor. More axes than two are a stack of matrices of the last two."""

    def kept(shape: tuple[Expr, ...]) -> Expr:
        return prod(shape[:-2]) * (shape[-2] + shape[-1]) if len(shape) > 1 else prod(shape)

    return Add(*(weight.copies * kept(weight.shape) for weight in sheet.weights if weight.learns))


def _muon(sheet: Sheet) -> Expr:
    """Jordan 2024, torch.optim.Muon: for matrices of hidden layers; tables of tokens, heads, and all that has not two axes by AdamW."""
    heads = {row.path for row in head_rows(sheet)}

    def kept_of_each(weight: SheetWeight) -> int:
        return 1 if len(weight.shape) == 2 and weight.op != "embedding" and weight.row not in heads else 2

    return Add(*(kept_of_each(weight) * weight.count for weight in sheet.weights if weight.learns))


NUMBERS_BY_SHAPE: Final[Mapping[str, Callable[[Sheet], Expr]]] = {"adafactor": _adafactor, "muon": _muon}
"""Those of `BY_SHAPE` that keep numbers in the format of their states: one formula says how many."""


def _adam_in_8_bits(cost: Cost) -> int:
    """Dettmers et al. 2022, bitsandbytes.optim.Adam8bit and AdamW8bit.

    In numbers and not as a formula: that would have a condition for each shape of a weight.
    """
    total, is_any = 0, False
    for weight in cost.sheet.weights:
        if weight.learns:
            numbers, copies = (int(evaluate(one, cost.dims)) for one in (prod(weight.shape), weight.copies))
            is_large = numbers >= _LEAST
            total += copies * 2 * (numbers + 4 * -(-numbers // _BLOCK) if is_large else 4 * numbers)
            is_any |= is_large and copies > 0
    return total + (_MAPS if is_any else 0)
