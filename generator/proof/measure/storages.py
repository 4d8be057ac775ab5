"""Identity and size of the memory behind tensors: several tensors may be views of one storage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from generator.proof.measure.uncounted import UncountedError


def storage_key(tensor: Tensor) -> int:
    """A number that is the same for all views of one storage, on every device including meta.

    It is an address inside torch, so it is only meaningful while something keeps the storage alive.

    Raises:
        UncountedError: as `require_one_storage`.
    """
    require_one_storage(tensor)
    key: int = tensor.untyped_storage()._cdata  # noqa: SLF001  # as torch's own memory tools do; data_ptr() is 0 on meta
    return key


def require_one_storage(tensor: Tensor) -> None:
    """Raise UncountedError for a tensor that is sparse or nested, which has no one storage, and may have no shape."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        kind = "nested tensor" if tensor.is_nested else f"tensor of layout {str(tensor.layout).removeprefix('torch.')}"
        raise UncountedError(f"there is a {kind}, which has no one storage, so that nothing about it can be counted")


def storage_bytes(tensor: Tensor) -> int:
    """Size of the whole storage in bytes, even if `tensor` shows only a part of it."""
    return tensor.untyped_storage().nbytes()


def storage_elements(tensor: Tensor) -> int:
    """Number of elements of `tensor`'s dtype in its whole storage, even if `tensor` shows only a part of it; a complex number is two."""
    return storage_bytes(tensor) // tensor.element_size() * (2 if tensor.is_complex() else 1)


def tensors_in(*trees: Any) -> list[Tensor]:
    """All tensors in nested tuples, lists and dicts, in order, repeated ones included."""
    return [leaf for leaf in tree_leaves(trees) if isinstance(leaf, Tensor)]


def owned_storages(owner: object, also: Iterable[Tensor] = ()) -> set[int]:
    """Keys of the storages of a module's parameters and buffers (none if `owner` is no module) and of the tensors in `also`."""
    tensors = [*owner.parameters(), *owner.buffers()] if isinstance(owner, nn.Module) else []
    return {storage_key(tensor) for tensor in [*tensors, *also]}
