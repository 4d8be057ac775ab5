"""OLMo Hybrid block with attention.

Generated from models/olmo_hybrid.yaml (sha256 b8294b4e8cd06af8); edit the spec, not this file (content 2bb28fee5d592ee8).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .gated_mlp import GatedMlp
from .olmo_hybrid_attention import OlmoHybridAttention


class OlmoHybridAttendedBlock(nn.Module):
    """OLMo Hybrid block with attention.

    Attention, then a feed-forward network, each in front of a norm and with a residual around both.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, g (num_kv_heads) heads of keys and values, f (mlp_dim) inner width of the
        feed-forward network, G (num_key_heads) heads of keys of the delta rule, s (key_dim) width of a key of the delta
        rule.
    Parameters: 3*d*f + 2*d**2 + 2*d**2*g/h + 3*d + d*g/h.
    MACs: 3*b*n*d*f + 2*b*n*m*d + 2*b*n*d**2 + 2*b*n*d**2*g/h.
    KV cache and state: 2*b*m*d*g/h.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int,
        num_kv_heads: int | None = None,
        attention_bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        factory = {"device": device, "dtype": dtype}
        self.mixer = OlmoHybridAttention(
            embed_dim=embed_dim,
            num_heads=num_heads,
            g=num_kv_heads,
            bias=attention_bias,
            out_bias=attention_bias,
            **factory,
        )
        self.mixed_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.fed_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        mixer = self.mixer(x, substate(state, "mixer"))                   # b n d
        mixed_norm = self.mixed_norm(mixer)                               # b n d
        mixed = x + mixed_norm                                            # b n d
        mlp = self.mlp(mixed)                                             # b n d
        fed_norm = self.fed_norm(mlp)                                     # b n d
        y = mixed + fed_norm                                              # b n d
        return y
