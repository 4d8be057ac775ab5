"""Bytes kept for the backward pass: `gen cost --dtype` and `cost(dtype=...)`."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from generator import SizeError, load
from generator.cli import main


def test_the_python_api_knows_the_number_format() -> None:
    norm = load("layer_norm")  # keeps its input, and two statistics a row in float32
    assert norm.cost(b=2, n=3, d=8).saved_bytes == 4 * (2 * 3 * 8 + 2 * 2 * 3)
    assert norm.cost(b=2, n=3, d=8, dtype="bfloat16").saved_bytes == 2 * 2 * 3 * 8 + 4 * 2 * 2 * 3
    assert norm.cost(b=2, n=3, d=8, dtype="float64").saved_bytes == 8 * (2 * 3 * 8 + 2 * 2 * 3)
    assert norm.cost(b=2, n=3, d=8).saved_by_kind == {"float": 48, "stat": 12}
    assert norm.cost(b=2, n=np.array([1, 2]), d=8, dtype="float16").saved_bytes.tolist() == [2 * 16 + 16, 2 * 32 + 32]


def test_an_operation_that_computes_in_float32_keeps_float32_in_half_precision() -> None:
    cost = load("rms_norm").cost(b=2, n=3, d=8, dtype="bfloat16")
    assert cost.saved_by_kind == {"stat": 2 * 48 + 6}
    assert cost.saved_bytes == load("rms_norm").cost(b=2, n=3, d=8).saved_bytes


def test_an_unknown_format_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(SizeError, match="unknown number format `bfloat32`") as error:
        load("mlp").cost(b=1, n=1, d=1, dtype="bfloat32")
    assert "formats: `float64`, `float32`, `bfloat16` and `float16`" in error.value.notes


def test_gen_cost_says_what_it_comes_to_in_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["cost", "layer_norm", "b=2", "n=3", "d=8", "--dtype", "bfloat16"]
    assert main([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    in_bytes = ["param_bytes", "saved_bytes", "state_bytes", "traffic_bytes"]
    formulas = ["saved_bytes_formula", "peak_bytes_formula"]
    assert list(data)[-14:-4] == ["dtype", *in_bytes, "peak_bytes", "arithmetic_intensity", *formulas, "saved_by_kind"]
    assert data | load("layer_norm").bytes(b=2, n=3, d=8) == data
    assert main([*arguments[:-2], "--json"]) == 0  # bfloat16 by default
    assert json.loads(capsys.readouterr().out) == data
    # the input, the result, two statistics a row in float32; then the gradients of both
    assert (data["peak_bytes"], data["peak_bytes_formula"]) == (2 * 4 * 48 + 48, "8*b*n*d + 8*b*n")
    assert (data["param_bytes"], data["state_bytes"]) == (2 * 2 * 8, 0)  # weight and bias
    assert data["arithmetic_intensity"] == data["vector_flops"] / data["traffic_bytes"]
    assert (data["dtype"], data["saved_bytes"], data["saved_bytes_formula"]) == ("bfloat16", 144, "2*b*n*d + 8*b*n")
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "Activation memory in bfloat16" in text
    assert "saved_bytes           = 2*b*n*d + 8*b*n\n" in text
    assert main([*arguments[:-1], "int8"]) == 2


PUBLISHED = {  # printed by others: docs/measured.md has the sources
    ("gpt-oss-20b", "b=1", "n=1", "--weights", "vectors=bfloat16,experts=mxfp4,bfloat16"): ("param_bytes", 13_761_264_768),
    ("deepseek-v3", "b=1", "n=1", "m=32768", "attention=absorbed_latent_attention", "--cache", "q8_0"): ("state_bytes", 61 * 32768 * 612),
    ("mixtral-8x7b", "b=1", "n=1"): ("param_bytes", 93_405_585_408),
}


@pytest.mark.slow
@pytest.mark.parametrize("question", PUBLISHED, ids=" ".join)
def test_bytes_are_those_that_others_have_published(question, capsys: pytest.CaptureFixture[str]) -> None:
    key, printed = PUBLISHED[question]
    assert main(["cost", *question, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[key] == printed


def test_activations_in_another_format_are_as_many_bytes_as_torch_keeps_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    module = load("mlp").module(d=8, f=32)
    own = {weight.data_ptr() for weight in module.parameters()}
    kept: dict[int, int] = {}

    def in_eight_bits(x: torch.Tensor) -> torch.Tensor:
        if x.data_ptr() not in own:
            kept[x.data_ptr()] = x.to(torch.float8_e4m3fn).nbytes
        return x

    with torch.autograd.graph.saved_tensors_hooks(in_eight_bits, lambda x: x):
        module(torch.randn(2, 3, 8, requires_grad=True)).sum()
    arguments = ["cost", "mlp", "b=2", "n=3", "d=8", "f=32", "--activations", "fp8"]
    assert main([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["saved_bytes"], data["estimates"]) == (sum(kept.values()), ["saved_bytes"])
    assert main(arguments) == 0
    assert "Activation memory in fp8, estimate" in capsys.readouterr().out
    assert main([*arguments[:-1], "fp9"]) == 2
