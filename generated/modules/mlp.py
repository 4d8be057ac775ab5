"""Position-wise feed-forward network.

Generated from blocks/ffn/mlp.yaml (sha256 09a47855336a8f42); edit the spec, not this file (content 10fcb97205982a90).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * (1.702 * x).sigmoid(),
    "silu": F.silu,
}


class Mlp(nn.Module):
    """Position-wise feed-forward network (Vaswani et al., 2017).

    Two linear layers with a nonlinearity between them, applied to each position alone.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width.
    Parameters: 2*d*f + d + f.
    MACs: 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int | None = None,
        activation: str = "gelu",
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.up = nn.Linear(embed_dim, mlp_dim, bias=bias, **factory)
        self.active = ACTIVATIONS[activation]
        self.down = nn.Linear(mlp_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        up = self.up(x)                                                   # b n f
        active = self.active(up)                                          # b n f
        down = self.down(active)                                          # b n d
        return down
