"""DeepSeek-V2.

Generated from models/deepseek_v2.yaml (sha256 a1b8333be4034ce0); edit the spec, not this file (content ba9bb20dc1a6cd90).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._state import substate
from .group_limited_router import GroupLimitedRouter
from .latent_attention import LatentAttention
from .llama_block import LlamaBlock
from .shared_mixture_of_experts import SharedMixtureOfExperts


class DeepseekV2(nn.Module):
    """DeepSeek-V2 (DeepSeek-AI, 2024).

    Layers with latent attention. The first D have a feed-forward network each; in all others a token uses s shared
    experts and k of E, from t of G groups.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, D (num_dense) layers without experts, h (num_heads) number of heads, e width of
        keys without positions in each head, r width of rotated keys, v width of values in each head, c width of the
        latent vector of keys and values, l width of the latent vector of queries, F (dense_dim) inner width of layers
        without experts, f (mlp_dim) inner width of an expert, E (num_experts) number of experts to choose from, k
        (top_k) experts of a token, s (num_shared) shared experts, G (num_groups) groups of experts, t (top_groups)
        groups of a token, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 3*d*L*f*E + 3*d*L*f*s - 3*d*D*f*E - 3*d*D*f*s + d*L*h*v + L*h*e*c + L*h*e*l + L*h*r*l + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*l + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + L*l + d.
    Active parameters: 3*d*L*f*k + 3*d*L*f*s - 3*d*D*f*k - 3*d*D*f*s + d*L*h*v + L*h*e*c + L*h*e*l + L*h*r*l + L*h*v*c +
        3*d*D*F + d*L*r + d*L*c + d*L*l + d*L*E - d*D*E + 2*d*L + 2*d*V + L*c + L*l + d.
    MACs: 3*b*n*d*L*f*k + 3*b*n*d*L*f*s - 3*b*n*d*D*f*k - 3*b*n*d*D*f*s + b*n*m*L*h*e + b*n*m*L*h*r + b*n*m*L*h*v +
        b*n*d*L*h*v + b*n*L*h*e*l + b*n*L*h*r*l + b*m*L*h*e*c + b*m*L*h*v*c + 3*b*n*d*D*F + b*n*d*L*r + b*n*d*L*c +
        b*n*d*L*l + b*n*d*L*E - b*n*d*D*E + b*n*d*V.
    KV cache and state: b*m*L*r + b*m*L*c.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deepseek-v2": {"embed_dim": 5120, "num_layers": 60, "num_heads": 128, "e": 128, "r": 64, "c": 512, "l": 1536, "dense_dim": 12288, "mlp_dim": 1536, "num_experts": 160, "top_k": 6, "num_shared": 2, "num_groups": 8, "top_groups": 3, "vocab_size": 102400, "max_length": 163840},
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
                    router=GroupLimitedRouter(
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
    def from_preset(cls, name: str, **changes: Any) -> DeepseekV2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

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
