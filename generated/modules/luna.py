"""Luna.

Generated from models/luna.yaml (sha256 0b7ece7f28ad00b0); edit the spec, not this file (content 3334e4ef92a568f5).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .luna_block import LunaBlock


class Luna(nn.Module):
    """Luna (Ma et al., 2021).

    An encoder of BERT's size whose layers hand on two sequences: that of the tokens and a short one, learned, which
    packs it. bert_luna learns a short sequence for each layer instead, as a slot of BERT's own layers.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, l length of the short sequence, V vocabulary size, P greatest sequence length.
    Parameters: 8*d**2*L + 2*d*L*f + 15*d*L + d*l + d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*l + 4*b*d**2*L*l + 2*b*n*d*L*f.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "luna-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 30522, "P": 512, "l": 64},
    }

    def __init__(self, d: int, L: int, h: int, l: int, V: int, P: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.P = P
        self.token_embedding = nn.Embedding(V, d)
        self.position_embedding = nn.Parameter(torch.randn(P, d) * 0.02)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-05)
        self.p_parameter = nn.Parameter(torch.randn(1, l, d) * 0.02)
        self.blocks = nn.ModuleList(LunaBlock(d, h, f) for _ in range(L))

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Luna:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        b, n = tokens.shape
        if n > self.P:
            raise ValueError(f"n <= P must hold; found n = {n}, P = {self.P}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n d
        embeddings = token_embedding + position_embedding                 # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        p_parameter = self.p_parameter                                    # 1 l d
        p = p_parameter.expand(b, -1, -1)                                 # b l d
        blocks_y, blocks_p_next = embedding_norm, p
        for layer in self.blocks:
            blocks_y, blocks_p_next = layer(blocks_y, blocks_p_next)      # b n d; b l d
        return blocks_y, blocks_p_next
