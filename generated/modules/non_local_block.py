"""Non-local block.

Generated from blocks/attention/non_local_block.yaml (sha256 509145b621c7d067); edit the spec, not this file (content 5e07a38ae881d6e9).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names


class NonLocalBlock(nn.Module):
    """Non-local block (Wang et al., 2018).

    Attention with one head as an addition to a convolutional network: each position of an image takes a mean of all
    positions, weighted by a softmax of products of embedded features (the embedded Gaussian), and adds it to itself.

    Sizes: b batch size, C channels, H height of the image, W width of the image, I channels inside.
    Parameters: 4*C*I + 3*C + 3*I.
    MACs: 2*b*H**2*W**2*I + 4*b*C*H*W*I.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        C: int,
        I: int | None = None,
        bias: bool = True,
        norm: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if I is None:
            if C % 2 != 0:
                raise ValueError(f"C % 2 == 0 must hold where I is not given; found C = {C}")
            I = C // 2
        self.norm = norm
        factory = {"device": device, "dtype": dtype}
        self.theta = nn.Conv2d(C, I, 1, bias=bias, **factory)
        self.phi = nn.Conv2d(C, I, 1, bias=bias, **factory)
        self.g = nn.Conv2d(C, I, 1, bias=bias, **factory)
        self.out = nn.Conv2d(I, C, 1, bias=bias, **factory)
        if norm:
            self.batch_norm = nn.BatchNorm2d(C, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (NonLocalAttn).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("non_local_block"), layout)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, W = x.shape
        if self.norm and self.training and b * H * W <= 1:
            raise ValueError(f"b*H*W > 1 must hold; found b = {b}, H = {H}, W = {W}")
        theta = self.theta(x)                                             # b I H W
        phi = self.phi(x)                                                 # b I H W
        g = self.g(x)                                                     # b I H W
        queries = theta.permute(0, 2, 3, 1).flatten(1, 2)                 # b (H*W) I
        keys = phi.permute(0, 2, 3, 1).flatten(1, 2)                      # b (H*W) I
        values = g.permute(0, 2, 3, 1).flatten(1, 2)                      # b (H*W) I
        scores = queries @ keys.transpose(-2, -1)                         # b (H*W) (H*W)
        weights = scores.softmax(-1)                                      # b (H*W) (H*W)
        context = weights @ values                                        # b (H*W) I
        context_grid = context.unflatten(1, (H, W)).permute(0, 3, 1, 2)   # b I H W
        out = self.out(context_grid)                                      # b C H W
        batch_norm = self.batch_norm(out) if self.norm else out           # b C H W
        y = x + batch_norm                                                # b C H W
        return y
