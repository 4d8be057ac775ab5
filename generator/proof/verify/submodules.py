"""The modules behind the rows of a spec that use blocks: that of a row, each layer of a stack, each expert."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from generator.formulas.evaluate import evaluate
from generator.resolve.architecture import Architecture, BlockRow, BoundRow


def blocks_of(row: BoundRow, module: nn.Module, attribute: str, sizes: Mapping[str, int]) -> Iterator[tuple[Architecture, nn.Module]]:
    """Yield the blocks that a row has made, each with what it is: none where it applies those of another row.

    Args:
        module: the one that the row belongs to.
        attribute: where its blocks stand in it.
        sizes: those of the outermost spec.
    """
    if not isinstance(row, BlockRow) or not row.active or row.row.tie:
        return
    part = submodule(module, attribute)
    seen: set[int] = set()
    for number, block in enumerate(part if isinstance(part, nn.ModuleList) else (part,)):
        layer = _layer(row, number, sizes)
        if not layer.row.tie and id(block) not in seen:  # layers that share their weights are one block
            seen.add(id(block))
            yield layer.child, block


def submodule(module: nn.Module, attribute: str) -> Any:
    """Return what stands in an attribute, or in a place of a list: `stage[0]`."""
    name, _, place = attribute.partition("[")
    found = getattr(module, name)
    return found[int(place.removesuffix("]"))] if place else found


def _layer(row: BlockRow, number: int, sizes: Mapping[str, int]) -> BlockRow:
    """Return the row itself, or in a stack of several kinds that of one of its layers."""
    if not row.row.is_varied:
        return row
    kind = row.child.row(row.kind_of_layer(number, lambda size: int(evaluate(size, sizes))))
    if not isinstance(kind, BlockRow):
        raise TypeError(f"`{kind.name}` is no kind of layers")
    return kind
