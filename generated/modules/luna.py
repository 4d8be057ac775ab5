"""Luna.

Generated from models/luna.yaml (sha256 51a489b92fb35477); edit the spec, not this file (content 7e9f7ca2c9617b34).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .luna_block import LunaBlock


class Luna(nn.Module):
    """Luna (Ma et al., 2021).

    An encoder of BERT's size whose layers hand on two sequences: that of the tokens and a short one, learned, which
    packs it. bert_luna learns a short sequence for each layer instead, as a slot of BERT's own layers.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, l length of the short sequence, V
        (vocab_size) vocabulary size, P (max_length) greatest sequence length.
    Parameters: 8*d**2*L + 2*d*L*f + 15*d*L + d*l + d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*l + 4*b*d**2*L*l + 2*b*n*d*L*f.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "luna-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "l": 64, "vocab_size": 30522, "max_length": 512},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        l: int,
        vocab_size: int,
        max_length: int,
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, embed_dim, **factory) * 0.02)
        self.embedding_norm = nn.LayerNorm(embed_dim, **factory)
        self.p_parameter = nn.Parameter(torch.randn(1, l, embed_dim, **factory) * 0.02)
        self.blocks = nn.ModuleList(
            LunaBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Luna:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        b, n = tokens.shape
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n d
        embeddings = token_embedding + position_embedding                 # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        p = self.p_parameter.expand(b, -1, -1)                            # b l d
        blocks_y, blocks_p_next = embedding_norm, p
        for layer in self.blocks:
            blocks_y, blocks_p_next = layer(blocks_y, blocks_p_next)      # b n d; b l d
        return blocks_y, blocks_p_next
