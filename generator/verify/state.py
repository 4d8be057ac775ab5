"""The state of a decoding step: what earlier steps left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from sympy import Expr
from torch import nn

from generator.architecture import Architecture
from generator.claims import complete
from generator.ops.cache import Cache
from generator.verify.instance import Workbench


def copied(state: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a nested state that shares its tensors."""
    return {key: copied(value) if isinstance(value, dict) else value for key, value in state.items()}


def elements(state: dict[str, Any]) -> int:
    """Return the number of elements kept; a count of tokens is no tensor and has none."""
    return sum(elements(value) if isinstance(value, dict) else value.numel() for value in state.values() if not isinstance(value, int))


def prefilled_state(
    bench: Workbench, name: str, module: nn.Module, sizes: Mapping[str, int], device: str, dtype: torch.dtype = torch.float32
) -> dict[str, Any] | None:
    """Return the state that a decoding step at these sizes finds: the module run on the tokens before. None where nothing is kept."""
    if not bench.modules.view(name).stateful:
        return None
    state: dict[str, Any] = {}
    past = past_tokens(bench, name, sizes)
    if past is not None:
        with torch.no_grad():
            module(*bench.inputs(name, past, device=device, dtype=dtype), state)
    return state


def past_tokens(bench: Workbench, name: str, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the sizes of the step that filled the state before this one; None where it is empty."""
    compiled = bench.compiled(name)
    known = {size.name: sizes[size.name] for size in compiled.sheet.sizes if size.kind != "derived"}
    filled = False
    for axis in growing_axes(compiled.architecture):
        new, total = (str(size) for size in axis)
        if new not in known or total not in known:
            raise LookupError(
                f"`{name}` cannot be decoded step by step: a cache grows from {new} to {total}, which are not sizes of the spec"
            )
        length = sizes[total] - sizes[new]
        known |= {new: length, total: length}
        filled = filled or length > 0
    if not filled:
        return None
    return {key: value for key, value in complete(compiled.sheet.sizes, known).items() if value is not None}


def growing_axes(arch: Architecture) -> list[tuple[Expr, Expr]]:
    """Return the sizes, new and in all, of the axes along which caches grow, those of nested blocks included."""
    found: list[tuple[Expr, Expr]] = []
    for row in arch.rows:
        if not row.active:
            continue
        if row.child is not None:
            found += growing_axes(row.child)
        elif isinstance(row.op, Cache):
            (x,) = row.inputs
            found += [pair for pair in zip(x.shape, row.result.shape, strict=True) if pair[0] != pair[1]]
    return list(dict.fromkeys(found))
