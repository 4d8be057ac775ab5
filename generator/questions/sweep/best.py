"""The best points of a sweep: as many as asked for are kept, however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from generator.questions.sweep.sweep_chunks import Chunk


def best(chunks: Iterable[Chunk], key: str, top: int, *, greatest: bool = False) -> Chunk:
    """Return the points with the smallest (or greatest) values of a column, in order; of equal ones, those that come first in the grid."""
    kept: dict[str, Any] = {}
    left_out = filtered = 0
    for chunk in chunks:
        left_out, filtered = left_out + chunk.left_out, filtered + chunk.filtered
        if not chunk.count:
            continue
        joined = {name: np.concatenate([kept[name], values]) if kept else values for name, values in chunk.columns.items()}
        order = _order(joined[key], greatest=greatest)[:top]
        kept = {name: values[order] for name, values in joined.items()}
    count = len(kept[key]) if kept else 0
    return Chunk(kept, count, left_out, filtered)


def _order(values: Any, *, greatest: bool) -> Any:
    return np.argsort(-values if greatest else values, kind="stable")
