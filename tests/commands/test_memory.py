"""`gen memory`: against torch's own optimisers and formats, and against trying every size."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import nn

from generator.cli import main
from generator.proof.verify.references.timm_models import import_timm
from generator.questions.hardware.amounts import memory_amount
from generator.questions.memory.fits import MemorySetting, largest, needs_of
from generator.questions.memory.optimisers import COPIES
from generator.questions.memory.stored_formats import STORED_FORMATS, stored_format
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.text.errors import SizeError
from tests.support.builtin import builtin_library


def lion(weights: Any) -> Any:
    import_timm()
    return import_module("timm.optim").Lion(weights)


PUBLIC: dict[str, Any] = {
    "sgd": torch.optim.SGD,
    "momentum": lambda weights: torch.optim.SGD(weights, momentum=0.9),
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "adamax": torch.optim.Adamax,
    "nadam": torch.optim.NAdam,
    "radam": torch.optim.RAdam,
    "amsgrad": lambda weights: torch.optim.AdamW(weights, amsgrad=True),
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "adadelta": torch.optim.Adadelta,
    "lion": lion,
}


@pytest.mark.parametrize("name", COPIES)
def test_states_are_what_optimisers_keep_after_a_step(name: str) -> None:
    model = nn.Linear(5, 7)
    optimiser = PUBLIC[name](model.parameters())
    model(torch.ones(2, 5)).sum().backward()
    optimiser.step()
    kept = [
        x.numel()
        for state in optimiser.state.values()
        for key, x in state.items()
        if isinstance(x, torch.Tensor) and key not in ("step", "mu_product")
    ]
    assert sum(kept) == COPIES[name] * sum(x.numel() for x in model.parameters())


def test_formats_of_torch_take_as_much_in_torch() -> None:
    for ours, theirs in {
        "float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16, "int8": torch.int8,
        "fp8": torch.float8_e4m3fn,
    }.items():  # fmt: skip
        assert STORED_FORMATS[ours].bytes_each == theirs.itemsize


def test_blocks_of_files_take_as_much_as_their_layout_says() -> None:
    """Bytes and numbers of a block, as the structs of ggml-common.h have them."""
    blocks = {
        "q8_0": (34, 32), "q4_0": (18, 32), "q4_1": (20, 32), "q5_0": (22, 32), "q5_1": (24, 32),
        "q2_k": (84, 256), "q3_k": (110, 256), "q4_k": (144, 256), "q5_k": (176, 256), "q6_k": (210, 256),
    }  # fmt: skip
    for name, (size, count) in blocks.items():
        assert STORED_FORMATS[name].bytes_each == Fraction(size, count), name


def test_groups_of_ones_own() -> None:
    assert stored_format("int4:128").bytes_each == Fraction(4 * 128 + 16, 8 * 128)
    for text in ("int4:0", "int4:x", "q8_0:64", "int3"):
        with pytest.raises(SizeError):
            stored_format(text)


def test_the_largest_size_is_that_of_trying_all() -> None:
    sheet = compile_spec(builtin_library(), "mlp").sheet
    for setting in (
        MemorySetting("bfloat16", stored_format("bfloat16"), stored_format("bfloat16")),
        MemorySetting("float32", stored_format("float32"), stored_format("float32"), "adamw"),
    ):
        given = {"b": 2, "n": 5, "d": 8, "f": 16}
        memory = needs_of(cost_of(sheet, None, {**given, "n": 37}, setting.dtype), setting).total
        assert memory is not None
        totals = {n: needs_of(cost_of(sheet, None, {**given, "n": n}, setting.dtype), setting).total for n in range(1, 80)}
        best = max(n for n, total in totals.items() if total is not None and total <= memory)
        assert largest(sheet, None, given, setting, memory, "n").value == best
        assert largest(sheet, None, given, setting, 1, "n").value == 0


def test_the_largest_size_is_one_that_the_spec_allows() -> None:
    """Windows of 96 tokens: the values that can be are far apart, and none is below a window."""
    sheet = compile_spec(builtin_library(), "separate_window_attention").sheet
    setting = MemorySetting("float32", stored_format("float32"), stored_format("float32"), "adamw")
    free = [one.name for one in sheet.sizes if one.kind != "derived"]
    given = {**dict.fromkeys(free, 4), "n": 480, "w": 96}

    def total(n: int) -> int:
        found = needs_of(cost_of(sheet, None, {**given, "n": n}, setting.dtype), setting).total
        assert found is not None
        return found

    for most in (96, 192, 480, 960):
        assert largest(sheet, None, given, setting, total(most) + 1, "n").value == most
    assert largest(sheet, None, given, setting, total(96) - 1, "n").value == 0


def test_it_says_whether_it_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "bert-base", "b=1", "n=128", "--device-memory", "24GB", "--train", "adamw", "--dtype", "float32"]) == 0
    said = capsys.readouterr().out
    assert "fits into 22.35 GiB; " in said
    assert "largest n that fits, all else as it is: 512 (conditions of the spec allow no more)" in said
    assert main(["memory", "bert-base", "b=1", "n=128", "--device-memory", "100MB"]) == 0
    assert "does not fit into 95.37 MiB" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["80", "80XB", "-1GB", "0GB", "GB", "1/0GB", "nanGB"])
def test_memory_has_a_unit(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SizeError):
        memory_amount(text)
    assert main(["memory", "mlp", "b=1", "n=1", "d=4", f"--device-memory={text}"]) == 2
    assert "no amount of memory" in capsys.readouterr().err


def test_weights_learn_in_the_format_in_which_they_compute(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "mlp", "b=1", "n=1", "d=4", "--train", "adamw", "--weights", "q8_0"]) == 2
    assert "do not learn" in capsys.readouterr().err


def test_what_an_engine_has_beside_the_model_decides_what_fits(capsys: pytest.CaptureFixture[str]) -> None:
    """vLLM (issue 12330) has 35.55 GiB for Llama-3-8B: 9.37 for its activations, 0.10 outside of PyTorch, and a rotary cache of 2 MiB.

    It printed `Maximum concurrency for 8192 tokens per request: 11.12x`, which is 5,691 blocks of 16 tokens.
    """
    beside = ("--beside", "activations=9.37GiB", "--beside", "not_torch=0.10GiB", "--beside", "rotary=2MiB")
    words = ("memory", "llama-3-8b", "n=1", "P=131072", "--device-memory", "35.55GiB", *beside)
    assert main([*words, "b=1", "m=8192", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["beside_activations"] == int(Fraction("9.37") * 2**30)
    assert found["largest"]["b"]["value"] == 11
    printed = 5691 * 16
    rounding = 4 * 0.005 * 2**30 / 131_072  # four printed amounts, each to two digits; 131,072 bytes are a token's
    assert abs(found["largest"]["m"]["value"] - printed) <= rounding + 16
    assert main(["memory", "mlp", "b=1", "n=1", "d=4", "--beside", "tables=1MiB"]) == 0
    assert "beside the model, as given" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["500MiB"], "does not say what"),
        (["a b=1MiB"], "the name is one word"),
        (["a=1MiB", "a=2MiB"], "given twice"),
        (["a=1"], "no amount of memory"),
    ],
)
def test_memory_beside_the_model_has_a_name(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "mlp", "b=1", "n=1", "d=4", *(f"--beside={one}" for one in given)]) == 2
    assert said in capsys.readouterr().err
