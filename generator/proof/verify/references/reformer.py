"""Reformer and its hashed attention against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, tokens

SEED = 7
WITHOUT_DROPOUT: Mapping[str, Any] = {
    "hidden_dropout_prob": 0.0, "local_attention_probs_dropout_prob": 0.0, "lsh_attention_probs_dropout_prob": 0.0,
}  # fmt: skip


class _Attention(nn.Module):
    """The attention of transformers with the layer behind it, and the rotations that it draws anew from its seed each time."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        from transformers.models.reformer import modeling_reformer

        reformer: Any = modeling_reformer
        self.attention = reformer.LSHSelfAttention(config, layer_idx=0)
        self.output = reformer.ReformerSelfOutput(config)
        self.register_buffer("rotations", _rotations(config))

    def forward(self, x: Tensor) -> Tensor:
        mixed: Tensor = self.output(self.attention(x).hidden_states)
        return mixed


def _rotations(config: Any) -> Tensor:
    """Return what a hashed layer of transformers draws from its seed each time."""
    torch.manual_seed(config.hash_seed)
    return torch.randn(config.num_attention_heads, config.attention_head_size, config.num_hashes, config.num_buckets // 2)


def _small_attention(dtype: torch.dtype) -> Small:
    import transformers

    config = transformers.ReformerConfig(
        hidden_size=24, num_attention_heads=4, attention_head_size=6, attn_layers=["lsh"], num_hashes=3, num_buckets=4,
        lsh_attn_chunk_length=4, lsh_num_chunks_before=1, lsh_num_chunks_after=0, lsh_attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0, hash_seed=SEED, is_decoder=False,
    )  # fmt: skip
    other = _Attention(config).to(dtype)
    x = torch.randn(2, 20, 24)
    return Small({"d": 24, "h": 4, "r": 3, "k": 4, "m": 4, "bias": False}, other, (x,), lambda: [other(x)])


def _model(**settings: Any) -> nn.Module:
    """Return a model in training mode, for transformers trains it on whole grids of positions only and looks into values elsewhere."""
    import transformers

    made: nn.Module = transformers.ReformerModel(
        transformers.ReformerConfig(**{**settings, **WITHOUT_DROPOUT}, hash_seed=SEED, pad_token_id=None)
    )
    return made.train()


def _small_model(dtype: torch.dtype) -> Small:
    other: Any = _model(
        hidden_size=24, num_attention_heads=4, attention_head_size=5, attn_layers=["local", "lsh"] * 2, feed_forward_size=40,
        num_hashes=3, num_buckets=6, lsh_attn_chunk_length=4, local_attn_chunk_length=4, vocab_size=31,
        axial_pos_shape=[4, 6], axial_pos_embds_dim=[10, 14], max_position_embeddings=24,
    ).to(dtype)  # fmt: skip
    for layer in other.encoder.layers[1::2]:
        layer.attention.self_attention.register_buffer("rotations", _rotations(other.config))
    words = torch.randint(0, 31, (2, 24))
    sizes = {"d": 24, "L": 4, "h": 4, "e": 5, "f": 40, "r": 3, "k": 6, "m": 4, "V": 31, "u": 4, "w": 6, "p": 10}
    return Small(sizes, other, (words,), lambda: [other(input_ids=words, use_cache=False).last_hidden_state])


def _full_model(rows: int, columns: int, rounds: int, buckets: int) -> nn.Module:
    model: Any = _model(axial_pos_shape=[rows, columns], max_position_embeddings=rows * columns, num_hashes=rounds, num_buckets=buckets)
    positions = model.embeddings.position_embeddings
    positions.train = lambda _mode: positions  # evaluation would look for the greatest position, which meta tensors do not have
    made: nn.Module = model
    return made


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "use_cache": False}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(
            "transformers-default",
            {"b": b, "n": u * w, "u": u, "w": w, "r": r, "k": k},
            partial(_full_model, u, w, r, k),
            partial(_arguments, b, u * w),
        )
        for b, u, w, r, k in ((1, 64, 64, 1, 128), (3, 32, 64, 2, 50))
    ]


IMPLEMENTATIONS = (
    PublicModel("reformer", "transformers", "transformers", "ReformerModel", _small_model, _full),
    PublicModel("reformer_attention", "transformers", "transformers", "LSHSelfAttention and ReformerSelfOutput", _small_attention),
)
