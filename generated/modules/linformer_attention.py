"""Linformer attention.

Generated from blocks/attention/linformer_attention.yaml (sha256 b762b6ce443b8603); edit the spec, not this file (content 74d76862a016dfe4).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names


class LinformerAttention(nn.Module):
    """Linformer attention (Wang et al., 2020).

    Keys and values are projected from n positions to k by two learned matrices, shared by all heads, before the usual
    attention: n times k scores in place of n times n.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, k projected
        length, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 2*n*k + 4*d.
    MACs: 4*b*n*d**2 + 4*b*n*d*k.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        n: int,
        embed_dim: int,
        num_heads: int,
        k: int,
        bias: bool = True,
        out_bias: bool = True,
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
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.keys = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.values = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.key_projection = nn.Parameter(torch.randn(n, k, **factory) * 0.02)
        self.value_projection = nn.Parameter(torch.randn(n, k, **factory) * 0.02)
        self.out = nn.Linear(embed_dim, embed_dim, bias=out_bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "linformer") -> None:
        """Load the state dict of a public implementation: linformer (LinformerSelfAttention).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("linformer_attention"), layout)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        keys = self.keys(x)                                               # b n d
        values = self.values(x)                                           # b n d
        projected_keys = torch.einsum("bjd,jk->bkd", keys, self.key_projection)  # b k d
        projected_values = torch.einsum("bjd,jk->bkd", values, self.value_projection)  # b k d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = projected_keys.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h k e
        v_heads = projected_values.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h k e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n k
        scaled = scores * self.head_dim**-0.5                             # b h n k
        weights = scaled.softmax(-1)                                      # b h n k
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
