"""Linformer attention.

Generated from blocks/attention/linformer_attention.yaml (sha256 b10a302c366869be); edit the spec, not this file (content cd58f4310f9a4cd0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference


class LinformerAttention(nn.Module):
    """Linformer attention (Wang et al., 2020).

    Keys and values are projected from n positions to k by two learned matrices, shared by all heads, before the usual
    attention: n times k scores in place of n times n.

    Sizes: b batch size, n sequence length, d model width, h number of heads, k projected length, e = d/h head width.
    Parameters: 4*d**2 + 2*n*k + 4*d.
    MACs: 4*b*n*d**2 + 4*b*n*d*k.
    """

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "linformer": {  # LinformerSelfAttention
            "rules": [
                {"to": "q", "from": "to_q"},
                {"to": "keys", "from": "to_k"},
                {"to": "values", "from": "to_v"},
                {"to": "key_projection", "from": "proj_k"},
                {"to": "value_projection", "from": "proj_v"},
                {"to": "out", "from": "to_out"},
            ],
            "ignore": [],
        },
    }

    def __init__(self, n: int, d: int, h: int, k: int, *, bias: bool = True, out_bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e = h, e
        self.q = nn.Linear(d, d, bias=bias)
        self.keys = nn.Linear(d, d, bias=bias)
        self.values = nn.Linear(d, d, bias=bias)
        self.key_projection = nn.Parameter(torch.randn(n, k) * 0.02)
        self.value_projection = nn.Parameter(torch.randn(n, k) * 0.02)
        self.out = nn.Linear(d, d, bias=out_bias)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "linformer") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        keys = self.keys(x)                                               # b n d
        values = self.values(x)                                           # b n d
        key_projection = self.key_projection                              # n k
        value_projection = self.value_projection                          # n k
        projected_keys = torch.einsum("bjd,jk->bkd", keys, key_projection)  # b k d
        projected_values = torch.einsum("bjd,jk->bkd", values, value_projection)  # b k d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = projected_keys.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h k e
        v_heads = projected_values.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h k e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n k
        scaled = scores * self.e**-0.5                                    # b h n k
        weights = scaled.softmax(-1)                                      # b h n k
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
