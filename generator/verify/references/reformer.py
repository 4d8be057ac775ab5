"""Reformer's hashed attention against transformers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from generator.verify.references.base import PublicModel, Small

SEED = 7


class _Attention(nn.Module):
    """The attention of transformers with the layer behind it, and the rotations that it draws anew from its seed each time."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        from transformers.models.reformer import modeling_reformer

        reformer: Any = modeling_reformer
        self.attention = reformer.LSHSelfAttention(config, layer_idx=0)
        self.output = reformer.ReformerSelfOutput(config)
        torch.manual_seed(config.hash_seed)
        shape = config.num_attention_heads, config.attention_head_size, config.num_hashes, config.num_buckets // 2
        self.register_buffer("rotations", torch.randn(shape))

    def forward(self, x: Tensor) -> Tensor:
        mixed: Tensor = self.output(self.attention(x).hidden_states)
        return mixed


def _small(dtype: torch.dtype) -> Small:
    import transformers

    config = transformers.ReformerConfig(
        hidden_size=24, num_attention_heads=4, attention_head_size=6, attn_layers=["lsh"], num_hashes=3, num_buckets=4,
        lsh_attn_chunk_length=4, lsh_num_chunks_before=1, lsh_num_chunks_after=0, lsh_attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0, hash_seed=SEED, is_decoder=False,
    )  # fmt: skip
    other = _Attention(config).to(dtype)
    x = torch.randn(2, 20, 24)
    return Small({"d": 24, "h": 4, "r": 3, "k": 4, "m": 4, "bias": False}, other, (x,), lambda: [other(x)])


IMPLEMENTATIONS = (
    PublicModel("reformer_attention", "transformers", "transformers", "LSHSelfAttention and ReformerSelfOutput", _small),
)  # fmt: skip
