"""What optimisers keep: for each parameter that learns, or by the shapes of weights, as those of torch.optim, timm and bitsandbytes do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Final

from generator.formulas.evaluate import evaluate
from generator.formulas.human import counted
from generator.quantities import TRAINABLE_PARAMS
from generator.sheet.costing import Cost
from generator.sheet.heads import head_rows
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.sheet import SheetWeight
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
    return {"adafactor": _adafactor, "muon": _muon, "adam8bit": _adam_in_8_bits}[optimiser](cost, item)


def _adafactor(cost: Cost, item: int) -> int:
    """Shazeer and Stern 2018, without momentum: torch.optim.Adafactor. More axes than two are a stack of matrices of the last two."""

    def kept(shape: tuple[int, ...]) -> int:
        return prod(shape) // shape[-1] + prod(shape) // shape[-2] if len(shape) > 1 else prod(shape)

    return _summed(cost, lambda _, shape: kept(shape) * item)


def _muon(cost: Cost, item: int) -> int:
    """Jordan 2024, torch.optim.Muon: for matrices of hidden layers; tables of tokens, heads, and all that has not two axes by AdamW."""
    heads = {row.path for row in head_rows(cost.sheet)}

    def kept(weight: SheetWeight, shape: tuple[int, ...]) -> int:
        is_hidden = len(shape) == 2 and weight.op != "embedding" and weight.row not in heads
        return prod(shape) * item * (1 if is_hidden else 2)

    return _summed(cost, kept)


def _adam_in_8_bits(cost: Cost, _: int) -> int:
    """Dettmers et al. 2022, bitsandbytes.optim.Adam8bit and AdamW8bit."""

    def kept(_: SheetWeight, shape: tuple[int, ...]) -> int:
        numbers = prod(shape)
        return 2 * (numbers + 4 * -(-numbers // _BLOCK) if numbers >= _LEAST else 4 * numbers)

    is_any = any(prod(shape) >= _LEAST and times for _, shape, times in _weights(cost))
    return _summed(cost, kept) + (_MAPS if is_any else 0)


def _summed(cost: Cost, kept: Callable[[SheetWeight, tuple[int, ...]], int]) -> int:
    return sum(times * kept(weight, shape) for weight, shape, times in _weights(cost))


def _weights(cost: Cost) -> Iterator[tuple[SheetWeight, tuple[int, ...], int]]:
    """Yield the weights that learn, their shapes, and how many there are of each."""
    for weight in cost.sheet.weights:
        if weight.learns:
            yield weight, tuple(int(evaluate(axis, cost.dims)) for axis in weight.shape), int(evaluate(weight.copies, cost.dims))
