"""Causal convolutions and delays keep their last inputs: in steps they come to what PyTorch's own operations make of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch.nn import functional

from generator.cli import main
from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.proof.verify.state import elements
from generator.proof.verify.stepwise import check_decoding
from generator.proof.verify.verification import verify
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.small_specs import write_specs

HEAD = "title: Kept\ndims: {b: batch size, n: tokens, d: width, K: kernel}\ninputs: {x: [b, d, n]}\nlayers:\n"
CONVOLUTION = HEAD + "  y: {op: conv1d, channels: 3, kernel: K, dilation: 2, causal: true}\n"
DELAY = HEAD + "  y: {op: delay, axis: n, by: K}\n"
BESIDE_A_CACHE = """\
title: A short convolution in front of a cache
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  t:    {op: rearrange, to: b n d -> b d n}
  c:    {op: conv1d, channels: d, kernel: 4, groups: d, causal: true}
  back: {op: rearrange, to: b d n -> b n d}
  keys: {op: cache, axis: 1, to: m}
  s:    {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  k:    {op: mask, kind: causal}
  w:    {op: softmax}
  y:    {op: einsum, in: [w, keys], eq: "b i j, b j d -> b i d"}
"""
BEFORE_A_RECURRENCE = """\
title: A causal convolution in front of a recurrence
dims: {b: batch size, n: tokens, d: width}
inputs: {x: [b, n, d]}
layers:
  t:    {op: rearrange, to: b n d -> b d n}
  c:    {op: conv1d, channels: d, kernel: 4, causal: true}
  back: {op: rearrange, to: b d n -> b n d}
  last: {op: delay, axis: 1}
  both: {op: add, in: [back, last]}
  y:    {scan: n, use: rnn_cell, carry: {state: [b, d]}}
"""
TIED = (
    HEAD
    + """\
  one: {op: conv1d, channels: d, kernel: 3, causal: true}
  y: {op: conv1d, channels: d, kernel: 3, causal: true, tie: one}
"""
)
OVER_CHUNKS = """\
title: A recurrence over chunks of tokens
dims: {b: batch size, n: tokens, w: tokens of a chunk, d: width, c: {is: chunks, value: n / w}}
inputs: {x: [b, n, d]}
where: n % w == 0
layers:
  chunks: {op: rearrange, to: b (c w) d -> b c w d}
  means:  {op: mean, over: 2}
  said:   {scan: c, use: rnn_cell, carry: {state: [b, d]}}
  wide:   {op: rearrange, to: b c d -> b c 1 d}
  sum:    {op: add, in: [chunks, wide]}
  y:      {op: rearrange, to: b c w d -> b (c w) d}
"""
# Over layers: the numbers of the layers are the same for all sequences, and the state is what has become of the tokens.
OVER_LAYERS = """\
title: Layers by a recurrence
dims: {b: batch size, n: tokens, d: width, L: layers}
inputs: {clock: {shape: [L, d], grad: false}, x: [b, n, d]}
layers:
  seen: {scan: L, use: step, in: clock, carry: {x: [b, n, d]}}
  y:    {op: add, in: [x, seen.x]}
"""
STEP = """\
title: A layer told its number
dims: {b: batch size, n: tokens, d: width}
inputs: {clock: [d], x: [b, n, d]}
layers:
  told: {op: add, in: [x, clock]}
  y:    {op: linear, out: [b, n, d]}
  x_new: {op: activation, kind: tanh}
outputs: [y, x_new]
"""
OVER_COPIES = """\
title: The same tokens again and again
dims: {b: batch size, n: tokens, d: width, L: times}
inputs: {x: [b, n, d]}
layers:
  wide: {op: rearrange, to: b n d -> 1 b n d}
  again: {op: expand, out: [L, b, n, d]}
  y: {scan: L, use: again_cell, carry: {state: [b, n, d]}}
"""
AGAIN = """\
title: A layer with its input beside
dims: {b: batch size, n: tokens, d: width}
inputs: {x: [b, n, d], state: [b, n, d]}
layers:
  sum: {op: add, in: [x, state]}
  y: {op: linear, out: [b, n, d]}
"""


@pytest.mark.parametrize("split", [[7], [1] * 7, [3, 1, 1, 2], [1, 6]])
def test_a_causal_convolution_is_that_of_pytorch_with_zeros_in_front(tmp_path: Path, split: list[int]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", net=CONVOLUTION)])) as bench:
        module = bench.build("net", {"d": 2, "K": 3}, dtype=torch.float64)
        x, state = torch.randn(2, 2, 7, dtype=torch.float64), {}
        whole = functional.conv1d(functional.pad(x, (4, 0)), module.y.weight, module.y.bias, dilation=2)
        torch.testing.assert_close(torch.cat([module(part, state) for part in x.split(split, 2)], 2), whole)
        torch.testing.assert_close(module(x), whole)
        assert elements(state) == 2 * 2 * 4
        torch.testing.assert_close(state["y"], x[..., -4:])


@pytest.mark.parametrize("split", [[7], [1] * 7, [3, 4]])
def test_a_delay_is_what_stood_earlier(tmp_path: Path, split: list[int]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", net=DELAY)])) as bench:
        module = bench.build("net", {"K": 3})
        x, state = torch.randn(2, 2, 7), {}
        assert torch.equal(torch.cat([module(part, state) for part in x.split(split, 2)], 2), functional.pad(x, (3, -3)))


@pytest.mark.parametrize(
    ("texts", "state"),
    [
        ({"net": CONVOLUTION}, lambda s: s["b"] * s["d"] * 2 * (s["K"] - 1)),
        ({"net": DELAY}, lambda s: s["b"] * s["d"] * s["K"]),
        ({"net": TIED}, lambda s: s["b"] * s["d"] * 2 * 2),
        ({"net": BESIDE_A_CACHE}, lambda s: s["b"] * s["d"] * (3 + s["m"])),
        ({"net": BEFORE_A_RECURRENCE}, lambda s: s["b"] * s["d"] * (3 + 1 + 1)),
        ({"net": OVER_CHUNKS}, lambda s: s["b"] * s["d"]),
    ],
    ids=["convolution", "delay", "one applied twice", "beside a cache", "before a recurrence", "over chunks"],
)
def test_steps_come_to_what_one_pass_comes_to(tmp_path: Path, texts: dict[str, str], state: Callable[[Mapping[str, int]], int]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", **texts)])) as bench:
        result = verify(bench, "net", samples=2)
        totals = bench.compiled("net").sheet.totals
    assert all(evaluate(totals["state_elements"], case.sizes) == state(case.sizes) for case in result.cases)
    assert result.equal
    assert result.decoding is not None
    assert result.decoding.reason == ""
    assert len(result.decoding.checks) >= 2


@pytest.mark.parametrize("texts", [{"net": OVER_LAYERS, "step": STEP}, {"net": OVER_COPIES, "again_cell": AGAIN}], ids=["layers", "copies"])
def test_a_recurrence_over_depth_keeps_no_state(tmp_path: Path, texts: dict[str, str]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", **texts)])) as bench:
        assert bench.compiled("net").sheet.totals["state_elements"] == 0
        assert not bench.modules.view("net").takes_state
        assert verify(bench, "net", samples=2).equal
        assert check_decoding(bench, "net") is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("kernel: 3, padding: 2, causal: true", "`y` is causal: earlier inputs stand in front of it, not padding"),
        ("kernel: 3, stride: 2, causal: true", "`y` is causal and moves by 2; a step of decoding brings one position"),
        ("kernel: 3, transposed: true, causal: true", "a transposed convolution is not `causal`"),
    ],
)
def test_what_a_causal_convolution_cannot_have_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: str, message: str
) -> None:
    file = write_specs(tmp_path, net=HEAD + f"  y: {{op: conv1d, channels: d, {settings}}}\n") / "net.yaml"
    assert main(["check", str(file)]) == 1
    shown = capsys.readouterr().err
    assert f"error: {message}\n" in shown
    assert "net.yaml:5:" in shown


def test_a_kernel_of_one_keeps_nothing(tmp_path: Path) -> None:
    text = HEAD + "  y: {op: conv1d, channels: d, kernel: 1, causal: true}\n"
    with Workbench(Library([write_specs(tmp_path / "mine", net=text)])) as bench:
        assert not bench.modules.view("net").takes_state
        assert compile_spec(bench.library, "net").sheet.totals["state_elements"] == 0


def test_two_axes_that_both_go_on_keep_nothing(tmp_path: Path) -> None:
    text = HEAD.replace(", K: kernel", "") + "  one: {op: delay, axis: n}\n  y: {op: delay, axis: 1}\n"
    with Workbench(Library([write_specs(tmp_path / "mine", net=text)])) as bench:
        result = verify(bench, "net", samples=2)
        assert not bench.modules.view("net").takes_state
    assert result.equal
    assert result.decoding is not None
    expected = "no state is kept: `one` goes on along n and `y` goes on along d, and a step brings new places along one"
    assert result.decoding.reason == expected


IN_A_CELL = """\
title: A cell with a row that could keep something
dims: {b: batch size, d: width}
inputs: {x: [b, d], state: [b, d]}
layers:
  ROW
  y: {op: add, in: [turned, state]}
"""
OVER_TOKENS = "title: Cells\ndims: {b: batch, n: tokens, d: width}\ninputs: {x: [b, n, d]}\nlayers:\n"
OVER_TOKENS += "  y: {scan: n, use: cell, carry: {state: [b, d]}}\n"


def test_what_a_cell_could_keep_begins_anew_in_each_step(tmp_path: Path) -> None:
    cell = IN_A_CELL.replace("ROW", "turned: {op: delay, in: x, axis: d}")
    with Workbench(Library([write_specs(tmp_path / "mine", cell=cell, net=OVER_TOKENS)])) as bench:
        result = verify(bench, "net", samples=2)
    assert result.equal
    assert all(evaluate(bench.compiled("net").sheet.totals["state_elements"], c.sizes) == c.sizes["b"] * c.sizes["d"] for c in result.cases)


def test_a_cache_in_a_cell_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = IN_A_CELL.replace("ROW", "turned: {op: cache, in: x, once: true}")
    folder = write_specs(tmp_path, cell=cell, net=OVER_TOKENS)
    assert main(["check", str(folder / "net.yaml")]) == 1
    shown = capsys.readouterr().err
    expected = "net.yaml:5:21: error: `cell` keeps a state of its own, in `y.turned`; a recurrence hands on what `carry` names alone\n"
    assert expected in shown
