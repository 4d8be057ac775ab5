"""BART.

Generated from models/bart.yaml (sha256 5210e9cc3df70210); edit the spec, not this file (content cd698cb1dbf95021).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import advance, remember, substate
from .decoder_block import DecoderBlock
from .mlp import Mlp
from .post_norm_block import PostNormBlock


class Bart(nn.Module):
    """BART (Lewis et al., 2020).

    The encoder-decoder of 2017 with networks of gelu, tables of positions that begin with two rows for padding, and
    norms on the embeddings, which are not scaled.

    Sizes: b batch size, s source length, n new target tokens, m target tokens so far, the new ones included, d
        (embed_dim) model width, L (num_layers) number of layers in each of encoder and decoder, h (num_heads) number of
        heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) shared vocabulary size, P
        (max_length) greatest sequence length.
    Parameters: 12*d**2*L + 4*d*L*f + 24*d*L + 2*d*P + 2*L*f + d*V + 8*d.
    MACs: 6*b*s*d**2*L - 6*b*s*min(m - n, 1)*d**2*L - 2*b*s**2*min(m - n, 1)*d*L - 2*b*s*min(m - n, 1)*d*L*f +
        6*b*n*d**2*L + 2*b*s**2*d*L + 2*b*s*n*d*L + 2*b*s*d*L*f + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*s*d*L + 2*b*m*d*L + b*s*d.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bart-base": {"embed_dim": 768, "num_layers": 6, "num_heads": 12, "vocab_size": 50265, "max_length": 1024},
        "bart-large": {"embed_dim": 1024, "num_layers": 12, "num_heads": 16, "vocab_size": 50265, "max_length": 1024},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "f": "mlp_dim", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        mlp_dim: int | None = None,
        max_length: int = 5000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.source_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.source_table = nn.Parameter(torch.randn(max_length + 2, embed_dim, **factory) * 0.02)
        self.encoder_norm = nn.LayerNorm(embed_dim, **factory)
        self.encoder = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.encoder, recompute)
        self.target_table = nn.Parameter(torch.randn(max_length + 2, embed_dim, **factory) * 0.02)
        self.decoder_norm = nn.LayerNorm(embed_dim, **factory)
        self.decoder = nn.ModuleList(
            DecoderBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.decoder, recompute)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.source_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Bart:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (BartForConditionalGeneration).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("bart"), layout)

    def forward(self, source: Tensor, target: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        s = source.shape[1]
        n = target.shape[1]
        m = advance(state, "m", n) + n
        if s > self.max_length:
            raise ValueError(f"s <= max_length must hold; found s = {s}, max_length = {self.max_length}")
        is_first = state is None or "memory" not in state
        if is_first:
            source_embedding = self.source_embedding(source)              # b s d
            source_positions = self.source_table.narrow(0, 2, s)          # s d
            encoder_input = source_embedding + source_positions           # b s d
            encoder_norm = self.encoder_norm(encoder_input)               # b s d
            encoder = encoder_norm
            for layer in self.encoder:
                encoder = layer(encoder)                                  # b s d
        memory = remember(state, "memory", encoder) if is_first else state["memory"]  # b s d
        target_embedding = self.source_embedding(target)                  # b n d
        target_positions = self.target_table.narrow(0, m - n + 2, n)      # n d
        decoder_input = target_embedding + target_positions               # b n d
        decoder_norm = self.decoder_norm(decoder_input)                   # b n d
        decoder = decoder_norm
        for index, layer in enumerate(self.decoder):
            decoder = layer(decoder, memory, substate(state, f"decoder.{index}"))  # b n d
        logits = self.logits(decoder)                                     # b n V
        return logits
