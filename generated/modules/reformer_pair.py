"""Pair of Reformer layers.

Generated from blocks/layers/reformer_pair.yaml (sha256 25b44e98bd9a9e91); edit the spec, not this file (content 8f8af57dc18cf884).
"""

from __future__ import annotations

from torch import Tensor, nn

from .chunked_attention import ChunkedAttention
from .mlp import Mlp
from .reformer_attention import ReformerAttention
from .reversible_block import ReversibleBlock


class ReformerPair(nn.Module):
    """Pair of Reformer layers (Kitaev et al., 2020).

    Two reversible blocks without biases in their attention: the first attends to chunks near by, the second to what is
    hashed alike.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e head width, f inner width of the
        feed-forward network, m chunk length, r rounds of hashing, k buckets of a round.
    Parameters: 7*d*h*e + 4*d*f + 10*d + 2*f.
    MACs: 4*b*n*h*e*m*r + b*n*h*e*r*k/2 + 7*b*n*d*h*e + 4*b*n*h*e*m + 4*b*n*d*f.
    """

    def __init__(
        self,
        d: int,
        h: int,
        m: int,
        r: int,
        k: int,
        e: int | None = None,
        f: int | None = None,
        *,
        eps: float = 1e-12,
    ) -> None:
        super().__init__()
        e = d // h if e is None else e
        f = 4 * d if f is None else f
        if k % 2 != 0:
            raise ValueError(f"k % 2 == 0 must hold; found k = {k}")
        self.m = m
        self.local = ReversibleBlock(
            d,
            h,
            f,
            eps=eps,
            attention=ChunkedAttention(d, h, m, e, bias=False),
            ffn=Mlp(d, f, activation="relu"),
        )
        self.hashed = ReversibleBlock(
            d,
            h,
            f,
            eps=eps,
            attention=ReformerAttention(d, h, r, k, m, e, bias=False),
            ffn=Mlp(d, f, activation="relu"),
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
