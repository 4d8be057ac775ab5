"""OLMo Hybrid block with a state.

Generated from models/olmo_hybrid.yaml (sha256 e4603ea2f2c16780); edit the spec, not this file (content daaf508a3924d2c3).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .gated_mlp import GatedMlp
from .split_gated_delta_mixer import SplitGatedDeltaMixer


class OlmoHybridDeltaBlock(nn.Module):
    """OLMo Hybrid block with a state.

    The delta rule, then a feed-forward network, each behind a norm and with a residual around both.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner width
        of the feed-forward network, G (num_key_heads) heads of keys of the delta rule, H (num_value_heads) heads of
        values of the delta rule, s (key_dim) width of a key of the delta rule, p (value_dim) width of a value of the
        delta rule, K (kernel_size) width of the convolution.
    Parameters: 3*d*H*p + 2*d*G*s + 2*G*s*K + H*p*K + 3*d*f + 2*d*H + 2*d + 2*H + p.
    MACs: 3*b*n*d*H*p + 2*b*n*d*G*s + 2*b*n*G*s*K + 2*b*n*H*s*p + b*n*H*p*K + 3*b*n*d*f + 2*b*n*d*H.
    KV cache and state: 2*b*G*s*K + b*H*s*p + b*H*p*K - 2*b*G*s - b*H*p.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int,
        num_key_heads: int | None = None,
        num_value_heads: int | None = None,
        key_dim: int | None = None,
        value_dim: int | None = None,
        kernel_size: int = 4,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_key_heads = num_heads if num_key_heads is None else num_key_heads
        num_value_heads = num_heads if num_value_heads is None else num_value_heads
        if key_dim is None:
            if 3 * embed_dim < 4 * num_key_heads:
                raise ValueError(
                    "3*embed_dim >= 4*num_key_heads must hold where key_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_key_heads = {num_key_heads}"
                )
            key_dim = 3 * embed_dim // (4 * num_key_heads)
        value_dim = 2 * key_dim if value_dim is None else value_dim
        factory = {"device": device, "dtype": dtype}
        self.mixer_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mixer = SplitGatedDeltaMixer(
            embed_dim=embed_dim,
            num_key_heads=num_key_heads,
            num_value_heads=num_value_heads,
            key_dim=key_dim,
            value_dim=value_dim,
            kernel_size=kernel_size,
            **factory,
        )
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        mixer_norm = self.mixer_norm(x)                                   # b n d
        mixer = self.mixer(mixer_norm, substate(state, "mixer"))          # b n d
        mixed = x + mixer                                                 # b n d
        mlp_norm = self.mlp_norm(mixed)                                   # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = mixed + mlp                                                   # b n d
        return y
