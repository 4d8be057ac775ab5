"""Single-head attention.

Generated from blocks/attention/single_head_attention.yaml (sha256 f7eb8efe33934b36); edit the spec, not this file (content 85c153f6400a758c).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn


class SingleHeadAttention(nn.Module):
    """Single-head attention (Vaswani et al., 2017).

    Queries and keys of width e, values of width v: each position takes a weighted mean of all values.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, e width of queries and keys, v width of values.
    Parameters: 2*d*e + d*v + 2*e + v.
    MACs: 2*b*n*d*e + b*n**2*e + b*n**2*v + b*n*d*v.
    """

    ATTENDS = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "five-words": {"embed_dim": 64, "e": 64, "v": 64},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        e: int,
        v: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.e = e
        factory = {"device": device, "dtype": dtype}
        self.queries = nn.Linear(embed_dim, e, bias=bias, **factory)
        self.keys = nn.Linear(embed_dim, e, bias=bias, **factory)
        self.values = nn.Linear(embed_dim, v, bias=bias, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> SingleHeadAttention:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, x: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n e
        keys = self.keys(x)                                               # b n e
        values = self.values(x)                                           # b n v
        scores = queries @ keys.transpose(-2, -1)                         # b n n
        scaled = scores * self.e**-0.5                                    # b n n
        weights = scaled.softmax(-1)                                      # b n n
        context = weights @ values                                        # b n v
        return context
