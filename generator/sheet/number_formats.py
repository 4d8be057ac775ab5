"""The formats of a model's numbers, and the kinds of elements that are kept, which need not have the model's format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ITEM_BYTES: Final[Mapping[str, int]] = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
HALF: Final = ("bfloat16", "float16")
KINDS: Final[Mapping[str, str]] = {
    "float": "numbers of the model's own format",
    "stat": "statistics and copies that are kept in float32 where the model's numbers are shorter",
    "index": "indices, 8 bytes each",
    "bool": "masks, 1 byte each",
}


def item_bytes(item: int) -> dict[str, int]:
    """Return the bytes of an element of each kind in a model whose numbers have `item` bytes."""
    return {"float": item, "stat": max(item, 4), "index": 8, "bool": 1}
