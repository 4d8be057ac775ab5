"""Attention with convolutional projections and a class token.

Generated from blocks/attention/convolutional_attention_with_token.yaml (sha256 1e28f3675238d264); edit the spec, not this file (content 6611f68e3cf03c90).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .convolutional_projection import ConvolutionalProjection
from .projected_attention import ProjectedAttention


class ConvolutionalAttentionWithToken(nn.Module):
    """Attention with convolutional projections and a class token (Wu et al., 2021).

    As convolutional_attention, with a class token in front of the patches, which the convolutions leave alone.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, h (num_heads)
        number of heads, r stride for keys and values.
    Parameters: 4*C**2 + 37*C.
    MACs: 2*b*H*W*C**2 + 11*b*H*W*C + 2*b*H**2*W**2*C/r**2 + 4*b*C**2 + 2*b*H*W*C**2/r**2 + 20*b*H*W*C/r**2 + 2*b*C.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        C: int,
        num_heads: int,
        r: int = 2,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if H % r != 0:
            raise ValueError(f"H % r == 0 must hold; found H = {H}, r = {r}")
        if W % r != 0:
            raise ValueError(f"W % r == 0 must hold; found W = {W}, r = {r}")
        self.H, self.W = H, W
        factory = {"device": device, "dtype": dtype}
        self.keys = ConvolutionalProjection(C=C, r=r, **factory)
        self.queries = ConvolutionalProjection(C=C, **factory)
        self.values = ConvolutionalProjection(C=C, r=r, **factory)
        self.attention = ProjectedAttention(embed_dim=C, num_heads=num_heads, **factory)

    def forward(self, x: Tensor) -> Tensor:
        class_token = x[:, :1]                                            # b 1 C
        patches = x[:, 1:]                                                # b (H*W) C
        grid = patches.unflatten(1, (self.H, self.W)).permute(0, 3, 1, 2)  # b C H W
        keys = self.keys(grid)                                            # b (H*W/r**2) C
        queries = self.queries(grid)                                      # b (H*W) C
        values = self.values(grid)                                        # b (H*W/r**2) C
        q_with_class_token = torch.cat((class_token, queries), 1)         # b (H*W + 1) C
        k_with_class_token = torch.cat((class_token, keys), 1)            # b (H*W/r**2 + 1) C
        v_with_class_token = torch.cat((class_token, values), 1)          # b (H*W/r**2 + 1) C
        attention = self.attention(q_with_class_token, k_with_class_token, v_with_class_token)  # b (H*W + 1) C
        return attention
