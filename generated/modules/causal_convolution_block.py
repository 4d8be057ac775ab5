"""Causal convolution block.

Generated from blocks/convolution/causal_convolution_block.yaml (sha256 a8cce42a00e24590); edit the spec, not this file (content bfc542614cf51e07).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import preceded

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
}


class CausalConvolutionBlock(nn.Module):
    """Causal convolution block (van den Oord et al., 2016).

    A dilated causal convolution between two norms and an activation, with a residual around it, as in temporal
    convolutional networks and WaveNet. Between decoding steps the last s(K - 1) positions of what the convolution reads
    are kept.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, K (kernel_size) kernel width, s (dilation)
        distance between the kernel's elements.
    Parameters: d**2*K + d**2 + 4*d.
    MACs: b*n*d**2*K + b*n*d**2.
    KV cache and state: b*d*K*s - b*d*s.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        kernel_size: int,
        dilation: int = 1,
        activation: str = "relu",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.LayerNorm(embed_dim, **factory)
        self.convolved = nn.Conv1d(embed_dim, embed_dim, kernel_size, dilation=dilation, **factory)
        self.active = ACTIVATIONS[activation]
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        norm = self.norm(x)                                               # b n d
        channels = norm.transpose(1, 2)                                   # b d n
        convolved = self.convolved(preceded(state, "convolved", channels, 2, self.kernel_size * self.dilation - self.dilation))  # b d n
        active = self.active(convolved)                                   # b d n
        positions = active.transpose(1, 2)                                # b n d
        out = self.out(positions)                                         # b n d
        y = x + out                                                       # b n d
        return y
