"""Sizes that grow from step to step of decoding are read off the inputs and the state, and are never fixed when a module is built."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.stepwise import check_decoding
from generator.proof.verify.verification import check_case
from generator.spec.library import Library
from tests.support.small_specs import write_specs

SINK = """\
title: Attention with a sink
dims: {b: batch size, n: new tokens, m: {is: tokens attended to, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  keys:   {op: cache, in: x, axis: 1, to: m}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  sink:   {op: parameter, out: [1, 1, 1]}
  sinks:  {op: expand, out: [b, n, 1]}
  joined: {op: concat, in: [scores, sinks], axis: -1}
  weights: {op: softmax}
  kept:   {op: slice, axis: -1, size: m}
  y:      {op: einsum, in: [kept, keys], eq: "b i j, b j d -> b i d"}
"""
SINK_BLOCK = """\
title: Sink in a block
dims: {b: batch size, n: new tokens, m: {is: tokens attended to, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  a: {use: sink}
  y: {op: add, in: [x, a]}
"""
SINK_MODEL = """\
title: Sinks in a stack
dims: {b: batch size, n: new tokens, m: {is: tokens attended to, default: n}, d: width, L: layers}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  y: {use: sink_block, repeat: L}
"""
SCORES = """\
title: Causal weights, told the numbers of queries and keys by their inputs
dims: {b: batch size, n: queries, m: keys}
inputs: {scores: [b, n, m]}
where: m >= n
layers:
  hidden: {op: hide, axes: b i j, where: j > i + m - n}
  weights: {op: softmax}
"""
EVERY = """\
title: Every setting that may name what grows
dims:
  b: batch size
  n: new tokens
  m: {is: tokens so far, default: n}
  d: width
  h: heads
  e: {is: head width, value: d / h}
  t: {is: twice all tokens, value: 2*m}
  P: places
inputs: {x: [b, n, d]}
where: [m >= n, d % h == 0, m <= P]
layers:
  places:  {op: positional, kind: learned, length: P, offset: m - n}
  placed:  {op: add, in: [x, places]}
  early:   {op: scale, by: 1/m}
  heads:   {op: rearrange, to: b n (h e) -> b h n e}
  keys:    {op: cache, axis: 2, to: m}
  flat:    {op: rearrange, in: keys, to: b h m e -> b (h m) e}
  back:    {op: rearrange, to: b (h m) e -> b h m e}
  twice:   {op: concat, in: [back, keys], axis: 2}
  shifted: {op: shift, in: twice, by: m}
  again:   {op: slice, axis: 2, start: m, size: t - m}
  rolled:  {op: roll, axes: [2], shifts: [m]}
  scores:  {op: einsum, in: [heads, rolled], eq: "b h i e, b h j e -> b h i j"}
  bias:    {op: parameter, out: [1, 1, 1, 1]}
  biases:  {op: expand, out: [b, h, n, m]}
  biased:  {op: add, in: [scores, biases]}
  merged:  {op: rearrange, to: b h n m -> (b h) n m}
  weights: {use: scores, with: {b: b*h}}
  apart:   {op: rearrange, to: (b h) n m -> b h n m}
  mixed:   {op: einsum, in: [apart, again], eq: "b h i j, b h j e -> b h i e"}
  y:       {op: rearrange, to: b h n e -> b n (h e)}
"""
# The scale and the shift depend on how many tokens there are in all, which a step does not know.
CAUSAL = EVERY.replace("  early:   {op: scale, by: 1/m}\n", "").replace("by: m}", "by: d}")
BY_PAST = """\
title: A stack told how many tokens came before
dims: {b: batch size, n: new tokens, p: earlier tokens, d: width, h: heads, P: places, L: layers}
inputs: {x: [b, n, d]}
where: [d % h == 0, n + p <= P]
layers:
  first: {op: shift, by: p}
  y: {use: every, repeat: L, with: {m: n + p}}
"""
PLACED_BY_PAST = BY_PAST.replace(
    "  first: {op: shift, by: p}",
    "  places: {op: positional, kind: sinusoidal, length: P, offset: p}\n  first: {op: add, in: [x, places]}",
)
HALVES = """\
title: Two elements for each token
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, 2*n, d]}
where: m >= n
layers:
  keys:   {op: cache, axis: 1, to: 2*m}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  hidden: {op: hide, axes: b i j, where: j > i + 2*m - 2*n}
  weights: {op: softmax}
  y:      {op: einsum, in: [weights, keys], eq: "b i j, b j d -> b i d"}
"""
FROZEN = """\
title: Built with what grows
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  keys:   {op: cache, axis: 1, to: m}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  scaled: {use: by_k, with: {k: m}}
  stack:  {use: by_k, in: scaled, with: {k: 3}, repeat: m}
"""
BY_K = """\
title: Scaled by a number
dims: {b: batch size, n: queries, m: keys, k: number}
inputs: {x: [b, n, m]}
layers:
  y: {op: scale, by: 1/k}
"""
SIZES = {"b": 2, "n": 3, "m": 7, "d": 4, "L": 2, "h": 2, "e": 2, "t": 14, "P": 9, "p": 4}


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("sink", {"sink": SINK}),
        ("sink_block", {"sink": SINK, "sink_block": SINK_BLOCK}),
        ("sink_model", {"sink": SINK, "sink_block": SINK_BLOCK, "sink_model": SINK_MODEL}),
        ("every", {"every": EVERY, "scores": SCORES}),
        ("net", {"every": EVERY, "scores": SCORES, "net": BY_PAST}),
        ("halves", {"halves": HALVES}),
    ],
)  # fmt: skip
def test_a_later_step_is_as_derived_and_nothing_that_grows_is_told(tmp_path: Path, name: str, texts: Mapping[str, str]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", **texts)])) as bench:
        sizes = {size.name: SIZES[size.name] for size in bench.compiled(name).sheet.sizes}
        case = check_case(bench, name, sizes)
        told = inspect.signature(bench.module_class(name)).parameters
    assert [check for check in case.checks if not check.equal] == []
    assert not {"n", "m", "p", "t"} & {*told}


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("every", {"every": CAUSAL, "scores": SCORES}),
        ("halves", {"halves": HALVES}),
        ("net", {"every": CAUSAL, "scores": SCORES, "net": PLACED_BY_PAST}),
    ],
)  # fmt: skip
def test_settings_that_name_what_grows_come_to_the_same_in_steps(tmp_path: Path, name: str, texts: Mapping[str, str]) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", **texts)])) as bench:
        found = check_decoding(bench, name)
    assert found is not None
    assert found.reason == ""
    assert [check for check in found.checks if not check.equal] == []


@pytest.mark.parametrize("command", ["check", "verify", "build"])
def test_a_block_built_with_what_grows_is_a_located_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    file = write_specs(tmp_path / "mine", net=FROZEN, by_k=BY_K) / "net.yaml"
    extra = ["--out", str(tmp_path / "out"), "--formats", "modules", "--jobs", "1"] if command == "build" else []
    assert main([command, str(file), *extra]) == 1
    shown = capsys.readouterr().err
    assert "net.yaml:8:3: error: `scaled` must build `by_k` with `m`, which grows from step to step of decoding" in shown
    assert "net.yaml:9:57: error: `stack` must be built with `m`, which grows from step to step of decoding" in shown
    assert "each step brings n new tokens, and a module is built once; `by_k` can read a size off an axis of its inputs" in shown
