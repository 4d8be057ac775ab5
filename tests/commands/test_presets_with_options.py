"""Presets that go with other options than the defaults: everything that shows or proves them takes these."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archsheet import load
from generator.cli import main
from tests.support.small_specs import write_specs

NET = """
title: Net
dims: {b: batch, n: length, d: width, f: inner width}
options: {bias: {is: biases, default: true}, gate: {is: which function, default: relu, choices: [relu, gelu]}}
inputs: {x: [b, n, d]}
layers:
  up:     {op: linear, out: [b, n, f], bias: bias}
  active: {op: activation, kind: gate}
  down:   {op: linear, out: [b, n, d], bias: bias}
presets:
  with-biases: {set: {d: 8, f: 16}, expect: {params: 280}}
  without: {set: {d: 8, f: 16}, options: {bias: false, gate: gelu}, expect: {params: 256}}
claims:
  - {of: params, equals: 2*d*f + d + f}
"""
IN = ("--specs", "mine")


@pytest.fixture(autouse=True)
def some_specs(specs: Path) -> None:
    write_specs(specs, net=NET)


def test_what_is_expected_is_checked_under_the_options(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine"]) == 0
    write_specs(specs, net=NET.replace("256}", "280}"))
    capsys.readouterr()
    assert main(["check", "mine"]) == 1
    assert "preset `without` expects params to be 280, but it is 256" in capsys.readouterr().err


def test_questions_take_the_options_of_a_preset(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["without"], ["net", "--preset", "without"], ["net@without"], ["with-biases", "bias=false", "gate=gelu"]):
        assert main(["cost", *words, "b=1", "n=4", "--json", *IN]) == 0
        assert json.loads(capsys.readouterr().out)["params"] == 256
    assert main(["cost", "without", "bias=true", "b=1", "n=4", "--json", *IN]) == 0  # what is given wins
    assert json.loads(capsys.readouterr().out)["params"] == 280
    assert main(["compare", "without", "with-biases", "b=1", "n=4", "--quantity", "params", "--csv", *IN]) == 0
    said = capsys.readouterr().out
    assert "256" in said
    assert "280" in said


def test_python_takes_them_too() -> None:
    net = load("net", specs="mine")
    assert net.presets["without"] == {"d": 8, "f": 16}
    assert net.cost(preset="without", b=1, n=4).params == 256
    assert net.cost(preset="with-biases", b=1, n=4).params == 280


@pytest.mark.slow
def test_pages_show_and_modules_take_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "mine", "--out", "out"]) == 0
    page = Path("out/markdown/net.md").read_text(encoding="utf-8")
    numbers, sizes = (line for line in page.splitlines() if line.startswith("| `without`"))
    assert "| 256 |" in numbers
    assert "`bias` = false, `gate` = `gelu`" in sizes
    assert "'bias': False" in Path("out/modules/net.py").read_text(encoding="utf-8").replace('"', "'")
    module = load("net", specs="mine").module(preset="without")
    assert sum(weight.numel() for weight in module.parameters()) == 256
    made = type(module).from_preset("without")  # type: ignore[attr-defined]
    assert sum(weight.numel() for weight in made.parameters()) == 256
    capsys.readouterr()
    assert main(["verify", "mine", "--samples", "1", "--json"]) == 0
    verified = {one["spec"]: one for one in json.loads(capsys.readouterr().out)}
    presets = {case["preset"] for case in verified["net"]["cases"]}
    assert presets == {None, "with-biases", "without"}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("options: {bais: false}", "preset `without` sets `bais`, which is not an option of `net`"),
        ("options: {bias: 3}", "preset `without`: option `bias` of `net` is true or false; found `3`"),
        ("options: {gate: silu}", "preset `without`: option `gate` of `net` cannot be `silu`"),
        ("expect: {macs: 0}", "preset `without` expects macs"),
    ],
)
def test_what_is_said(written: str, said: str, specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_specs(specs, net=NET.replace("options: {bias: false, gate: gelu}, expect: {params: 256}", written))
    assert main(["check", "mine"]) == 1
    assert said in capsys.readouterr().err
