"""Mamba-2 block.

Generated from models/mamba2.yaml (sha256 7d7bbe433e677af6); edit the spec, not this file (content c89446b25ff1a707).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate, with_state
from .mamba2_mixer import Mamba2Mixer


class Mamba2Block(nn.Module):
    """Mamba-2 block.

    The mixer behind a norm, and a residual around both.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, c (inner_dim) channels, p (head_dim) channels of a
        head, h (num_heads) = c/p number of heads, s (state_dim) numbers that a channel keeps, G (num_groups) groups of
        heads, K (kernel_size) width of the convolution.
    Parameters: 2*d*s*G + 2*s*G*K + 3*d*c + 2*s*G + c*K + 2*c + d*c/p + d + 3*c/p.
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
        mixer: nn.Module | None = None,
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
        factory = {"device": device, "dtype": dtype}
        if mixer is None:
            mixer = Mamba2Mixer(embed_dim=embed_dim, inner_dim=inner_dim, head_dim=head_dim, state_dim=state_dim, num_groups=num_groups, kernel_size=kernel_size, bias=bias, conv_bias=conv_bias, **factory)
        self.norm = nn.RMSNorm(embed_dim, eps=1e-05, **factory)
        self.mixer = mixer

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        norm = self.norm(x)                                               # b n d
        mixer = with_state(self.mixer, norm, state=substate(state, "mixer"))  # b n d
        y = x + mixer                                                     # b n d
        return y
