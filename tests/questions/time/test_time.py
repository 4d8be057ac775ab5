"""`gen time`: against arithmetic by hand from published sizes, against what others have measured, and against trying every size.

Arithmetic stands here as literals; sizes are those of the public models, peaks and bandwidths those of specs/hardware.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from generator.api import load
from generator.cli import main
from generator.questions.hardware.device_names import device_named
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.stored_formats import stored_format
from generator.questions.time.roofline import TimeSetting, efficiency_of
from generator.questions.time.time_answer import TimeQuestion, time_of
from generator.questions.time.work import forward_work
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import cost_of
from generator.text.errors import SizeError
from tests.support.builtin import builtin_library

LLAMA_2_7B = 6_738_415_616 - 32_000 * 4096  # without the table of embeddings, of which a token looks up one row
LLAMA_3_8B = 8_030_261_248 - 128_256 * 4096
A_TOKEN = 2 * 2 * 32 * 8 * 128  # bytes that Llama-3-8B keeps of a token: a key and a value, 32 layers, 8 heads of 128 numbers


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["time", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def question(device: str, *, generated: int = 0, train: str = "", dtype: str = "bfloat16") -> TimeQuestion:
    memory = MemorySetting(dtype, stored_format(dtype), stored_format(dtype), train)
    return TimeQuestion(memory, TimeSetting(device_named(device), dtype), generated)


def test_a_measured_decoder_is_below_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """The README of gpt-fast: Llama-2-7B, one request, A100 80 GB: 104.9 tokens a second in bfloat16, 155.58 in int8, 196.80 in int4."""
    found = asked(capsys, "llama-2-7b", "b=1", "n=1", "m=1", "--device", "a100-80gb", "--measured", str(1 / 104.9))["forward_pass"]
    assert found["bound_by"] == "memory"
    assert round(found["bound_tokens_per_second"], 1) == round(2_039e9 / (2 * LLAMA_2_7B + 64_000 + 524_288), 1) == 154.3
    assert found["bound_tokens_per_second"] > 104.9
    for weights, measured in (("int8", 155.58), ("int4:32", 196.80)):
        stored = asked(capsys, "llama-2-7b", "b=1", "n=1", "m=1", "--device", "a100-80gb", "--weights", weights)["forward_pass"]
        assert stored["bound_tokens_per_second"] > measured


def test_other_measured_decoders_are_below_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """The README of gpt-fast: Llama-2-70B on one A100 80 GB, 19.13 tokens a second in int8, 25.25 in int4 with groups of 32."""
    for weights, measured in (("int8", 19.13), ("int4:32", 25.25)):
        found = asked(capsys, "llama-2-70b", "b=1", "n=1", "m=5", "--device", "a100-80gb", "--weights", weights)
        assert measured < found["forward_pass"]["bound_tokens_per_second"] < 2.5 * measured


def test_a_step_reads_weights_and_cache(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "llama-3-8b", "b=8", "n=1", "m=8192", "--device", "h100")["forward_pass"]
    moved = {"weights": 2 * LLAMA_3_8B, "cache": 8 * 8192 * A_TOKEN, "results": 8 * 128_256 * 2}
    assert found["least_bytes_by_part"] == moved
    assert found["memory_seconds"] == pytest.approx(sum(moved.values()) / 3350e9)
    # 2 FLOPs for each weight and token, and 4 for each number of the keys that 32 heads of 128 look at
    assert found["least_flops"] == 8 * (2 * LLAMA_3_8B_PRODUCTS + 4 * 32 * 32 * 128 * 8192)
    assert found["compute_seconds"] == pytest.approx(found["least_flops"] / 989.4e12)
    assert found["estimate_seconds"] == pytest.approx(2 * found["bound_seconds"])


LLAMA_3_8B_PRODUCTS = LLAMA_3_8B - (2 * 32 + 1) * 4096  # norms multiply no matrices


def test_a_prompt_needs_its_last_logits_alone(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "llama-3-8b", "b=1", "n=4096", "--generate", "1", "--device", "h100")["serving"]
    without_head = LLAMA_3_8B_PRODUCTS - 128_256 * 4096
    pairs = 4096 * 4097 // 2  # that a causal mask leaves
    assert found["prefill"]["least_flops"] == 4096 * 2 * without_head + 2 * 128_256 * 4096 + 4 * 32 * 32 * 128 * pairs
    assert found["prefill"]["bound_by"] == "compute"
    assert found["bound_seconds"] == found["prefill"]["bound_seconds"]
    assert found["first_step"] is None


def test_a_generation_is_the_sum_of_its_steps() -> None:
    sheet = compile_spec(builtin_library(), "llama3").sheet
    asks = question("h100", generated=6)
    found = time_of(sheet, "llama-3-8b", {"b": 4, "n": 10}, asks).serving
    assert found is not None
    steps = [time_of(sheet, "llama-3-8b", {"b": 4, "n": 1, "m": m}, question("h100")).forward for m in range(11, 16)]
    assert found.seconds == pytest.approx(found.prefill.seconds + sum(step.seconds for step in steps if step))
    assert found.last is not None
    assert steps[-1] is not None
    assert (found.last.flops, found.last.moved) == (steps[-1].flops, steps[-1].moved)
    assert found.cache.total == 4 * 15 * A_TOKEN
    assert found.cache.for_each_token == A_TOKEN


def test_a_training_step_moves_weights_and_states_once(capsys: pytest.CaptureFixture[str]) -> None:
    """GPT-2 XL: 1,557,611,200 parameters, of which 1024 positions of 1600 numbers are looked up alone; the head is tied."""
    found = asked(capsys, "gpt2-xl", "b=1", "n=1024", "--train", "adamw", "--dtype", "float32", "--device", "a100")["training_step"]
    params = 1_557_611_200
    assert found["least_bytes_by_part"] == {"weights": 4 * (2 * params - 1024 * 1600), "optimiser": 4 * 4 * params}
    assert found["bound_by"] == "compute"
    assert found["compute_seconds"] == pytest.approx(found["least_flops"] / 19.5e12)


def test_conventions_of_utilisation(capsys: pytest.CaptureFixture[str]) -> None:
    """LLaMA-7B on 4,096 tokens in two sequences of 2,048: Chowdhery et al. 2022, appendix B, have 6N + 12LHQT for each token."""
    words = ("llama-7b", "b=2", "n=2048", "--train", "adamw", "--device", "a100", "--measured", "1.25")
    found = {key: one["flops"] for key, one in asked(capsys, *words)["utilisation"].items()}
    n, lhqt = 6_738_415_616, 32 * 32 * 128 * 2048
    assert found["mfu_palm"] == 4096 * (6 * n + 12 * lhqt)
    assert found["mfu_params"] == 4096 * 6 * n
    assert found["mfu_causal"] == 4096 * (6 * n + 6 * lhqt)
    assert found["mfu_palm_without_tables"] == 4096 * (6 * (n - 32_000 * 4096) + 12 * lhqt)
    assert 3 * found["hfu_recomputed"] == 4 * found["hfu"]
    norms = (2 * 32 + 1) * 4096
    assert found["mfu_full_square"] == found["hfu"] == 4096 * (6 * (n - 32_000 * 4096 - norms) + 12 * lhqt)
    assert found["mfu_full_square"] - found["mfu_visible"] == 12 * 32 * 32 * 128 * 2 * (2048 * 2047 // 2)


def test_from_which_batch_on_it_is_bound_by_compute() -> None:
    """Against trying every batch."""
    sheet = compile_spec(builtin_library(), "llama2").sheet
    asks = question("a100")

    def limit(b: int) -> str:
        forward = time_of(sheet, "llama-2-7b", {"b": b, "n": 1, "m": 4}, asks).forward
        return forward.limit if forward else ""

    found = time_of(sheet, "llama-2-7b", {"b": 1, "n": 1, "m": 4}, asks).compute_bound_from["b"]
    assert found is not None
    assert (limit(found - 1), limit(found)) == ("memory", "compute")
    assert [limit(b) for b in range(1, 4)] == ["memory"] * 3


def test_experts_are_read_as_few_as_there_must_be() -> None:
    """Mixtral 8x7B: two of eight experts for one token; 46,702,792,704 parameters, 12,879,925,248 of them for a token."""
    sheet = compile_spec(builtin_library(), "mixtral").sheet
    memory = question("h100").memory
    table, one = 32_000 * 4096, forward_work(cost_of(sheet, "mixtral-8x7b", {"b": 1, "n": 1, "m": 1}), memory)
    assert one.moved["weights"] == 2 * (12_879_925_248 - table)
    assert one.spread == pytest.approx(0, abs=1)
    many = forward_work(cost_of(sheet, "mixtral-8x7b", {"b": 1000, "n": 1, "m": 1}), memory)
    assert many.moved["weights"] + many.spread == pytest.approx(2 * (46_702_792_704 - table))


def test_windows_hide_a_part_of_the_cache() -> None:
    """Gemma 3 1B: a layer in six sees all tokens, the others 512; one head of keys and values of 256 numbers."""
    sheet = compile_spec(builtin_library(), "gemma3").sheet
    memory = question("h100").memory
    preset = next(one.name for one in sheet.presets if "1b" in one.name)
    cost = cost_of(sheet, preset, {"b": 1, "n": 1, "m": 8192, "P": 32768})
    work = forward_work(cost, memory)
    layers = {"full": 4, "windowed": 22}
    assert work.moved["cache"] <= 2 * 2 * 256 * (layers["full"] * 8192 + layers["windowed"] * 8192)
    assert work.moved["cache"] >= 2 * 2 * 256 * (layers["full"] * 512 + layers["windowed"] * 512)


def test_a_run_costs_hours_energy_and_money(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "llama-3-8b",
        "b=1",
        "n=8192",
        "--train",
        "adamw",
        "--device",
        "h100",
        "--tokens",
        "1e9",
        "--price",
        "2USD",
        "--efficiency",
        "40%",
    )
    found = asked(capsys, *words)
    run, step = found["training_run"], found["training_step"]
    hours = 1e9 / 8192 * step["bound_seconds"] / 0.4 / 3600
    assert run["estimate_hours"] == pytest.approx(hours)
    assert run["bound_hours"] == pytest.approx(0.4 * hours)
    assert run["estimate_kilowatt_hours"] == pytest.approx(0.7 * hours)
    assert (run["estimate_price"], run["currency"]) == (pytest.approx(2 * hours), "USD")


def test_both_questions_fit_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("llama-3-8b", "P=33Ki", "b=8", "n=32Ki", "--generate", "512", "--train", "adam", "--device", "h100")
    assert main(["time", *words]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) <= 30
    assert "memory of the last step: " in said
    assert "a training step with adam: " in said
    assert "does not fit" in said
    assert "Nothing is faster than a bound" in said


def test_a_time_is_told_where_the_memory_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a training step in which fewer experts are chosen than there are the highest moment is not known."""
    found = asked(capsys, "mixtral-8x7b", "b=1", "n=1", "m=1", "--train", "adamw", "--device", "h200")
    assert found["memory"]["training_step"]["fits"] is None
    assert (
        found["training_step"]["least_bytes_by_part"]["optimiser"] == 2 * 2 * 2 * 46_702_792_704
    )  # two numbers of two bytes, read and written


def test_latents_are_read_as_they_are_kept_and_experts_in_their_format(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("deepseek-v3", "b=1", "n=1", "m=4096", "attention=absorbed_latent_attention", "--device", "h200", "--weights", "fp8")
    found = asked(capsys, *words)
    assert found["memory"]["forward_pass"]["fits"] is False
    assert found["forward_pass"]["least_bytes_by_part"]["cache"] == 2 * 61 * 4096 * (512 + 64)


def test_convolutions_may_be_done_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", "resnet-50", "b=32", "--device", "a100"]) == 0
    said = capsys.readouterr().out
    assert "samples" in said
    assert "Convolutions count as direct ones" in said


def test_what_is_not_known_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", "llama-2-7b", "b=1", "n=1", "m=1", "--device", "m2-ultra"]) == 0
    said = capsys.readouterr().out
    assert "No source is known for the peak of Apple M2 Ultra in bfloat16" in said
    found = asked(capsys, "llama-2-7b", "b=1", "n=1", "m=1", "--device", "m2-ultra")["forward_pass"]
    assert (found["estimate_seconds"], found["bound_by"]) == (None, None)
    assert main(["time", "llama-2-7b", "b=1", "n=1", "--device", "m2-ultra", "--measured", "1"]) == 2
    assert "has no peak of products in bfloat16" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bert-base", "b=1", "n=8", "--generate", "4"), "does not decode"),
        (("llama-3-8b", "b=1", "n=8191", "--generate", "4"), "m <= P"),
        (("llama-3-8b", "b=1", "n=8", "m=9", "--generate", "4"), "`m` follows from the prompt"),
        (("llama-3-8b", "b=1", "n=8", "--generate", "0"), "at least 1"),
        (("llama-3-8b", "b=1", "n=8", "--tokens", "1e9"), "name the optimiser too"),
        (("llama-3-8b", "b=1", "n=8", "--efficiency", "1.5"), "no efficiency"),
        (("llama-3-8b", "b=1", "n=8", "--measured", "soon"), "seconds are expected"),
        (("llama-3-8b", "b=1", "n=8", "--train", "adam", "--price", "cheap"), "no price"),
        (("llama-3-8b", "b=1", "n=8", "--dtype", "fp8"), "unknown number format `fp8`"),
        (("llama-3-8b", "b=1"), "needs `n`"),
    ],
)
def test_questions_that_cannot_be_answered(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time", *words, "--device", "h100"]) == 2
    assert said in capsys.readouterr().err


def test_efficiencies() -> None:
    assert efficiency_of("50%") == efficiency_of("0.5") == Fraction(1, 2)
    for text in ("0", "101%", "-1", "x", "1/0"):
        with pytest.raises(SizeError):
            efficiency_of(text)


def test_python_gives_the_numbers_of_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    model = load("llama-3-8b")
    words = ("b=4", "n=512", "--generate", "64", "--device", "h100", "--cache", "fp8")
    said = asked(capsys, "llama-3-8b", *words)
    found = model.time(b=4, n=512, generate=64, device="h100", cache="fp8")
    assert json.loads(json.dumps(found.to_dict())) == said
    assert found.serving is not None
    assert found.serving.seconds == said["serving"]["bound_seconds"]
    assert main(["memory", "llama-3-8b", *words, "--json"]) == 0
    memory = model.memory(b=4, n=512, generate=64, device="h100", cache="fp8")
    assert json.loads(json.dumps(memory.to_dict())) == json.loads(capsys.readouterr().out)
    assert memory.serving is not None
    assert memory.serving.for_each_token == A_TOKEN / 2
    assert memory.fits
    with pytest.raises(SizeError, match="no device named"):
        model.time(b=1, n=1, device="h10")
    with pytest.raises(SizeError, match="one of them"):
        model.memory(b=1, n=1, device="h100", device_memory="80GB")
    bert = load("bert-base")
    assert bert.memory(b=2, n=64).total == needed(capsys, "bert-base", "b=2", "n=64")
    assert bert.memory(b=2, n=64, train="adamw").total == needed(capsys, "bert-base", "b=2", "n=64", "--train", "adamw")
    with pytest.raises(SizeError, match="loaded in inference"):
        load("bert-base", mode="inference").memory(b=1, n=8, train="adamw")
    assert load("mlp").memory(b=1, n=2, d=4, dtype="float32", train="adamw").total is not None


def test_a_prompt_that_does_not_fit_at_once_fits_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """Llama-3-8B on an A10 of 24 GB: the parts of the prompt are passed one after the other, behind the rest."""
    assert main(["memory", "llama-3-8b", "b=8", "n=4096", "--generate", "512", "--device", "a10", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    serving = found["serving"]
    assert serving["prompt_needed_bytes"] > 24e9
    largest = serving["largest_part_of_prompt"]
    totals = [needed(capsys, "llama-3-8b", "b=8", f"n={n}", "m=4096") for n in (largest, largest + 1)]
    assert totals[0] <= 24e9 < totals[1]
    assert (serving["cache_bytes"], serving["cache_bytes_per_request"]) == (8 * 4607 * A_TOKEN, 4607 * A_TOKEN)
    batches = [needed(capsys, "llama-3-8b", f"b={b}", "n=1", "m=4607") for b in (found["largest"]["b"]["value"] + i for i in (0, 1))]
    assert batches[0] <= 24e9 < batches[1]


def needed(capsys: pytest.CaptureFixture[str], *words: str) -> int:
    assert main(["memory", *words, "--json"]) == 0
    return int(json.loads(capsys.readouterr().out)["total_bytes"])
