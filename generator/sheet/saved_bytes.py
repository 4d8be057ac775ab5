"""Bytes of what is kept for the backward pass, in a model of a given number format.

Not every element that is kept has the model's format: masks take one byte, indices eight, and the statistics of normalisations stay in
float32 however short the model's numbers are. So elements are counted by kind, and bytes follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from sympy import Expr, Integer, Max, expand

from generator.formulas.symbols import symbol
from generator.sheet.number_formats import HALF, ITEM_BYTES
from generator.trace.tensor import Storage

ITEM: Final = symbol("float_bytes")  # bytes of one number of the model, in a formula for all formats


@dataclass(frozen=True)
class SavedMemory:
    """Elements kept for the backward pass by kind (see `KINDS`); kinds of which there are none are left out.

    Args:
        full: in a model of float32 or float64.
        in_half: works out those in a model of bfloat16 or float16, where some operations (RMS norm) compute on a copy in float32 and keep
            that instead; None where they are the same.
    """

    full: Mapping[str, Expr] = field(default_factory=dict)
    in_half: Callable[[], Mapping[str, Expr]] | None = None

    @cached_property
    def half(self) -> Mapping[str, Expr]:
        """The elements in a model of bfloat16 or float16; for them the spec is traced once more when somebody asks."""
        return self.full if self.in_half is None else self.in_half()

    def kinds(self, dtype: str) -> Mapping[str, Expr]:
        """Return the elements by kind in a model of this format."""
        return self.half if dtype in HALF else self.full

    def bytes(self, dtype: str) -> Expr:
        """Return the bytes in a model of this format. Raises KeyError for an unknown one."""
        return _bytes(self.kinds(dtype), Integer(ITEM_BYTES[dtype]))

    def formulas(self) -> dict[str, Expr]:
        """Return the bytes as formulas in `float_bytes`, by the formats that they hold for: one formula wherever one holds for all."""
        return {formats: _bytes(elements, ITEM) for formats, elements in self.by_formats().items()}

    def by_formats(self) -> dict[str, Mapping[str, Expr]]:
        """Return the elements by kind, by the formats in which they are these."""
        return {"all formats": self.full} if self.full == self.half else {"float32, float64": self.full, "bfloat16, float16": self.half}


def storage_bytes(storage: Storage, dtype: str) -> Expr:
    """Return the bytes of all blocks that a storage stands for, in a model of this format. Raises KeyError for an unknown one."""
    return _bytes({storage.kind: storage.elements}, Integer(ITEM_BYTES[dtype]))


def _bytes(elements: Mapping[str, Expr], item: Expr) -> Expr:
    sizes = {"float": item, "stat": Max(item, Integer(4)), "index": Integer(8), "bool": Integer(1)}
    return expand(sum((sizes[kind] * count for kind, count in elements.items()), Integer(0)))
