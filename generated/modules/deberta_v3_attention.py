"""DeBERTa v3: attention.

Generated from models/deberta_v3.yaml (sha256 5d136e0ca81c7033); edit the spec, not this file (content 97a6aecf2ad2daea).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class DebertaV3Attention(nn.Module):
    """DeBERTa v3: attention.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, B (num_buckets)
        buckets of distances, in each direction, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 4*b*n*d*B + 2*b*n**2*d + 4*d**2*B.
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
        e = embed_dim // num_heads
        self.num_heads, self.e = num_heads, e
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor, places: Tensor, near: Tensor) -> Tensor:
        b = x.shape[0]
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        place_q = self.q(places)                                          # (2*B) d
        place_k = self.k(places)                                          # (2*B) d
        q_heads = q.unflatten(-1, (self.num_heads, self.e)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.e)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.e)).transpose(1, 2)  # b h n e
        place_q_heads = place_q.unflatten(-1, (self.num_heads, self.e)).transpose(0, 1)  # h (2*B) e
        place_k_heads = place_k.unflatten(-1, (self.num_heads, self.e)).transpose(0, 1)  # h (2*B) e
        contents = q_heads @ k_heads.transpose(-2, -1)                    # b h n n
        to_places = torch.einsum("bhie,hre->bhir", q_heads, place_k_heads)  # b h n (2*B)
        near_keys = near.expand(b, self.num_heads, -1, -1)                # b h n n
        to_place = to_places.gather(-1, near_keys)                        # b h n n
        from_places = torch.einsum("bhje,hre->bhjr", k_heads, place_q_heads)  # b h n (2*B)
        turned = near.transpose(0, 1)                                     # n n
        near_queries = turned.expand(b, self.num_heads, -1, -1)           # b h n n
        from_place = from_places.gather(-1, near_queries)                 # b h n n
        from_place_by_query = from_place.transpose(2, 3)                  # b h n n
        scores = contents + to_place + from_place_by_query                # b h n n
        scaled = scores * (3**0.5 / (3 * self.e**0.5))                    # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
