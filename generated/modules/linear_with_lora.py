"""Linear layer with a low-rank adapter.

Generated from blocks/adapters/linear_with_lora.yaml (sha256 3099093956befc29); edit the spec, not this file (content 6518575e0d4544d9).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LinearWithLora(nn.Module):
    """Linear layer with a low-rank adapter (Hu et al., 2022).

    A linear layer whose weights stay as they are, and beside it two narrow ones that learn the difference. It stands
    where `op: linear` does.

    Sizes: b batch size, n sequence length, d (in_dim) width, m (out_dim) width of the result, r (rank) rank of the
        adapter, s (scale) scale of the adapter, alpha / rank.
    Parameters: d*m + d*r + m*r + m.
    Trainable parameters: d*r + m*r.
    MACs: b*n*d*m + b*n*d*r + b*n*m*r.
    """

    TRAINED = ("down", "up")

    def __init__(
        self,
        *,
        in_dim: int,
        rank: int,
        out_dim: int | None = None,
        scale: int = 2,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        out_dim = in_dim if out_dim is None else out_dim
        self.scale = scale
        factory = {"device": device, "dtype": dtype}
        self.base = nn.Linear(in_dim, out_dim, bias=bias, **factory)
        self.base.requires_grad_(False)
        self.down = nn.Linear(in_dim, rank, bias=False, **factory)
        self.up = nn.Linear(rank, out_dim, bias=False, **factory)
        nn.init.zeros_(self.up.weight)

    def forward(self, x: Tensor) -> Tensor:
        base = self.base(x)                                               # b n m
        down = self.down(x)                                               # b n r
        up = self.up(down)                                                # b n m
        scaled = up * self.scale                                          # b n m
        y = base + scaled                                                 # b n m
        return y
