"""Pair of Reformer layers.

Generated from blocks/layers/reformer_pair.yaml (sha256 f65b399ce615d675); edit the spec, not this file (content d19b9bb51edf20f4).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .chunked_attention import ChunkedAttention
from .mlp import Mlp
from .reformer_attention import ReformerAttention
from .reversible_block import ReversibleBlock


class ReformerPair(nn.Module):
    """Pair of Reformer layers (Kitaev et al., 2020).

    Two reversible blocks without biases in their attention: the first attends to chunks near by, the second to what is
    hashed alike.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) head
        width, f (mlp_dim) inner width of the feed-forward network, m chunk length, r rounds of hashing, k buckets of a
        round.
    Parameters: 7*d*h*e + 4*d*f + 10*d + 2*f.
    MACs: 4*b*n*h*e*m*r + b*n*h*e*r*k/2 + 7*b*n*d*h*e + 4*b*n*h*e*m + 4*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        m: int,
        r: int,
        k: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        eps: float = 1e-12,
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
        if k % 2 != 0:
            raise ValueError(f"k % 2 == 0 must hold; found k = {k}")
        self.m = m
        factory = {"device": device, "dtype": dtype}
        self.local = ReversibleBlock(
            embed_dim=embed_dim,
            num_heads=num_heads,
            mlp_dim=mlp_dim,
            eps=eps,
            attention=ChunkedAttention(
                embed_dim=embed_dim,
                num_heads=num_heads,
                m=m,
                head_dim=head_dim,
                bias=False,
                **factory,
            ),
            ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", **factory),
            **factory,
        )
        self.hashed = ReversibleBlock(
            embed_dim=embed_dim,
            num_heads=num_heads,
            mlp_dim=mlp_dim,
            eps=eps,
            attention=ReformerAttention(
                embed_dim=embed_dim,
                num_heads=num_heads,
                r=r,
                k=k,
                m=m,
                head_dim=head_dim,
                bias=False,
                **factory,
            ),
            ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", **factory),
            **factory,
        )

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        n = x1.shape[1]
        if n % self.m != 0:
            raise ValueError(f"n % m == 0 must hold; found n = {n}, m = {self.m}")
        if n < 2 * self.m:
            raise ValueError(f"n >= 2*m must hold; found n = {n}, m = {self.m}")
        local_y1, local_y2 = self.local(x1, x2)                           # b n d; b n d
        hashed_y1, hashed_y2 = self.hashed(local_y1, local_y2)            # b n d; b n d
        return hashed_y1, hashed_y2
