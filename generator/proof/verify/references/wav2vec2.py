"""wav2vec 2.0 against transformers: convolutions over a wave, masked frames, positions told by a convolution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import WORDS, built

MODEL = partial(built, "Wav2Vec2", "ForCTC", attn_implementation="eager")
PRESETS: Mapping[str, Mapping[str, int]] = {
    "wav2vec2-base": {},
    "wav2vec2-large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
}
# Norms in front, of each convolution over the wave too.
STABLE: Mapping[str, Any] = {"feat_extract_norm": "layer", "conv_bias": True, "do_stable_layer_norm": True}
SMALL: Mapping[str, Any] = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 56,
    "conv_dim": [10] * 7, "num_conv_pos_embeddings": 6, "num_conv_pos_embedding_groups": 3, "hidden_dropout": 0.0,
    "activation_dropout": 0.0, "attention_dropout": 0.0, "final_dropout": 0.0, "layerdrop": 0.0, "initializer_range": 0.2,
}  # fmt: skip
SIZES: Mapping[str, int] = {"C": 10, "d": 24, "K": 6, "G": 3, "L": 3, "h": 4, "f": 56, "V": WORDS}
BATCH, FRAMES = 2, (49, 130)  # of published sizes


def samples(frames: int) -> int:
    """Return the number of samples that so many frames read."""
    return 320 * frames + 80


def _small(settings: Mapping[str, Any], dtype: torch.dtype) -> Small:
    other: Any = MODEL(**SMALL, **settings).to(dtype)
    wave, mask = torch.randn(2, samples(11), dtype=dtype), torch.rand(2, 11) < 0.4

    def run() -> list[Tensor]:
        return [other(input_values=wave, mask_time_indices=mask).logits]

    return Small(SIZES, other, (wave, mask), run)


def _full(presets: Mapping[str, Mapping[str, Any]]) -> list[FullSize]:
    """Return published sizes; no frame is masked, which changes no product."""
    return [
        FullSize(preset, {"b": BATCH, "n": frames}, partial(MODEL, **settings), partial(_given, frames))
        for preset, settings in presets.items()
        for frames in FRAMES
    ]


def _given(frames: int) -> Mapping[str, Any]:
    return {"input_values": torch.empty(BATCH, samples(frames), device="meta")}


NAME = "Wav2Vec2ForCTC"
LV60: Mapping[str, Mapping[str, Any]] = {"wav2vec2-large-lv60": {**PRESETS["wav2vec2-large"], **STABLE}}
IMPLEMENTATIONS = (
    PublicModel("wav2vec2", "transformers", "transformers", NAME, partial(_small, {}), partial(_full, PRESETS)),
    PublicModel("wav2vec2_stable", "transformers", "transformers", NAME, partial(_small, STABLE), partial(_full, LV60)),
)
