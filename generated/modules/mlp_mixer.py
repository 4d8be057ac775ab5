"""MLP-Mixer.

Generated from models/mlp_mixer.yaml (sha256 7cfd002d4a992c62); edit the spec, not this file (content 8428065d15bc4110).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .mlp_mixer_block import MlpMixerBlock


class MlpMixer(nn.Module):
    """MLP-Mixer (Tolstikhin et al., 2021).

    An image cut into square patches; in each block one feed-forward network mixes the patches, the same for all
    channels, and another one the channels, the same for all patches.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, n = s**2/p**2 number of patches, d (embed_dim) model width, L (num_layers) number
        of layers, t (tokens_mlp_dim) inner width of the network that mixes patches, f (channels_mlp_dim) inner width of
        the network that mixes channels, K (num_classes) number of classes.
    Parameters: p**2*c*d + 2*d*L*f + 5*d*L + 2*s**2*L*t/p**2 + d*K + L*t + L*f + 3*d + s**2*L/p**2 + K.
    MACs: b*s**2*c*d + 2*b*s**2*d*L*t/p**2 + 2*b*s**2*d*L*f/p**2 + b*d*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "mixer-s32": {"patch_size": 32, "embed_dim": 512, "num_layers": 8},
        "mixer-s16": {"patch_size": 16, "embed_dim": 512, "num_layers": 8},
        "mixer-b32": {"patch_size": 32, "embed_dim": 768, "num_layers": 12},
        "mixer-b16": {"patch_size": 16, "embed_dim": 768, "num_layers": 12},
        "mixer-l32": {"patch_size": 32, "embed_dim": 1024, "num_layers": 24},
        "mixer-l16": {"patch_size": 16, "embed_dim": 1024, "num_layers": 24},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "d": "embed_dim", "L": "num_layers", "s": "image_size", "c": "in_channels", "t": "tokens_mlp_dim", "f": "channels_mlp_dim", "K": "num_classes"}

    def __init__(
        self,
        *,
        patch_size: int,
        embed_dim: int,
        num_layers: int,
        image_size: int = 224,
        in_channels: int = 3,
        tokens_mlp_dim: int | None = None,
        channels_mlp_dim: int | None = None,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if tokens_mlp_dim is None:
            if embed_dim % 2 != 0:
                raise ValueError(
                    "embed_dim % 2 == 0 must hold where tokens_mlp_dim is not given; "
                    f"found embed_dim = {embed_dim}"
                )
            tokens_mlp_dim = embed_dim // 2
        channels_mlp_dim = 4 * embed_dim if channels_mlp_dim is None else channels_mlp_dim
        if image_size % patch_size != 0:
            raise ValueError(
                "image_size % patch_size == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        self.blocks = nn.ModuleList(
            MlpMixerBlock(
                patch_size=patch_size,
                embed_dim=embed_dim,
                image_size=image_size,
                tokens_mlp_dim=tokens_mlp_dim,
                channels_mlp_dim=channels_mlp_dim,
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> MlpMixer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (MlpMixer).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("mlp_mixer"), layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b n d
        blocks = sequence
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        averaged = final_norm.mean(1)                                     # b d
        logits = self.logits(averaged)                                    # b K
        return logits
