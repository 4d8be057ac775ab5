"""DeBERTa v3.

Generated from models/deberta_v3.yaml (sha256 55626357c90aa82a); edit the spec, not this file (content 0ba0de821a6c8f29).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .deberta_v3_block import DebertaV3Block


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class DebertaV3(nn.Module):
    """DeBERTa v3 (He et al., 2021, DeBERTaV3).

    An encoder whose scores are three: of contents with each other, of a content with the place of the other, and of the
    place with the content. Places are learned for each bucket of distances, the same in all layers, and go through the
    projections of queries and keys.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, B
        (num_buckets) buckets of distances, in each direction, P (max_length) greatest sequence length, e = d/h head
        width.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + 2*d*B + d*V + L*f + 4*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*B + 2*b*n**2*d*L + 2*b*n*d*L*f + 4*d**2*L*B.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deberta-v3-xsmall": {"embed_dim": 384, "num_layers": 12, "num_heads": 6, "vocab_size": 128100},
        "deberta-v3-small": {"embed_dim": 768, "num_layers": 6, "num_heads": 12, "vocab_size": 128100},
        "deberta-v3-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 128100},
        "deberta-v3-large": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 128100},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "f": "mlp_dim", "B": "num_buckets", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        mlp_dim: int | None = None,
        num_buckets: int = 256,
        max_length: int = 512,
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
        if num_buckets % 2 != 0:
            raise ValueError(f"num_buckets % 2 == 0 must hold; found num_buckets = {num_buckets}")
        if num_buckets < 4:
            raise ValueError(f"num_buckets >= 4 must hold; found num_buckets = {num_buckets}")
        if num_buckets + 2 >= 2 * max_length:
            raise ValueError(
                "num_buckets/2 + 1 < max_length must hold; "
                f"found num_buckets = {num_buckets}, max_length = {max_length}"
            )
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.place_embedding = nn.Parameter(torch.randn(2 * num_buckets, embed_dim, **factory) * 0.02)
        self.place_norm = nn.LayerNorm(embed_dim, eps=1e-07, **factory)
        self.register_buffer(
            "buckets",
            tabulated(
                (max_length, max_length),
                lambda i, j: num_buckets + torch.where(
                    (i - j).abs() <= num_buckets // 2,
                    i - j,
                    torch.where(i > j, 1, -1) * (num_buckets // 2 + (((i - j).abs().clamp(min=1) / (num_buckets // 2)).log() / math.log((max_length - 1) / (num_buckets // 2)) * (num_buckets // 2 - 1)).ceil()),
                ),
                device=device,
                dtype=torch.int64,
            ),
            persistent=False,
        )
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, eps=1e-07, **factory)
        self.blocks = nn.ModuleList(
            DebertaV3Block(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> DebertaV3:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (DebertaV2Model).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("deberta_v3"), layout)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        place_norm = self.place_norm(self.place_embedding)                # (2*B) d
        query_rows = self.buckets.narrow(0, 0, n)                         # n P
        near = query_rows.narrow(1, 0, n)                                 # n n
        token_embedding = self.token_embedding(tokens)                    # b n d
        embedding_norm = self.embedding_norm(token_embedding)             # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks, place_norm, near)                      # b n d
        return blocks
