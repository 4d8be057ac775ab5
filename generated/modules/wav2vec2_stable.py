"""wav2vec 2.0 with norms in front.

Generated from models/wav2vec2_stable.yaml (sha256 2897c8e6891778c2); edit the spec, not this file (content 8ac83bd7ea6fc61b).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .pre_norm_block import PreNormBlock
from .wav2vec2_stable_halving import Wav2vec2StableHalving


class Wav2vec2Stable(nn.Module):
    """wav2vec 2.0 with norms in front (Baevski et al., 2020).

    wav2vec 2.0 as trained on 60,000 hours of Libri-Light: its convolutions over the wave have biases and a norm over
    the channels each, and its blocks have their norms in front, with one behind the last of them.

    Sizes: b batch size, n (num_frames) number of frames, C (conv_dim) channels of the convolutions over the wave, d
        (embed_dim) model width, K (position_kernel) frames that a convolution sees to tell positions, G
        (position_groups) groups of the convolution that tells positions, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size.
    Parameters: 4*d**2*L + 2*d*L*f + 16*C**2 + 9*d*L + C*d + d**2*K/G + d*V + L*f + 33*C + 5*d + K + V.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f + 186*b*n*C**2 + b*n*C*d + b*n*d**2*K/G + b*n*d*V + 640*b*n*C +
        33*b*C**2 + b*d**2*K/G + 150*b*C.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "wav2vec2-large-lv60": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "C": "conv_dim", "K": "position_kernel", "G": "position_groups", "f": "mlp_dim", "V": "vocab_size"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        conv_dim: int = 512,
        position_kernel: int = 128,
        position_groups: int = 16,
        mlp_dim: int | None = None,
        vocab_size: int = 32,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if embed_dim % position_groups != 0:
            raise ValueError(
                "embed_dim % position_groups == 0 must hold; "
                f"found embed_dim = {embed_dim}, position_groups = {position_groups}"
            )
        if position_kernel % 2 != 0:
            raise ValueError(f"position_kernel % 2 == 0 must hold; found position_kernel = {position_kernel}")
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv1d(1, conv_dim, 10, stride=5, **factory)
        self.conv_norm = nn.LayerNorm(conv_dim, **factory)
        self.halving = nn.ModuleList(
            [
                Wav2vec2StableHalving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2StableHalving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2StableHalving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2StableHalving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2StableHalving(kernel_size=2, conv_dim=conv_dim, **factory),
                Wav2vec2StableHalving(kernel_size=2, conv_dim=conv_dim, **factory),
            ]
        )
        self.frame_norm = nn.LayerNorm(conv_dim, **factory)
        self.projected = nn.Linear(conv_dim, embed_dim, **factory)
        self.mask_token = nn.Parameter(torch.randn(embed_dim, **factory) * 0.02)
        self.near = nn.utils.parametrizations.weight_norm(
            nn.Conv1d(
                embed_dim,
                embed_dim,
                position_kernel,
                padding=position_kernel // 2,
                groups=position_groups,
                **factory,
            ),
            dim=2,
        )
        self.blocks = nn.ModuleList(
            PreNormBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Wav2vec2Stable:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Wav2Vec2ForCTC).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("wav2vec2_stable"), layout)

    def forward(self, wave: Tensor, mask: Tensor) -> Tensor:
        num_frames = mask.shape[1]
        channel = wave.unsqueeze(1)                                       # b 1 (320*n + 80)
        conv = self.conv(channel)                                         # b C (64*n + 15)
        places = conv.transpose(1, 2)                                     # b (64*n + 15) C
        conv_norm = self.conv_norm(places)                                # b (64*n + 15) C
        normed = conv_norm.transpose(1, 2)                                # b C (64*n + 15)
        conv_active = F.gelu(normed)                                      # b C (64*n + 15)
        halving1 = self.halving[0](conv_active)                           # b C (32*n + 7)
        halving2 = self.halving[1](halving1)                              # b C (16*n + 3)
        halving3 = self.halving[2](halving2)                              # b C (8*n + 1)
        halving4 = self.halving[3](halving3)                              # b C (4*n)
        halving5 = self.halving[4](halving4)                              # b C (2*n)
        halving6 = self.halving[5](halving5)                              # b C n
        frames = halving6.transpose(1, 2)                                 # b n C
        frame_norm = self.frame_norm(frames)                              # b n C
        projected = self.projected(frame_norm)                            # b n d
        is_masked = mask.unsqueeze(2)                                     # b n 1
        masked = torch.where(is_masked, self.mask_token, projected)       # b n d
        by_channel = masked.transpose(1, 2)                               # b d n
        near = self.near(by_channel)                                      # b d (n + 1)
        near_frames = near[..., :num_frames]                              # b d n
        near_active = F.gelu(near_frames)                                 # b d n
        positions = near_active.transpose(1, 2)                           # b n d
        located = masked + positions                                      # b n d
        blocks = located
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
