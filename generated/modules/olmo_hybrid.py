"""OLMo Hybrid.

Generated from models/olmo_hybrid.yaml (sha256 be1807be546bc1fe); edit the spec, not this file (content 241e39815e8d36ff).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .olmo_hybrid_attended_block import OlmoHybridAttendedBlock
from .olmo_hybrid_delta_block import OlmoHybridDeltaBlock


class OlmoHybrid(nn.Module):
    """OLMo Hybrid (Ai2, 2026).

    Three layers with the gated delta rule, whose state does not grow, to one of attention without positions, whose
    norms stand behind attention and feed-forward network. The recurrences are counted as they run, step after step.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, g (num_kv_heads) heads of keys and values, f
        (mlp_dim) inner width of the feed-forward network, G (num_key_heads) heads of keys of the delta rule, H
        (num_value_heads) heads of values of the delta rule, s (key_dim) width of a key of the delta rule, p (value_dim)
        width of a value of the delta rule, K (kernel_size) width of the convolution, V (vocab_size) vocabulary size.
    Parameters: 3*d*L*H*p - 3*d*floor(L/4)*H*p + 2*d*L*G*s - 2*d*floor(L/4)*G*s + 2*L*G*s*K - 2*floor(L/4)*G*s*K +
        L*H*p*K - floor(L/4)*H*p*K + 3*d*L*f + 2*d**2*floor(L/4) + 2*d**2*floor(L/4)*g/h + 2*d*L*H - 2*d*floor(L/4)*H +
        2*d*L + 2*d*V + 2*L*H - 2*floor(L/4)*H + d*floor(L/4) + d*floor(L/4)*g/h + L*p - floor(L/4)*p + d.
    MACs: 3*b*n*d*L*H*p - 3*b*n*d*floor(L/4)*H*p + 2*b*n*d*L*G*s - 2*b*n*d*floor(L/4)*G*s + 2*b*n*L*G*s*K +
        2*b*n*L*H*s*p - 2*b*n*floor(L/4)*G*s*K - 2*b*n*floor(L/4)*H*s*p + b*n*L*H*p*K - b*n*floor(L/4)*H*p*K +
        3*b*n*d*L*f + 2*b*n*m*d*floor(L/4) + 2*b*n*d**2*floor(L/4) + 2*b*n*d**2*floor(L/4)*g/h + 2*b*n*d*L*H -
        2*b*n*d*floor(L/4)*H + b*n*d*V.
    KV cache and state: 2*b*L*G*s*K - 2*b*floor(L/4)*G*s*K + b*L*H*s*p + b*L*H*p*K - b*floor(L/4)*H*s*p -
        b*floor(L/4)*H*p*K + 2*b*m*d*floor(L/4)*g/h - 2*b*L*G*s + 2*b*floor(L/4)*G*s - b*L*H*p + b*floor(L/4)*H*p.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "olmo-hybrid-7b": {"embed_dim": 3840, "num_layers": 32, "num_heads": 30, "mlp_dim": 11008, "vocab_size": 100352},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "g": "num_kv_heads", "G": "num_key_heads", "H": "num_value_heads", "s": "key_dim", "p": "value_dim", "K": "kernel_size"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        num_kv_heads: int | None = None,
        num_key_heads: int | None = None,
        num_value_heads: int | None = None,
        key_dim: int | None = None,
        value_dim: int | None = None,
        kernel_size: int = 4,
        attention_bias: bool = False,
        tied: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        num_key_heads = num_heads if num_key_heads is None else num_key_heads
        num_value_heads = num_heads if num_value_heads is None else num_value_heads
        if key_dim is None:
            if 3 * embed_dim < 4 * num_key_heads:
                raise ValueError(
                    "3*embed_dim >= 4*num_key_heads must hold where key_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_key_heads = {num_key_heads}"
                )
            key_dim = 3 * embed_dim // (4 * num_key_heads)
        value_dim = 2 * key_dim if value_dim is None else value_dim
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if num_heads % num_kv_heads != 0:
            raise ValueError(
                "num_heads % num_kv_heads == 0 must hold; "
                f"found num_heads = {num_heads}, num_kv_heads = {num_kv_heads}"
            )
        if num_value_heads % num_key_heads != 0:
            raise ValueError(
                "num_value_heads % num_key_heads == 0 must hold; "
                f"found num_key_heads = {num_key_heads}, num_value_heads = {num_value_heads}"
            )
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 4 < 3:
                self.blocks.append(
                    OlmoHybridDeltaBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        num_key_heads=num_key_heads,
                        num_value_heads=num_value_heads,
                        key_dim=key_dim,
                        value_dim=value_dim,
                        kernel_size=kernel_size,
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    OlmoHybridAttendedBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        num_kv_heads=num_kv_heads,
                        attention_bias=attention_bias,
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> OlmoHybrid:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (OlmoHybridForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("olmo_hybrid"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
