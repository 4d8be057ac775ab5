"""minGPT.

Generated from models/min_gpt.yaml (sha256 a3dd119e7bb002a5); edit the spec, not this file (content c4c63d0e3a1a8d64).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference
from ._state import advance, substate
from .causal_attention import CausalAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class MinGpt(nn.Module):
    """minGPT (Karpathy, 2020).

    A stack of pre-norm decoder blocks over token and position embeddings, as GPT-2, but with a head of its own weight.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d model width, L number of layers, h
        number of heads, f inner width of the feed-forward network, V vocabulary size, P greatest number of tokens.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + 2*d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gpt-mini": {"d": 192, "L": 6, "h": 6, "V": 50257, "P": 1024},
        "gpt-micro": {"d": 128, "L": 4, "h": 4, "V": 50257, "P": 1024},
        "gpt-nano": {"d": 48, "L": 3, "h": 3, "V": 50257, "P": 1024},
    }

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "transformers": {  # GPT2LMHeadModel with tie_word_embeddings=False
            "rules": [
                {"to": "token_embedding", "from": "transformer.wte"},
                {"to": "position_embedding", "from": "transformer.wpe.weight"},
                {"to": "blocks.*.attention_norm", "from": "transformer.h.*.ln_1"},
                {"to": "blocks.*.attention.qkv", "from": "transformer.h.*.attn.c_attn", "transpose": True},
                {"to": "blocks.*.attention.out", "from": "transformer.h.*.attn.c_proj", "transpose": True},
                {"to": "blocks.*.mlp_norm", "from": "transformer.h.*.ln_2"},
                {"to": "blocks.*.mlp.up", "from": "transformer.h.*.mlp.c_fc", "transpose": True},
                {"to": "blocks.*.mlp.down", "from": "transformer.h.*.mlp.c_proj", "transpose": True},
                {"to": "final_norm", "from": "transformer.ln_f"},
                {"to": "logits", "from": "lm_head"},
            ],
            "ignore": [],
        },
    }

    def __init__(self, d: int, L: int, h: int, V: int, P: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.token_embedding = nn.Embedding(V, d)
        self.position_embedding = nn.Parameter(torch.randn(P, d) * 0.02)
        self.blocks = nn.ModuleList(
            PreNormBlock(d, h, f, attention=CausalAttention(d, h), ffn=Mlp(d, f, activation="gelu_tanh"))
            for _ in range(L)
        )
        self.final_norm = nn.LayerNorm(d, eps=1e-05)
        self.logits = nn.Linear(d, V, bias=False)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> MinGpt:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding_start = advance(
            state,
            "position_embedding",
            token_embedding.shape[1],
            self.position_embedding.shape[0],
        )
        position_embedding = self.position_embedding[position_embedding_start : position_embedding_start + token_embedding.shape[1]]  # n d
        embeddings = token_embedding + position_embedding                 # b n d
        blocks = embeddings
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
