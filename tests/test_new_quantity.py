"""A new quantity takes two edits: its declaration, and its measurement. Both are made in a copy of the package, and everything shows it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from shutil import copytree

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parent.parent
DECLARED = """
BACKWARD_MACS: Final = Quantity(
    "backward_macs",
    "multiply-accumulates",
    Words("Backward MACs", "multiply-accumulates of the backward pass"),
    Words("反向乘加次数", "反向传播中的乘加次数"),
    of=lambda counts: counts.tally.backward_macs,
    bias=_no_bias,
    shown=frozenset(Shown) - {Shown.PARTS, Shown.WORK},
)

MEASURES: Final[tuple[Quantity, ...]] = (
    BACKWARD_MACS,
"""
HEAD = "\nMEASURES: Final[tuple[Quantity, ...]] = (\n"
MEASURED = """MEASUREMENTS: Mapping[str, Measurement] = {
    "backward_macs": Measurement("half of the FLOPs", lambda seen: seen.trained.backward_matmul_flops // 2 + WRONG),
"""
SPEC = """\
title: A layer
dims: {b: batch size, k: input width, m: output width}
inputs: {x: [b, k]}
layers:
  wide: {op: linear, out: [b, m]}
  y: {op: activation, kind: relu}
presets:
  small: {set: {b: 2, k: 3, m: 5}, expect: {backward_macs: 60}, implementation: {model: Layer, cite: vaswani2017}}
claims:
  - {of: backward_macs, equals: 2*b*k*m, ignore: bias}
"""
SIZES = ["b=2", "k=3", "m=5"]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with one more quantity, and a spec."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("generator", "templates", "specs"):
        copytree(REPOSITORY / name, folder / name)
    edit(folder / "generator" / "quantities.py", HEAD, DECLARED)
    (folder / "mine").mkdir()
    (folder / "mine" / "layer.yaml").write_text(SPEC, encoding="utf-8")
    return folder


def gen(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "generator.cli", *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def out(copy: Path, *arguments: str) -> str:
    done = gen(copy, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_nothing_is_verified_while_a_quantity_has_no_measurement(copy: Path) -> None:
    done = gen(copy, "verify", "mine/layer.yaml")
    assert done.returncode == 1
    assert "backward_macs: declared as a quantity" in done.stderr
    assert "equal" not in done.stdout


@pytest.mark.parametrize(("wrong", "code", "verdict"), [("0", 0, "all equal"), ("1", 1, "1 spec differs: layer")])
def test_a_quantity_with_a_measurement_is_compared(copy: Path, tmp_path: Path, wrong: str, code: int, verdict: str) -> None:
    measured = copytree(copy, tmp_path / "measured")
    edit(
        measured / "generator" / "proof" / "verify" / "measurements.py",
        "MEASUREMENTS: Mapping[str, Measurement] = {\n",
        MEASURED.replace("WRONG", wrong),
    )
    done = gen(measured, "verify", "mine/layer.yaml")
    assert (done.returncode, verdict in done.stdout) == (code, True), done.stdout + done.stderr
    assert ("backward_macs" in done.stdout) == (wrong == "1")


def test_a_declared_quantity_is_shown_by_every_output(copy: Path) -> None:
    written = copy / "out"
    out(copy, "build", "mine", "--out", str(written))
    page = (written / "markdown" / "layer.md").read_text(encoding="utf-8")
    assert "| Backward MACs | `backward_macs` | $`2bkm`$ |" in page
    assert "✓ `backward_macs` 60" in page
    assert "Backward MACs: 2*b*k*m." in (written / "modules" / "layer.py").read_text(encoding="utf-8")
    with zipfile.ZipFile(written / "excel" / "layer.xlsx") as book:
        sheets = [book.read(name).decode() for name in book.namelist() if name.startswith("xl/worksheets/")]
    assert sum("Backward MACs" in sheet for sheet in sheets) >= 5  # summary, layers, formulas, scaling, presets, about


def test_a_declared_quantity_is_answered_by_every_question(copy: Path) -> None:
    assert '"backward_macs": 60' in out(copy, "cost", "mine/layer.yaml", *SIZES, "--json")
    assert "Backward MACs" in out(copy, "show", "mine/layer.yaml")
    assert "backward_macs" in out(copy, "growth", "mine/layer.yaml")
    assert "Backward MACs" in out(copy, "compare", "layer", "mlp", "--specs", "mine", *SIZES, "n=1", "d=2", "f=2")
    assert "backward_macs" in out(copy, "sweep", "mine/layer.yaml", "b=1", "k=2", "m=2..8:x2")
    code = "from generator.api import load; print(load('mine/layer.yaml').cost(b=2, k=3, m=5).backward_macs)"
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "60\n"
