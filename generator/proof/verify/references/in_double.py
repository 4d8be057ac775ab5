"""Public code that takes float32 for some of its steps, run in float64 throughout, so that it can be compared to many digits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


class InDouble(TorchFunctionMode):
    """Takes float64 where code asks for float32, as transformers does in norms, angles and probabilities."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function of torch."""
        if func is Tensor.float:
            return args[0].double()
        return func(*map(_double, args), **{key: _double(value) for key, value in (kwargs or {}).items()})


def _double(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value


def precise(dtype: torch.dtype) -> Any:
    """Return what keeps the code inside in a type: float64 where that is asked for."""
    return InDouble() if dtype is torch.float64 else torch.overrides.BaseTorchFunctionMode()
