"""GPT-OSS: expert.

Generated from models/gpt_oss.yaml (sha256 558e521682fde340); edit the spec, not this file (content 73448d11ed9294ae).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GptOssExpert(nn.Module):
    """GPT-OSS: expert.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, f (mlp_dim) inner width of an expert.
    Parameters: 3*d*f + 2*f + d.
    MACs: 3*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.mlp_dim = mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.gate_up = nn.Linear(embed_dim, 2 * mlp_dim, **factory)
        self.down = nn.Linear(mlp_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        gate_up = self.gate_up(x)                                         # b n (2*f)
        pairs = gate_up.unflatten(-1, (self.mlp_dim, -1))                 # b n f 2
        gate = pairs[..., 0]                                              # b n f
        gate_low = gate.clamp(max=7)                                      # b n f
        steep = gate_low * (851 / 500)                                    # b n f
        open_ = steep.sigmoid()                                           # b n f
        glu = gate_low * open_                                            # b n f
        up = pairs[..., 1]                                                # b n f
        up_near = up.clamp(min=-7, max=7)                                 # b n f
        up_glu = up_near * glu                                            # b n f
        gated = up_glu + glu                                              # b n f
        down = self.down(gated)                                           # b n d
        return down
