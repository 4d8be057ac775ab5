"""xLSTM block.

Generated from models/xlstm.yaml (sha256 9b618a69bf770016); edit the spec, not this file (content d66dcd03bfbfe0df).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .gated_mlp import GatedMlp
from .mlstm_mixer import MlstmMixer


class XlstmBlock(nn.Module):
    """xLSTM block.

    An mLSTM, then a gated feed-forward network, each behind a norm and with a residual around both.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, h (num_heads) number of heads, e (key_dim) width of a
        key, p (value_dim) width of a value, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 3*d*h*p + 2*d*h*e + 3*d*f + 2*d*h + h*p + 2*d + 2*h.
    MACs: 3*b*n*d*h*p + 2*b*n*d*h*e + b*n*h*e*p + 3*b*n*d*f + 2*b*n*d*h + b*n*h*e.
    KV cache and state: b*h*e*p + b*h*e + b*h.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if key_dim is None:
            if embed_dim % (2 * num_heads) != 0:
                raise ValueError(
                    "embed_dim % (2*num_heads) == 0 must hold where key_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            key_dim = embed_dim // (2 * num_heads)
        if value_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where value_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            value_dim = embed_dim // num_heads
        factory = {"device": device, "dtype": dtype}
        self.mixer_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mixer = MlstmMixer(
            embed_dim=embed_dim,
            num_heads=num_heads,
            key_dim=key_dim,
            value_dim=value_dim,
            **factory,
        )
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        mixer_norm = self.mixer_norm(x)                                   # b n d
        mixer = self.mixer(mixer_norm, substate(state, "mixer"))          # b n d
        mixed = x + mixer                                                 # b n d
        mlp_norm = self.mlp_norm(mixed)                                   # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = mixed + mlp                                                   # b n d
        return y
