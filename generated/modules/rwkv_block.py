"""RWKV block.

Generated from models/rwkv.yaml (sha256 dd2315a8c8c718e7); edit the spec, not this file (content 73398da2236250e1).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .rwkv_channel_mixing import RwkvChannelMixing
from .rwkv_time_mixing import RwkvTimeMixing


class RwkvBlock(nn.Module):
    """RWKV block.

    Mixing of tokens, then of channels, each behind a norm and with a residual around both.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, f (mlp_dim) inner width of the mixing of channels.
    Parameters: 5*d**2 + 2*d*f + 11*d.
    MACs: 5*b*n*d**2 + 2*b*n*d*f.
    KV cache and state: 5*b*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_norm = nn.LayerNorm(embed_dim, **factory)
        self.mixer = RwkvTimeMixing(embed_dim=embed_dim, **factory)
        self.channel_norm = nn.LayerNorm(embed_dim, **factory)
        self.mlp = RwkvChannelMixing(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_norm = self.token_norm(x)                                   # b n d
        mixer = self.mixer(token_norm, substate(state, "mixer"))          # b n d
        mixed = x + mixer                                                 # b n d
        channel_norm = self.channel_norm(mixed)                           # b n d
        mlp = self.mlp(channel_norm, substate(state, "mlp"))              # b n d
        y = mixed + mlp                                                   # b n d
        return y
