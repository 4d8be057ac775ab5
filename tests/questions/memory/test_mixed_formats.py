"""Weights in several formats by a rule: against files that are written, and against what others have published (docs/measured.md)."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from generator.api import load
from generator.questions.memory.mixed_formats import weight_formats
from generator.text.errors import SizeError

LLAMA = {"d": 16, "L": 3, "h": 4, "g": 2, "e": 4, "f": 24, "V": 32, "P": 8}
MIXTRAL = {"d": 16, "L": 2, "h": 4, "g": 2, "e": 4, "f": 24, "V": 32, "P": 8, "E": 4, "k": 2}
Chosen = Callable[[str, torch.Tensor], torch.dtype]


def _stored(path: Path) -> int:
    """Return the bytes of all tensors of a file, as its header has them."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    return sum(one["data_offsets"][1] - one["data_offsets"][0] for name, one in header.items() if name != "__metadata__")


def _by_axes(_: str, weight: torch.Tensor) -> torch.dtype:
    return torch.float32 if weight.ndim == 1 else torch.float8_e4m3fn


def _by_name(name: str, weight: torch.Tensor) -> torch.dtype:
    if weight.ndim == 1:
        return torch.float32
    if name.startswith(("token_embedding", "logits")):
        return torch.bfloat16
    return torch.float8_e4m3fn if ".experts." in name else torch.float16


@pytest.mark.parametrize(
    ("spec", "sizes", "rule", "chosen"),
    [
        ("llama3", LLAMA, "vectors=float32,fp8", _by_axes),
        ("mixtral", MIXTRAL, "vectors=float32,embeddings=bfloat16,heads=bfloat16,experts=fp8,float16", _by_name),
        ("mixtral", MIXTRAL, "vectors=float32,token_embedding=bfloat16,logits=bfloat16,blocks.*.experts.*=fp8,float16", _by_name),
    ],
)
def test_a_file_has_as_many_bytes(spec: str, sizes: dict[str, int], rule: str, chosen: Chosen, tmp_path: Path) -> None:
    loaded = load(spec)
    weights = {name: one.detach() for name, one in loaded.module(**sizes).named_parameters()}
    # Experts lie side by side in one tensor, so that their vectors have two axes there; this spec has none.
    save_file({name: one.to(chosen(name, one)).contiguous() for name, one in weights.items()}, tmp_path / "weights.safetensors")
    answer = loaded.memory(b=1, n=4, weights=rule, **sizes)
    assert answer.needs.parts[0].bytes == _stored(tmp_path / "weights.safetensors")


def test_a_rule_may_be_given_by_part() -> None:
    by_part = weight_formats({"vectors": "bfloat16", "experts": "mxfp4", "else": "bfloat16"}, "float32")
    assert (
        by_part
        == weight_formats("vectors=bfloat16,experts=mxfp4", "bfloat16")
        == weight_formats("vectors=bfloat16,experts=mxfp4,bfloat16", "float32")
    )
    loaded = load("gpt-oss-20b")
    assert loaded.memory(b=1, n=1, weights={"vectors": "bfloat16", "experts": "mxfp4"}).needs.parts[0].bytes == 13_761_264_768


def test_what_is_read_a_token_has_the_formats_of_the_rule() -> None:
    """Of Mixtral two of eight experts are read in each layer; all of its other matrices but the embedding are."""
    loaded = load("mixtral-8x7b")
    answer = loaded.time(b=1, n=1, device="h100", weights="experts=fp8,bfloat16")
    assert answer.forward is not None
    cost = answer.cost
    experts = cost.dims["L"] * 3 * cost.dims["d"] * cost.dims["f"]
    whole = cost.params - 8 * experts - cost.dims["V"] * cost.dims["d"]
    assert answer.forward.moved["weights"] == 2 * experts + 2 * whole


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("q8_0,vectors=float32", "the format of all others is the last one"),
        ("vectors=float32,vectors=q8_0", "is given twice"),
        ("=float32", "has no name"),
        ("experts=float16,q8_0", "has no weights that are experts"),
        ("blocks.attention.w=float16,q8_0", "no weight of `llama3` is in"),
        ("vectors=float33,q8_0", "unknown number format"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(rule: str, message: str) -> None:
    with pytest.raises(SizeError, match=message):
        load("llama3").memory(b=1, n=4, weights=rule, **LLAMA)
