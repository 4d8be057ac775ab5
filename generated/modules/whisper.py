"""Whisper.

Generated from models/whisper.yaml (sha256 58096a672d53d8fb); edit the spec, not this file (content d5a192e43345010d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import advance, remember, substate
from .pre_norm_block import PreNormBlock
from .whisper_attention import WhisperAttention
from .whisper_decoder_block import WhisperDecoderBlock


class Whisper(nn.Module):
    """Whisper (Radford et al., 2022).

    From sound to text: two convolutions over mel frames, the second of which halves their number, an encoder of
    pre-norm blocks with fixed positions, and a decoder that asks it. Keys have no biases, and the head is tied to the
    embedding.

    Sizes: b batch size, c (num_mel_bins) mel bins, s (source_length) source positions, half of the frames, n new target
        tokens, m target tokens so far, the new ones included, d (embed_dim) model width, L (num_layers) number of
        layers in each of encoder and decoder, h (num_heads) number of heads, f (mlp_dim) inner width of the
        feed-forward network, V (vocab_size) vocabulary size, P (max_length) greatest number of target tokens.
    Parameters: 12*d**2*L + 4*d*L*f + 21*d*L + 3*c*d + 3*d**2 + 2*L*f + s*d + d*V + d*P + 6*d.
    Trainable parameters: 12*d**2*L + 4*d*L*f + 21*d*L + 3*c*d + 3*d**2 + 2*L*f + d*V + d*P + 6*d.
    MACs: 6*b*s*d**2*L - 6*b*s*min(m - n, 1)*d**2*L - 2*b*s**2*min(m - n, 1)*d*L - 2*b*s*min(m - n, 1)*d*L*f -
        6*b*c*s*min(m - n, 1)*d + 6*b*n*d**2*L - 3*b*s*min(m - n, 1)*d**2 + 2*b*s**2*d*L + 2*b*s*n*d*L + 2*b*s*d*L*f +
        2*b*n*m*d*L + 2*b*n*d*L*f + 6*b*c*s*d + 3*b*s*d**2 + b*n*d*V.
    KV cache and state: 2*b*s*d*L + 2*b*m*d*L + b*s*d.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "whisper-tiny": {"embed_dim": 384, "num_layers": 4, "num_heads": 6, "vocab_size": 51865},
        "whisper-base": {"embed_dim": 512, "num_layers": 6, "num_heads": 8, "vocab_size": 51865},
        "whisper-small": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 51865},
        "whisper-medium": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 51865},
        "whisper-large": {"embed_dim": 1280, "num_layers": 32, "num_heads": 20, "vocab_size": 51865},
        "whisper-large-v3": {"embed_dim": 1280, "num_layers": 32, "num_heads": 20, "vocab_size": 51866, "num_mel_bins": 128},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "c": "num_mel_bins", "s": "source_length", "f": "mlp_dim", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        num_mel_bins: int = 80,
        source_length: int = 1500,
        mlp_dim: int | None = None,
        max_length: int = 448,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv1d(num_mel_bins, embed_dim, 3, padding=1, **factory)
        self.halving = nn.Conv1d(embed_dim, embed_dim, 3, stride=2, padding=1, **factory)
        self.source_positions = nn.Parameter(torch.randn(source_length, embed_dim, **factory) * 0.02)
        self.source_positions.requires_grad_(False)
        self.encoder = nn.ModuleList(
            PreNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                attention=WhisperAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.encoder, recompute)
        self.encoder_norm = nn.LayerNorm(embed_dim, **factory)
        self.target_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.target_positions = nn.Parameter(torch.randn(max_length, embed_dim, **factory) * 0.02)
        self.decoder = nn.ModuleList(
            WhisperDecoderBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.decoder, recompute)
        self.decoder_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.target_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Whisper:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (WhisperForConditionalGeneration).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("whisper"), layout)

    def forward(self, frames: Tensor, target: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        is_first = state is None or "memory" not in state
        if is_first:
            conv = self.conv(frames)                                      # b d (2*s)
            conv_active = F.gelu(conv)                                    # b d (2*s)
            halving = self.halving(conv_active)                           # b d s
            halving_active = F.gelu(halving)                              # b d s
            source = halving_active.transpose(1, 2)                       # b s d
            encoder_input = source + self.source_positions                # b s d
            encoder = encoder_input
            for layer in self.encoder:
                encoder = layer(encoder)                                  # b s d
            encoder_norm = self.encoder_norm(encoder)                     # b s d
        memory = remember(state, "memory", encoder_norm) if is_first else state["memory"]  # b s d
        target_embedding = self.target_embedding(target)                  # b n d
        target_positions_start = advance(
            state,
            "target_positions",
            target_embedding.shape[1],
            self.target_positions.shape[0],
        )
        target_positions = self.target_positions[target_positions_start : target_positions_start + target_embedding.shape[1]]  # n d
        decoder_input = target_embedding + target_positions               # b n d
        decoder = decoder_input
        for index, layer in enumerate(self.decoder):
            decoder = layer(decoder, memory, substate(state, f"decoder.{index}"))  # b n d
        decoder_norm = self.decoder_norm(decoder)                         # b n d
        logits = self.logits(decoder_norm)                                # b n V
        return logits
