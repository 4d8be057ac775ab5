"""What the first step alone makes: no later step reads what it was made of, nor pays for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from generator.api import load
from generator.cli import main
from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.state import elements
from generator.proof.verify.verification import check_case, verify
from generator.spec.library import Library
from generator.spec.lookup import everything
from tests.support.small_specs import write_specs

DECODER = """\
title: A decoder that asks an encoder
dims: {b: batch, n: new tokens, m: {is: tokens so far, default: n}, s: source, d: width}
inputs: {x: [b, n, d], source: [b, s, d]}
where: m >= n
layers:
  read:   {scan: s, use: rnn_cell, in: source, carry: {state: [b, d]}}
  both:   {op: linear, out: [b, s, 2*d]}
  parts:  {op: split, axis: -1, into: 2, names: [k, v]}
  bent:   {op: activation, in: parts.k, kind: tanh}
  k:      {op: cache, in: bent, once: true}
  v:      {op: cache, in: parts.v, once: true}
  own:    {op: cache, in: x, axis: 1, to: m}
  scores: {op: einsum, in: [x, own], eq: "b i d, b j d -> b i j"}
  masked: {op: mask, kind: causal}
  weights: {op: softmax}
  mixed:  {op: einsum, in: [weights, own], eq: "b i j, b j d -> b i d"}
  asked:  {op: einsum, in: [mixed, k], eq: "b n d, b s d -> b n s"}
  found:  {op: softmax}
  y:      {op: einsum, in: [found, v], eq: "b n s, b s d -> b n d"}
"""
STACK = DECODER.replace("A decoder", "A stack of decoders").replace("d: width}", "d: width, L: layers}", 1)
STACK = STACK[: STACK.index("layers:\n")] + "layers:\n  y: {use: decoder, in: [x, source], repeat: L}\n"
# keys and values of the encoder, kept, in steps of one token that nothing counts
WHOLE_STEPS = """\
title: Keys of an encoder, kept
dims: {b: batch, m: encoder, d: width, t: {is: steps so far, default: 1}}
inputs: {x: [b, 1, d], memory: [b, m, d]}
layers:
  k:  {op: linear, in: memory, out: [b, m, d], bias: false}
  kc: {op: cache, in: k, once: true, offset: t - 1}
  s:  {op: einsum, in: [x, kc], eq: "b n d, b m d -> b n m"}
  w:  {op: softmax}
  y:  {op: einsum, in: [w, kc], eq: "b n m, b m d -> b n d"}
"""
PRE = """\
title: Kept
dims: {b: batch, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
"""


@pytest.mark.parametrize("name", ["decoder", "stack", "whole"])
def test_first_and_later_steps_measure_what_the_formulas_say(tmp_path: Path, name: str) -> None:
    texts = {"decoder": DECODER, "stack": STACK, "whole": WHOLE_STEPS}
    with Workbench(Library([write_specs(tmp_path / "mine", **texts)])) as bench:
        result = verify(bench, name, samples=5)
    assert result.equal, [check for case in result.cases for check in case.checks if not check.equal]
    tokens, earlier = ("m", "n") if name != "whole" else ("t", "")
    behind = {case.sizes[tokens] > (case.sizes[earlier] if earlier else 1) for case in result.cases}
    assert behind == ({True, False} if earlier else {True})
    assert result.decoding is not None
    assert result.decoding.checks


def test_later_steps_read_nothing_of_what_the_first_has_read(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", net=DECODER)])) as bench, default_dtype(torch.float64), torch.no_grad():
        module = bench.build("net", {"d": 4})
        x, source, state = torch.randn(2, 6, 4), torch.randn(2, 5, 4), {}
        whole = module(x, source)
        other = torch.full_like(source, torch.nan)
        steps = [module(part, source if i == 0 else other, state) for i, part in enumerate(x.split([2, 1, 3], 1))]
        torch.testing.assert_close(torch.cat(steps, 1), whole)
        assert elements(state) == 2 * (6 * 4 + 2 * 5 * 4)  # the recurrence of the encoder is over when it is read


def test_a_later_step_of_a_decoder_costs_what_pytorch_counts() -> None:
    sizes = {"b": 2, "s": 7, "d": 12, "h": 3, "f": 20, "L": 2, "V": 31, "P": 40}
    with Workbench(everything([])) as bench, torch.no_grad():
        module: Any = bench.build("transformer", sizes)
        source, state = torch.randint(0, 31, (2, 7)), {}
        cost = load("transformer")
        for m in (4, 5, 6):
            n = 4 if m == 4 else 1
            with FlopCounterMode(display=False) as counter:
                module(source, torch.randint(0, 31, (2, n)), state)
            assert cost.cost(n=n, m=m, **sizes).matmul_flops == counter.get_total_flops()


def test_what_is_kept_once_costs_nothing_in_later_steps(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path / "mine", net=WHOLE_STEPS)])) as bench:
        rows = {row.path: row.costs["matmul_flops"] for row in bench.compiled("net").sheet.rows}
    at = {"b": 2, "m": 5, "d": 3}
    assert [evaluate(rows["k"], {**at, "t": t}) for t in (1, 2, 9)] == [2 * 2 * 5 * 3 * 3, 0, 0]


@pytest.mark.parametrize(
    ("rows", "place", "message", "note"),
    [
        (
            "  y: {op: cache, axis: 2, to: d}\n", "6:31",
            "`y` does not grow: `to` is d, as many as come in",
            "what the first step makes for all later ones is kept by `once: true`, without `to`",
        ),
        (
            "  k: {op: cache, axis: 1, to: m}\n  y: {op: cache, in: x, once: true}\noutputs: [k, y]\n", "7:31",
            "`y` is kept once, but axis 1 has the n tokens that each step brings",
            "did you mean axis: 1, to: m, without `once`?",
        ),
        ("  y: {op: cache, once: true, to: m}\n", "6:34", "`y` is kept once and does not grow", "leave `to` away"),
        ("  y: {op: cache, axis: 1}\n", "6:11", "`y` does not say how far it grows", "to: m says how many tokens there are so far"),
        (
            "  y: {op: cache, axis: 1, to: m, offset: m - n}\n", "6:42",
            "`y` is told how many tokens came earlier by `to`", "`offset` is for `once: true`",
        ),
    ],
)  # fmt: skip
def test_a_cache_that_says_too_much_or_too_little_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: str, place: str, message: str, note: str
) -> None:
    file = write_specs(tmp_path, net=PRE + rows) / "net.yaml"
    assert main(["check", str(file)]) == 1
    shown = capsys.readouterr().err
    assert f"net.yaml:{place}: error: {message}\n" in shown
    assert f"  {note}\n" in shown


def test_the_step_that_makes_what_is_kept_once_is_run_without_the_tokens_of_earlier_ones() -> None:
    """Its table of distances is as long as all tokens so far, which are those of the step alone."""
    with Workbench(Library()) as bench:
        case = check_case(bench, "t5_decoder_block", {"b": 2, "s": 5, "n": 3, "m": 7, "d": 6, "h": 2, "e": 2, "f": 8})
    assert case.equal
    assert {check.quantity for check in case.checks} >= {"params", "active_params", "state_elements"}
