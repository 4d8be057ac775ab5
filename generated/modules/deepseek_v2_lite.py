"""DeepSeek-V2-Lite.

Generated from models/deepseek_v2_lite.yaml (sha256 2a6604ce53f931cf); edit the spec, not this file (content e973b64d1a514bde).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .full_rank_latent_attention import FullRankLatentAttention
from .llama_block import LlamaBlock
from .shared_mixture_of_experts import SharedMixtureOfExperts


class DeepseekV2Lite(nn.Module):
    """DeepSeek-V2-Lite (DeepSeek-AI, 2024).

    DeepSeek-V2 with queries of full rank, in which a token chooses its experts among all.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, D (num_dense) layers without experts, h (num_heads) number of heads, e width of
        keys without positions in each head, r width of rotated keys, v width of values in each head, c width of the
        latent vector of keys and values, F (dense_dim) inner width of layers without experts, f (mlp_dim) inner width
        of an expert, E (num_experts) number of experts to choose from, k (top_k) experts of a token, s (num_shared)
        shared experts, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 3*d*L*f*E + 3*d*L*f*s - 3*d*D*f*E - 3*d*D*f*s + d*L*h*e + d*L*h*r + d*L*h*v + L*h*e*c + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + d.
    Active parameters: 3*d*L*f*k + 3*d*L*f*s - 3*d*D*f*k - 3*d*D*f*s + d*L*h*e + d*L*h*r + d*L*h*v + L*h*e*c + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + d.
    MACs: 3*b*n*d*L*f*k + 3*b*n*d*L*f*s - 3*b*n*d*D*f*k - 3*b*n*d*D*f*s + b*n*m*L*h*e + b*n*m*L*h*r + b*n*m*L*h*v +
        b*n*d*L*h*e + b*n*d*L*h*r + b*n*d*L*h*v + b*m*L*h*e*c + b*m*L*h*v*c + 3*b*n*d*D*F + b*n*d*L*r + b*n*d*L*c +
        b*n*d*L*E - b*n*d*D*E + b*n*d*V.
    KV cache and state: b*m*L*r + b*m*L*c.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deepseek-v2-lite": {"embed_dim": 2048, "num_layers": 27, "num_heads": 16, "e": 128, "r": 64, "c": 512, "dense_dim": 10944, "mlp_dim": 1408, "num_experts": 64, "top_k": 6, "num_shared": 2, "vocab_size": 102400, "max_length": 163840},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "F": "dense_dim", "f": "mlp_dim", "E": "num_experts", "k": "top_k", "s": "num_shared", "V": "vocab_size", "P": "max_length", "D": "num_dense"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        e: int,
        r: int,
        c: int,
        dense_dim: int,
        mlp_dim: int,
        num_experts: int,
        top_k: int,
        num_shared: int,
        vocab_size: int,
        max_length: int,
        num_dense: int = 1,
        v: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        v = e if v is None else v
        if r % 2 != 0:
            raise ValueError(f"r % 2 == 0 must hold; found r = {r}")
        if num_layers <= num_dense:
            raise ValueError(
                "num_layers > num_dense must hold; "
                f"found num_layers = {num_layers}, num_dense = {num_dense}"
            )
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.dense = nn.ModuleList(
            LlamaBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=dense_dim,
                max_length=max_length,
                attention=FullRankLatentAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    e=e,
                    r=r,
                    c=c,
                    max_length=max_length,
                    v=v,
                    **factory,
                ),
                **factory,
            )
            for _ in range(num_dense)
        )
        recompute_layers(self.dense, recompute)
        self.sparse = nn.ModuleList(
            LlamaBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                max_length=max_length,
                attention=FullRankLatentAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    e=e,
                    r=r,
                    c=c,
                    max_length=max_length,
                    v=v,
                    **factory,
                ),
                ffn=SharedMixtureOfExperts(
                    embed_dim=embed_dim,
                    mlp_dim=mlp_dim,
                    num_experts=num_experts,
                    num_shared=num_shared,
                    top_k=top_k,
                    **factory,
                ),
                **factory,
            )
            for _ in range(num_layers - num_dense)
        )
        recompute_layers(self.sparse, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> DeepseekV2Lite:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (DeepseekV2ForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("deepseek_v2_lite"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        dense = token_embedding
        for index, layer in enumerate(self.dense):
            dense = layer(dense, substate(state, f"dense.{index}"))       # b n d
        sparse = dense
        for index, layer in enumerate(self.sparse):
            sparse = layer(sparse, substate(state, f"sparse.{index}"))    # b n d
        final_norm = self.final_norm(sparse)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
