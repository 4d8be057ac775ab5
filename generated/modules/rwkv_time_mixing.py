"""RWKV's mixing of tokens.

Generated from blocks/recurrent/rwkv_time_mixing.yaml (sha256 17116a143a0f3c26); edit the spec, not this file (content 79e6e81debc47e1e).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import keep, preceded, recall
from .rwkv_cell import RwkvCell
from .rwkv_mix import RwkvMix


class RwkvTimeMixing(nn.Module):
    """RWKV's mixing of tokens (Peng et al., 2023).

    Each token is mixed with the one before it, in other parts for keys, values and receptances; what is said is a mean
    of all earlier values whose weights fall with the distance, times the receptance. Between decoding steps the last
    token and three numbers of each channel are kept. Counted as the recurrence runs, step after step: it has no matrix
    products.

    Sizes: b batch size, n new tokens, d (embed_dim) model width.
    Parameters: 4*d**2 + 5*d.
    MACs: 4*b*n*d**2.
    KV cache and state: 4*b*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        factory = {"device": device, "dtype": dtype}
        self.mix_k = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.mix_v = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.mix_r = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.k_in = RwkvMix()
        self.v_in = RwkvMix()
        self.r_in = RwkvMix()
        self.k = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.r = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.decay_log = nn.Parameter(torch.randn(embed_dim, **factory) * 0.02)
        self.bonus = nn.Parameter(torch.randn(embed_dim, **factory) * 0.02)
        self.said = RwkvCell()
        self.out = nn.Linear(embed_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b, n, _ = x.shape
        before_seen = preceded(state, "before", x, 1, 1)
        before = before_seen.narrow(1, 0, x.shape[1])                     # b n d
        k_in = self.k_in(x, before, self.mix_k)                           # b n d
        v_in = self.v_in(x, before, self.mix_v)                           # b n d
        r_in = self.r_in(x, before, self.mix_r)                           # b n d
        k = self.k(k_in)                                                  # b n d
        v = self.v(v_in)                                                  # b n d
        r = self.r(r_in)                                                  # b n d
        receptance = r.sigmoid()                                          # b n d
        decay = self.decay_log.exp()                                      # d
        decay_each = decay.expand(b, n, -1)                               # b n d
        now = k + self.bonus                                              # b n d
        said_total = recall(state, "said.total", k.new_zeros(b, self.embed_dim))  # b d
        said_weight = recall(state, "said.weight", k.new_zeros(b, self.embed_dim))  # b d
        said_greatest = recall(state, "said.greatest", k.new_zeros(b, self.embed_dim))  # b d
        said_collected = []
        for said_k, said_v, said_now, said_decay in zip(k.unbind(1), v.unbind(1), now.unbind(1), decay_each.unbind(1), strict=True):
            said_step, said_total, said_weight, said_greatest = self.said(
                said_k,
                said_v,
                said_now,
                said_decay,
                said_total,
                said_weight,
                said_greatest,
            )
            said_collected.append(said_step)
        keep(state, "said.total", said_total)
        keep(state, "said.weight", said_weight)
        keep(state, "said.greatest", said_greatest)
        said_steps = torch.stack(said_collected, 1)                       # b n d
        gated = receptance * said_steps                                   # b n d
        out = self.out(gated)                                             # b n d
        return out
