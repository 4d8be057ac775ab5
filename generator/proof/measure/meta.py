"""Has torch's meta tensors do what its tensors on the CPU do, which is what is measured. To be imported before anything runs on them.

Where they differ otherwise: results are laid out as on a GPU where the two differ (Fourier transforms along several axes, channels laid
out as pixels); the derivative of mish, one kernel on the CPU, is several, because torch has no kernel for it that needs no values; and
that of a batch norm makes the gradient of its input where nobody wants it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, _meta_registrations
from torch._decomp import get_decompositions

_hint = _meta_registrations.device_hint
_NORM = torch.ops.aten.native_batch_norm_backward
_norm = get_decompositions([_NORM])[_NORM.default]


def _device(tensor: Tensor) -> str:
    """The device whose results a tensor without values stands for: for which torch takes a GPU if the tensor does not say it."""
    return "cpu" if tensor.device.type == "meta" else _hint(tensor)


def _mish_backward(_gradient: Tensor, x: Tensor) -> Tensor:
    return torch.empty_like(x)


def _batch_norm_backward(*args: Any) -> tuple[Tensor | None, ...]:
    """The derivative of a batch norm; the last argument says which of its three results are wanted."""
    gradient, *others = _norm(*args)
    return (gradient if args[-1][0] else None, *others)


_meta_registrations.device_hint = _device

# As `torch.library.Library.impl`, which refuses what torch itself writes as several operations; it lasts as long as the object.
_ON_META = torch._C._dispatch_library("IMPL", "aten", "Meta", __file__)  # noqa: SLF001
_ON_META.impl("mish_backward", "Meta", _mish_backward)
_ON_META.impl("native_batch_norm_backward", "Meta", _batch_norm_backward)
