"""xLSTM.

Generated from models/xlstm.yaml (sha256 5eb8c35a3e598db0); edit the spec, not this file (content 718aaac46f61f94e).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .xlstm_block import XlstmBlock


class Xlstm(nn.Module):
    """xLSTM (Beck et al., 2025).

    Recurrent layers whose heads keep a matrix, each with a gated feed-forward network behind it, instead of attention;
    logits are capped. What is kept between decoding steps does not grow. The recurrences are counted as they run, step
    after step.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads) number
        of heads, e (key_dim) width of a key, p (value_dim) width of a value, f (mlp_dim) inner width of the
        feed-forward network, V (vocab_size) vocabulary size.
    Parameters: 3*d*L*h*p + 2*d*L*h*e + 3*d*L*f + 2*d*L*h + L*h*p + 2*d*L + 2*d*V + 2*L*h + d.
    MACs: 3*b*n*d*L*h*p + 2*b*n*d*L*h*e + b*n*L*h*e*p + 3*b*n*d*L*f + 2*b*n*d*L*h + b*n*L*h*e + b*n*d*V.
    KV cache and state: b*L*h*e*p + b*L*h*e + b*L*h.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "xlstm-7b": {"embed_dim": 4096, "num_layers": 32, "num_heads": 8, "mlp_dim": 10944, "vocab_size": 50304},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "e": "key_dim", "p": "value_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        key_dim: int | None = None,
        value_dim: int | None = None,
        recompute: str = "none",
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
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            XlstmBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                key_dim=key_dim,
                value_dim=value_dim,
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.raw_logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Xlstm:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (xLSTMForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("xlstm"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        raw_logits = self.raw_logits(final_norm)                          # b n V
        logits = (raw_logits / 30).tanh() * 30                            # b n V
        return logits
