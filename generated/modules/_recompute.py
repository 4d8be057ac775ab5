# Made by `gen build`; do not edit (content 0ae415b907637ee7).
"""Layers that keep only their inputs for the backward pass, and run once more in it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from torch import nn
from torch.utils.checkpoint import checkpoint


def recompute_layers(layers: Iterable[nn.Module], recompute: str) -> None:
    """Let `blocks`, all layers, run once more, only `attention` in them, each second layer (`every:2`), or `none`.

    Raises:
        ValueError: another word; or layers that share their weights cannot be told apart.
    """
    stack, (word, _, step) = list(layers), recompute.partition(":")
    if recompute not in ("none", "blocks", "attention") and not (word == "every" and step.isdecimal() and int(step)):
        raise ValueError(f"recompute is none, blocks, attention, or every:k such as every:2; found {recompute!r}")
    if word == "every":
        if len({*stack}) < len(stack):
            raise ValueError("layers share their weights, so that one of them cannot run once more by itself")
        stack = stack[int(step) - 1 :: int(step)]
    for layer in dict.fromkeys(stack):
        for part in attending(layer) if word == "attention" else [layer]:
            if word != "none":
                part.forward = partial(checkpoint, part.forward, use_reentrant=False)


def attending(module: nn.Module) -> list[nn.Module]:
    """Return a module if it attends, else all of its parts that do."""
    if getattr(module, "ATTENDS", False):
        return [module]
    return [found for part in module.children() for found in attending(part)]
