"""LLaMA.

Generated from models/llama.yaml (sha256 200c4c53b1ef70dd); edit the spec, not this file (content 7c0500291872f8f7).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from ._reference import load_reference
from ._state import substate
from .llama_block import LlamaBlock


class Llama(nn.Module):
    """LLaMA (Touvron et al., 2023).

    A stack of decoder blocks with RMS normalisation, rotary positions and gated feed-forward networks; a key-value
    cache; a head with its own weight.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d model width, L number of layers, h
        number of heads, f inner width of the feed-forward network, V vocabulary size, P greatest number of tokens.
    Parameters: 4*d**2*L + 3*d*L*f + 2*d*L + 2*d*V + d.
    MACs: 4*b*n*d**2*L + 3*b*n*d*L*f + 2*b*n*m*d*L + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "llama-7b": {"d": 4096, "L": 32, "h": 32, "f": 11008, "V": 32000, "P": 2048},
        "llama-13b": {"d": 5120, "L": 40, "h": 40, "f": 13824, "V": 32000, "P": 2048},
        "llama-33b": {"d": 6656, "L": 60, "h": 52, "f": 17920, "V": 32000, "P": 2048},
        "llama-65b": {"d": 8192, "L": 80, "h": 64, "f": 22016, "V": 32000, "P": 2048},
    }

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "transformers": {  # LlamaForCausalLM
            "rules": [
                {"to": "token_embedding", "from": "model.embed_tokens"},
                {"to": "blocks.*.attention_norm", "from": "model.layers.*.input_layernorm"},
                {"to": "blocks.*.attention.q", "from": "model.layers.*.self_attn.q_proj"},
                {"to": "blocks.*.attention.k", "from": "model.layers.*.self_attn.k_proj"},
                {"to": "blocks.*.attention.v", "from": "model.layers.*.self_attn.v_proj"},
                {"to": "blocks.*.attention.out", "from": "model.layers.*.self_attn.o_proj"},
                {"to": "blocks.*.mlp_norm", "from": "model.layers.*.post_attention_layernorm"},
                {"to": "blocks.*.mlp.gate", "from": "model.layers.*.mlp.gate_proj"},
                {"to": "blocks.*.mlp.up", "from": "model.layers.*.mlp.up_proj"},
                {"to": "blocks.*.mlp.down", "from": "model.layers.*.mlp.down_proj"},
                {"to": "final_norm", "from": "model.norm"},
                {"to": "logits", "from": "lm_head"},
            ],
            "ignore": [],
        },
    }

    def __init__(self, d: int, L: int, h: int, f: int, V: int, P: int) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(V, d)
        self.blocks = nn.ModuleList(LlamaBlock(d, h, f, P) for _ in range(L))
        self.final_norm = nn.RMSNorm(d, eps=1e-06)
        self.logits = nn.Linear(d, V, bias=False)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Llama:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
