"""Splits of a training step: against what PyTorch's processes hold, and against published formulas."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generator.api import load
from generator.cli import main
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.recomputation import recompute_of, recomputed
from generator.questions.memory.stored_formats import stored_format
from generator.questions.parallel.heaviest_device import DeviceShare, Splitting
from generator.questions.parallel.placing import Placement
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import cost_of
from generator.text.errors import SizeError

LLAMA = {"d": 16, "L": 3, "h": 4, "g": 2, "e": 4, "f": 24, "V": 32, "P": 8}


def _splitting(spec: str, sizes: dict[str, int], preset: str | None = None, dtype: str = "bfloat16", rule: str = "none") -> Splitting:
    stored = stored_format(dtype)
    setting = MemorySetting(dtype, stored, stored, "adamw", recompute=recompute_of(rule))
    return Splitting(cost_of(load(spec).sheet, preset, sizes, dtype), setting)


def _bytes(share: DeviceShare) -> dict[str, Any]:
    return {part.key: part.bytes for part in share.needs.parts}


def _held(tmp_path: Path, world: int, **task: Any) -> list[dict[str, int]]:
    program = Path(__file__).with_name("held_by_ranks.py")
    texts = [json.dumps({**task, "rank": rank, "world": world, "meeting": str(tmp_path / "meeting")}) for rank in range(world)]
    running = [subprocess.Popen([sys.executable, str(program), text], stdout=subprocess.PIPE, text=True) for text in texts]
    outputs = [one.communicate(timeout=300)[0] for one in running]
    assert [one.returncode for one in running] == [0] * world
    return [json.loads(output.splitlines()[-1]) for output in outputs]


@pytest.mark.slow
def test_replicas_that_divide_all_hold_what_fsdp_holds(tmp_path: Path) -> None:
    found = _held(tmp_path, 2, how="data", spec="llama3", sizes=LLAMA)
    shares = _bytes(_splitting("llama3", {**LLAMA, "b": 2, "n": 4}).heaviest(DeviceSplit(data=2, zero=3)))
    for rank in found:
        assert 2 * rank["parameters"] == shares["weight_bytes"]
        assert 2 * rank["gradients"] == shares["gradient_bytes"]
        assert 2 * rank["states"] == shares["optimiser_bytes"]


@pytest.mark.parametrize(
    ("spec", "sizes", "world"),
    [
        pytest.param("llama3", LLAMA, 2, marks=pytest.mark.slow),
        pytest.param("llama3", LLAMA, 4, marks=pytest.mark.exhaustive),
    ],
)
def test_a_tensor_parallel_group_holds_what_torch_divides(tmp_path: Path, spec: str, sizes: dict[str, int], world: int) -> None:
    splitting = _splitting(spec, {**sizes, "b": 1, "n": 4})
    styles = {"embedding": "WORDS embedding", "linear": "WORDS linear"}
    ops = {row.path: row.op for row in splitting.cost.sheet.rows}
    places = {path: styles[ops[path]] if place is Placement.WORDS else place.name for path, place in splitting.places.places.items()}
    places = {path: style for path, style in places.items() if style != "BETWEEN"}
    found = _held(tmp_path, world, how="tensor", spec=spec, sizes=sizes, places=places)
    assert {rank["parameters"] for rank in found} == {splitting.heaviest(DeviceSplit(tensor=world)).parameters}


def test_the_largest_stage_is_that_of_a_published_measurement() -> None:
    """Llama-3.1-8B over four stages takes 4.26 GiB in vLLM, of which 32 MiB are its rotary cache for 131,072 positions."""
    share = _splitting("llama3", {"b": 1, "n": 8}, "llama-3-8b").heaviest(DeviceSplit(pipeline=4, micro=4))
    assert round((_bytes(share)["weight_bytes"] + 131_072 * 128 * 2) / 2**30, 2) == 4.26


def test_stages_have_all_rows_once() -> None:
    splitting = _splitting("llama3", {**LLAMA, "L": 7, "b": 1, "n": 4})
    for split in (DeviceSplit(pipeline=3, micro=3), DeviceSplit(pipeline=3, interleave=2, micro=3)):
        assert sum(share.parameters for share in splitting.shares(split)) == splitting.cost.params


@pytest.mark.parametrize(("zero", "each"), [(0, Fraction(16)), (1, 4 + Fraction(12, 64)), (2, 2 + Fraction(14, 64)), (3, Fraction(16, 64))])
def test_states_are_those_of_zero(zero: int, each: Fraction) -> None:
    """Rajbhandari et al. 2020, section 3 and figure 1: 2 + 2 + K bytes for a parameter with K = 12, over 64 devices; ours has K = 4."""
    splitting = _splitting("llama3", {"b": 1, "n": 8}, "llama-3-8b")
    found, count = _bytes(splitting.heaviest(DeviceSplit(data=64, zero=zero))), splitting.cost.params
    total = found["weight_bytes"] + found["gradient_bytes"] + found["optimiser_bytes"] * Fraction(12, 4)
    assert total == each * count


def test_in_flight_and_bubble_are_those_of_megatron() -> None:
    """The bubble is (p - 1) / (v m) (Narayanan et al. 2021); the first stage keeps L (1 + (p - 1) / (p v)) layers (Korthikanti 2022)."""
    for pipeline, pieces in ((4, 1), (4, 2), (8, 4)):
        split = DeviceSplit(pipeline=pipeline, interleave=pieces, micro=4 * pipeline)
        assert split.bubble == (pipeline - 1) / (pieces * split.micro)
        layers = Fraction(split.in_flight(0), pipeline * pieces)
        assert layers == (1 if pieces == 1 else 1 + Fraction(pipeline - 1, pipeline * pieces))


def test_sequence_parallelism_divides_all_that_is_kept_and_without_it_what_is_between_matrices() -> None:
    splitting = _splitting("llama3", {**LLAMA, "b": 1, "n": 8})
    whole, divided, between = (_bytes(splitting.heaviest(split))["kept_bytes"] for split in (
        DeviceSplit(), DeviceSplit(tensor=2), DeviceSplit(tensor=2, sequence=False)))  # fmt: skip
    assert divided == whole / 2 < between < whole


@pytest.mark.parametrize("rule", ["blocks", "attention", "every:2"])
def test_blocks_that_run_once_more_keep_what_they_keep_on_one_device(rule: str) -> None:
    """`recomputed` is held against saved-tensor hooks by test_recompute.py; what it says of one device is divided here."""
    splitting = _splitting("llama3", {**LLAMA, "L": 4, "b": 1, "n": 8}, rule=rule)
    assert splitting.setting.recompute is not None
    known = recomputed(splitting.cost, splitting.setting.recompute)
    assert known is not None
    whole = splitting.heaviest(DeviceSplit())
    assert _bytes(whole)["kept_bytes"] == known.kept < known.kept_without
    plain = _splitting("llama3", {**LLAMA, "L": 4, "b": 1, "n": 8}).heaviest(DeviceSplit())
    rerun = sum(row.value("visible_matmul_flops") * again for row, again in _reruns(splitting))
    assert whole.flops == plain.flops + rerun > plain.flops
    stages = splitting.shares(DeviceSplit(pipeline=2, micro=1))
    assert sum(_bytes(stage)["kept_bytes"] for stage in stages) == known.kept


def _reruns(splitting: Splitting) -> list[tuple[Any, Fraction]]:
    assert splitting.cost.sheet.peak is not None
    peak = splitting.cost.sheet.peak.recomputing(splitting.setting.recompute).at("bfloat16", splitting.cost.dims)
    assert peak is not None
    return [(row, peak.reruns.get(row.name, Fraction(0))) for row in splitting.cost.rows]


def test_a_split_is_worked_out_without_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that thousands of them can be: what is evaluated does not depend on how many there are."""
    splitting = _splitting("llama3", {**LLAMA, "L": 4, "b": 1, "n": 8})
    splitting.heaviest(DeviceSplit(data=2, zero=3, tensor=2, pipeline=2, micro=2))

    def refuse(*_: object) -> None:
        raise AssertionError("a formula was evaluated")

    monkeypatch.setattr("generator.questions.parallel.heaviest_device.evaluate", refuse)
    monkeypatch.setattr("generator.questions.parallel.loads.evaluate", refuse)
    for zero in range(4):
        for tensor in (1, 2, 4):
            assert splitting.heaviest(DeviceSplit(data=4, zero=zero, tensor=tensor, pipeline=2, micro=2)).sent


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({"tensor": 3}, "cannot be divided among 3 devices"),
        ({"pipeline": 5}, "3 layers are too few for 5 pieces"),
        ({"data": 2, "expert": 2}, "has no experts to divide"),
        ({"context": 3}, "8 tokens cannot be divided among 3 devices"),
    ],
)
def test_a_split_that_the_model_does_not_allow_is_refused(split: dict[str, int], message: str) -> None:
    with pytest.raises(SizeError, match=message):
        _splitting("llama3", {**LLAMA, "b": 1, "n": 8}).heaviest(DeviceSplit(**split))


@pytest.mark.parametrize(("spec", "sizes"), [("mamba", {"b": 1, "n": 8}), ("deepseek_v2_lite", {"b": 1, "n": 8})])
def test_tokens_are_divided_only_where_keys_and_values_can_go_around(spec: str, sizes: dict[str, int]) -> None:
    loaded = load(spec)
    preset = next(iter(loaded.presets))
    with pytest.raises(SizeError, match="cannot be divided by tokens"):
        _splitting(spec, sizes, preset).heaviest(DeviceSplit(context=2))


def test_plans_are_sorted_by_time_and_fit(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "llama3", *(f"{name}={value}" for name, value in LLAMA.items()), "b=1", "n=8", "--device", "h100"]
    assert main([*words, "--count", "8", "--global-batch", "16", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert all(one["data"] * one["tensor"] * one["pipeline"] * one["context"] == 8 and one["fits"] for one in found["splits"])
    assert found["splits"] == sorted(found["splits"], key=lambda one: one["bound_seconds"])
    assert found["refused"]


def test_where_nothing_fits_the_reason_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "llama-3-70b", "b=1", "n=4096", "--device", "t4", "--dtype", "float16", "--count", "4", "--global-batch", "4"]
    assert main(words) == 1
    said = capsys.readouterr().out
    assert "no split fits" in said
    assert "the least needs" in said


def test_python_gives_the_numbers_of_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {**LLAMA, "L": 8, "b": 1, "n": 8}
    split = {"data": 2, "zero": 1, "tensor": 2, "pipeline": 2, "context": 2, "micro": 4}
    words = [*(f"{name}={value}" for name, value in sizes.items()), "--train", "adamw", "--json"]
    words += [word for name, value in split.items() for word in (f"--{name}", str(value))]
    model = load("llama3")
    assert main(["memory", "llama3", *words]) == 0
    memory = json.loads(capsys.readouterr().out)
    assert json.loads(json.dumps(model.memory(**sizes, **split, train="adamw").to_dict())) == memory
    assert main(["time", "llama3", *words, "--device", "h100"]) == 0
    time = json.loads(capsys.readouterr().out)
    assert json.loads(json.dumps(model.time(**sizes, **split, train="adamw", device="h100").to_dict())) == time
    assert memory["split"]["devices"] == time["split"]["devices"] == 16
    assert memory["heaviest_device"] == time["split"]["heaviest"]


def test_arrays_of_sizes_and_splits_broadcast() -> None:
    model, sizes = load("llama3"), {**LLAMA, "L": 8, "n": 8, "train": "adamw"}
    batches, tensor = np.array([1, 2, 3]), np.array([[1], [2]])
    found: Any = model.memory(b=batches, tensor=tensor, **sizes)
    assert found.shape == (2, 3)
    one = model.memory(b=3, tensor=2, **sizes)
    assert found.total[1, 2] == one.total == found[1, 2].total
    assert one.heaviest is not None
    assert found.heaviest.needs.total[1, 2] == one.heaviest.needs.total < found.heaviest.needs.total[0, 2]
    times: Any = model.time(b=batches, tensor=2, micro=np.array([[1], [4]]), device="h100", **sizes)
    single = model.time(b=2, tensor=2, micro=4, device="h100", **sizes)
    assert single.split is not None
    assert single.training is not None
    assert times.split.seconds[1, 1] == single.split.seconds > times.split.seconds[0, 1]
    assert times.training.limit[0, 1] == single.training.limit
    fits: Any = model.memory(b=np.array([1, 4096]), device_memory="1MB", **{**sizes, "train": ""})
    assert fits.fits.tolist() == [True, False]
    assert fits.largest["b"].value[0] == fits.largest["b"].value[1]
