"""Mamba-2 mixer.

Generated from blocks/recurrent/mamba2_mixer.yaml (sha256 9849858028c7343a); edit the spec, not this file (content aea5efe99142f089).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import keep, preceded, recall
from .mamba2_cell import Mamba2Cell


class Mamba2Mixer(nn.Module):
    """Mamba-2 mixer (Dao and Gu, 2024).

    One projection makes all that a selective state space reads; a causal convolution runs over the channels and over
    where they are written and read; each head has one decay for all of its numbers. What is said is gated and normed
    within each group. Counted as the recurrence runs, step after step; chunked_mamba2_mixer computes the same in matrix
    products of chunks.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, c (inner_dim) channels, p (head_dim) channels of a
        head, h (num_heads) = c/p number of heads, s (state_dim) numbers that a channel keeps, G (num_groups) groups of
        heads, K (kernel_size) width of the convolution.
    Parameters: 2*d*s*G + 2*s*G*K + 3*d*c + 2*s*G + c*K + 2*c + d*c/p + 3*c/p.
    MACs: 2*b*n*d*s*G + 2*b*n*s*G*K + 3*b*n*d*c + b*n*c*s + b*n*c*K + b*n*d*c/p.
    KV cache and state: 2*b*s*G*K - 2*b*s*G + b*c*s + b*c*K - b*c.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        inner_dim: int | None = None,
        head_dim: int = 64,
        state_dim: int = 128,
        num_groups: int = 1,
        kernel_size: int = 4,
        bias: bool = False,
        conv_bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        if inner_dim % head_dim != 0:
            raise ValueError(
                "inner_dim % head_dim == 0 must hold; "
                f"found inner_dim = {inner_dim}, head_dim = {head_dim}"
            )
        if inner_dim % (head_dim * num_groups) != 0:
            raise ValueError(
                "(inner_dim/head_dim) % num_groups == 0 must hold; "
                f"found inner_dim = {inner_dim}, head_dim = {head_dim}, num_groups = {num_groups}"
            )
        num_heads = inner_dim // head_dim
        self.inner_dim, self.head_dim, self.num_heads, self.state_dim, self.num_groups, self.kernel_size = inner_dim, head_dim, num_heads, state_dim, num_groups, kernel_size
        factory = {"device": device, "dtype": dtype}
        self.inputs = nn.Linear(
            embed_dim,
            2 * state_dim * num_groups + 2 * inner_dim + num_heads,
            bias=bias,
            **factory,
        )
        self.near = nn.Conv1d(
            2 * state_dim * num_groups + inner_dim,
            2 * state_dim * num_groups + inner_dim,
            kernel_size,
            groups=2 * state_dim * num_groups + inner_dim,
            bias=conv_bias,
            **factory,
        )
        self.step_bias = nn.Parameter(torch.randn(num_heads, **factory) * 0.02)
        self.rates_log = nn.Parameter(torch.randn(num_heads, **factory) * 0.02)
        self.said = Mamba2Cell()
        self.skip = nn.Parameter(torch.randn(num_heads, **factory) * 0.02)
        self.normed = nn.RMSNorm(inner_dim // num_groups, eps=1e-05, elementwise_affine=False, **factory)
        self.norm_weight = nn.Parameter(torch.randn(inner_dim, **factory) * 0.02)
        self.out = nn.Linear(inner_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        inputs = self.inputs(x)                                           # b n (2*s*G + 2*c + c/p)
        parts_gate, parts_read, parts_step = inputs.split(
            (self.inner_dim, 2 * self.state_dim * self.num_groups + self.inner_dim, self.num_heads),
            -1,
        )                                                                 # b n c; b n (2*s*G + c); b n h
        channels = parts_read.transpose(1, 2)                             # b (2*s*G + c) n
        near = self.near(preceded(state, "near", channels, 2, self.kernel_size - 1))  # b (2*s*G + c) n
        near_active = F.silu(near)                                        # b (2*s*G + c) n
        tokens = near_active.transpose(1, 2)                              # b n (2*s*G + c)
        selected_read, selected_write, selected_mixture = tokens.split(
            (self.inner_dim, self.state_dim * self.num_groups, self.state_dim * self.num_groups),
            -1,
        )                                                                 # b n c; b n (s*G); b n (s*G)
        step_raw = parts_step + self.step_bias                            # b n h
        step = F.softplus(step_raw)                                       # b n h
        rates = self.rates_log.exp()                                      # h
        falling = rates.neg()                                             # h
        exponent = step * falling                                         # b n h
        decay = exponent.exp()                                            # b n h
        decays = decay.unflatten(-1, (self.num_groups, -1))               # b n G (c/(p*G))
        step_wide = step.unsqueeze(3)                                     # b n h 1
        u = selected_read.unflatten(-1, (self.num_heads, self.head_dim))  # b n h p
        taken = u * step_wide                                             # b n h p
        taken_groups = taken.unflatten(2, (self.num_groups, -1))          # b n G (c/(p*G)) p
        write = selected_write.unflatten(-1, (self.num_groups, self.state_dim))  # b n G s
        mixture = selected_mixture.unflatten(-1, (self.num_groups, self.state_dim))  # b n G s
        said_state = recall(
            state,
            "said.state",
            decays.new_zeros(b, self.num_groups, self.num_heads // self.num_groups, self.head_dim, self.state_dim),
        )                                                                 # b G (c/(p*G)) p s
        said_collected = []
        for said_decay, said_taken, said_write, said_mixture in zip(decays.unbind(1), taken_groups.unbind(1), write.unbind(1), mixture.unbind(1), strict=True):
            said_step, said_state = self.said(said_decay, said_taken, said_write, said_mixture, said_state)
            said_collected.append(said_step)
        keep(state, "said.state", said_state)
        said_steps = torch.stack(said_collected, 1)                       # b n G (c/(p*G)) p
        heads = said_steps.flatten(2, 3)                                  # b n h p
        skip_wide = self.skip.unsqueeze(1)                                # h 1
        skipped = u * skip_wide                                           # b n h p
        sum_ = heads + skipped                                            # b n h p
        merged = sum_.flatten(2, 3)                                       # b n c
        gate = F.silu(parts_gate)                                         # b n c
        gated = merged * gate                                             # b n c
        groups = gated.unflatten(-1, (self.num_groups, -1))               # b n G (c/G)
        normed = self.normed(groups)                                      # b n G (c/G)
        joined = normed.flatten(2, 3)                                     # b n c
        scaled = joined * self.norm_weight                                # b n c
        out = self.out(scaled)                                            # b n d
        return out
