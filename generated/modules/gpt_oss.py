"""GPT-OSS.

Generated from models/gpt_oss.yaml (sha256 17e9734e0714741a); edit the spec, not this file (content e3a03fff6a48450f).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gpt_oss_attention import GptOssAttention
from .gpt_oss_expert import GptOssExpert
from .gpt_oss_local_attention import GptOssLocalAttention
from .llama_block import LlamaBlock
from .mixture_of_experts import MixtureOfExperts
from .softmax_of_top_router import SoftmaxOfTopRouter


class GptOss(nn.Module):
    """GPT-OSS (OpenAI, 2025).

    A mixture of experts in each layer, and attention to a window of w tokens in every other one. Each head has a
    learned score of its own, a sink, that takes part in the softmax; the gates of experts are capped. Long contexts
    change the wavelengths of positions, which costs nothing.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of an expert, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of keys and
        values, e (head_dim) head width, w (window) tokens that one attends to in a local layer, E (num_experts) number
        of experts, k (top_k) experts of a token.
    Parameters: 3*d*L*f*E + 2*d*L*h*e + 2*d*L*g*e + 2*d*L*E + 2*L*f*E + 2*L*g*e + L*h*e + 3*d*L + 2*d*V + L*h + L*E + d.
    Active parameters: 3*d*L*f*k + 2*d*L*h*e + 2*d*L*g*e + 2*L*f*k + 2*L*g*e + d*L*E + d*L*k + L*h*e + 3*d*L + 2*d*V +
        L*h + L*E + d.
    MACs: 3*b*n*d*L*f*k + 2*b*n**2*L*h*e - 2*b*n**2*floor(L/2)*h*e + 2*b*n*m*floor(L/2)*h*e + 2*b*n*d*L*h*e +
        2*b*n*d*L*g*e + 2*b*n*min(m - n, w - 1)*L*h*e - 2*b*n*min(m - n, w - 1)*floor(L/2)*h*e + b*n*d*L*E + b*n*d*V.
    KV cache and state: 2*b*m*floor(L/2)*g*e + 2*b*min(m, w - 1)*L*g*e - 2*b*min(m, w - 1)*floor(L/2)*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gpt-oss-20b": {"embed_dim": 2880, "num_layers": 24, "num_heads": 64, "mlp_dim": 2880, "vocab_size": 201088, "max_length": 131072, "num_kv_heads": 8, "window": 128, "num_experts": 32, "top_k": 4, "head_dim": 64},
        "gpt-oss-120b": {"embed_dim": 2880, "num_layers": 36, "num_heads": 64, "mlp_dim": 2880, "vocab_size": 201088, "max_length": 131072, "num_kv_heads": 8, "window": 128, "num_experts": 128, "top_k": 4, "head_dim": 64},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "w": "window", "E": "num_experts", "k": "top_k", "e": "head_dim"}

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
        num_experts: int,
        top_k: int,
        head_dim: int | None = None,
        base: float = 150000,
        eps: float = 1e-05,
        attention_bias: bool = True,
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
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 2 == 0:
                self.blocks.append(
                    LlamaBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        max_length=max_length,
                        eps=eps,
                        attention=GptOssLocalAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            window=window,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            bias=attention_bias,
                            out_bias=attention_bias,
                            base=base,
                            eps=eps,
                            **factory,
                        ),
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=SoftmaxOfTopRouter(
                                embed_dim=embed_dim,
                                num_experts=num_experts,
                                top_k=top_k,
                                bias=True,
                                **factory,
                            ),
                            expert=GptOssExpert(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
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
                        attention=GptOssAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            max_length=max_length,
                            g=num_kv_heads,
                            head_dim=head_dim,
                            bias=attention_bias,
                            out_bias=attention_bias,
                            base=base,
                            eps=eps,
                            **factory,
                        ),
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=SoftmaxOfTopRouter(
                                embed_dim=embed_dim,
                                num_experts=num_experts,
                                top_k=top_k,
                                bias=True,
                                **factory,
                            ),
                            expert=GptOssExpert(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
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
    def from_preset(cls, name: str, **changes: Any) -> GptOss:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (GptOssForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gpt_oss"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
