"""Gemma 2.

Generated from models/gemma2.yaml (sha256 df0bff84669a81e8); edit the spec, not this file (content 615443131be5e7cc).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gemma2_global_attention import Gemma2GlobalAttention
from .gemma2_local_attention import Gemma2LocalAttention
from .gemma3_block import Gemma3Block


class Gemma2(nn.Module):
    """Gemma 2 (Gemma Team, 2024, Gemma 2).

    Gemma, in which every other layer attends to a window of w tokens alone. Each layer has a norm before and behind
    attention and feed-forward network; scores and logits are capped.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of
        keys and values, e (head_dim) head width, w (window) tokens that one attends to in a local layer, s number whose
        root divides the scores.
    Parameters: 2*d*L*h*e + 2*d*L*g*e + 3*d*L*f + 4*d*L + d*V + d.
    MACs: 2*b*n**2*L*h*e - 2*b*n**2*floor(L/2)*h*e + 2*b*n*m*floor(L/2)*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e +
        2*b*n*min(m - n, w - 1)*L*h*e - 2*b*n*min(m - n, w - 1)*floor(L/2)*h*e + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*floor(L/2)*g*e + 2*b*min(m, w - 1)*L*g*e - 2*b*min(m, w - 1)*floor(L/2)*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gemma-2-2b": {"embed_dim": 2304, "num_layers": 26, "num_heads": 8, "mlp_dim": 9216, "vocab_size": 256000, "max_length": 8192, "num_kv_heads": 4, "window": 4096, "head_dim": 256},
        "gemma-2-9b": {"embed_dim": 3584, "num_layers": 42, "num_heads": 16, "mlp_dim": 14336, "vocab_size": 256000, "max_length": 8192, "num_kv_heads": 8, "window": 4096, "head_dim": 256},
        "gemma-2-27b": {"embed_dim": 4608, "num_layers": 46, "num_heads": 32, "mlp_dim": 36864, "vocab_size": 256000, "max_length": 8192, "num_kv_heads": 16, "window": 4096, "head_dim": 128, "s": 144},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "w": "window", "e": "head_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        max_length: int,
        num_kv_heads: int,
        window: int,
        head_dim: int | None = None,
        s: int | None = None,
        base: float = 10000,
        eps: float = 1e-06,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        s = head_dim if s is None else s
        self.embed_dim = embed_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 2 == 0:
                self.blocks.append(
                    Gemma3Block(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        eps=eps,
                        attention=Gemma2LocalAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            window=window,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            s=s,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    Gemma3Block(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        eps=eps,
                        attention=Gemma2GlobalAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            s=s,
                            base=base,
                            eps=eps,
                            **factory,
                        ),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.raw_logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.raw_logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Gemma2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Gemma2ForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gemma2"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        scaled = token_embedding * self.embed_dim**0.5                    # b n d
        blocks = scaled
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        raw_logits = self.raw_logits(final_norm)                          # b n V
        logits = (raw_logits / 30).tanh() * 30                            # b n V
        return logits
