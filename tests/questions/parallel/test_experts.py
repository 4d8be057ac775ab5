"""Bytes that go to experts and back, and the parameters of their devices: against what processes of PyTorch do in a training step."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from generator.api import load
from generator.cli import main
from generator.questions.memory.fits import MemorySetting
from generator.questions.parallel.heaviest_device import Splitting
from generator.questions.parallel.splits import DeviceSplit
from generator.sheet.costing import cost_of

ROOT = Path(__file__).parents[3]
SIZES = {"d": 16, "L": 2, "h": 4, "g": 2, "e": 4, "f": 24, "V": 32, "P": 8, "E": 4, "k": 2}
NAMES = {
    "d": "embed_dim",
    "L": "num_layers",
    "h": "num_heads",
    "g": "num_kv_heads",
    "e": "head_dim",
    "f": "mlp_dim",
    "V": "vocab_size",
    "P": "max_length",
    "E": "num_experts",
    "k": "top_k",
}


@pytest.mark.parametrize("world", [pytest.param(2, marks=pytest.mark.slow), pytest.param(4, marks=pytest.mark.exhaustive)])
def test_tokens_go_to_experts_and_back_in_as_many_bytes_as_derived(world: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cost = cost_of(load("mixtral").sheet, None, {**SIZES, "b": 2, "n": 8}, "float32")
    split = DeviceSplit(data=world, expert=world)
    (share,) = Splitting(cost, MemorySetting.asked("float32", optimiser="adamw")).shares(split)
    assert main(["module", "mixtral", "--single-file"]) == 0
    (tmp_path / "mixtral.py").write_text(capsys.readouterr().out, encoding="utf-8")
    task = {"world": world, "meeting": str(tmp_path / "meeting"), "code": str(tmp_path / "mixtral.py")}
    task |= {"sizes": {NAMES[name]: value for name, value in SIZES.items()}}
    program = [sys.executable, "-m", "tests.questions.parallel.experts_by_ranks"]
    running = [
        subprocess.Popen([*program, json.dumps({**task, "rank": rank})], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        for rank in range(world)
    ]
    outputs = [one.communicate(timeout=300)[0] for one in running]
    assert [one.returncode for one in running] == [0] * world
    expected = {"sent": share.sent["tokens, to experts and back"], "parameters": share.parameters}
    assert [json.loads(output.splitlines()[-1]) for output in outputs] == [expected] * world
