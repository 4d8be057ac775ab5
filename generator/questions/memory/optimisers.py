"""What optimisers keep for each parameter that learns, in the format of the parameters: as those of torch.optim do, and Lion as in timm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
"""Numbers kept for each parameter; counters of steps, one for each weight, are left out."""


def copies_of(optimiser: str) -> int:
    """Return how many numbers an optimiser keeps for each parameter. Raises SizeError for an unknown one."""
    if optimiser not in COPIES:
        raise SizeError(f"unknown optimiser `{optimiser}`", *did_you_mean(optimiser, COPIES), f"optimisers: {listed(COPIES)}")
    return COPIES[optimiser]
