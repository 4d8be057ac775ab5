"""Transformer.

Generated from models/transformer.yaml (sha256 fb137c961c7bbcd8); edit the spec, not this file (content 283a5b6153250823).
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


def sinusoids(length: int, width: int) -> Tensor:
    """Sines of p / 10000**(2*i/width) in columns 2*i, cosines in columns 2*i + 1 of rows p (Vaswani et al., 2017)."""
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :width].contiguous()


class Transformer(nn.Module):
    """Transformer (Vaswani et al., 2017).

    The encoder-decoder of 2017. Source and target share one vocabulary, whose embedding is also the weight of the head;
    positions are sinusoids. The decoder keeps the keys and values of the target tokens so far; the encoder runs in the
    first step alone.

    Sizes: b batch size, s source length, n new target tokens, m target tokens so far, the new ones included, d
        (embed_dim) model width, L (num_layers) number of layers in each of encoder and decoder, h (num_heads) number of
        heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) shared vocabulary size, P
        (max_length) greatest sequence length.
    Parameters: 12*d**2*L + 4*d*L*f + 24*d*L + 2*L*f + d*V.
    MACs: 6*b*s*d**2*L - 6*b*s*min(m - n, 1)*d**2*L - 2*b*s**2*min(m - n, 1)*d*L - 2*b*s*min(m - n, 1)*d*L*f +
        6*b*n*d**2*L + 2*b*s**2*d*L + 2*b*s*n*d*L + 2*b*s*d*L*f + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*s*d*L + 2*b*m*d*L + b*s*d.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "transformer-base": {"embed_dim": 512, "num_layers": 6, "num_heads": 8, "vocab_size": 37000},
        "transformer-big": {"embed_dim": 1024, "num_layers": 6, "num_heads": 16, "vocab_size": 37000},
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
        self.embed_dim, self.max_length = embed_dim, max_length
        factory = {"device": device, "dtype": dtype}
        self.source_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.register_buffer("source_positions", sinusoids(max_length, embed_dim).to(**factory), persistent=False)
        self.encoder = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.encoder, recompute)
        self.register_buffer("target_positions", sinusoids(max_length, embed_dim).to(**factory), persistent=False)
        self.decoder = nn.ModuleList(
            DecoderBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.decoder, recompute)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.source_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Transformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.Transformer without its last norms, and an embedding).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("transformer"), layout)

    def forward(self, source: Tensor, target: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        s = source.shape[1]
        if s > self.max_length:
            raise ValueError(f"s <= max_length must hold; found s = {s}, max_length = {self.max_length}")
        is_first = state is None or "memory" not in state
        if is_first:
            source_embedding = self.source_embedding(source)              # b s d
            source_scaled = source_embedding * self.embed_dim**0.5        # b s d
            source_positions = self.source_positions[: source_scaled.shape[1]]  # s d
            encoder_input = source_scaled + source_positions              # b s d
            encoder = encoder_input
            for layer in self.encoder:
                encoder = layer(encoder)                                  # b s d
        memory = remember(state, "memory", encoder) if is_first else state["memory"]  # b s d
        target_embedding = self.source_embedding(target)                  # b n d
        target_scaled = target_embedding * self.embed_dim**0.5            # b n d
        target_positions_start = advance(
            state,
            "target_positions",
            target_scaled.shape[1],
            self.target_positions.shape[0],
        )
        target_positions = self.target_positions[target_positions_start : target_positions_start + target_scaled.shape[1]]  # n d
        decoder_input = target_scaled + target_positions                  # b n d
        decoder = decoder_input
        for index, layer in enumerate(self.decoder):
            decoder = layer(decoder, memory, substate(state, f"decoder.{index}"))  # b n d
        logits = self.logits(decoder)                                     # b n V
        return logits
