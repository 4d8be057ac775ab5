"""Position-wise feed-forward network.

Generated from blocks/ffn/mlp.yaml (sha256 347741881930e382); edit the spec, not this file (content e039dd583cc2ade5).
"""

from __future__ import annotations

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
}


class Mlp(nn.Module):
    """Position-wise feed-forward network (Vaswani et al., 2017).

    Two linear layers with a nonlinearity between them, applied to each position alone.

    Sizes: b batch size, n sequence length, d model width, f inner width.
    Parameters: 2*d*f + d + f.
    MACs: 2*b*n*d*f.
    """

    def __init__(self, d: int, f: int | None = None, *, activation: str = "gelu", bias: bool = True) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.up = nn.Linear(d, f, bias=bias)
        self.active = ACTIVATIONS[activation]
        self.down = nn.Linear(f, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        up = self.up(x)                                                   # b n f
        active = self.active(up)                                          # b n f
        down = self.down(active)                                          # b n d
        return down
