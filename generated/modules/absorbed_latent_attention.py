"""Multi-head latent attention, absorbed.

Generated from blocks/attention/absorbed_latent_attention.yaml (sha256 e4cafa5d780686b3); edit the spec, not this file (content c292b3780f803a02).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._state import advance, extend


def rotations(length: int, width: int, base: float) -> Tensor:
    """Cosines and sines of p / base**(2*i/width) for positions p and pairs i (Su et al., 2021): [2, length, width/2]."""
    angles = torch.arange(length)[:, None] / base ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos(), angles.sin()))


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of neighbouring features of x [..., n, e] by the angles of cos and sin [n, e/2] (Su et al., 2021)."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


class AbsorbedLatentAttention(nn.Module):
    """Multi-head latent attention, absorbed (DeepSeek-AI, 2024).

    Latent attention as it is decoded: the matrix that would make keys of latent vectors is multiplied into the queries,
    and the one that would make values into what the heads have read. Keys and values of the tokens so far are never
    written out. The results are those of latent_attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e width of keys without positions in each head, r width of rotated keys, v width of
        values in each head, c width of the latent vector of keys and values, l width of the latent vector of queries, P
        (max_length) greatest number of tokens.
    Parameters: d*h*v + h*e*c + h*e*l + h*r*l + h*v*c + d*r + d*c + d*l + c + l.
    MACs: 2*b*n*m*h*c + b*n*m*h*r + b*n*d*h*v + b*n*h*e*c + b*n*h*e*l + b*n*h*r*l + b*n*h*v*c + b*n*d*r + b*n*d*c +
        b*n*d*l.
    KV cache and state: b*m*r + b*m*c.
    """

    KEEPS_STATE = True

    ATTENDS = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deepseek-v2-absorbed": {"embed_dim": 5120, "num_heads": 128, "e": 128, "r": 64, "c": 512, "l": 1536, "max_length": 163840},
        "deepseek-v3-absorbed": {"embed_dim": 7168, "num_heads": 128, "e": 128, "r": 64, "c": 512, "l": 1536, "max_length": 163840},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "h": "num_heads", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        e: int,
        r: int,
        c: int,
        l: int,
        max_length: int,
        v: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        v = e if v is None else v
        if r % 2 != 0:
            raise ValueError(f"r % 2 == 0 must hold; found r = {r}")
        self.num_heads, self.e, self.r, self.v, self.c = num_heads, e, r, v, c
        factory = {"device": device, "dtype": dtype}
        self.q_down = nn.Linear(embed_dim, l, bias=False, **factory)
        self.q_norm = nn.RMSNorm(l, eps=1e-06, **factory)
        self.q_up = nn.Linear(l, num_heads * e + num_heads * r, bias=False, **factory)
        self.kv_down = nn.Linear(embed_dim, r + c, bias=False, **factory)
        self.kv_norm = nn.RMSNorm(c, eps=1e-06, **factory)
        self.register_buffer("angles", rotations(max_length, r, 10000).to(**factory), persistent=False)
        self.kv_up = nn.Parameter(torch.empty(num_heads, e + v, c, **factory))
        nn.init.uniform_(self.kv_up, -c**-0.5, c**-0.5)
        self.out = nn.Linear(num_heads * v, embed_dim, bias=False, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> AbsorbedLatentAttention:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q_down = self.q_down(x)                                           # b n l
        q_norm = self.q_norm(q_down)                                      # b n l
        q_up = self.q_up(q_norm)                                          # b n (h*e + h*r)
        q_heads = q_up.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # b h n (e + r)
        q_nope, q_rope = q_heads.split((self.e, self.r), -1)              # b h n e; b h n r
        kv_down = self.kv_down(x)                                         # b n (r + c)
        kv_latent, kv_rope = kv_down.split((self.c, self.r), -1)          # b n c; b n r
        kv_norm = self.kv_norm(kv_latent)                                 # b n c
        angles_start = advance(state, "angles", kv_rope.shape[1], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + kv_rope.shape[1]]  # n (r/2); n (r/2)
        q_rotated = rotated(q_rope, angles_cos, angles_sin)               # b h n r
        k_rotated = rotated(kv_rope, angles_cos, angles_sin)              # b n r
        latents = extend(state, "latents", kv_norm, 1)                    # b m c
        k_rope = extend(state, "k_rope", k_rotated, 1)                    # b m r
        up_keys, up_values = self.kv_up.split((self.e, self.v), 1)        # h e c; h v c
        latent_queries = torch.einsum("bhie,hec->bhic", q_nope, up_keys)  # b h n c
        content_scores = torch.einsum("bhic,bjc->bhij", latent_queries, latents)  # b h n m
        rotary_scores = torch.einsum("bhir,bjr->bhij", q_rotated, k_rope)  # b h n m
        scores = content_scores + rotary_scores                           # b h n m
        scaled = scores * (self.e + self.r)**-0.5                         # b h n m
        masked_past = scaled.shape[-1] - scaled.shape[-2]
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(masked_past + 1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n m
        weights = masked.softmax(-1)                                      # b h n m
        latent_context = torch.einsum("bhij,bjc->bhic", weights, latents)  # b h n c
        context = torch.einsum("bhic,hvc->bhiv", latent_context, up_values)  # b h n v
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*v)
        out = self.out(merged_heads)                                      # b n d
        return out
