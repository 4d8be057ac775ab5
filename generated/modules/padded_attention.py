"""Attention over a padded batch.

Generated from blocks/batches/padded_attention.yaml (sha256 b51bb6fedee484d4); edit the spec, not this file (content 29d1d9fda3e952f8).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PaddedAttention(nn.Module):
    """Attention over a padded batch (Document 001).

    Sequences of two lengths in one batch: the short ones are filled up to the length of the long ones, and keys that
    only fill up are hidden. The work is that of a batch in which all are long.

    Sizes: p number of long sequences, q number of short sequences, n length of the long ones, m length of the short
        ones, d (embed_dim) model width, h (num_heads) number of heads, b = p + q sequences in the batch, e (head_dim) =
        d/h head width.
    Not checked, as the inputs do not show all of these sizes: n > m.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*p*n*d**2 + 4*q*n*d**2 + 2*p*n**2*d + 2*q*n**2*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
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
        self.queries = nn.Linear(embed_dim, embed_dim, **factory)
        self.keys = nn.Linear(embed_dim, embed_dim, **factory)
        self.values = nn.Linear(embed_dim, embed_dim, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n d
        keys = self.keys(x)                                               # b n d
        values = self.values(x)                                           # b n d
        q_heads = queries.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = keys.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = values.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        masked = scaled.masked_fill(padding[:, None, None, :], float("-inf"))  # b h n n
        weights = masked.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
