"""Reformer.

Generated from models/reformer.yaml (sha256 f4ebdc7c510b5c35); edit the spec, not this file (content 9a35fc435d8c389d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .reformer_pair import ReformerPair


class Reformer(nn.Module):
    """Reformer (Kitaev et al., 2020).

    Pairs of reversible layers, local and hashed in turn, over tokens and axial positions: a position is its row and its
    column in a grid, each with a learned vector. The encoder without a head.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L number of layers, local and hashed ones in
        turn, h (num_heads) number of heads, e (head_dim) head width, f (mlp_dim) inner width of the feed-forward
        network, m chunk length, r rounds of hashing, k buckets of a round, V (vocab_size) vocabulary size, u rows of
        the grid of positions, w columns of the grid of positions, p width of a row's vector, q = d - p width of a
        column's vector.
    Parameters: 7*d*L*h*e/2 + 2*d*L*f + 5*d*L + d*V + d*w + L*f + u*p - w*p + 4*d.
    MACs: 2*b*n*L*h*e*m*r + b*n*L*h*e*r*k/4 + 7*b*n*d*L*h*e/2 + 2*b*n*L*h*e*m + 2*b*n*d*L*f.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "transformers-default": {"embed_dim": 256, "L": 6, "num_heads": 12, "m": 64, "vocab_size": 320, "u": 64, "w": 64, "p": 64, "head_dim": 64, "mlp_dim": 512},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "h": "num_heads", "V": "vocab_size", "e": "head_dim", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        L: int,
        num_heads: int,
        m: int,
        r: int,
        k: int,
        vocab_size: int,
        u: int,
        w: int,
        p: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if L % 2 != 0:
            raise ValueError(f"L % 2 == 0 must hold; found L = {L}")
        if k % 2 != 0:
            raise ValueError(f"k % 2 == 0 must hold; found k = {k}")
        if embed_dim <= p:
            raise ValueError(f"embed_dim > p must hold; found embed_dim = {embed_dim}, p = {p}")
        q = embed_dim - p
        self.m, self.u, self.w = m, u, w
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.row_embedding = nn.Parameter(torch.randn(u, 1, p, **factory) * 0.02)
        self.column_embedding = nn.Parameter(torch.randn(1, w, q, **factory) * 0.02)
        self.pairs = nn.ModuleList(
            ReformerPair(
                embed_dim=embed_dim,
                num_heads=num_heads,
                m=m,
                r=r,
                k=k,
                head_dim=head_dim,
                mlp_dim=mlp_dim,
                **factory,
            )
            for _ in range(L // 2)
        )
        recompute_layers(self.pairs, recompute)
        self.final_norm = nn.LayerNorm(2 * embed_dim, eps=1e-12, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Reformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (ReformerModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("reformer"), layout)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        if n % self.m != 0:
            raise ValueError(f"n % m == 0 must hold; found n = {n}, m = {self.m}")
        if n < 2 * self.m:
            raise ValueError(f"n >= 2*m must hold; found n = {n}, m = {self.m}")
        if n > self.u * self.w:
            raise ValueError(f"n <= u*w must hold; found n = {n}, u = {self.u}, w = {self.w}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        expanded_rows = self.row_embedding.expand(-1, self.w, -1)         # u w p
        expanded_columns = self.column_embedding.expand(self.u, -1, -1)   # u w q
        grid = torch.cat((expanded_rows, expanded_columns), -1)           # u w d
        position_table = grid.flatten(0, 1)                               # (u*w) d
        position_embedding = position_table.narrow(0, 0, n)               # n d
        embeddings = token_embedding + position_embedding                 # b n d
        pairs_hashed_y1, pairs_hashed_y2 = embeddings, embeddings
        for layer in self.pairs:
            pairs_hashed_y1, pairs_hashed_y2 = layer(pairs_hashed_y1, pairs_hashed_y2)  # b n d; b n d
        concatenated = torch.cat((pairs_hashed_y1, pairs_hashed_y2), -1)  # b n (2*d)
        final_norm = self.final_norm(concatenated)                        # b n (2*d)
        return final_norm
