"""ModernBERT.

Generated from models/modernbert.yaml (sha256 ee982ba5ae333316); edit the spec, not this file (content 75aa7d424dec64f1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .modernbert_block import ModernbertBlock
from .modernbert_first_block import ModernbertFirstBlock
from .modernbert_local_attention import ModernbertLocalAttention


class Modernbert(nn.Module):
    """ModernBERT (Warner et al., 2024).

    An encoder of pre-norm blocks with rotary positions and gated feed-forward networks. Every third layer attends to
    all tokens, the others to w on each side. No biases, and no norm in front of the first attention. No task head.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, w (window) tokens on each side that one
        attends to in a local layer, V (vocab_size) vocabulary size, P (max_length) greatest sequence length.
    Parameters: 4*d**2*L + 3*d*L*f + 2*d*L + d*V + d.
    MACs: 4*b*n*d**2*L + 3*b*n*d*L*f + 2*b*n**2*d*L.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "modernbert-base": {"embed_dim": 768, "num_layers": 22, "num_heads": 12, "mlp_dim": 1152, "window": 64, "vocab_size": 50368, "max_length": 8192},
        "modernbert-large": {"embed_dim": 1024, "num_layers": 28, "num_heads": 16, "mlp_dim": 2624, "window": 64, "vocab_size": 50368, "max_length": 8192},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "w": "window", "V": "vocab_size", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        window: int,
        vocab_size: int,
        max_length: int,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if num_layers < 2:
            raise ValueError(f"num_layers >= 2 must hold; found num_layers = {num_layers}")
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, bias=False, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i < 1:
                self.blocks.append(
                    ModernbertFirstBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        **factory,
                    )
                )
            elif (i - 1) % 3 < 2:
                self.blocks.append(
                    ModernbertBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        attention=ModernbertLocalAttention(
                            window=window,
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    ModernbertBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, bias=False, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Modernbert:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (ModernBertModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("modernbert"), layout)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        embedding_norm = self.embedding_norm(token_embedding)             # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        return final_norm
