"""Residual unit and attention.

Generated from models/ddpm.yaml (sha256 75e41b55dcdea507); edit the spec, not this file (content 0ee60203a7ba95ff).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .ddpm_attention import DdpmAttention
from .ddpm_widening_unit import DdpmWideningUnit


class DdpmAttendingUnit(nn.Module):
    """Residual unit and attention.

    Sizes: b batch size, k channels, m channels out, H height, W width, t width of the time embedding, G groups of the
        norms.
    Parameters: 13*m**2 + 10*k*m + m*t + 12*m + 2*k.
    MACs: 2*b*m*H**2*W**2 + 13*b*m**2*H*W + 10*b*k*m*H*W + b*m*t.
    """

    def __init__(
        self,
        *,
        m: int,
        G: int,
        k: int | None = None,
        t: int | None = None,
        dropout: float = 0,
        unit: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        if unit is None:
            if k is None or t is None:
                raise ValueError("without unit, k and t must be given")
            unit = DdpmWideningUnit(k=k, m=m, t=t, G=G, dropout=dropout, **factory)
        self.unit = unit
        self.y = DdpmAttention(k=m, G=G, **factory)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        unit = self.unit(x, time)                                         # b m H W
        y = self.y(unit)                                                  # b m H W
        return y
