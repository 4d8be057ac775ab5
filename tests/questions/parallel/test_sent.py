"""Bytes that devices send in a training step: against what processes of PyTorch hand to their group when they run one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.api import load
from generator.cli import main
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.recomputation import recompute_of
from generator.questions.memory.stored_formats import stored_format
from generator.questions.parallel.heaviest_device import DeviceShare, Splitting
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import cost_of

SIZES = {"d": 16, "L": 4, "h": 8, "g": 4, "e": 4, "f": 24, "V": 32, "P": 8}
ARGUMENTS = ("embed_dim", "num_layers", "num_heads", "num_kv_heads", "head_dim", "mlp_dim", "vocab_size", "max_length")
BATCH, TOKENS, MICRO = 2, 8, 4
WITHIN, AROUND = "activations, within tensor parallel groups", "keys, values and their gradients, around the context"
ON, GRADIENTS, WEIGHTS = (
    "activations and their gradients, to other stages",
    "gradients, summed over replicas",
    "weights, gathered from replicas",
)


def _shares(split: DeviceSplit, batch: int = BATCH, rule: str = "none") -> list[DeviceShare]:
    stored = stored_format("float32")
    cost = cost_of(load("llama3").sheet, None, {**SIZES, "b": batch, "n": TOKENS}, "float32")
    return Splitting(cost, MemorySetting("float32", stored, stored, "adamw", recompute=recompute_of(rule))).shares(split)


def _measured(world: int, pieces: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return what each process of a group sends, by task; that a step is right is asserted there."""
    assert main(["module", "llama3", "--single-file"]) == 0
    (folder / "llama3.py").write_text(capsys.readouterr().out, encoding="utf-8")
    task = {
        "world": world,
        "pieces": pieces,
        "meeting": str(folder / "meeting"),
        "code": str(folder / "llama3.py"),
        "name": "Llama3",
        "micro": MICRO,
    }
    texts = [json.dumps({**task, "rank": rank, "sizes": dict(zip(ARGUMENTS, SIZES.values(), strict=True))}) for rank in range(world)]
    program = Path(__file__).with_name("sent_by_ranks.py")
    running = [subprocess.Popen([sys.executable, str(program), text], stdout=subprocess.PIPE, text=True) for text in texts]
    outputs = [one.communicate(timeout=300)[0] for one in running]
    assert [one.returncode for one in running] == [0] * world
    return [json.loads(output.splitlines()[-1]) for output in outputs]


@pytest.mark.parametrize("world", [pytest.param(2, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.exhaustive)])
def test_processes_send_what_the_formulas_say(world: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of tensor parallel groups, contexts (with and without blocks that run once more), replicas and stages of a pipeline."""
    pieces = SIZES["L"] // world
    splits = {
        "pipeline": DeviceSplit(pipeline=world, micro=MICRO),
        "interleaved": DeviceSplit(pipeline=world, interleave=pieces, micro=MICRO),
    }
    stages = {name: _shares(split, batch=1) for name, split in splits.items()}
    expected: dict[str, int] = {}
    for name, rule in (("", "none"), (" again", "blocks")):
        expected[f"tensor{name}"] = _shares(DeviceSplit(tensor=world, sequence=False), rule=rule)[0].sent[WITHIN]
        expected[f"sequence{name}"] = _shares(DeviceSplit(tensor=world), rule=rule)[0].sent[WITHIN]
        expected[f"context{name}"] = _shares(DeviceSplit(context=world), rule=rule)[0].sent[AROUND]
    for zero in (0, 2, 3):
        sent = _shares(DeviceSplit(data=world, zero=zero))[0].sent
        expected[f"zero{zero}"] = sent[GRADIENTS] + sent.get(WEIGHTS, 0)
    for rank, found in enumerate(_measured(world, pieces, tmp_path, capsys)):
        for name, split in splits.items():
            assert found.pop(name) == {
                "sent": stages[name][rank].sent[ON],
                "in_flight": split.in_flight(rank),
                "parameters": stages[name][rank].parameters,
            }, name
        assert found == expected
