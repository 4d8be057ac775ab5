"""Qwen3-Next.

Generated from models/qwen3_next.yaml (sha256 fb2f27e622dd72cc); edit the spec, not this file (content 6acd653886d3deb3).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gated_delta_mixer import GatedDeltaMixer
from .gated_rotary_attention import GatedRotaryAttention
from .gated_shared_experts import GatedSharedExperts
from .llama_block import LlamaBlock


class Qwen3Next(nn.Module):
    """Qwen3-Next (Qwen Team, 2025, Qwen3-Next).

    Three layers with the gated delta rule, whose state does not grow, to one of gated attention; each feed-forward
    network is a mixture of experts beside a gated shared one. The recurrences are counted as they run, step after step.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of an expert, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of keys and
        values, e (head_dim) head width, S (shared_dim) inner width of the shared expert, E (num_experts) number of
        experts, k (top_k) experts of a token, u (rotary_dim) rotated features of a head, G (num_key_heads) heads of
        keys of the delta rule, H (num_value_heads) heads of values of the delta rule, s (key_dim) width of a key of the
        delta rule, p (value_dim) width of a value of the delta rule, K (kernel_size) width of the convolution.
    Parameters: 3*d*L*f*E + 3*d*L*H*p + 3*d*floor(L/4)*h*e - 3*d*floor(L/4)*H*p + 2*d*L*G*s + 2*d*floor(L/4)*g*e -
        2*d*floor(L/4)*G*s + 2*L*G*s*K - 2*floor(L/4)*G*s*K + L*H*p*K - floor(L/4)*H*p*K + 3*d*L*S + 2*d*L*H -
        2*d*floor(L/4)*H + d*L*E + 3*d*L + 2*d*V + 2*L*H + 2*floor(L/4)*e - 2*floor(L/4)*H + L*p - floor(L/4)*p + d.
    Active parameters: 3*d*L*f*k + 3*d*L*H*p + 3*d*floor(L/4)*h*e - 3*d*floor(L/4)*H*p + 2*d*L*G*s + 2*d*floor(L/4)*g*e
        - 2*d*floor(L/4)*G*s + 2*L*G*s*K - 2*floor(L/4)*G*s*K + L*H*p*K - floor(L/4)*H*p*K + 3*d*L*S + 2*d*L*H -
        2*d*floor(L/4)*H + d*L*E + 3*d*L + 2*d*V + 2*L*H + 2*floor(L/4)*e - 2*floor(L/4)*H + L*p - floor(L/4)*p + d.
    MACs: 3*b*n*d*L*f*k + 3*b*n*d*L*H*p + 3*b*n*d*floor(L/4)*h*e - 3*b*n*d*floor(L/4)*H*p + 2*b*n*m*floor(L/4)*h*e +
        2*b*n*d*L*G*s + 2*b*n*d*floor(L/4)*g*e - 2*b*n*d*floor(L/4)*G*s + 2*b*n*L*G*s*K + 2*b*n*L*H*s*p -
        2*b*n*floor(L/4)*G*s*K - 2*b*n*floor(L/4)*H*s*p + b*n*L*H*p*K - b*n*floor(L/4)*H*p*K + 3*b*n*d*L*S + 2*b*n*d*L*H
        - 2*b*n*d*floor(L/4)*H + b*n*d*L*E + b*n*d*L + b*n*d*V.
    KV cache and state: 2*b*m*floor(L/4)*g*e + 2*b*L*G*s*K - 2*b*floor(L/4)*G*s*K + b*L*H*s*p + b*L*H*p*K -
        b*floor(L/4)*H*s*p - b*floor(L/4)*H*p*K - 2*b*L*G*s + 2*b*floor(L/4)*G*s - b*L*H*p + b*floor(L/4)*H*p.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "qwen3-next-80b-a3b": {"embed_dim": 2048, "num_layers": 48, "num_heads": 16, "mlp_dim": 512, "vocab_size": 151936, "max_length": 262144, "num_kv_heads": 2, "num_experts": 512, "top_k": 10, "num_key_heads": 16, "head_dim": 256, "num_value_heads": 32},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "E": "num_experts", "k": "top_k", "G": "num_key_heads", "e": "head_dim", "S": "shared_dim", "u": "rotary_dim", "H": "num_value_heads", "s": "key_dim", "p": "value_dim", "K": "kernel_size"}

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
        num_experts: int,
        top_k: int,
        num_key_heads: int,
        head_dim: int | None = None,
        shared_dim: int | None = None,
        rotary_dim: int | None = None,
        num_value_heads: int | None = None,
        key_dim: int = 128,
        value_dim: int = 128,
        kernel_size: int = 4,
        base: float = 10000000,
        eps: float = 1e-06,
        attention_bias: bool = False,
        tied: bool = False,
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
        shared_dim = mlp_dim if shared_dim is None else shared_dim
        if rotary_dim is None:
            if head_dim % 4 != 0:
                raise ValueError(f"head_dim % 4 == 0 must hold where rotary_dim is not given; found head_dim = {head_dim}")
            rotary_dim = head_dim // 4
        num_value_heads = num_key_heads if num_value_heads is None else num_value_heads
        if head_dim < rotary_dim:
            raise ValueError(
                "head_dim >= rotary_dim must hold; "
                f"found head_dim = {head_dim}, rotary_dim = {rotary_dim}"
            )
        if rotary_dim % 2 != 0:
            raise ValueError(f"rotary_dim % 2 == 0 must hold; found rotary_dim = {rotary_dim}")
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
                    LlamaBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        max_length=max_length,
                        eps=eps,
                        attention=GatedDeltaMixer(
                            embed_dim=embed_dim,
                            num_key_heads=num_key_heads,
                            num_value_heads=num_value_heads,
                            key_dim=key_dim,
                            value_dim=value_dim,
                            kernel_size=kernel_size,
                            **factory,
                        ),
                        ffn=GatedSharedExperts(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            num_experts=num_experts,
                            shared_dim=shared_dim,
                            top_k=top_k,
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
                        attention=GatedRotaryAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            rotary_dim=rotary_dim,
                            bias=attention_bias,
                            out_bias=attention_bias,
                            base=base,
                            qk_norm=True,
                            eps=eps,
                            **factory,
                        ),
                        ffn=GatedSharedExperts(
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            num_experts=num_experts,
                            shared_dim=shared_dim,
                            top_k=top_k,
                            **factory,
                        ),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Qwen3Next:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Qwen3NextForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("qwen3_next"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
