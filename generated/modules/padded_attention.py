"""Attention over a padded batch.

Generated from blocks/batches/padded_attention.yaml (sha256 b636767bfa85820d); edit the spec, not this file (content d794f0a61923d183).
"""

from __future__ import annotations

from torch import Tensor, nn


class PaddedAttention(nn.Module):
    """Attention over a padded batch (Document 001).

    Sequences of two lengths in one batch: the short ones are filled up to the length of the long ones, and keys that
    only fill up are hidden. The work is that of a batch in which all are long.

    Sizes: p number of long sequences, q number of short sequences, n length of the long ones, m length of the short
        ones, d model width, h number of heads, b = p + q sequences in the batch, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*p*n*d**2 + 4*q*n*d**2 + 2*p*n**2*d + 2*q*n**2*d.
    """

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e = h, e
        self.queries = nn.Linear(d, d)
        self.keys = nn.Linear(d, d)
        self.values = nn.Linear(d, d)
        self.out = nn.Linear(d, d)

    def forward(self, x: Tensor, padding: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n d
        keys = self.keys(x)                                               # b n d
        values = self.values(x)                                           # b n d
        q_heads = queries.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        k_heads = keys.unflatten(-1, (self.h, self.e)).transpose(1, 2)    # b h n e
        v_heads = values.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.e**-0.5                                    # b h n n
        masked = scaled.masked_fill(padding[:, None, None, :], float("-inf"))  # b h n n
        weights = masked.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
