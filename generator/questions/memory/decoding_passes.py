"""The passes of a model that decodes: the one over the prompt, and the steps behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.quantities import STATE_ELEMENTS
from generator.sheet.costing import Cost, cost_of
from generator.sheet.sheet import Sheet
from generator.text.errors import SizeError


def step_size(sheet: Sheet) -> str:
    """Return the size that counts the tokens of a step of decoding. Raises SizeError for a spec that does not decode."""
    for growth in sheet.growths:
        return str(growth.new.name)
    ids = [shape for name, shape in sheet.inputs.items() if sheet.input_kinds.get(name) == "index"]
    if sheet.totals[STATE_ELEMENTS.key] != 0 and ids and ids[0][-1].is_Symbol:
        return str(ids[0][-1].name)
    raise SizeError(f"`{sheet.name}` does not decode token by token: it keeps no state from step to step")


def prompt_cost(sheet: Sheet, preset: str | None, given: Mapping[str, Any], dtype: str) -> Cost:
    """Return the cost of the pass over the prompt, before which there was nothing.

    Args:
        given: sizes, of which that of new tokens is the prompt's length.

    Raises:
        SizeError: the spec does not decode; sizes that are missing, break a condition, or say that something came before.
    """
    new = step_size(sheet)
    cost = cost_of(sheet, preset, given, dtype)
    cost.require_all()
    alone = {key: value for growth in sheet.growths for key, value in growth.at(0, int(cost.dims[growth.new.name])).items()}
    for key, value in alone.items():
        if key in given and given[key] != value:
            raise SizeError(
                f"`{key}` follows from the prompt and the tokens that are generated: leave it out",
                f"the prompt has {new}={cost.dims[new]:,} tokens, before which there are none",
            )
    found = cost_of(sheet, preset, {**given, **alone}, dtype)
    found.require_all()
    return found


def step_cost(sheet: Sheet, preset: str | None, given: Mapping[str, Any], dtype: str, start: Any) -> Cost:
    """Return the cost of a step of one token behind `start` others; an array of them gives arrays. Raises SizeError."""
    sizes = {key: value for growth in sheet.growths for key, value in growth.at(start, 1).items()}
    return cost_of(sheet, preset, {**given, step_size(sheet): 1, **sizes}, dtype)


def last_step_cost(sheet: Sheet, preset: str | None, given: Mapping[str, Any], dtype: str, generated: int) -> Cost:
    """Return the cost of the last step of a generation, of which the pass over the prompt makes the first token. Raises SizeError."""
    prompt = prompt_cost(sheet, preset, given, dtype)
    return step_cost(sheet, preset, given, dtype, int(prompt.dims[step_size(sheet)]) + max(generated - 2, 0))


def batch_size(sheet: Sheet) -> str:
    """Return the size that counts the samples or requests of a batch; empty where there is none.

    It is the first axis of the first input, and stands in no second axis of an input: another sample would make all samples larger.
    """
    first = next(iter(sheet.inputs.values()), ())
    if not first or not first[0].is_Symbol:
        return ""
    is_in_several = any(sum(axis.has(first[0]) for axis in shape) > 1 for shape in sheet.inputs.values())
    return "" if is_in_several else str(first[0].name)
