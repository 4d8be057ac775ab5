"""Mamba mixer with norms inside.

Generated from blocks/recurrent/normed_mamba_mixer.yaml (sha256 f2e9c7d10bdde46a); edit the spec, not this file (content b41f88d8b4187364).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import keep, preceded, recall
from .selective_cell import SelectiveCell


class NormedMambaMixer(nn.Module):
    """Mamba mixer with norms inside (Lieber et al., 2024).

    As mamba_mixer, with a norm on each of the three parts that a token sets itself, which keeps large models stable.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, c (inner_dim) channels, s (state_dim) numbers that a
        channel keeps, r (step_rank) rank of the step widths, K (kernel_size) width of the convolution.
    Parameters: 3*d*c + 3*c*s + 2*c*r + c*K + 3*c + 2*s + r.
    MACs: 3*b*n*d*c + 3*b*n*c*s + 2*b*n*c*r + b*n*c*K.
    KV cache and state: b*c*s + b*c*K - b*c.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        inner_dim: int | None = None,
        state_dim: int = 16,
        step_rank: int | None = None,
        kernel_size: int = 4,
        eps: float = 1e-06,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        step_rank = -(-embed_dim // 16) if step_rank is None else step_rank
        self.inner_dim, self.state_dim, self.step_rank, self.kernel_size = inner_dim, state_dim, step_rank, kernel_size
        factory = {"device": device, "dtype": dtype}
        self.inputs = nn.Linear(embed_dim, 2 * inner_dim, bias=False, **factory)
        self.near = nn.Conv1d(inner_dim, inner_dim, kernel_size, groups=inner_dim, **factory)
        self.selected = nn.Linear(inner_dim, 2 * state_dim + step_rank, bias=False, **factory)
        self.step_norm = nn.RMSNorm(step_rank, eps=eps, **factory)
        self.write_norm = nn.RMSNorm(state_dim, eps=eps, **factory)
        self.mixture_norm = nn.RMSNorm(state_dim, eps=eps, **factory)
        self.step_raw = nn.Linear(step_rank, inner_dim, **factory)
        self.rates_log = nn.Parameter(torch.randn(inner_dim, state_dim, **factory) * 0.02)
        self.said = SelectiveCell()
        self.skip = nn.Parameter(torch.randn(inner_dim, **factory) * 0.02)
        self.y = nn.Linear(inner_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        inputs = self.inputs(x)                                           # b n (2*c)
        halves_read, halves_gate = inputs.chunk(2, -1)                    # b n c; b n c
        channels = halves_read.transpose(1, 2)                            # b c n
        near = self.near(preceded(state, "near", channels, 2, self.kernel_size - 1))  # b c n
        near_active = F.silu(near)                                        # b c n
        u = near_active.transpose(1, 2)                                   # b n c
        selected = self.selected(u)                                       # b n (2*s + r)
        parts_step, parts_write, parts_mixture = selected.split((self.step_rank, self.state_dim, self.state_dim), -1)  # b n r; b n s; b n s
        step_norm = self.step_norm(parts_step)                            # b n r
        write_norm = self.write_norm(parts_write)                         # b n s
        mixture_norm = self.mixture_norm(parts_mixture)                   # b n s
        step_raw = self.step_raw(step_norm)                               # b n c
        step = F.softplus(step_raw)                                       # b n c
        rates = self.rates_log.exp()                                      # c s
        falling = rates.neg()                                             # c s
        step_wide = step.unsqueeze(3)                                     # b n c 1
        exponent = step_wide * falling                                    # b n c s
        decay = exponent.exp()                                            # b n c s
        taken = step * u                                                  # b n c
        taken_wide = taken.unsqueeze(3)                                   # b n c 1
        write_wide = write_norm.unsqueeze(2)                              # b n 1 s
        inflow = taken_wide * write_wide                                  # b n c s
        said_state = recall(state, "said.state", decay.new_zeros(b, self.inner_dim, self.state_dim))  # b c s
        said_collected = []
        for said_decay, said_inflow, said_mixture in zip(decay.unbind(1), inflow.unbind(1), mixture_norm.unbind(1), strict=True):
            said_step, said_state = self.said(said_decay, said_inflow, said_mixture, said_state)
            said_collected.append(said_step)
        keep(state, "said.state", said_state)
        said_steps = torch.stack(said_collected, 1)                       # b n c
        skipped = u * self.skip                                           # b n c
        sum_ = said_steps + skipped                                       # b n c
        gate = F.silu(halves_gate)                                        # b n c
        gated = sum_ * gate                                               # b n c
        y = self.y(gated)                                                 # b n d
        return y
