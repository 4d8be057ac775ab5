"""Stacks of no layers: they hand on what they got, and every count is that of a module without them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.spec.library import Library

HEAD = "title: t\ndims: {b: batch, n: rows, d: width, L: layers}\ninputs: {x: %s}\nlayers:\n"
INPUT, DATA = "[b, n, d]", "{shape: [b, n, d], grad: false}"
MLP = "{use: mlp, with: {f: d}, repeat: %s"
TURNED = MLP.replace("f: d", "f: d, b: n, n: b")
SPECS = {
    "below": (INPUT, f"  first: {{use: mlp, with: {{f: d}}}}\n  rest: {MLP % 'L - 1'}}}\n"),
    "alone": (INPUT, f"  rest: {MLP % 'L - 1'}}}\n"),
    "on_data": (DATA, f"  rest: {MLP % 'L - 1'}}}\n  y: {{op: linear, out: [b, n, 2*d]}}\n"),
    "between": (INPUT, f"  a: {{op: layer_norm}}\n  rest: {MLP % 'L - 1'}}}\n  y: {{op: layer_norm}}\n  z: {{op: add, in: [y, a]}}\n"),
    "twice": (INPUT, f"  one: {MLP % 'L - 1'}}}\n  y: {{op: activation, kind: gelu}}\n  two: {MLP % '2*L - 4'}, in: y}}\n"),
    "of_views": (INPUT, f"  turned: {{op: rearrange, to: b n d -> n b d}}\n  rest: {TURNED % 'L - 1'}}}\n  y: {{op: softmax, over: -1}}\n"),
    "never": (INPUT, f"  rest: {MLP % '0'}}}\n  y: {{op: linear, out: [b, n, d]}}\n  z: {{use: mlp, with: {{f: d}}, repeat: L}}\n"),
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("mine")
    for name, (given, rows) in SPECS.items():
        (folder / f"{name}.yaml").write_text(HEAD % given + rows, encoding="utf-8")
    with Workbench(Library([folder])) as bench:
        yield bench


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_every_count_is_exact_with_and_without_layers(bench: Workbench, name: str, layers: int) -> None:
    if name == "twice" and layers == 1:
        pytest.skip("2*L - 4 layers are at least none")
    case = check_case(bench, name, {"b": 2, "n": 3, "d": 4, "L": layers})
    assert [check for check in case.checks if not check.equal] == []


def test_a_preset_without_further_layers_is_built_in_all_three_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    for name in ("below", "on_data"):
        given, rows = SPECS[name]
        preset = f"presets:\n  one_{name}:\n    set: {{d: 8, L: 1}}\n"
        Path(f"mine/{name}.yaml").write_text(HEAD % given + rows + preset, encoding="utf-8")
    assert main(["check", "mine"]) == 0
    assert main(["build", "mine", "--out", "out"]) == 0
    assert len(list(Path("out").rglob("on_data.*"))) == 3


def test_a_true_condition_makes_no_valid_number_of_layers_invalid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    third = (HEAD % INPUT).replace("layers:\n", "where: L % 3 == 1\nlayers:\n") + f"  y: {MLP % '(L - 1)/3'}}}\n"
    divisors = (
        "title: Two divisors\ndims: {b: batch size, H: height, W: width, M: side of a window, r: reduction}\ninputs: {x: [b, H*W, 8]}\n"
        "where: [H % r == 0, W % r == 0, H % M == 0, W % M == 0]\nlayers:\n  y: {op: linear, out: [b, H*W, H*W/M**2]}\n"
    )
    Path("mine").mkdir()
    Path("mine/third.yaml").write_text(third, encoding="utf-8")
    Path("mine/divisors.yaml").write_text(divisors, encoding="utf-8")
    assert main(["check", "mine"]) == 0
    assert main(["verify", "mine", "--samples", "2", "--no-references"]) == 0
