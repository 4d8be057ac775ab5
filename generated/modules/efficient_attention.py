"""Efficient attention.

Generated from blocks/attention/efficient_attention.yaml (sha256 e9f5e91a580ce563); edit the spec, not this file (content 7b66188ce5cf4073).
"""

from __future__ import annotations

from torch import Tensor, nn


class EfficientAttention(nn.Module):
    """Efficient attention (Shen et al., 2021).

    Two softmaxes in place of one: of the queries over their features and of the keys over the positions. Their product
    is already a matrix of weights whose rows sum to one, and is never formed: keys and values are multiplied first.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*d**2/h.
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

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        q_weights = q_heads.softmax(-1)                                   # b h n e
        k_weights = k_heads.softmax(2)                                    # b h n e
        global_context = k_weights.transpose(-2, -1) @ v_heads            # b h e e
        context = q_weights @ global_context                              # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
