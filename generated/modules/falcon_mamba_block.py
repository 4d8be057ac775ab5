"""Falcon Mamba block.

Generated from models/falcon_mamba.yaml (sha256 57f389343831e69b); edit the spec, not this file (content 218af45d9a0ce6b3).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .falcon_mamba_mixer import FalconMambaMixer


class FalconMambaBlock(nn.Module):
    """Falcon Mamba block.

    The mixer behind a norm, and a residual around both.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, c (inner_dim) channels, s (state_dim) numbers that a
        channel keeps, r (step_rank) rank of the step widths, K (kernel_size) width of the convolution.
    Parameters: 3*d*c + 3*c*s + 2*c*r + c*K + 3*c + d.
    MACs: 3*b*n*d*c + 3*b*n*c*s + 2*b*n*c*r + b*n*c*K.
    KV cache and state: b*c*s + b*c*K - b*c.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        inner_dim: int | None = None,
        state_dim: int = 16,
        step_rank: int | None = None,
        kernel_size: int = 4,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        step_rank = -(-embed_dim // 16) if step_rank is None else step_rank
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.RMSNorm(embed_dim, eps=1e-05, **factory)
        self.mixer = FalconMambaMixer(
            embed_dim=embed_dim,
            inner_dim=inner_dim,
            state_dim=state_dim,
            step_rank=step_rank,
            kernel_size=kernel_size,
            **factory,
        )

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        norm = self.norm(x)                                               # b n d
        mixer = self.mixer(norm, substate(state, "mixer"))                # b n d
        y = x + mixer                                                     # b n d
        return y
