"""Measures what autograd keeps for the backward pass: each storage once, parameters and buffers excluded.

An input of the model counts when it is saved: it has to stay in memory, whoever made it. A tensor that is saved as a view counts with its
whole storage, because that is what stays allocated. Measured with torch's saved-tensor hooks, without a dispatch mode. Sizes do not
depend on values: meta tensors give what the CPU gives, except for fused attention, for batch norm in evaluation mode (whose
statistics have 0 elements on CPU), and for the dtype (not the number) of layer and batch norm statistics in half precision.

Not seen: what torch.utils.checkpoint or a custom autograd function keeps outside of autograd's saved tensors.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from generator.proof.measure.kernel import running_lines
from generator.proof.measure.storages import owned_storages, storage_bytes, storage_elements, storage_key, tensors_in
from generator.proof.measure.stretches import current_label


@dataclass(frozen=True)
class SavedStorage:
    """One storage that is kept.

    Args:
        elements: of the whole storage, in the dtype of the tensor saved.
        bytes: of the whole storage.
        dtype: of the tensor saved first.
        shape: of the tensor saved first.
        producer: the autograd function that made that tensor (`MulBackward0`); "" if none did.
        is_input: the storage came in as an argument.
        label: the label in force when it was first saved, see `generator.proof.measure.stretches`.
        lines: line numbers of the calls that first saved it, in the file that the measurement was asked to follow, outermost call first.
    """

    elements: int
    bytes: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    producer: str
    is_input: bool
    label: str
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Saved:
    """All that is kept for the backward pass, in the order in which it was first saved."""

    storages: tuple[SavedStorage, ...]

    @property
    def elements(self) -> int:
        """The sum over all storages."""
        return sum(storage.elements for storage in self.storages)

    @property
    def bytes(self) -> int:
        """The sum over all storages."""
        return sum(storage.bytes for storage in self.storages)

    def by_lines(self) -> dict[tuple[int, ...], int]:
        """Elements by the stack of line numbers at which a storage was first saved."""
        sums: dict[tuple[int, ...], int] = {}
        for storage in self.storages:
            sums[storage.lines] = sums.get(storage.lines, 0) + storage.elements
        return sums

    def bytes_by_lines(self) -> dict[tuple[int, ...], int]:
        """Bytes by the same stacks."""
        sums: dict[tuple[int, ...], int] = {}
        for storage in self.storages:
            sums[storage.lines] = sums.get(storage.lines, 0) + storage.bytes
        return sums

    def by_label(self) -> dict[str, int]:
        """Elements by the label under which a storage was first saved."""
        sums: dict[str, int] = {}
        for storage in self.storages:
            sums[storage.label] = sums.get(storage.label, 0) + storage.elements
        return sums


def saved(fn: Callable[..., Any], *args: Any, parameters: Iterable[Tensor] = (), source: str | None = None, **kwargs: Any) -> Saved:
    """What autograd keeps of `fn(*args, **kwargs)`; no backward pass is run.

    Args:
        fn: a module, whose parameters and buffers are excluded, or any callable.
        parameters: further tensors whose storages are not to be counted (the weights of a callable that is no module).
        source: path of a Python file whose line numbers the storages shall carry.

    Returns:
        Nothing saved if gradients are disabled, or if nothing requires one.
    """
    watch = SavedWatch(owned_storages(fn, parameters), tensors_in(args, kwargs), source)
    with watch.hooks():
        result = fn(*args, **kwargs)
    kept = watch.saved
    del result  # until here, for the graph lives as long as what it leads to
    return kept


class SavedWatch:
    """Notes each storage that autograd saves while the hooks are in force; a backward pass may follow.

    Autograd lets go of what leads to no result that is still there, such as what was only read by an argmax: that is not kept.

    Args:
        excluded: keys of storages that are not to be counted.
        given: tensors that came in as arguments.
        source: see `saved`.
    """

    def __init__(self, excluded: Collection[int], given: Iterable[Tensor], source: str | None = None) -> None:
        self._excluded = excluded
        self._given = {storage_key(tensor) for tensor in given}
        self._source = source
        self._found: list[tuple[int, SavedStorage, weakref.ref[Tensor]]] = []  # storage key, and what stands in the graph for it
        self._alive: list[torch.UntypedStorage] = []  # keeps each storage, so that no second one can get the same key

    @property
    def saved(self) -> Saved:
        """What is kept now, each storage as it was first saved by what still keeps it."""
        found: dict[int, SavedStorage] = {}
        for key, storage, kept in self._found:
            if storage.elements and kept() is not None:
                found.setdefault(key, storage)
        return Saved(tuple(found.values()))

    def hooks(self) -> AbstractContextManager[None]:
        """Return the hooks, to be entered around a forward pass."""
        return torch.autograd.graph.saved_tensors_hooks(self._pack, lambda kept: kept)

    def _pack(self, tensor: Tensor) -> Tensor:
        kept = tensor.detach()  # a saved result would keep its own graph alive
        key = storage_key(tensor)
        if key not in self._excluded:
            self._alive.append(tensor.untyped_storage())
            self._found.append((key, self._described(tensor, key), weakref.ref(kept)))
        return kept

    def _described(self, tensor: Tensor, key: int) -> SavedStorage:
        return SavedStorage(
            storage_elements(tensor),
            storage_bytes(tensor),
            tensor.dtype,
            tuple(tensor.shape),
            tensor.grad_fn.name() if tensor.grad_fn is not None else "",
            key in self._given,
            current_label(),
            running_lines(self._source),
        )
