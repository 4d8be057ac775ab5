"""Inner-patch self-attention (IPSA).

Generated from blocks/attention/inner_patch_attention.yaml (sha256 eb4dfdbce56e2b6d); edit the spec, not this file (content c1223c473b615b7d).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def displacements(*window: int) -> Tensor:
    """Number the displacement between each two places of a window; along an axis of `size` places there are 2*size - 1 of them."""
    numbers = torch.zeros(1, 1, dtype=torch.long)
    for size in window:
        places = torch.arange(size)
        apart = places[:, None] - places + size - 1
        numbers = (numbers[:, None, :, None] * (2 * size - 1) + apart[:, None]).flatten(2).flatten(0, 1)
    return numbers


class InnerPatchAttention(nn.Module):
    """Inner-patch self-attention (IPSA) (Lin et al., 2022).

    Cuts a grid into patches of N by N positions and lets the positions of each patch attend to each other, with a
    learned bias for the displacement between two. It sees details; cross_patch_attention sees the whole.

    Sizes: b batch size, H height of the grid, W width of the grid, N side of a patch, C channels, h (num_heads) number
        of heads, e (head_dim) = C/h head width, w = b*H*W/N**2 number of patches in the batch, y = H/N patches above
        each other, z = W/N patches beside each other.
    Parameters: 4*N**2*h - 4*N*h + 4*C**2 + 4*C + h.
    MACs: 2*b*H*W*N**2*C + 4*b*H*W*C**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        H: int,
        W: int,
        N: int,
        C: int,
        num_heads: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if C % num_heads != 0:
            raise ValueError(f"C % num_heads == 0 must hold; found C = {C}, num_heads = {num_heads}")
        if H % N != 0:
            raise ValueError(f"H % N == 0 must hold; found H = {H}, N = {N}")
        if W % N != 0:
            raise ValueError(f"W % N == 0 must hold; found W = {W}, N = {N}")
        head_dim = C // num_heads
        y = H // N
        z = W // N
        self.H, self.W, self.N, self.num_heads, self.head_dim, self.y, self.z = H, W, N, num_heads, head_dim, y, z
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(C, 3 * C, bias=bias, **factory)
        self.relative_bias = nn.Parameter(torch.randn((2 * N - 1) * (2 * N - 1), num_heads, **factory) * 0.02)
        self.register_buffer("relative_bias_index", displacements(N, N).to(device=device), persistent=False)
        self.out = nn.Linear(C, C, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        grid = x.unflatten(1, (self.H, self.W))                           # b H W C
        patches = (
            grid.unflatten(1, (self.y, -1))
            .unflatten(3, (self.z, -1))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(0, 2)
        )                                                                 # w (N**2) C
        qkv = self.qkv(patches)                                           # w (N**2) (3*C)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # w (N**2) C; w (N**2) C; w (N**2) C
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (N**2) e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (N**2) e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (N**2) e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # w h (N**2) (N**2)
        scaled = scores * self.head_dim**-0.5                             # w h (N**2) (N**2)
        relative_bias = self.relative_bias[self.relative_bias_index].permute(2, 0, 1)  # h (N**2) (N**2)
        biased = scaled + relative_bias                                   # w h (N**2) (N**2)
        weights = biased.softmax(-1)                                      # w h (N**2) (N**2)
        context = weights @ v_heads                                       # w h (N**2) e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # w (N**2) C
        out = self.out(merged_heads)                                      # w (N**2) C
        merged_patches = (
            out.unflatten(0, (b, self.y, self.z))
            .unflatten(3, (self.N, -1))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(1, 2)
        )                                                                 # b H W C
        sequence = merged_patches.flatten(1, 2)                           # b (H*W) C
        return sequence
