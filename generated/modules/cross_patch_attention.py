"""Cross-patch self-attention (CPSA).

Generated from blocks/attention/cross_patch_attention.yaml (sha256 61419f0b12d78e3b); edit the spec, not this file (content 86166d25c1cefa5c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossPatchAttention(nn.Module):
    """Cross-patch self-attention (CPSA) (Lin et al., 2022).

    Each channel on its own is cut into patches of N by N positions, and the patches attend to each other: a patch is a
    token and its positions are the features. All channels share the weights; there is one head.

    Sizes: b batch size, H height of the grid, W width of the grid, N side of a patch, C channels, n = H*W/N**2 number
        of patches in a channel, y = H/N patches above each other, z = W/N patches beside each other.
    Parameters: 4*N**4 + 4*N**2.
    MACs: 4*b*H*W*N**2*C + 2*b*H**2*W**2*C/N**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        H: int,
        W: int,
        N: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if H % N != 0:
            raise ValueError(f"H % N == 0 must hold; found H = {H}, N = {N}")
        if W % N != 0:
            raise ValueError(f"W % N == 0 must hold; found W = {W}, N = {N}")
        y = H // N
        z = W // N
        self.H, self.W, self.N, self.y, self.z = H, W, N, y, z
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(N**2, 3 * N**2, bias=bias, **factory)
        self.out = nn.Linear(N**2, N**2, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, C = x.shape
        grid = x.unflatten(1, (self.H, self.W))                           # b H W C
        patches = (
            grid.unflatten(1, (self.y, -1))
            .unflatten(3, (self.z, -1))
            .permute(0, 5, 1, 3, 2, 4)
            .flatten(4, 5)
            .flatten(2, 3)
            .flatten(0, 1)
        )                                                                 # (b*C) n (N**2)
        qkv = self.qkv(patches)                                           # (b*C) n (3*N**2)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # (b*C) n (N**2); (b*C) n (N**2); (b*C) n (N**2)
        scores = parts_q @ parts_k.transpose(-2, -1)                      # (b*C) n n
        scaled = scores * (1 / self.N)                                    # (b*C) n n
        weights = scaled.softmax(-1)                                      # (b*C) n n
        context = weights @ parts_v                                       # (b*C) n (N**2)
        out = self.out(context)                                           # (b*C) n (N**2)
        merged_patches = (
            out.unflatten(0, (b, C))
            .unflatten(2, (self.y, self.z))
            .unflatten(-1, (self.N, -1))
            .permute(0, 2, 4, 3, 5, 1)
            .flatten(3, 4)
            .flatten(1, 2)
        )                                                                 # b H W C
        sequence = merged_patches.flatten(1, 2)                           # b (H*W) C
        return sequence
