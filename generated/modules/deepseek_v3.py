"""DeepSeek-V3.

Generated from models/deepseek_v3.yaml (sha256 ae61ee5956aaf828); edit the spec, not this file (content b7293a7a3944faad).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .latent_attention import LatentAttention
from .llama_block import LlamaBlock
from .shared_mixture_of_experts import SharedMixtureOfExperts
from .sigmoid_router import SigmoidRouter


class DeepseekV3(nn.Module):
    """DeepSeek-V3 (DeepSeek-AI, 2024 (V3)).

    DeepSeek-V2 with experts chosen by scores of their own and a bias that keeps their loads even. The first D layers
    have a feed-forward network each; in all others a token uses s shared experts and k of E, from t of G groups.
    Without the module that predicts a second token.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, D (num_dense) layers without experts, h (num_heads) number of heads, e width of
        keys without positions in each head, r width of rotated keys, v width of values in each head, c width of the
        latent vector of keys and values, l width of the latent vector of queries, F (dense_dim) inner width of layers
        without experts, f (mlp_dim) inner width of an expert, E (num_experts) number of experts to choose from, k
        (top_k) experts of a token, s (num_shared) shared experts, G (num_groups) groups of experts, t (top_groups)
        groups of a token, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 3*d*L*f*E + 3*d*L*f*s - 3*d*D*f*E - 3*d*D*f*s + d*L*h*v + L*h*e*c + L*h*e*l + L*h*r*l + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*l + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + L*l + L*E - D*E + d.
    Trainable parameters: 3*d*L*f*E + 3*d*L*f*s - 3*d*D*f*E - 3*d*D*f*s + d*L*h*v + L*h*e*c + L*h*e*l + L*h*r*l +
        L*h*v*c + 3*d*D*F + d*L*r + d*L*c + d*L*l + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + L*l + d.
    Active parameters: 3*d*L*f*k + 3*d*L*f*s - 3*d*D*f*k - 3*d*D*f*s + d*L*h*v + L*h*e*c + L*h*e*l + L*h*r*l + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*l + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + L*l + L*E - D*E + d.
    MACs: 3*b*n*d*L*f*k + 3*b*n*d*L*f*s - 3*b*n*d*D*f*k - 3*b*n*d*D*f*s + b*n*m*L*h*e + b*n*m*L*h*r + b*n*m*L*h*v +
        b*n*d*L*h*v + b*n*L*h*e*l + b*n*L*h*r*l + b*m*L*h*e*c + b*m*L*h*v*c + 3*b*n*d*D*F + b*n*d*L*r + b*n*d*L*c +
        b*n*d*L*l + b*n*d*L*E - b*n*d*D*E + b*n*d*V.
    KV cache and state: b*m*L*r + b*m*L*c.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deepseek-v3": {"embed_dim": 7168, "num_layers": 61, "num_heads": 128, "e": 128, "r": 64, "c": 512, "l": 1536, "dense_dim": 18432, "mlp_dim": 2048, "num_experts": 256, "top_k": 8, "num_shared": 1, "num_groups": 8, "top_groups": 4, "vocab_size": 129280, "max_length": 163840, "num_dense": 3},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "F": "dense_dim", "f": "mlp_dim", "E": "num_experts", "k": "top_k", "s": "num_shared", "G": "num_groups", "t": "top_groups", "V": "vocab_size", "P": "max_length", "D": "num_dense"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        e: int,
        r: int,
        c: int,
        l: int,
        dense_dim: int,
        mlp_dim: int,
        num_experts: int,
        top_k: int,
        num_shared: int,
        num_groups: int,
        top_groups: int,
        vocab_size: int,
        max_length: int,
        num_dense: int = 3,
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
                attention=LatentAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    e=e,
                    r=r,
                    c=c,
                    l=l,
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
                attention=LatentAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    e=e,
                    r=r,
                    c=c,
                    l=l,
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
                    router=SigmoidRouter(
                        embed_dim=embed_dim,
                        num_experts=num_experts,
                        top_k=top_k,
                        num_groups=num_groups,
                        top_groups=top_groups,
                        **factory,
                    ),
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
    def from_preset(cls, name: str, **changes: Any) -> DeepseekV3:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (DeepseekV3ForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("deepseek_v3"), layout)

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
