"""`gen bench`: what is timed, and what is said about it. No time is ever expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.cli import main

pytest.importorskip("torch")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    code = main(["bench", *arguments, "--repeats", "2", "--warmup", "1", "--specs", "mine"])
    shown = capsys.readouterr()
    return code, shown.out.splitlines(), shown.err


def test_a_sweep_doubles_and_predicts(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run(capsys, "layer", "--sweep", "k=4..16", "m=5")
    assert (code, lines[0]) == (0, "One layer (layer): one forward pass on cpu, 2 runs")
    cells = [re.split(r"  +", line.strip()) for line in lines[1:5]]
    assert cells[0] == ["k", "median", "spread", "FLOPs", "FLOP/s", "time ratio", "exponent", "FLOPs ratio", "exponent"]
    # The batch is 1: 2*k*m FLOPs and m additions of the bias.
    assert [(row[0], row[3]) for row in cells[1:]] == [("4", "45 FLOP"), ("8", "85 FLOP"), ("16", "165 FLOP")]
    assert [row[-2] for row in cells[2:]] == ["1.89", "1.94"]
    assert lines[5].startswith("time grows like k**")


def test_options_and_single_sizes_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = run(capsys, "pair", "h=2", "b=3", "second=false")
    assert code == 0
    assert re.split(r"  +", lines[2].strip())[2] == "432 FLOP"  # 2*3*8*8 and 3*8 for the layer, 3*8 for relu


def test_a_picture_is_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, lines, _ = run(capsys, "layer", "--sweep", "b=1,2,4", "k=3", "m=5", "--plot", str(tmp_path / "times.svg"))
    assert (code, lines[-1]) == (0, f"drawn: {tmp_path / 'times.svg'}")
    assert (tmp_path / "times.svg").read_text(encoding="utf-8").startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("layer", "--sweep", "k=4..16"), "error: the cost of `layer` needs `m`, which is not given"),
        (("layer", "--sweep", "q=4..16", "k=1", "m=2"), "error: `q` is not a size of `layer`"),
        (("layer", "--sweep", "k", "m=2"), "error: `k` is not of the form NAME=VALUES"),
        (("layer", "k=1", "m=2", "--plot", "x.svg"), "error: --plot shows a sweep; give --sweep, such as n=64..1024"),
        (("layer", "--sweep", "b=1,2", "k=3", "m=5", "--plot", "x.pdf"), "error: --plot: x.pdf must end in .svg"),
        (("layer", "k=1", "m=2", "--device", "quantum"), "error: quantum: "),
    ],
)
def test_wrong_usage_is_explained(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str) -> None:
    code, _, error = run(capsys, *arguments)
    assert code == 2
    assert error.startswith(message)
