"""Has torch's meta tensors do what its tensors on the CPU do, which is what is measured. To be imported before anything runs on them.

Where they differ otherwise: results are laid out as on a GPU where the two differ (Fourier transforms along several axes), and the
derivative of mish, one kernel on the CPU, is several, because torch has no kernel for it that needs no values.
"""

from __future__ import annotations

import torch
from torch import Tensor, _meta_registrations

_hint = _meta_registrations.device_hint


def _device(tensor: Tensor) -> str:
    """The device whose results a tensor without values stands for: for which torch takes a GPU if the tensor does not say it."""
    return "cpu" if tensor.device.type == "meta" else _hint(tensor)


_meta_registrations.device_hint = _device

# As `torch.library.Library.impl`, which refuses what torch itself writes as several operations; it lasts as long as the object.
_ON_META = torch._C._dispatch_library("IMPL", "aten", "Meta", __file__)  # noqa: SLF001
_ON_META.impl("mish_backward", "Meta", lambda _gradient, x: torch.empty_like(x))
