"""Presets that fill slots: everything that shows or proves them takes these blocks."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from archsheet import load
from generator.cli import main
from tests.support.small_specs import write_specs

NET = """
title: Net
dims: {b: batch, n: length, d: {is: width, arg: width}, f: {is: inner width, default: 4*d}, L: layers}
options: {bias: {is: biases, default: true}}
inputs: {x: [b, n, d]}
slots: {inner: {use: plain}}
layers:
  inner: {slot: inner, repeat: L}
  y:     {op: linear, out: [b, n, d], bias: bias}
presets:
  net-plain: {set: {d: 8, L: 2}, expect: {params: 216}}
  net-wide: {set: {d: 8, L: 2}, slots: {inner: wide}, expect: {params: 1176}}
  net-long: {set: {d: 8, n: 5, L: 1}, options: {bias: false}, slots: {inner: {use: wide, with: {f: n}}}, expect: {params: 144}}
  net-open: {set: {d: 8, L: 1}, slots: {inner: {use: wide, with: {f: n}}}}
"""
PLAIN = """
title: Plain
dims: {b: batch, n: length, d: width}
options: {bias: {is: biases, default: true}}
inputs: {x: [b, n, d]}
layers:
  y: {op: linear, out: [b, n, d], bias: bias}
"""
WIDE = PLAIN.replace("d: width}", "d: width, f: inner width}").replace("layers:", "layers:\n  up: {op: linear, out: [b, n, f], bias: bias}")
IN = ("--specs", "mine")
# Two of Linear(8, 32) and Linear(32, 8), and Linear(8, 8), with biases; Linear(8, 5), Linear(5, 8) and Linear(8, 8) without.
WIDE_PARAMS = 2 * (8 * 32 + 32 + 32 * 8 + 8) + 8 * 8 + 8
LONG_PARAMS = 8 * 5 + 5 * 8 + 8 * 8


@pytest.fixture(autouse=True)
def some_specs(specs: Path) -> None:
    write_specs(specs, net=NET, plain=PLAIN, wide=WIDE)


def test_what_is_expected_is_checked_with_the_blocks(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine"]) == 0
    write_specs(specs, net=NET.replace("1176}", "216}"))
    capsys.readouterr()
    assert main(["check", "mine"]) == 1
    assert "preset `net-wide` expects params to be 216, but it is 1,176" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (["net-wide"], WIDE_PARAMS),
        (["net", "--preset", "net-wide"], WIDE_PARAMS),
        (["net@net-long"], LONG_PARAMS),
        (["net-wide", "inner=plain"], 216),  # what is given wins
        (["net-wide", "bias=false"], WIDE_PARAMS - 2 * 40 - 8),
        (["net-plain", "inner=wide"], WIDE_PARAMS),
    ],
)
def test_questions_take_the_blocks_of_a_preset(words: list[str], params: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", *words, "b=1", "n=5", "--json", *IN]) == 0
    assert json.loads(capsys.readouterr().out)["params"] == params


def test_python_takes_them_too() -> None:
    net = load("net", specs="mine")
    assert net.presets["net-wide"] == {"d": 8, "L": 2}
    assert net.cost(preset="net-wide", b=1, n=4).params == WIDE_PARAMS
    assert net.cost(preset="net-plain", b=1, n=4).params == 216
    assert load("net-long", specs="mine").cost(b=1).params == LONG_PARAMS


@pytest.mark.slow
def test_pages_show_and_modules_make_them(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["build", "mine", "--out", "out", "--formats", "modules,markdown"]) == 0
    page = Path("out/markdown/net.md").read_text(encoding="utf-8")
    lines = "\n".join(line for line in page.splitlines() if line.startswith("| `net-wide`"))
    assert "`inner` = `wide`" in lines
    assert "1,176" in lines
    monkeypatch.syspath_prepend("out")
    made = importlib.import_module("modules.net").Net
    try:
        assert _size(made.from_preset("net-wide")) == WIDE_PARAMS
        assert _size(made.from_preset("net-long")) == LONG_PARAMS
        assert _size(made.from_preset("net-wide", d=4)) == 2 * (4 * 16 + 16 + 16 * 4 + 4) + 4 * 4 + 4
        assert _size(made.from_preset("net-wide", bias=False)) == WIDE_PARAMS - 2 * 40 - 8
        plain = importlib.import_module("modules.plain").Plain(d=8)
        assert _size(made.from_preset("net-wide", inner=plain)) == 216
        with pytest.raises(ValueError, match="the preset leaves n open, with which the block in inner is built; pass inner="):
            made.from_preset("net-open")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "modules"]:
            del sys.modules[name]
    module = load("net", specs="mine").module(preset="net-wide")
    assert _size(module) == WIDE_PARAMS
    assert _size(type(load("net", specs="mine").module(preset="net-plain")).from_preset("net-wide")) == WIDE_PARAMS  # type: ignore[attr-defined]
    capsys.readouterr()
    assert main(["verify", "mine", "--samples", "1", "--json"]) == 0
    verified = {one["spec"]: one for one in json.loads(capsys.readouterr().out)}
    assert {case["preset"] for case in verified["net"]["cases"]} == {None, "net-plain", "net-wide", "net-long", "net-open"}


def _size(module: object) -> int:
    return sum(weight.numel() for weight in module.parameters())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("slots: {iner: wide}", "preset `net-wide` fills `iner`, which is not a slot of `net`"),
        ("slots: {inner: wyde}", "there is no spec named `wyde`"),
        ("slots: {inner: {use: wide, with: {g: 3}}}", "`wide` has no size `g`"),
        ("expect: {macs: 0}", "preset `net-wide` expects macs"),
    ],
)
def test_what_is_said(written: str, said: str, specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_specs(specs, net=NET.replace("slots: {inner: wide}, expect: {params: 1176}", written))
    assert main(["check", "mine"]) == 1
    complaints = capsys.readouterr().err
    assert said in complaints
    assert complaints.count("error:") == 1
    assert "net.yaml:12:" in complaints
