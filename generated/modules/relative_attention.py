"""Multi-head self-attention with relative positions.

Generated from blocks/attention/relative_attention.yaml (sha256 46dc4cc995369ba8); edit the spec, not this file (content 58f74d6c5356a58b).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def distance_sinusoids(reach: int, width: int) -> Tensor:
    """Sines of r / 10000**(2*i/width) in columns 2*i, cosines in 2*i + 1, for the distances r = -reach ... reach (Wei et al., 2019)."""
    angles = torch.arange(-reach, reach + 1)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :width].contiguous()


class RelativeAttention(nn.Module):
    """Multi-head self-attention with relative positions (Wei et al., 2019).

    Fixed sinusoids of the distance between query and key are added to each key and to each value (functional relative
    positions).

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, K the greatest
        distance told apart, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n**2*d + 4*b*n*d**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        K: int = 64,
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
        self.num_heads, self.K, self.head_dim = num_heads, K, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.register_buffer("relative_embedding", distance_sinusoids(K, head_dim).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        relative_embedding_places = torch.arange(q_heads.shape[2], device=q_heads.device)
        relative_embedding_apart = (relative_embedding_places - relative_embedding_places[:, None]).clamp(-self.K, self.K) + self.K
        relative_embedding = self.relative_embedding[relative_embedding_apart]  # n n e
        content_scores = q_heads @ k_heads.transpose(-2, -1)              # b h n n
        position_scores = torch.einsum("bhie,ije->bhij", q_heads, relative_embedding)  # b h n n
        scores = content_scores + position_scores                         # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        content_context = weights @ v_heads                               # b h n e
        position_context = torch.einsum("bhij,ije->bhie", weights, relative_embedding)  # b h n e
        context = content_context + position_context                      # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
