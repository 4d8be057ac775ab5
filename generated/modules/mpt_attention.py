"""MPT: attention.

Generated from models/mpt.yaml (sha256 094f98e52372ad68); edit the spec, not this file (content 2438062ba5b521df).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from ._state import advance, extend


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class MptAttention(nn.Module):
    """MPT: attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e (head_dim) = d/h head width, P (max_length) greatest number of tokens.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*m*d.
    KV cache and state: 2*b*m*d.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        max_length: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=bias, **factory)
        self.register_buffer(
            "slopes",
            tabulated(
                (num_heads, 1, max_length),
                lambda i, _key, j: j * torch.where(
                    i < 2.0 ** math.floor(math.log2(num_heads)),
                    2 ** (-8 * (i + 1) / 2.0 ** math.floor(math.log2(num_heads))),
                    2 ** (-4 * (2 * (i - 2.0 ** math.floor(math.log2(num_heads))) + 1) / 2.0 ** math.floor(math.log2(num_heads))),
                ),
                **factory,
            ),
            persistent=False,
        )
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        n = x.shape[1]
        m = advance(state, "m", n) + n
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        keys = extend(state, "keys", k_heads, 2)                          # b h m e
        values = extend(state, "values", v_heads, 2)                      # b h m e
        scores = q_heads @ keys.transpose(-2, -1)                         # b h n m
        scaled = scores * self.head_dim**-0.5                             # b h n m
        distances = self.slopes.narrow(2, 0, m)                           # h 1 m
        biased = scaled + distances                                       # b h n m
        masked_past = biased.shape[-1] - biased.shape[-2]
        masked_future = torch.ones(biased.shape[-2:], dtype=torch.bool, device=biased.device).triu(masked_past + 1)
        masked = biased.masked_fill(masked_future, float("-inf"))         # b h n m
        weights = masked.softmax(-1)                                      # b h n m
        context = weights @ values                                        # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
