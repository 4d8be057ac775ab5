"""Attention within windows.

Generated from blocks/attention/window_attention.yaml (sha256 126ca0e6d586e085); edit the spec, not this file (content c11fcc6a230ccf25).
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


def separated(grid: tuple[int, ...], window: tuple[int, ...], shift: tuple[int, ...]) -> Tensor:
    """Say which places of a window were no neighbours before the grid was rolled by -shift: [windows, places, places]."""
    labels = torch.zeros(1, 1, dtype=torch.long)
    for size, width, step in zip(grid, window, shift, strict=True):
        places = torch.arange(size)
        regions = (places >= size - width).long() + (places >= size - step).long()
        labels = (labels[:, None, :, None] * 3 + regions.view(-1, 1, width)).flatten(2).flatten(0, 1)
    return labels[:, :, None] != labels[:, None, :]


class WindowAttention(nn.Module):
    """Attention within windows (Liu et al., 2021).

    Multi-head self-attention inside each square window of M by M patches, with a learned bias for the displacement
    between two patches. Where the windows were cut from a shifted grid, patches that came from opposite edges do not
    see each other.

    Sizes: b batch size, M (window_size) side of a window in patches, H height of the grid in patches, W width of the
        grid in patches, w = b*H*W/M**2 number of windows in the batch, C channels, h (num_heads) number of heads, e
        (head_dim) = C/h head width.
    Parameters: 4*M**2*h - 4*M*h + 4*C**2 + 4*C + h.
    MACs: 2*b*M**2*H*W*C + 4*b*H*W*C**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        window_size: int,
        C: int,
        num_heads: int,
        H: int | None = None,
        W: int | None = None,
        bias: bool = True,
        shifted: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        H = window_size if H is None else H
        W = window_size if W is None else W
        if C % num_heads != 0:
            raise ValueError(f"C % num_heads == 0 must hold; found C = {C}, num_heads = {num_heads}")
        if H % window_size != 0:
            raise ValueError(f"H % window_size == 0 must hold; found window_size = {window_size}, H = {H}")
        if W % window_size != 0:
            raise ValueError(f"W % window_size == 0 must hold; found window_size = {window_size}, W = {W}")
        head_dim = C // num_heads
        self.num_heads, self.head_dim, self.shifted = num_heads, head_dim, shifted
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(C, C, bias=bias, **factory)
        self.k = nn.Linear(C, C, bias=bias, **factory)
        self.v = nn.Linear(C, C, bias=bias, **factory)
        self.relative_bias = nn.Parameter(torch.randn((2 * window_size - 1) * (2 * window_size - 1), num_heads, **factory) * 0.02)
        self.register_buffer(
            "relative_bias_index",
            displacements(window_size, window_size).to(device=device),
            persistent=False,
        )
        if shifted:
            self.register_buffer(
                "masked",
                separated((H, W), (window_size, window_size), (window_size // 2, window_size // 2)).to(device=device),
                persistent=False,
            )
        self.out = nn.Linear(C, C, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # w (M**2) C
        k = self.k(x)                                                     # w (M**2) C
        v = self.v(x)                                                     # w (M**2) C
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (M**2) e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (M**2) e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # w h (M**2) e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # w h (M**2) (M**2)
        scaled = scores * self.head_dim**-0.5                             # w h (M**2) (M**2)
        relative_bias = self.relative_bias[self.relative_bias_index].permute(2, 0, 1)  # h (M**2) (M**2)
        biased = scaled + relative_bias                                   # w h (M**2) (M**2)
        masked = biased
        if self.shifted:
            masked = biased.unflatten(0, (-1, self.masked.shape[0]))
            masked = masked.masked_fill(self.masked[:, None], float("-inf")).flatten(0, 1)  # w h (M**2) (M**2)
        weights = masked.softmax(-1)                                      # w h (M**2) (M**2)
        context = weights @ v_heads                                       # w h (M**2) e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # w (M**2) C
        out = self.out(merged_heads)                                      # w (M**2) C
        return out
