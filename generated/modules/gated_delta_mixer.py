"""Gated DeltaNet.

Generated from blocks/recurrent/gated_delta_mixer.yaml (sha256 7131391d0e544fe8); edit the spec, not this file (content 89b126cbf86ad1b1).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import keep, preceded, recall
from .gated_delta_cell import GatedDeltaCell
from .gated_delta_mixer_unit import GatedDeltaMixerUnit


class GatedDeltaMixer(nn.Module):
    """Gated DeltaNet (Yang et al., 2024, gated).

    Linear attention whose state is corrected rather than added to: keys and queries of length one behind a causal
    convolution, a decay and a rate of learning for each head and token, and a gate on what is said. Counted as the
    recurrence runs, step after step.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, G (num_key_heads) heads of keys and queries, H
        (num_value_heads) heads of values, s (key_dim) width of a key, p (value_dim) width of a value, K (kernel_size)
        width of the convolution.
    Parameters: 3*d*H*p + 2*d*G*s + 2*G*s*K + H*p*K + 2*d*H + 2*H + p.
    MACs: 3*b*n*d*H*p + 2*b*n*d*G*s + 2*b*n*G*s*K + 2*b*n*H*s*p + b*n*H*p*K + 2*b*n*d*H.
    KV cache and state: 2*b*G*s*K + b*H*s*p + b*H*p*K - 2*b*G*s - b*H*p.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_key_heads: int,
        num_value_heads: int | None = None,
        key_dim: int = 128,
        value_dim: int = 128,
        kernel_size: int = 4,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_value_heads = num_key_heads if num_value_heads is None else num_value_heads
        if num_value_heads % num_key_heads != 0:
            raise ValueError(
                "num_value_heads % num_key_heads == 0 must hold; "
                f"found num_key_heads = {num_key_heads}, num_value_heads = {num_value_heads}"
            )
        self.num_key_heads, self.num_value_heads, self.key_dim, self.value_dim, self.kernel_size = num_key_heads, num_value_heads, key_dim, value_dim, kernel_size
        factory = {"device": device, "dtype": dtype}
        self.qkvz = nn.Linear(
            embed_dim,
            2 * num_key_heads * key_dim + 2 * num_value_heads * value_dim,
            bias=False,
            **factory,
        )
        self.near = nn.Conv1d(
            2 * num_key_heads * key_dim + num_value_heads * value_dim,
            2 * num_key_heads * key_dim + num_value_heads * value_dim,
            kernel_size,
            groups=2 * num_key_heads * key_dim + num_value_heads * value_dim,
            bias=False,
            **factory,
        )
        self.q_unit = GatedDeltaMixerUnit()
        self.k = GatedDeltaMixerUnit()
        self.rates = nn.Linear(embed_dim, 2 * num_value_heads, bias=False, **factory)
        self.step_bias = nn.Parameter(torch.randn(num_value_heads, **factory) * 0.02)
        self.decay_log = nn.Parameter(torch.randn(num_value_heads, **factory) * 0.02)
        self.said = GatedDeltaCell()
        self.norm = nn.RMSNorm(value_dim, eps=1e-06, **factory)
        self.y = nn.Linear(num_value_heads * value_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        qkvz = self.qkvz(x)                                               # b n (2*G*s + 2*H*p)
        by_key = qkvz.unflatten(-1, (self.num_key_heads, -1))             # b n G (2*s + 2*H*p/G)
        parts_q, parts_k, parts_v, parts_gate = by_key.split(
            (
                self.key_dim,
                self.key_dim,
                self.num_value_heads * self.value_dim // self.num_key_heads,
                self.num_value_heads * self.value_dim // self.num_key_heads,
            ),
            -1,
        )                                                                 # b n G s; b n G s; b n G (H*p/G); b n G (H*p/G)
        q_read = parts_q.flatten(2, 3)                                    # b n (G*s)
        k_read = parts_k.flatten(2, 3)                                    # b n (G*s)
        v_read = parts_v.flatten(2, 3)                                    # b n (H*p)
        read = torch.cat((q_read, k_read, v_read), -1)                    # b n (2*G*s + H*p)
        channels = read.transpose(1, 2)                                   # b (2*G*s + H*p) n
        near = self.near(preceded(state, "near", channels, 2, self.kernel_size - 1))  # b (2*G*s + H*p) n
        near_active = F.silu(near)                                        # b (2*G*s + H*p) n
        tokens = near_active.transpose(1, 2)                              # b n (2*G*s + H*p)
        selected_q, selected_k, selected_v = tokens.split(
            (
                self.num_key_heads * self.key_dim,
                self.num_key_heads * self.key_dim,
                self.num_value_heads * self.value_dim,
            ),
            -1,
        )                                                                 # b n (G*s); b n (G*s); b n (H*p)
        q_heads = selected_q.unflatten(-1, (self.num_key_heads, self.key_dim))  # b n G s
        q_unit = self.q_unit(q_heads)                                     # b n G s
        q = q_unit * self.key_dim**-0.5                                   # b n G s
        k_heads = selected_k.unflatten(-1, (self.num_key_heads, self.key_dim))  # b n G s
        k = self.k(k_heads)                                               # b n G s
        v = selected_v.unflatten(-1, (self.num_key_heads, -1, self.value_dim))  # b n G (H/G) p
        rates = self.rates(x)                                             # b n (2*H)
        rates_by = rates.unflatten(-1, (self.num_key_heads, -1))          # b n G (2*H/G)
        rate_parts_learn, rate_parts_step = rates_by.chunk(2, -1)         # b n G (H/G); b n G (H/G)
        part = rate_parts_learn.sigmoid()                                 # b n G (H/G)
        step_biases = self.step_bias.unflatten(-1, (self.num_key_heads, -1))  # G (H/G)
        step_raw = rate_parts_step + step_biases                          # b n G (H/G)
        step = F.softplus(step_raw)                                       # b n G (H/G)
        decay_rate = self.decay_log.exp()                                 # H
        falling = decay_rate.neg()                                        # H
        falls = falling.unflatten(-1, (self.num_key_heads, -1))           # G (H/G)
        exponent = step * falls                                           # b n G (H/G)
        decay = exponent.exp()                                            # b n G (H/G)
        said_state = recall(
            state,
            "said.state",
            q.new_zeros(
                b,
                self.num_key_heads,
                self.num_value_heads // self.num_key_heads,
                self.key_dim,
                self.value_dim,
            ),
        )                                                                 # b G (H/G) s p
        said_collected = []
        for said_q, said_k, said_v, said_decay, said_part in zip(q.unbind(1), k.unbind(1), v.unbind(1), decay.unbind(1), part.unbind(1), strict=True):
            said_step, said_state = self.said(said_q, said_k, said_v, said_decay, said_part, said_state)
            said_collected.append(said_step)
        keep(state, "said.state", said_state)
        said_steps = torch.stack(said_collected, 1)                       # b n G (H/G) p
        norm = self.norm(said_steps)                                      # b n G (H/G) p
        gate_raw = parts_gate.unflatten(-1, (-1, self.value_dim))         # b n G (H/G) p
        gate = F.silu(gate_raw)                                           # b n G (H/G) p
        gated = norm * gate                                               # b n G (H/G) p
        merged = gated.flatten(2, 4)                                      # b n (H*p)
        y = self.y(merged)                                                # b n d
        return y
