"""RWKV's mixing of channels.

Generated from blocks/recurrent/rwkv_channel_mixing.yaml (sha256 cebd5e58b7772986); edit the spec, not this file (content 2e18459f53d68fd1).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import preceded
from .rwkv_mix import RwkvMix


class RwkvChannelMixing(nn.Module):
    """RWKV's mixing of channels (Peng et al., 2023).

    A feed-forward network with squared ReLU, times a receptance, which reads each token mixed with the one before it.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, f (mlp_dim) inner width.
    Parameters: 2*d*f + d**2 + 2*d.
    MACs: 2*b*n*d*f + b*n*d**2.
    KV cache and state: b*d.
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
        self.mix_k = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.mix_r = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.k_in = RwkvMix()
        self.r_in = RwkvMix()
        self.k = nn.Linear(embed_dim, mlp_dim, bias=False, **factory)
        self.v = nn.Linear(mlp_dim, embed_dim, bias=False, **factory)
        self.r = nn.Linear(embed_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        before_seen = preceded(state, "before", x, 1, 1)
        before = before_seen.narrow(1, 0, x.shape[1])                     # b n d
        k_in = self.k_in(x, before, self.mix_k)                           # b n d
        r_in = self.r_in(x, before, self.mix_r)                           # b n d
        k = self.k(k_in)                                                  # b n f
        active = F.relu(k)                                                # b n f
        squared = active.square()                                         # b n f
        v = self.v(squared)                                               # b n d
        r = self.r(r_in)                                                  # b n d
        receptance = r.sigmoid()                                          # b n d
        y = receptance * v                                                # b n d
        return y
