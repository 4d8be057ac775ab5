"""Memory and time in the workbook, as LibreOffice calculates them, against what `load(...).memory` and `.time` say."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from generator.in_bytes import PEAK_BYTES
from generator.quantities import TRAINABLE_PARAMS
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.render.workbook import build_workbook
from generator.render.workbook import load_choices as choices
from generator.sheet.costing import cost_of
from generator.sheet.sheet import Sheet, SheetPreset, Size
from generator.text.errors import SizeError

from .calculator import Answer, Job, calculated, needs_uno
from .every import Book, book
from .libreoffice import Cell
from .sheets import b, row, sums

pytestmark = [pytest.mark.slow, needs_uno]

TITLE = "Memory and time"
GIB = 1 << 30
Choice = dict[str, Any]
TRAIN, PROMPT, STEP, FORWARD = "Training step", "Read a prompt", "Generate one token", "Forward pass"

# For each spec pairs of scenarios.
CASES: dict[str, list[tuple[Choice, Choice]]] = {
    "bert": [
        (
            {"task": TRAIN, "batch": 32, "length": 384, "optimiser": "sgd", "compute": "float32", "device": "v100-sxm"},
            {"task": FORWARD, "batch": 7, "length": 77, "weights": "q4_k", "compute": "float16", "device": "t4", "efficiency": 0.3},
        ),
        (
            {"task": TRAIN, "batch": 4000, "length": 512, "optimiser": "amsgrad", "compute": "bfloat16", "device": "h200"},
            {"task": FORWARD, "batch": 1, "length": 500, "compute": "float32", "products": "tf32", "device": "a10"},
        ),
    ],
    "llama3": [
        (
            {"task": STEP, "batch": 8, "length": 8000, "weights": "mxfp4", "cache": "fp8", "device": "l4"},
            {"task": PROMPT, "batch": 3, "length": 1234, "device": "h100-sxm"},
        ),
        (
            {"task": TRAIN, "batch": 2, "length": 4096, "optimiser": "muon", "device": "b200"},
            {"task": STEP, "batch": 1, "length": 2, "compute": "float16", "device": "tpu-v4"},
        ),
    ],
    "mamba": [
        (
            {"task": STEP, "batch": 64, "length": 100, "device": "a100-80gb"},
            {"task": TRAIN, "batch": 5, "length": 64, "compute": "float32", "optimiser": "adafactor", "device": "rtx-4090"},
        ),
    ],
    "resnet": [
        (
            {"task": TRAIN, "batch": 100, "compute": "float32", "device": "a100-40gb"},
            {"task": FORWARD, "batch": 9, "compute": "float16", "weights": "int8", "device": "l40s"},
        ),
    ],
    "gemma3": [
        (
            {"task": STEP, "batch": 2, "length": 3000, "device": "a100-80gb"},
            {"task": PROMPT, "batch": 2, "length": 900, "device": "t4"},
        ),
    ],
    "qwen3_moe": [
        (
            {"task": STEP, "batch": 16, "length": 700, "device": "h200"},
            {"task": PROMPT, "batch": 8, "length": 512, "device": "mi300x"},
        ),
    ],
    "swin": [
        (
            {"task": TRAIN, "batch": 10, "device": "a100-80gb"},
            {"task": FORWARD, "batch": 3, "device": "v100-pcie"},
        ),
    ],
}
QUICK = ("bert", "llama3")


def typed(pair: tuple[Choice, Choice]) -> dict[Cell, Any]:
    return {
        (TITLE, f"{letter}{choices.choice_row(key)}"): value
        for letter, choice in zip(choices.SCENARIOS, pair, strict=True)
        for key, value in choice.items()
    }


def asked(one: Book, cases: list[dict[Cell, Any]], folder: Path) -> list[Answer]:
    titles = (TITLE, "Workings", "Devices")
    reads = [(title, one.stored.extents[title]) for title in titles]
    (answers,) = calculated([Job(one.file, cases, reads)], folder)
    assert all(answer.errors == {} for answer in answers)
    return answers


def result(answer: Answer, letter: str, key: str) -> Any:
    for first, keys in ((choices.FIRST_MEMORY_ROW, choices.MEMORY), (choices.FIRST_TIME_ROW, choices.TIMES)):
        if key in keys:
            return answer.values[TITLE, f"{letter}{first + keys.index(key)}"]
    raise KeyError(key)


def sizes_of(one: Book, choice: Choice) -> dict[str, int]:
    """Return the sizes of a choice beside those of the preset."""
    first = one.plan.columns[0]
    sizes: dict[str, int] = {**first.examples}
    batch = str(next(iter(one.spec.sheet.inputs.values()))[0])
    sizes[batch] = choice["batch"]
    if "length" in choice:
        length = choice["length"]
        growths = one.spec.sheet.growths
        sizes["n"] = 1 if choice["task"] == STEP else length
        for growth in growths:
            sizes |= growth.at(length - sizes["n"], sizes["n"])
    return sizes


def hold(one: Book, choice: Choice, answer: Answer, letter: str) -> None:
    """Compare a scenario with the API."""
    dtype, optimiser = choice.get("compute", "bfloat16"), choice.get("optimiser", "adamw") if choice["task"] == TRAIN else ""
    preset, sizes = one.plan.columns[0].name, sizes_of(one, choice)
    formats = {} if optimiser else {key: choice[key] for key in ("weights", "cache") if key in choice}
    needs = one.spec.memory(preset, dtype=dtype, train=optimiser, **formats, **sizes)
    parts = {part.key: part.bytes for part in needs.needs.parts}
    total, known = result(answer, letter, "total") * GIB, result(answer, letter, "activations") != "–"
    assert result(answer, letter, "weights") * GIB == pytest.approx(parts["weight_bytes"], rel=1e-12)
    assert result(answer, letter, "all_cache") * GIB == pytest.approx(parts.get("cache_bytes", 0), rel=1e-12)
    assert result(answer, letter, "states") * GIB == pytest.approx(parts.get("optimiser_bytes", 0), rel=1e-12)
    assert result(answer, letter, "total_gb") * 10**9 == pytest.approx(total, rel=1e-12)
    certainty = result(answer, letter, "certainty")
    if not known:
        assert certainty == "the least: without activations"
        assert needs.total is None or total < needs.total
    elif optimiser:
        gradients = result(answer, letter, "gradients") * GIB
        peak = cost_of(one.spec.sheet, preset, sizes, dtype).value(PEAK_BYTES.key)
        assert result(answer, letter, "activations") * GIB == pytest.approx(peak, rel=1e-12)
        assert certainty == "the most it can be"
        assert needs.total is not None
        assert total - gradients <= needs.total * (1 + 1e-12)
        assert needs.total <= total * (1 + 1e-12)
    elif certainty == "an estimate":
        assert total == pytest.approx(needs.total, rel=1e-12)
        batch = str(next(iter(one.spec.sheet.inputs.values()))[0])
        most = one.spec.memory(preset, dtype=dtype, device=choice["device"], **formats, **sizes).largest[batch]
        assert result(answer, letter, "largest") == most.value
        fits = one.spec.memory(preset, dtype=dtype, device=choice["device"], **formats, **sizes).fits
        assert result(answer, letter, "verdict") == ("fits" if fits else "does not fit")
    else:
        assert certainty == "an estimate: experts' tokens averaged"
    hold_times(one, choice, answer, letter)
    if optimiser or certainty == "an estimate":
        hold_doubled(one, choice, answer, letter)


def hold_doubled(one: Book, choice: Choice, answer: Answer, letter: str) -> None:
    """Compare what twice the batch and twice the length do to the whole memory with the API at those sizes."""
    for key in ("batch", "length"):
        shown = result(answer, letter, f"twice_{key}")
        twice = {**choice, key: 2 * choice.get(key, 0)}
        try:
            later = whole(one, twice)
        except SizeError:
            later = None
        if key not in choice or later is None:
            assert shown == "–", key
        else:
            assert shown == pytest.approx(later / whole(one, choice), rel=1e-12), key


def whole(one: Book, choice: Choice) -> float:
    """Return all memory of a choice: in training with all gradients of weights at once, as the sheet counts them."""
    dtype, preset, sizes = choice.get("compute", "bfloat16"), one.plan.columns[0].name, sizes_of(one, choice)
    if choice["task"] != TRAIN:
        formats = {key: choice[key] for key in ("weights", "cache") if key in choice}
        return float(one.spec.memory(preset, dtype=dtype, **formats, **sizes).total or 0)
    needs = one.spec.memory(preset, dtype=dtype, train=choice.get("optimiser", "adamw"), **sizes)
    parts = {part.key: part.bytes for part in needs.needs.parts}
    cost = cost_of(one.spec.sheet, preset, sizes, dtype)
    gradients = cost.value(TRAINABLE_PARAMS.key) * (4 if dtype == "float32" else 2)
    return float(parts["weight_bytes"] + parts.get("optimiser_bytes", 0) + gradients + cost.value(PEAK_BYTES.key))


def hold_times(one: Book, choice: Choice, answer: Answer, letter: str) -> None:
    dtype, preset, sizes = choice.get("compute", "bfloat16"), one.plan.columns[0].name, sizes_of(one, choice)
    said = {"device": choice["device"], "dtype": dtype, "compute": choice.get("products"), "efficiency": choice.get("efficiency", 0.5)}
    if choice["task"] == TRAIN:
        found = one.spec.time(preset, train=choice.get("optimiser", "adamw"), **said, **sizes).training
    else:
        said |= {key: choice[key] for key in ("weights", "cache") if key in choice}
        if choice["task"] == PROMPT:
            grown = {growth.other.name for growth in one.spec.sheet.growths}
            sizes = {key: value for key, value in sizes.items() if key not in grown}
            serving = one.spec.time(preset, generate=1, **said, **sizes).serving
            found = None if serving is None else serving.prefill
        else:
            found = one.spec.time(preset, **said, **sizes).forward
    assert found is not None
    expected = {"work": found.flops / 1e9, "moved": sum(found.moved.values()) / 1e9, "bound_ms": found.seconds * 1000}
    expected |= {"memory_ms": found.memory_seconds * 1000, "bound_rate": found.items / found.seconds}
    for key, value in expected.items():
        assert result(answer, letter, key) == pytest.approx(value, rel=1e-9), key
    assert result(answer, letter, "limit") == (found.limit or "–")
    if found.estimate_seconds is not None:
        assert result(answer, letter, "estimate_ms") == pytest.approx(found.estimate_seconds * 1000, rel=1e-9)


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.exhaustive) for name in CASES])
def test_scenarios_are_what_the_api_says(name: str, tmp_path: Path) -> None:
    one = book(name)
    answers = asked(one, [typed(pair) for pair in CASES[name]], tmp_path)
    for pair, answer in zip(CASES[name], answers, strict=True):
        for letter, choice in zip(choices.SCENARIOS, pair, strict=True):
            assert answer.values[TITLE, f"{letter}{choices.MESSAGE_ROW}"] == ""
            hold(one, choice, answer, letter)


def test_the_grid_has_the_totals_of_its_sizes_and_the_largest_batches(tmp_path: Path) -> None:
    one, head = book("llama3"), choices.GRID_ROW
    scenario = {"task": STEP, "device": "l4", "cache": "fp8"}
    at = {(TITLE, f"B{head}"): 4000, (TITLE, f"I{head}"): 8192, (TITLE, f"A{head + 1}"): 5, (TITLE, f"A{head + 8}"): 3}
    (answer,) = asked(one, [{**typed((scenario, {})), **at}], tmp_path)
    for letter, length in (("B", 4000), ("I", 8192)):
        for line, batch in ((head + 1, 5), (head + 8, 3)):
            choice = {**scenario, "batch": batch, "length": length}
            needs = one.spec.memory(one.plan.columns[0].name, cache="fp8", device="l4", **sizes_of(one, choice))
            assert answer.values[TITLE, f"{letter}{line}"] * GIB == pytest.approx(needs.total, rel=1e-12)
            assert answer.values[TITLE, f"{letter}{head + 9}"] == needs.largest["b"].value


def test_what_is_typed_over_a_device_and_a_device_of_ones_own_count(tmp_path: Path) -> None:
    one = book("bert")
    spare = next(row for row in range(5, 100) if ("Devices", f"A{row}") not in one.stored.values and row > 30)
    own = {("Devices", f"{letter}{spare}"): value for letter, value in {"A": "ours", "C": 10, "E": 100, "G": 3.6, "J": 50}.items()}
    over = {"device": "t4", "memory": 1, "bandwidth": 200, "peak": 1, "price": 7.2}
    (answer,) = asked(one, [{**typed(({"device": "ours", "batch": 2}, over)), **own}], tmp_path)
    assert result(answer, "B", "device_memory") == pytest.approx(10e9 / GIB)
    assert result(answer, "B", "memory_ms") == pytest.approx(result(answer, "B", "moved") / 100 * 1000)
    assert result(answer, "B", "compute_ms") == pytest.approx(result(answer, "B", "work") / 50_000 * 1000)
    assert result(answer, "B", "step_cost") == pytest.approx(result(answer, "B", "estimate_ms") / 1000 * 0.001)
    assert result(answer, "C", "device_memory") == pytest.approx(1e9 / GIB)
    assert result(answer, "C", "compute_ms") == pytest.approx(result(answer, "C", "work"))
    per_million = 1e6 / result(answer, "C", "estimate_rate") * 0.002
    assert result(answer, "C", "million_cost") == pytest.approx(per_million)


def test_weights_are_told_in_every_format(tmp_path: Path) -> None:
    one = book("bert")
    (answer,) = asked(one, [{("Summary", "B2"): "bert-large"}], tmp_path)
    rows = {answer.values[TITLE, f"A{row}"]: row for row in range(choices.BELOW_GRID + 3, choices.BELOW_GRID + 3 + len(STORED_FORMATS))}
    for name in ("float16", "int4", "nf4", "q4_k"):
        needs = one.spec.memory("bert-large", b=1, n=8, dtype="float16", weights=name)
        (weights,) = (part.bytes for part in needs.needs.parts if part.key == "weight_bytes")
        assert answer.values[TITLE, f"C{rows[name]}"] * 10**9 == pytest.approx(weights, rel=1e-8)
        assert answer.values[TITLE, f"D{rows[name]}"] * GIB == pytest.approx(weights, rel=1e-8)


def test_what_cannot_be_used_gives_words_and_dashes(tmp_path: Path) -> None:
    one = book("bert")
    hostile: list[Any] = ["nonsense", -1, 0, 1e300, True]
    cases = [typed(({key: value}, {key: hostile[0]})) for key in choices.CHOICES for value in hostile]
    cases += [{(TITLE, f"{letter}{choices.GRID_ROW + row}"): value for letter, row in (("B", 0), ("A", 1))} for value in hostile]
    cases += [{("Devices", "C5"): "80 GB", ("Devices", "E5"): "fast", (TITLE, "B7"): "a10"}]
    said = 0
    for answer in asked(one, cases, tmp_path):
        for letter in choices.SCENARIOS:
            if answer.values[TITLE, f"{letter}{choices.MESSAGE_ROW}"]:
                said += 1
                shown = [result(answer, letter, key) for key in (*choices.MEMORY, *choices.TIMES)]
                assert set(shown) == {"–"}
    assert said > 60


def test_specs_without_parameters_have_no_such_sheet() -> None:
    rows = (row("doubled", "mul", (b,), vector_flops=b),)
    sizes, presets = (Size("b", "batch size", "free"),), (SheetPreset("one", {"b": 1}, {}),)
    sheet = Sheet("none", "No parameters", "", "none.yaml", "0" * 64, sizes, {}, {}, {}, (), rows, sums(rows), presets)
    titles = load_workbook(BytesIO(build_workbook(sheet))).sheetnames
    assert TITLE not in titles
    assert "Devices" not in titles
