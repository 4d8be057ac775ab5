"""Attention among positions of an image.

Generated from models/ddpm.yaml (sha256 4721f22626cd8523); edit the spec, not this file (content f048d0e1e281e37f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class DdpmAttention(nn.Module):
    """Attention among positions of an image.

    Sizes: b batch size, k channels, H height, W width, G groups of the norms.
    Parameters: 4*k**2 + 6*k.
    MACs: 2*b*k*H**2*W**2 + 4*b*k**2*H*W.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        k: int,
        G: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if k % G != 0:
            raise ValueError(f"k % G == 0 must hold; found k = {k}, G = {G}")
        self.k, self.G = k, G
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.GroupNorm(G, k, eps=1e-06, **factory)
        self.q = nn.Conv2d(k, k, 1, **factory)
        self.k_ = nn.Conv2d(k, k, 1, **factory)
        self.v = nn.Conv2d(k, k, 1, **factory)
        self.out = nn.Conv2d(k, k, 1, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, W = x.shape
        if b * self.k * H * W <= self.G:
            raise ValueError(f"b*k*H*W > G must hold; found b = {b}, k = {self.k}, H = {H}, W = {W}, G = {self.G}")
        norm = self.norm(x)                                               # b k H W
        q = self.q(norm)                                                  # b k H W
        k_ = self.k_(norm)                                                # b k H W
        v = self.v(norm)                                                  # b k H W
        queries = q.flatten(2, 3)                                         # b k (H*W)
        keys = k_.flatten(2, 3)                                           # b k (H*W)
        values = v.flatten(2, 3)                                          # b k (H*W)
        scores = queries.transpose(-2, -1) @ keys                         # b (H*W) (H*W)
        scaled = scores * self.k**-0.5                                    # b (H*W) (H*W)
        weights = scaled.softmax(-1)                                      # b (H*W) (H*W)
        context = torch.einsum("bij,bkj->bki", weights, values)           # b k (H*W)
        image = context.unflatten(-1, (H, W))                             # b k H W
        out = self.out(image)                                             # b k H W
        y = x + out                                                       # b k H W
        return y
