"""Whisper: decoder block.

Generated from models/whisper.yaml (sha256 c4cfc0e65c21a9c4); edit the spec, not this file (content 66d8505b83c3646d).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .mlp import Mlp
from .whisper_cross_attention import WhisperCrossAttention
from .whisper_masked_attention import WhisperMaskedAttention


class WhisperDecoderBlock(nn.Module):
    """Whisper: decoder block.

    Sizes: b batch size, s (source_length) source positions, half of the frames, n new target tokens, m target tokens so
        far, the new ones included, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner width of
        the feed-forward network.
    Parameters: 8*d**2 + 2*d*f + 13*d + f.
    MACs: 6*b*n*d**2 - 2*b*s*min(m - n, 1)*d**2 + 2*b*s*n*d + 2*b*s*d**2 + 2*b*n*m*d + 2*b*n*d*f.
    KV cache and state: 2*b*s*d + 2*b*m*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.self_attention_norm = nn.LayerNorm(embed_dim, **factory)
        self.self_attention = WhisperMaskedAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.cross_attention_norm = nn.LayerNorm(embed_dim, **factory)
        self.cross_attention = WhisperCrossAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.mlp_norm = nn.LayerNorm(embed_dim, **factory)
        self.mlp = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)

    def forward(self, x: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        self_attention_norm = self.self_attention_norm(x)                 # b n d
        self_attention = self.self_attention(self_attention_norm, substate(state, "self_attention"))  # b n d
        self_attention_residual = x + self_attention                      # b n d
        cross_attention_norm = self.cross_attention_norm(self_attention_residual)  # b n d
        cross_attention = self.cross_attention(cross_attention_norm, memory, substate(state, "cross_attention"))  # b n d
        cross_attention_residual = self_attention_residual + cross_attention  # b n d
        mlp_norm = self.mlp_norm(cross_attention_residual)                # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = cross_attention_residual + mlp                                # b n d
        return y
