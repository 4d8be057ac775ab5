# Made by `gen build`; do not edit (content 4c2d7d928615c50c).
"""Weights that training leaves as they are."""

from __future__ import annotations

from torch import nn


def freeze(module: nn.Module) -> None:
    """Let no gradient reach the weights of a module, but those of its parts that are `TRAINED` whatever is around them."""
    trained = getattr(module, "TRAINED", ())
    for name, weight in module.named_parameters(recurse=False):
        if name not in trained:
            weight.requires_grad_(False)
    for name, part in module.named_children():
        if name not in trained:
            freeze(part)
