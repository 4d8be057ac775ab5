"""mLSTM mixer.

Generated from blocks/recurrent/mlstm_mixer.yaml (sha256 7052847059fb9bff); edit the spec, not this file (content 0606e25edb1728ab).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import keep, recall
from .mlstm_cell import MlstmCell


class MlstmMixer(nn.Module):
    """mLSTM mixer (Beck et al., 2024).

    Heads with a matrix for memory, behind capped gates of which each token sets one to write and one to forget; what is
    said is normed for each head and gated. Counted as the recurrence runs, step after step.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, h (num_heads) number of heads, e (key_dim) width of a
        key, p (value_dim) width of a value.
    Parameters: 3*d*h*p + 2*d*h*e + 2*d*h + h*p + 2*h.
    MACs: 3*b*n*d*h*p + 2*b*n*d*h*e + b*n*h*e*p + 2*b*n*d*h + b*n*h*e.
    KV cache and state: b*h*e*p + b*h*e + b*h.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if key_dim is None:
            if embed_dim % (2 * num_heads) != 0:
                raise ValueError(
                    "embed_dim % (2*num_heads) == 0 must hold where key_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            key_dim = embed_dim // (2 * num_heads)
        if value_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where value_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            value_dim = embed_dim // num_heads
        self.num_heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim
        factory = {"device": device, "dtype": dtype}
        self.q_all = nn.Linear(embed_dim, num_heads * key_dim, bias=False, **factory)
        self.k_all = nn.Linear(embed_dim, num_heads * key_dim, bias=False, **factory)
        self.v_all = nn.Linear(embed_dim, num_heads * value_dim, bias=False, **factory)
        self.gain_raw = nn.Linear(embed_dim, num_heads, **factory)
        self.forget_raw = nn.Linear(embed_dim, num_heads, **factory)
        self.said = MlstmCell()
        self.normed = nn.LayerNorm(value_dim, eps=1e-06, elementwise_affine=False, **factory)
        self.norm_scale = nn.Parameter(torch.randn(num_heads * value_dim, **factory) * 0.02)
        self.gate_raw = nn.Linear(embed_dim, num_heads * value_dim, bias=False, **factory)
        self.y = nn.Linear(num_heads * value_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        q_all = self.q_all(x)                                             # b n (h*e)
        q_heads = q_all.unflatten(-1, (self.num_heads, self.key_dim))     # b n h e
        q = q_heads * self.key_dim**-0.5                                  # b n h e
        k_all = self.k_all(x)                                             # b n (h*e)
        k = k_all.unflatten(-1, (self.num_heads, self.key_dim))           # b n h e
        v_all = self.v_all(x)                                             # b n (h*p)
        v = v_all.unflatten(-1, (self.num_heads, self.value_dim))         # b n h p
        gain_raw = self.gain_raw(x)                                       # b n h
        gain = (gain_raw / 15).tanh() * 15                                # b n h
        forget_raw = self.forget_raw(x)                                   # b n h
        forget = (forget_raw / 15).tanh() * 15                            # b n h
        decay = F.logsigmoid(forget)                                      # b n h
        said_memory = recall(state, "said.memory", q.new_zeros(b, self.num_heads, self.key_dim, self.value_dim))  # b h e p
        said_total = recall(state, "said.total", q.new_zeros(b, self.num_heads, self.key_dim))  # b h e
        said_greatest = recall(state, "said.greatest", q.new_zeros(b, self.num_heads))  # b h
        said_collected = []
        for said_q, said_k, said_v, said_gain, said_decay in zip(q.unbind(1), k.unbind(1), v.unbind(1), gain.unbind(1), decay.unbind(1), strict=True):
            said_step, said_memory, said_total, said_greatest = self.said(
                said_q,
                said_k,
                said_v,
                said_gain,
                said_decay,
                said_memory,
                said_total,
                said_greatest,
            )
            said_collected.append(said_step)
        keep(state, "said.memory", said_memory)
        keep(state, "said.total", said_total)
        keep(state, "said.greatest", said_greatest)
        said_steps = torch.stack(said_collected, 1)                       # b n h p
        normed = self.normed(said_steps)                                  # b n h p
        merged = normed.flatten(2, 3)                                     # b n (h*p)
        scaled = merged * self.norm_scale                                 # b n (h*p)
        gate_raw = self.gate_raw(x)                                       # b n (h*p)
        gate = gate_raw.sigmoid()                                         # b n (h*p)
        gated = gate * scaled                                             # b n (h*p)
        y = self.y(gated)                                                 # b n d
        return y
