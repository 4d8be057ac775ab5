"""Gemma 3.

Generated from models/gemma3.yaml (sha256 641ba777610827b4); edit the spec, not this file (content 269335932601fbc6).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._state import substate
from .gemma3_block import Gemma3Block
from .gemma3_local_attention import Gemma3LocalAttention
from .grouped_rotary_attention import GroupedRotaryAttention


class Gemma3(nn.Module):
    """Gemma 3 (Gemma Team, 2025).

    Five layers that attend to a window of w tokens to one that attends to all, each with a norm before and behind
    attention and feed-forward network; queries and keys are normalised, the embedding is scaled, and the head is tied
    to it.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of
        keys and values, e (head_dim) head width, w (window) tokens that one attends to in a local layer.
    Parameters: 2*d*L*h*e + 2*d*L*g*e + 3*d*L*f + 4*d*L + 2*L*e + d*V + d.
    MACs: 2*b*n**2*L*h*e - 2*b*n**2*floor(L/6)*h*e + 2*b*n*m*floor(L/6)*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e +
        2*b*n*min(m - n, w - 1)*L*h*e - 2*b*n*min(m - n, w - 1)*floor(L/6)*h*e + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*floor(L/6)*g*e + 2*b*min(m, w - 1)*L*g*e - 2*b*min(m, w - 1)*floor(L/6)*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gemma-3-1b": {"embed_dim": 1152, "num_layers": 26, "num_heads": 4, "mlp_dim": 6912, "vocab_size": 262144, "max_length": 32768, "num_kv_heads": 1, "window": 512, "head_dim": 256},
        "gemma-3-4b": {"embed_dim": 2560, "num_layers": 34, "num_heads": 8, "mlp_dim": 10240, "vocab_size": 262208, "max_length": 131072, "num_kv_heads": 4, "window": 1024, "head_dim": 256},
        "gemma-3-12b": {"embed_dim": 3840, "num_layers": 48, "num_heads": 16, "mlp_dim": 15360, "vocab_size": 262208, "max_length": 131072, "num_kv_heads": 8, "window": 1024, "head_dim": 256},
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
        base: float = 1000000,
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
        self.embed_dim = embed_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 6 < 5:
                self.blocks.append(
                    Gemma3Block(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        num_heads=num_heads,
                        max_length=max_length,
                        eps=eps,
                        attention=Gemma3LocalAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            window=window,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            eps=eps,
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
                        attention=GroupedRotaryAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            base=base,
                            qk_norm=True,
                            eps=eps,
                            **factory,
                        ),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Gemma3:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        scaled = token_embedding * self.embed_dim**0.5                    # b n d
        blocks = scaled
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
