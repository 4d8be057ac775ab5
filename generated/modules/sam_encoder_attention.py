"""SAM, image encoder: attention.

Generated from models/sam_encoder.yaml (sha256 6395b6f372da84d5); edit the spec, not this file (content bb8e6a226bf114f5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class SamEncoderAttention(nn.Module):
    """SAM, image encoder: attention.

    Sizes: s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, b batch size, g
        side of the grid in patches, d (embed_dim) model width, h (num_heads) number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*g*d/h + 4*d - 2*d/h.
    MACs: 2*b*g**4*d + 4*b*g**2*d**2 + 2*b*g**3*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        g: int,
        embed_dim: int,
        num_heads: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        e = embed_dim // num_heads
        self.g, self.num_heads, self.e = g, num_heads, e
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, **factory)
        self.height = nn.Parameter(torch.empty(2 * g - 1, e, **factory))
        nn.init.zeros_(self.height)
        self.width = nn.Parameter(torch.empty(2 * g - 1, e, **factory))
        nn.init.zeros_(self.width)
        self.register_buffer(
            "distances",
            tabulated((g, g), lambda i, j: i - j + g - 1, device=device, dtype=torch.int64),
            persistent=False,
        )
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        qkv = self.qkv(x)                                                 # b g g (3*d)
        parts = qkv.unflatten(-1, (-1, self.num_heads, self.e)).permute(3, 0, 4, 1, 2, 5).flatten(3, 4)  # 3 b h (g**2) e
        q = parts[0]                                                      # b h (g**2) e
        k = parts[1]                                                      # b h (g**2) e
        v = parts[2]                                                      # b h (g**2) e
        scores = q @ k.transpose(-2, -1)                                  # b h (g**2) (g**2)
        scaled = scores * self.e**-0.5                                    # b h (g**2) (g**2)
        listed = self.distances.flatten(0, 1)                             # (g**2)
        heights = self.height.gather(0, listed[..., None].expand(-1, *self.height.shape[1:]))  # (g**2) e
        by_row = heights.unflatten(0, (self.g, self.g))                   # g g e
        widths = self.width.gather(0, listed[..., None].expand(-1, *self.width.shape[1:]))  # (g**2) e
        by_column = widths.unflatten(0, (self.g, self.g))                 # g g e
        grid = q.unflatten(2, (self.g, self.g)).flatten(0, 1)             # (b*h) g g e
        rows = torch.einsum("ayxe,yje->ayxj", grid, by_row)               # (b*h) g g g
        columns = torch.einsum("ayxe,xje->ayxj", grid, by_column)         # (b*h) g g g
        row_bias = rows.unsqueeze(4)                                      # (b*h) g g g 1
        column_bias = columns.unsqueeze(3)                                # (b*h) g g 1 g
        bias = row_bias + column_bias                                     # (b*h) g g g g
        by_head = bias.unflatten(0, (b, self.num_heads)).flatten(4, 5).flatten(2, 3)  # b h (g**2) (g**2)
        biased = scaled + by_head                                         # b h (g**2) (g**2)
        weights = biased.softmax(-1)                                      # b h (g**2) (g**2)
        context = weights @ v                                             # b h (g**2) e
        merged = context.unflatten(2, (self.g, self.g)).permute(0, 2, 3, 1, 4).flatten(3, 4)  # b g g d
        out = self.out(merged)                                            # b g g d
        return out
