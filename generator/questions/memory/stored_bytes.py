"""Bytes of a model that is stored otherwise than it computes: what `gen cost` and `load(...).bytes(...)` say."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from generator.in_bytes import SAVED_BYTES
from generator.quantities import STATE_ELEMENTS
from generator.questions.memory.mixed_formats import in_bytes, stored_weights, weight_formats
from generator.questions.memory.stored_formats import StoredFormat, stored_format
from generator.sheet.costing import Cost
from generator.sheet.number_formats import ITEM_BYTES, item_bytes


def stored_bytes(
    cost: Cost, weights: str | Mapping[str, str] | None = None, cache: str | None = None, activations: str | None = None
) -> dict[str, Any]:
    """Return what `gen cost` says in bytes.

    Traffic and the highest moment are those of a model that computes with `cost.dtype`, whatever it is stored in.

    Args:
        weights: the format in which they are stored, or several by a rule; by default that in which the model computes.
        cache: that of caches and states.
        activations: that of what is kept for the backward pass, but for masks, indices and statistics. An estimate where the model
            computes in another, since nothing here runs such a step.

    Raises:
        MissingSizeError: a size is not given.
        SizeError: an unknown format, or a part of a rule that there is not.
    """
    cost.require_all()
    stored = weight_formats(weights or cost.dtype, cost.dtype)
    cached, kept = stored_format(cache or cost.dtype), stored_format(activations or cost.dtype)
    said = cost.bytes_to_dict() | {
        "param_bytes": stored_weights(cost, stored),
        "state_bytes": in_bytes(cost.value(STATE_ELEMENTS.key), cached.bytes_each),
    }
    said |= {"weights": stored.key, "cache": cached.key, "activations": kept.key, "estimates": []}
    if kept.key != cost.dtype:
        said |= {SAVED_BYTES.key: _kept(cost, kept), f"{SAVED_BYTES.key}_formula": None, "estimates": [SAVED_BYTES.key]}
    return said


def _kept(cost: Cost, stored: StoredFormat) -> Any:
    """Return the bytes kept for the backward pass with numbers in a format; statistics stay as long as they are."""
    each = {**item_bytes(ITEM_BYTES[cost.dtype]), "float": stored.bytes_each}
    return ceil(sum(count * each[kind] for kind, count in cost.saved_by_kind.items()))
