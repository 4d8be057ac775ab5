"""Griffin's recurrent block.

Generated from blocks/recurrent/gated_recurrence_mixer.yaml (sha256 b9f8a0a49ed678f9); edit the spec, not this file (content f87eff7ebfb7feb8).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import keep, preceded, recall
from .gated_recurrence_cell import GatedRecurrenceCell


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class GatedRecurrenceMixer(nn.Module):
    """Griffin's recurrent block (De et al., 2024).

    A causal convolution over the last K tokens, then a linear recurrence of which each token sets decay and inflow by
    two gates, whose matrices join channels of one head alone; gated by another projection. What flows in is scaled so
    that the state keeps its size, but for that of the first token. Counted as the recurrence runs, step after step.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, c (inner_dim) channels, h (num_heads) number of heads,
        j = c/h channels of a head, K (kernel_size) width of the convolution.
    Parameters: 3*d*c + c*K + 6*c + 2*c**2/h + d.
    MACs: 3*b*n*d*c + b*n*c*K + 2*b*n*c**2/h.
    KV cache and state: b*c*K + b.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        inner_dim: int | None = None,
        kernel_size: int = 4,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = embed_dim if inner_dim is None else inner_dim
        if inner_dim % num_heads != 0:
            raise ValueError(
                "inner_dim % num_heads == 0 must hold; "
                f"found inner_dim = {inner_dim}, num_heads = {num_heads}"
            )
        j = inner_dim // num_heads
        self.inner_dim, self.num_heads, self.j, self.kernel_size = inner_dim, num_heads, j, kernel_size
        factory = {"device": device, "dtype": dtype}
        self.gate_raw = nn.Linear(embed_dim, inner_dim, **factory)
        self.read = nn.Linear(embed_dim, inner_dim, **factory)
        self.near = nn.Conv1d(inner_dim, inner_dim, kernel_size, groups=inner_dim, **factory)
        self.input_matrix = nn.Parameter(torch.randn(num_heads, j, j, **factory) * 0.02)
        self.input_bias = nn.Parameter(torch.randn(num_heads, j, **factory) * 0.02)
        self.decay_matrix = nn.Parameter(torch.randn(num_heads, j, j, **factory) * 0.02)
        self.decay_bias = nn.Parameter(torch.randn(num_heads, j, **factory) * 0.02)
        self.rate_raw = nn.Parameter(torch.randn(inner_dim, **factory) * 0.02)
        self.register_buffer(
            "one",
            tabulated((1, 1, 1), lambda _row, _place, number: 1 - number, **factory),
            persistent=False,
        )
        self.said = GatedRecurrenceCell()
        self.y = nn.Linear(inner_dim, embed_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b, n, _ = x.shape
        gate_raw = self.gate_raw(x)                                       # b n c
        gate = F.gelu(gate_raw, approximate="tanh")                       # b n c
        read = self.read(x)                                               # b n c
        channels = read.transpose(1, 2)                                   # b c n
        near = self.near(preceded(state, "near", channels, 2, self.kernel_size - 1))  # b c n
        u = near.transpose(1, 2)                                          # b n c
        u_heads = u.unflatten(-1, (self.num_heads, self.j))               # b n h j
        input_product = torch.einsum("bnhi,hij->bnhj", u_heads, self.input_matrix)  # b n h j
        input_raw = input_product + self.input_bias                       # b n h j
        input_heads = input_raw.sigmoid()                                 # b n h j
        input_gate = input_heads.flatten(2, 3)                            # b n c
        decay_product = torch.einsum("bnhi,hij->bnhj", u_heads, self.decay_matrix)  # b n h j
        decay_raw = decay_product + self.decay_bias                       # b n h j
        decay_heads = decay_raw.sigmoid()                                 # b n h j
        decay_gate = decay_heads.flatten(2, 3)                            # b n c
        rate = F.softplus(self.rate_raw)                                  # c
        falling = rate * (-8)                                             # c
        exponent = decay_gate * falling                                   # b n c
        decay = exponent.exp()                                            # b n c
        doubled = exponent * 2                                            # b n c
        kept_share = doubled.exp()                                        # b n c
        less = kept_share.neg()                                           # b n c
        left = less + 1                                                   # b n c
        size = left.sqrt()                                                # b n c
        ones = self.one.expand(b, n, -1)                                  # b n 1
        is_later_seen = preceded(state, "is_later", ones, 1, 1)
        is_later = is_later_seen.narrow(1, 0, ones.shape[1])              # b n 1
        less_one = is_later.neg()                                         # b n 1
        is_first_ = less_one + 1                                          # b n 1
        size_later = size * is_later                                      # b n c
        factor = size_later + is_first_                                   # b n c
        taken = u * input_gate                                            # b n c
        inflow = taken * factor                                           # b n c
        said_state = recall(state, "said.state", decay.new_zeros(b, self.inner_dim))  # b c
        said_collected = []
        for said_decay, said_inflow in zip(decay.unbind(1), inflow.unbind(1), strict=True):
            said_state = self.said(said_decay, said_inflow, said_state)
            said_collected.append(said_state)
        keep(state, "said.state", said_state)
        said = torch.stack(said_collected, 1)                             # b n c
        gated = said * gate                                               # b n c
        y = self.y(gated)                                                 # b n d
        return y
