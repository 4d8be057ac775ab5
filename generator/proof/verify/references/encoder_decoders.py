"""T5, BART and Whisper against transformers: an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, open_mask, tokens
from generator.proof.verify.references.transformers_models import WORDS, InOwnType, built

Settings = Mapping[str, Any]
T5_KEYS = ("d_model", "num_layers", "num_heads", "d_kv", "d_ff")
T5_PRESETS: Mapping[str, Sequence[int]] = {
    "t5-small": (512, 6, 8, 64, 2048),
    "t5-base": (768, 12, 12, 64, 3072),
    "t5-large": (1024, 24, 16, 64, 4096),
    "t5-3b": (1024, 24, 32, 128, 16384),
    "t5-11b": (1024, 24, 128, 128, 65536),
}
SECOND_PRESETS: Mapping[str, Sequence[int]] = {
    "t5-v1.1-small": (512, 8, 6, 64, 1024),
    "t5-v1.1-base": (768, 12, 12, 64, 2048),
    "t5-v1.1-large": (1024, 24, 16, 64, 2816),
    "t5-v1.1-xl": (2048, 24, 32, 64, 5120),
    "t5-v1.1-xxl": (4096, 24, 64, 64, 10240),
}
T5_SMALL: Settings = {
    "vocab_size": WORDS, "d_model": 24, "num_layers": 3, "num_heads": 4, "d_kv": 10, "d_ff": 56, "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 9, "dropout_rate": 0.0,
}  # fmt: skip
T5_SIZES: Mapping[str, int] = {"d": 24, "L": 3, "h": 4, "e": 10, "f": 56, "V": WORDS, "B": 8, "D": 9, "P": 29}
BART_PRESETS: Mapping[str, Settings] = {
    "bart-base": {
        "d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_attention_heads": 12, "decoder_attention_heads": 12,
        "encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072,
    },
    "bart-large": {},
}  # fmt: skip
BART_SMALL: Settings = {
    "vocab_size": WORDS, "d_model": 24, "encoder_layers": 3, "decoder_layers": 3, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 56, "decoder_ffn_dim": 56, "max_position_embeddings": 29, "dropout": 0.0,
    "init_std": 0.2,
}  # fmt: skip
WHISPER_KEYS = ("d_model", "encoder_layers", "encoder_attention_heads", "encoder_ffn_dim", "vocab_size", "num_mel_bins")
WHISPER_PRESETS: Mapping[str, Sequence[int]] = {
    "whisper-tiny": (384, 4, 6, 1536, 51865, 80),
    "whisper-base": (512, 6, 8, 2048, 51865, 80),
    "whisper-small": (768, 12, 12, 3072, 51865, 80),
    "whisper-medium": (1024, 24, 16, 4096, 51865, 80),
    "whisper-large": (1280, 32, 20, 5120, 51865, 80),
    "whisper-large-v3": (1280, 32, 20, 5120, 51866, 128),
}
BATCH, SOURCE, TARGET = 3, 128, 40  # of published sizes


def _t5(**settings: Any) -> nn.Module:
    return built("T5", "ForConditionalGeneration", attn_implementation="eager", **settings)


def _second_t5(**settings: Any) -> nn.Module:
    """Return T5 1.1 with a head of its own, as its published weights have it; transformers ties it until they are loaded."""
    made: Any = _t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False, **settings)
    made.lm_head.weight = nn.Parameter(made.lm_head.weight.detach().clone())
    made.config.tie_word_embeddings = False
    model: nn.Module = made
    return model


def small_encoder_decoder(other: Any, sizes: Mapping[str, int], first_word: int = 0) -> Small:
    """Return the comparison of a model that writes one text after another one."""
    source, target = torch.randint(first_word, WORDS, (2, 19)), torch.randint(first_word, WORDS, (2, 13))

    def run() -> list[Tensor]:
        with InOwnType():
            return [other(input_ids=source, decoder_input_ids=target).logits]

    return Small(sizes, other, (source, target), run)


def full_encoder_decoder(model: Callable[..., nn.Module], presets: Mapping[str, Settings]) -> Sequence[FullSize]:
    """Return published sizes, each with a source and a target."""
    given = {"input_ids": tokens(BATCH, SOURCE), "decoder_input_ids": tokens(BATCH, TARGET), "use_cache": False}
    return [
        FullSize(preset, {"b": BATCH, "s": SOURCE, "n": TARGET}, partial(model, **settings), lambda: given)
        for preset, settings in presets.items()
    ]


def _small_t5(model: Callable[..., nn.Module], dtype: torch.dtype) -> Small:
    return small_encoder_decoder(model(**T5_SMALL).to(dtype), T5_SIZES)


def _full_t5(model: Callable[..., nn.Module], presets: Mapping[str, Sequence[int]]) -> Sequence[FullSize]:
    return full_encoder_decoder(model, {preset: dict(zip(T5_KEYS, values, strict=True)) for preset, values in presets.items()})


BART = partial(built, "Bart", "ForConditionalGeneration", attn_implementation="eager")


def _small_bart(dtype: torch.dtype) -> Small:
    # the word 1 pads there, and gets no gradient
    return small_encoder_decoder(BART(**BART_SMALL).to(dtype), {"d": 24, "L": 3, "h": 4, "f": 56, "V": WORDS, "P": 29}, first_word=2)


def _whisper(**settings: Any) -> nn.Module:
    """Return Whisper with as many layers, heads and inner features in the decoder as in the encoder."""
    both = {key: settings[f"encoder_{key}"] for key in ("layers", "attention_heads", "ffn_dim")}
    decoder = {f"decoder_{key}": value for key, value in both.items()}
    return built("Whisper", "ForConditionalGeneration", attn_implementation="eager", **settings, **decoder)


def _small_whisper(dtype: torch.dtype) -> Small:
    other: Any = _whisper(
        d_model=24, encoder_layers=3, encoder_attention_heads=4, encoder_ffn_dim=56, vocab_size=WORDS, num_mel_bins=5, init_std=0.2,
        max_source_positions=11, max_target_positions=29, pad_token_id=0, bos_token_id=0, eos_token_id=0, decoder_start_token_id=0,
    ).to(dtype)  # fmt: skip
    frames, target = torch.randn(2, 5, 22, dtype=dtype), torch.randint(1, WORDS, (2, 13))  # the word 0 pads, and gets no gradient

    def run() -> list[Tensor]:
        return [other(input_features=frames, decoder_input_ids=target).logits]

    return Small({"c": 5, "s": 11, "d": 24, "L": 3, "h": 4, "f": 56, "V": WORDS, "P": 29}, other, (frames, target), run)


def _full_whisper() -> Sequence[FullSize]:
    found = []
    for preset, values in WHISPER_PRESETS.items():
        settings = dict(zip(WHISPER_KEYS, values, strict=True))
        frames = torch.zeros(BATCH, settings["num_mel_bins"], 3000, device="meta")
        given = {"input_features": frames, "decoder_input_ids": tokens(BATCH, TARGET), "decoder_attention_mask": open_mask(BATCH, TARGET)}
        found.append(FullSize(preset, {"b": BATCH, "n": TARGET}, partial(_whisper, **settings), partial(dict, given, use_cache=False)))
    return found


NAME = "T5ForConditionalGeneration"
IMPLEMENTATIONS = (
    PublicModel("t5", "transformers", "transformers", NAME, partial(_small_t5, _t5), partial(_full_t5, _t5, T5_PRESETS)),
    PublicModel(
        "t5_v1_1", "transformers", "transformers", f"{NAME}, untied", partial(_small_t5, _second_t5),
        partial(_full_t5, _second_t5, SECOND_PRESETS),
    ),
    PublicModel(
        "bart", "transformers", "transformers", "BartForConditionalGeneration", _small_bart,
        partial(full_encoder_decoder, BART, BART_PRESETS),
    ),
    PublicModel("whisper", "transformers", "transformers", "WhisperForConditionalGeneration", _small_whisper, _full_whisper),
)  # fmt: skip
