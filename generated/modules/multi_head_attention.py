"""Multi-head self-attention.

Generated from blocks/attention/multi_head_attention.yaml (sha256 db13a6c13c67495d); edit the spec, not this file (content ecd86da47485959b).
"""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention (Vaswani et al., 2017).

    Each position asks all positions (softmax of scaled dot products), in h heads of width e side by side.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "document-001": {"d": 512, "h": 8},
    }

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

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> MultiHeadAttention:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.e**-0.5                                    # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
