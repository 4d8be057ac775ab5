"""Phi-3: mlp.

Generated from models/phi3.yaml (sha256 79782a20c20de31a); edit the spec, not this file (content 8a2fedfc40954d82).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
    "sigmoid": lambda x: x.sigmoid(),
}


class Phi3Mlp(nn.Module):
    """Phi-3: mlp.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width.
    Parameters: 3*d*f.
    MACs: 3*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int | None = None,
        activation: str = "silu",
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.gate_up = nn.Linear(embed_dim, 2 * mlp_dim, bias=bias, **factory)
        self.active = ACTIVATIONS[activation]
        self.down = nn.Linear(mlp_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        gate_up = self.gate_up(x)                                         # b n (2*f)
        parts_gate, parts_up = gate_up.chunk(2, -1)                       # b n f; b n f
        active = self.active(parts_gate)                                  # b n f
        gated = active * parts_up                                         # b n f
        down = self.down(gated)                                           # b n d
        return down
