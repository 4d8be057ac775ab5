"""wav2vec 2.0.

Generated from models/wav2vec2.yaml (sha256 e0b9e84edcb004a1); edit the spec, not this file (content b57bdcbc07a625c3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .post_norm_block import PostNormBlock
from .wav2vec2_halving import Wav2vec2Halving


class Wav2vec2(nn.Module):
    """wav2vec 2.0 (Baevski et al., 2020).

    From a wave of sound to letters: seven convolutions make one frame of 320 samples, a vector that is learned stands
    in place of masked frames, a convolution over 128 frames tells positions, and post-norm blocks follow. The wave has
    the 320*n + 80 samples that n frames read; samples at its end that fill no frame are left out.

    Sizes: b batch size, n (num_frames) number of frames, C (conv_dim) channels of the convolutions over the wave, d
        (embed_dim) model width, K (position_kernel) frames that a convolution sees to tell positions, G
        (position_groups) groups of the convolution that tells positions, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size.
    Parameters: 4*d**2*L + 2*d*L*f + 16*C**2 + 9*d*L + C*d + d**2*K/G + d*V + L*f + 14*C + 5*d + K + V.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f + 186*b*n*C**2 + b*n*C*d + b*n*d**2*K/G + b*n*d*V + 640*b*n*C +
        33*b*C**2 + b*d**2*K/G + 150*b*C.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "wav2vec2-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12},
        "wav2vec2-large": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16},
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
        self.conv = nn.Conv1d(1, conv_dim, 10, stride=5, bias=False, **factory)
        self.conv_norm = nn.GroupNorm(conv_dim, conv_dim, **factory)
        self.halving = nn.ModuleList(
            [
                Wav2vec2Halving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2Halving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2Halving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2Halving(kernel_size=3, conv_dim=conv_dim, **factory),
                Wav2vec2Halving(kernel_size=2, conv_dim=conv_dim, **factory),
                Wav2vec2Halving(kernel_size=2, conv_dim=conv_dim, **factory),
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
        self.embedding_norm = nn.LayerNorm(embed_dim, **factory)
        self.blocks = nn.ModuleList(
            PostNormBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.logits = nn.Linear(embed_dim, vocab_size, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Wav2vec2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Wav2Vec2ForCTC).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("wav2vec2"), layout)

    def forward(self, wave: Tensor, mask: Tensor) -> Tensor:
        b = wave.shape[0]
        num_frames = mask.shape[1]
        if 64 * b * num_frames + 15 * b <= 1:
            raise ValueError(f"64*b*num_frames + 15*b > 1 must hold; found b = {b}, num_frames = {num_frames}")
        channel = wave.unsqueeze(1)                                       # b 1 (320*n + 80)
        conv = self.conv(channel)                                         # b C (64*n + 15)
        conv_norm = self.conv_norm(conv)                                  # b C (64*n + 15)
        conv_active = F.gelu(conv_norm)                                   # b C (64*n + 15)
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
        embedding_norm = self.embedding_norm(located)                     # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        logits = self.logits(blocks)                                      # b n V
        return logits
