"""Jamba block.

Generated from models/jamba.yaml (sha256 5f197452aec7725c); edit the spec, not this file (content 7431f4f0672afb59).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate, with_state
from .gated_mlp import GatedMlp
from .normed_mamba_mixer import NormedMambaMixer


class JambaBlock(nn.Module):
    """Jamba block.

    Attention or a state space, then a feed-forward network or experts, each behind a norm and with a residual around
    both.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, g (num_kv_heads) heads of keys and values, f (mlp_dim) inner width of feed-forward
        networks and experts, E (num_experts) number of experts, k (top_k) experts of a token, c (inner_dim) channels of
        a state space, s (state_dim) numbers that a channel keeps, r (step_rank) rank of the step widths, K
        (kernel_size) width of the convolution.
    Not checked, as the inputs do not show all of these sizes: m >= n, d % h == 0, h % g == 0.
    Parameters: 3*d*f + 3*d*c + 3*c*s + 2*c*r + c*K + 3*c + 2*d + 2*s + r.
    MACs: 3*b*n*d*f + 3*b*n*d*c + 3*b*n*c*s + 2*b*n*c*r + b*n*c*K.
    KV cache and state: b*c*s + b*c*K - b*c.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int | None = None,
        inner_dim: int | None = None,
        state_dim: int = 16,
        step_rank: int | None = None,
        kernel_size: int = 4,
        mixer: nn.Module | None = None,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        step_rank = -(-embed_dim // 16) if step_rank is None else step_rank
        factory = {"device": device, "dtype": dtype}
        if mixer is None:
            mixer = NormedMambaMixer(embed_dim=embed_dim, inner_dim=inner_dim, state_dim=state_dim, step_rank=step_rank, kernel_size=kernel_size, **factory)
        if ffn is None:
            if mlp_dim is None:
                raise ValueError("without ffn, mlp_dim must be given")
            ffn = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.mixer_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mixer = mixer
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        mixer_norm = self.mixer_norm(x)                                   # b n d
        mixer = with_state(self.mixer, mixer_norm, state=substate(state, "mixer"))  # b n d
        mixed = x + mixer                                                 # b n d
        mlp_norm = self.mlp_norm(mixed)                                   # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = mixed + mlp                                                   # b n d
        return y
