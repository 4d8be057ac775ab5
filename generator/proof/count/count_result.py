"""What `gen count` found: the submodules of a module as a tree, each with its counts, and what could not be counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from generator.in_bytes import FORWARD_PEAK_BYTES, PEAK_BYTES, SAVED_BYTES, TRAFFIC_BYTES
from generator.proof.count.unseen import Uncounted
from generator.quantities import (
    ACTIVE_PARAMS,
    BACKWARD_MATMUL_FLOPS,
    BY_KEY,
    MACS,
    MATMUL_FLOPS,
    PARAMS,
    SAVED_ELEMENTS,
    TRAFFIC_ELEMENTS,
    TRAINABLE_PARAMS,
    VECTOR_FLOPS,
)

FLOPS = (MACS.key, MATMUL_FLOPS.key, VECTOR_FLOPS.key)
BACKWARD = (BACKWARD_MATMUL_FLOPS.key, SAVED_ELEMENTS.key, SAVED_BYTES.key)
ADDED = (PARAMS.key, TRAINABLE_PARAMS.key, ACTIVE_PARAMS.key, *FLOPS, *BACKWARD, TRAFFIC_ELEMENTS.key, TRAFFIC_BYTES.key)
PEAKS = (PEAK_BYTES, FORWARD_PEAK_BYTES)  # of training and of inference
KEYS = (*ADDED, *(peak.key for peak in PEAKS))


@dataclass(frozen=True)
class ModuleCount:
    """A submodule with what it comes to, its own submodules included.

    Args:
        path: its qualified name; "" for the whole.
        kind: the name of its class.
        calls: how often it was called.
        counts: by the key of a quantity: of parameters those that are met here first, of all else what was done while it was called.
        parts: its submodules.
        same_as: the path under which the same module was met before; then it has no counts of its own.
    """

    path: str
    kind: str
    calls: int
    counts: Mapping[str, int]
    parts: tuple[ModuleCount, ...] = ()
    same_as: str | None = None

    def walk(self) -> Iterator[ModuleCount]:
        """Yield this one and all below, in order."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, repr=False)
class Counted:
    """The counts of a module. Each is an attribute too, such as `counted.params`; None where it is not known.

    Attributes:
        tree: the whole module with its submodules.
        mode: `training` or `inference`.
        inputs: what it was called with, in words.
        peak: the most bytes alive at once, as far as it was measured.
        uncounted: what is missing of which quantity.
        notes: what a reader must know to take the numbers for what they are.
        left_out: quantities that were not asked for here, with the reason; without one, those of the other mode.
    """

    tree: ModuleCount
    mode: str
    inputs: str
    peak: int | None
    uncounted: tuple[Uncounted, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def value(self, key: str) -> int | None:
        """Return a quantity of the whole; None where it was left out or something is missing of it. Raises KeyError for an unknown one."""
        if key not in KEYS:
            raise KeyError(key)
        return None if key in self.left_out or self.is_missing(key) else self.at_least(key)

    def at_least(self, key: str) -> int:
        """Return what was counted of a quantity, even if something is missing."""
        return self.tree.counts[key] if key in ADDED else self.peak or 0

    def is_missing(self, key: str, path: str = "") -> bool:
        """Say whether something could not be counted of a quantity, in the whole or in a submodule."""
        return any(one.quantity == key and _is_inside(one.module, path) for one in self.uncounted)

    def to_dict(self, depth: int | None = None) -> dict[str, Any]:
        """Return everything as plain data, as `gen count --json` prints it.

        Args:
            depth: how many levels of submodules; None for all.
        """
        return {
            "module": self.tree.kind,
            "mode": self.mode,
            "inputs": self.inputs,
            **{key: self.value(key) for key in KEYS},
            "at_least": {key: self.at_least(key) for key in KEYS if key not in self.left_out and self.is_missing(key)},
            "uncounted": [vars(one) for one in self.uncounted],
            "left_out": {key: why for key, why in self.left_out.items() if why},
            "notes": list(self.notes),
            "modules": [self._plain(one) for one in self.tree.walk() if depth is None or one.path == "" or one.path.count(".") < depth],
        }

    def _plain(self, one: ModuleCount) -> dict[str, Any]:
        head: dict[str, Any] = {"path": one.path, "class": one.kind}
        if one.same_as is not None:
            return head | {"same_as": one.same_as}
        counts = {key: None if key in self.left_out or self.is_missing(key, one.path) else one.counts[key] for key in ADDED}
        return head | {"calls": one.calls, **counts}

    def __getattr__(self, key: str) -> int | None:
        if key in KEYS:
            return self.value(key)
        raise AttributeError(key)

    def __repr__(self) -> str:
        lines = [f"<count of {self.tree.kind} in {self.mode}, called with {self.inputs}"]
        return "\n".join([*lines, *(f"  {key:22} {self.shown(key)}" for key in KEYS)]) + ">"

    def shown(self, key: str) -> str:
        """Return a quantity of the whole as text: a number, at least a number, or a dash where it was left out."""
        if key in self.left_out:
            return "-"
        return f"{'at least ' if self.is_missing(key) else ''}{self.at_least(key):,}"


def title_of(key: str) -> str:
    """Return what people call a quantity that is counted."""
    peak = next((one for one in PEAKS if one.key == key), None)
    if peak is not None:
        return peak.en.title
    amount = next((one for one in (SAVED_BYTES, TRAFFIC_BYTES) if one.key == key), None)
    return f"{amount.of.title} in bytes" if amount is not None else BY_KEY[key].title


def _is_inside(path: str, outer: str) -> bool:
    return outer in ("", path) or path.startswith(f"{outer}.")
