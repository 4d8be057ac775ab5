"""The state of a decoding step: what earlier steps left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.resolve.decoding_sizes import growths
from generator.resolve.once import earlier_tokens
from generator.sheet.preset_totals import complete


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
    if past is None and evaluate(earlier_tokens(bench.compiled(name).architecture), sizes) > 0:
        past = dict(sizes)  # what is kept once is made by any earlier step
    if past is not None:
        with torch.no_grad():
            module(*bench.inputs(name, past, device=device, dtype=dtype), state)
    return state


def past_tokens(bench: Workbench, name: str, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the sizes of the step that filled the state before this one; None where it is empty."""
    past = {one: one.past(sizes) for one in growths(bench.compiled(name).architecture)}
    if not any(past.values()):
        return None
    return sizes_of_step(bench, name, sizes, {size: value for one, length in past.items() for size, value in one.at(0, length).items()})


def without_past(bench: Workbench, name: str, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes of a step with as many new tokens, but none before it."""
    pairs = growths(bench.compiled(name).architecture)
    first = {size: value for one in pairs for size, value in one.at(0, sizes[one.new.name]).items()}
    return sizes_of_step(bench, name, sizes, first)


def sizes_of_step(bench: Workbench, name: str, sizes: Mapping[str, int], changed: Mapping[str, int]) -> dict[str, int]:
    """Return all sizes, derived ones included, where some are others."""
    sheet = bench.compiled(name).sheet
    known = {size.name: sizes[size.name] for size in sheet.sizes if size.kind != "derived"} | dict(changed)
    return {key: value for key, value in complete(sheet.sizes, known).items() if value is not None}
