"""Gated feed-forward network.

Generated from blocks/ffn/gated_mlp.yaml (sha256 db41ee76043fab48); edit the spec, not this file (content 5dd2e747d8ccdb14).
"""

from __future__ import annotations

from collections.abc import Callable

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

    Sizes: b batch size, n sequence length, d model width, f inner width.
    Parameters: 3*d*f.
    MACs: 3*b*n*d*f.
    """

    def __init__(self, d: int, f: int | None = None, *, activation: str = "silu", bias: bool = False) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.gate = nn.Linear(d, f, bias=bias)
        self.active = ACTIVATIONS[activation]
        self.up = nn.Linear(d, f, bias=bias)
        self.down = nn.Linear(f, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate(x)                                               # b n f
        active = self.active(gate)                                        # b n f
        up = self.up(x)                                                   # b n f
        gated = active * up                                               # b n f
        down = self.down(gated)                                           # b n d
        return down
