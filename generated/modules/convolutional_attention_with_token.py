"""Attention with convolutional projections and a class token.

Generated from blocks/attention/convolutional_attention_with_token.yaml (sha256 4308460eb19b065a); edit the spec, not this file (content 48a7717ea96ca751).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .convolutional_projection import ConvolutionalProjection
from .projected_attention import ProjectedAttention


class ConvolutionalAttentionWithToken(nn.Module):
    """Attention with convolutional projections and a class token (Wu et al., 2021).

    As convolutional_attention, with a class token in front of the patches, which the convolutions leave alone.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, h number of heads,
        r stride for keys and values.
    Parameters: 4*C**2 + 37*C.
    MACs: 2*b*H*W*C**2 + 11*b*H*W*C + 2*b*H**2*W**2*C/r**2 + 4*b*C**2 + 2*b*H*W*C**2/r**2 + 20*b*H*W*C/r**2 + 2*b*C.
    """

    def __init__(self, H: int, W: int, C: int, h: int, r: int = 2) -> None:
        super().__init__()
        if H % r != 0:
            raise ValueError(f"H % r == 0 must hold; found H = {H}, r = {r}")
        if W % r != 0:
            raise ValueError(f"W % r == 0 must hold; found W = {W}, r = {r}")
        self.H, self.W = H, W
        self.keys = ConvolutionalProjection(C, r)
        self.queries = ConvolutionalProjection(C)
        self.values = ConvolutionalProjection(C, r)
        self.attention = ProjectedAttention(C, h)

    def forward(self, x: Tensor) -> Tensor:
        token = x[:, :1]                                                  # b 1 C
        patches = x[:, 1:]                                                # b (H*W) C
        grid = patches.unflatten(1, (self.H, self.W)).permute(0, 3, 1, 2)  # b C H W
        keys = self.keys(grid)                                            # b (H*W/r**2) C
        queries = self.queries(grid)                                      # b (H*W) C
        values = self.values(grid)                                        # b (H*W/r**2) C
        all_q = torch.cat((token, queries), 1)                            # b (H*W + 1) C
        all_k = torch.cat((token, keys), 1)                               # b (H*W/r**2 + 1) C
        all_v = torch.cat((token, values), 1)                             # b (H*W/r**2 + 1) C
        attention = self.attention(all_q, all_k, all_v)                   # b (H*W + 1) C
        return attention
