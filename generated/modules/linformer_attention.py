"""Linformer attention.

Generated from blocks/attention/linformer_attention.yaml (sha256 f076bcab7a618bb9); edit the spec, not this file (content d581a5bacc9dd797).
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
                {"to": "key", "from": "to_k"},
                {"to": "value", "from": "to_v"},
                {"to": "key_map", "from": "proj_k"},
                {"to": "value_map", "from": "proj_v"},
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
        self.key = nn.Linear(d, d, bias=bias)
        self.value = nn.Linear(d, d, bias=bias)
        self.key_map = nn.Parameter(torch.randn(n, k) * 0.02)
        self.value_map = nn.Parameter(torch.randn(n, k) * 0.02)
        self.out = nn.Linear(d, d, bias=out_bias)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "linformer") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        key = self.key(x)                                                 # b n d
        value = self.value(x)                                             # b n d
        key_map = self.key_map                                            # n k
        value_map = self.value_map                                        # n k
        keys = torch.einsum("bjd,jk->bkd", key, key_map)                  # b k d
        values = torch.einsum("bjd,jk->bkd", value, value_map)            # b k d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = keys.unflatten(-1, (self.h, self.e)).transpose(1, 2)    # b h k e
        v_heads = values.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h k e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n k
        scaled = scores * self.e**-0.5                                    # b h n k
        weights = scaled.softmax(-1)                                      # b h n k
        mixed = weights @ v_heads                                         # b h n e
        merged = mixed.transpose(1, 2).flatten(2, 3)                      # b n d
        out = self.out(merged)                                            # b n d
        return out
