"""Multi-head cross-attention.

Generated from blocks/attention/cross_attention.yaml (sha256 37e401721f490610); edit the spec, not this file (content 9eb5a37c3773327c).
"""

from __future__ import annotations

from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Multi-head cross-attention (Vaswani et al., 2017).

    Each of n positions asks the m positions of another sequence.

    Sizes: b batch size, n sequence length, m length of the other sequence, d model width, h number of heads, e = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 2*b*n*m*d + 2*b*n*d**2 + 2*b*m*d**2.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e = h, e
        self.q = nn.Linear(d, d, bias=bias)
        self.k = nn.Linear(d, d, bias=bias)
        self.v = nn.Linear(d, d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(memory)                                                # b m d
        v = self.v(memory)                                                # b m d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h m e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h m e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n m
        scaled = scores * self.e**-0.5                                    # b h n m
        weights = scaled.softmax(-1)                                      # b h n m
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
