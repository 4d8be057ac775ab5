"""Gated feed-forward network.

Generated from blocks/ffn/gated_mlp.yaml (sha256 73ba5d458e0c7589); edit the spec, not this file (content 5347be3ea1375fe7).
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


class GatedMlp(nn.Module):
    """Gated feed-forward network (Shazeer, 2020).

    One projection, passed through a nonlinearity, gates a second one (SwiGLU with silu, GEGLU with gelu).

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
        self.gate = nn.Linear(embed_dim, mlp_dim, bias=bias, **factory)
        self.active = ACTIVATIONS[activation]
        self.up = nn.Linear(embed_dim, mlp_dim, bias=bias, **factory)
        self.down = nn.Linear(mlp_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate(x)                                               # b n f
        active = self.active(gate)                                        # b n f
        up = self.up(x)                                                   # b n f
        gated = active * up                                               # b n f
        down = self.down(gated)                                           # b n d
        return down
