"""RecurrentGemma.

Generated from models/recurrent_gemma.yaml (sha256 344a8cff9146fabd); edit the spec, not this file (content 998afeb9b55b70db).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gated_mlp import GatedMlp
from .gated_recurrence_mixer import GatedRecurrenceMixer
from .llama_block import LlamaBlock
from .recurrent_gemma_attention import RecurrentGemmaAttention


class RecurrentGemma(nn.Module):
    """RecurrentGemma (Botev et al., 2024).

    Griffin: two layers with a gated linear recurrence to one that attends to a window of w tokens, so that what is kept
    stops growing. Embedding, head and feed-forward networks are Gemma's, with biases; logits are capped. The
    recurrences are counted as they run, step after step.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of
        keys and values, e (head_dim) head width, w (window) tokens that one attends to, u (rotary_dim) rotated features
        of a head, c (inner_dim) channels of a recurrence, K (kernel_size) width of the convolution.
    Parameters: 2*d*floor(L/3)*h*e + 2*d*floor(L/3)*g*e + 3*d*L*f + 3*d*L*c - 3*d*floor(L/3)*c + L*c*K - floor(L/3)*c*K
        + 6*L*c - 6*floor(L/3)*c + 4*d*L + 2*L*f + 2*L*c**2/h - 2*floor(L/3)*c**2/h + d*V + d.
    MACs: 2*b*n**2*floor(L/3)*h*e + 2*b*n*d*floor(L/3)*h*e + 2*b*n*d*floor(L/3)*g*e + 2*b*n*min(m - n, w -
        1)*floor(L/3)*h*e + 3*b*n*d*L*f + 3*b*n*d*L*c - 3*b*n*d*floor(L/3)*c + b*n*L*c*K - b*n*floor(L/3)*c*K +
        2*b*n*L*c**2/h - 2*b*n*floor(L/3)*c**2/h + b*n*d*V.
    KV cache and state: 2*b*min(m, w - 1)*floor(L/3)*g*e + b*L*c*K - b*floor(L/3)*c*K + b*L - b*floor(L/3).
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "recurrentgemma-2b": {"embed_dim": 2560, "num_layers": 26, "num_heads": 10, "mlp_dim": 7680, "vocab_size": 256000, "num_kv_heads": 1},
        "recurrentgemma-9b": {"embed_dim": 4096, "num_layers": 38, "num_heads": 16, "mlp_dim": 12288, "vocab_size": 256000, "num_kv_heads": 1},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "e": "head_dim", "w": "window", "u": "rotary_dim", "c": "inner_dim", "K": "kernel_size"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        max_length: int = 8192,
        num_kv_heads: int = 1,
        head_dim: int | None = None,
        window: int = 2048,
        rotary_dim: int | None = None,
        inner_dim: int | None = None,
        kernel_size: int = 4,
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
        rotary_dim = head_dim // 2 if rotary_dim is None else rotary_dim
        inner_dim = embed_dim if inner_dim is None else inner_dim
        if head_dim < rotary_dim:
            raise ValueError(
                "head_dim >= rotary_dim must hold; "
                f"found head_dim = {head_dim}, rotary_dim = {rotary_dim}"
            )
        if rotary_dim % 2 != 0:
            raise ValueError(f"rotary_dim % 2 == 0 must hold; found rotary_dim = {rotary_dim}")
        if inner_dim % num_heads != 0:
            raise ValueError(
                "inner_dim % num_heads == 0 must hold; "
                f"found num_heads = {num_heads}, inner_dim = {inner_dim}"
            )
        self.embed_dim = embed_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 3 < 2:
                self.blocks.append(
                    LlamaBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        max_length=max_length,
                        eps=eps,
                        attention=GatedRecurrenceMixer(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            inner_dim=inner_dim,
                            kernel_size=kernel_size,
                            **factory,
                        ),
                        ffn=GatedMlp(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            activation="gelu_tanh",
                            bias=True,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    LlamaBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        max_length=max_length,
                        eps=eps,
                        attention=RecurrentGemmaAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            window=window,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            rotary_dim=rotary_dim,
                            **factory,
                        ),
                        ffn=GatedMlp(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            activation="gelu_tanh",
                            bias=True,
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
    def from_preset(cls, name: str, **changes: Any) -> RecurrentGemma:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (RecurrentGemmaForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("recurrent_gemma"), layout)

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
