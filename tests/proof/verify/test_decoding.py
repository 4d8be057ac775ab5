"""A module that keeps a state, fed step by step, comes to what one pass over all tokens comes to, and where it does not that is said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.report import render_report
from generator.proof.verify.stepwise import Decoding, check_decoding
from generator.proof.verify.verdict_words import decoding_words
from generator.proof.verify.verification import verify
from generator.render.module.imports import support_files
from generator.spec.library import Library
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

HEAD = """\
title: One head
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  keys: {op: cache, in: x, axis: 1, to: m}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  masked: {op: mask, kind: causal}
  weights: {op: softmax}
  y: {op: einsum, in: [weights, keys], eq: "b i j, b j d -> b i d"}
"""
BOTH_WAYS = HEAD.replace("  masked: {op: mask, kind: causal}\n", "")
BEHIND_A_CONVOLUTION = """\
title: A convolution that keeps nothing, in front of a recurrence that does
dims: {b: batch size, n: tokens, d: width}
inputs: {x: [b, d, n]}
layers:
  padded: {op: pad, axis: n, before: 3}
  near: {op: conv1d, channels: d, kernel: 4}
  turned: {op: rearrange, to: b d n -> b n d}
  y: {scan: n, use: rnn_cell, carry: {state: [b, d]}}
"""
IN_PAIRS = HEAD.replace("where: m >= n", "where: [m >= n, n % 2 == 0]")
BY_PAST = """\
title: One head told how many tokens came before
dims: {b: batch size, n: new tokens, p: earlier tokens, d: width}
inputs: {x: [b, n, d]}
layers:
  y: {use: head, with: {m: n + p}}
"""
OF_ALL = """\
title: The mean of all tokens so far
dims: {b: batch size, n: new tokens, m: {is: tokens so far, default: n}, d: width}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  kept: {op: cache, axis: 1, to: m}
  y: {op: mean, over: 1}
"""
MASKED = HEAD.replace("inputs: {x: [b, n, d]}", "inputs: {x: [b, n, d], hidden: {shape: [b, m], dtype: bool}}").replace(
    "weights: {op: softmax}", "padded: {op: mask, kind: padding, in: [masked, hidden]}\n  weights: {op: softmax}"
)
FIXED = """\
title: Learned places in front of a recurrence
dims: {b: batch size, n: tokens, d: width}
inputs: {x: [b, n, d]}
layers:
  places: {op: parameter, out: [n, d]}
  placed: {op: add, in: [x, places]}
  y: {scan: n, use: rnn_cell, carry: {state: [b, d]}}
"""
POOLED = """\
title: The mean of what a recurrence says
dims: {b: batch size, n: tokens, d: width}
inputs: {x: [b, n, d]}
layers:
  said: {scan: n, use: rnn_cell, carry: {state: [b, d]}}
  pooled: {op: mean, over: 1}
"""
BUILT_IN = (
    "cached_cross_attention", "causal_attention", "causal_convolution_block", "causal_rotary_attention", "decoder_block", "gpt2",
    "grouped_query_attention", "grouped_rotary_attention", "latent_attention", "llama", "llama3", "llama_block", "min_gpt",
    "mistral", "mixtral", "qwen2", "qwen3", "rnn", "sliding_window_attention", "transformer",
)  # fmt: skip


def decoded(folder: Path, name: str, **texts: str) -> Decoding:
    with Workbench(Library([write_specs(folder / "mine", **texts)])) as bench:
        found = check_decoding(bench, name)
    assert found is not None
    return found


@pytest.mark.slow
def test_built_in_specs_that_keep_a_state_are_those_listed_here_and_others_that_decode() -> None:
    with Workbench(builtin_library()) as bench:
        stateful = [name for name in bench.library.names if bench.modules.view(name).stateful]
        others = {name: check_decoding(bench, name) for name in stateful if name not in BUILT_IN}
    assert {*stateful} >= {*BUILT_IN}
    assert [name for name, found in others.items() if found is None or not found.checks or not found.equal] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_spec_comes_to_the_same_in_steps_as_in_one_pass(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        found = check_decoding(bench, name)
    assert found is not None
    assert [check for check in found.checks if not check.equal] == []
    assert (found.reason, found.left_out) == ("", ())
    for sizes in {id(check.sizes): check.sizes for check in found.checks}.values():
        splits = [check.split for check in found.checks if check.sizes is sizes]
        single, prompt, pieces = splits
        assert set(single) == {1}
        assert prompt[0] > 1
        assert set(prompt[1:]) == {1}
        assert len(pieces) > 1
        assert len({sum(split) for split in splits}) == 1


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("head", {"head": HEAD}),
        ("net", {"head": HEAD, "net": BY_PAST}),
        ("net", {"net": OF_ALL}),
        ("net", {"net": MASKED}),
    ],
)  # fmt: skip
def test_small_specs_come_to_the_same_in_steps_as_in_one_pass(tmp_path: Path, name: str, texts: Mapping[str, str]) -> None:
    found = decoded(tmp_path, name, **texts)
    assert found.reason == ""
    assert len(found.checks) == 6
    assert [check for check in found.checks if not check.equal] == []


def test_what_looks_at_earlier_tokens_and_keeps_nothing_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generator.resolve.resolver.decoding_problems", lambda _: [])  # which would refuse it
    with Workbench(Library([write_specs(tmp_path / "mine", net=BEHIND_A_CONVOLUTION)])) as bench:
        result = verify(bench, "net", samples=1)
    assert result.decoding is not None
    assert all(case.equal for case in result.cases)
    assert not result.equal
    assert all("`y` differs at token" in check.found for check in result.decoding.checks)
    page = render_report([result], {})
    assert "Decoding: differs at splits 1+1+1" in page
    assert "| Decoded at | In steps of | Result |" in page


def test_tokens_that_look_at_later_ones_are_no_comparison_and_that_is_said(tmp_path: Path) -> None:
    found = decoded(tmp_path, "head", head=BOTH_WAYS)
    assert found.checks == ()
    assert found.reason == "`y` of a token depends on later tokens, which a step has not seen: it is not causal"
    assert decoding_words(found).startswith("not compared with the whole pass: `y` of a token")


def test_weights_for_each_token_are_no_comparison_and_that_is_said(tmp_path: Path) -> None:
    assert decoded(tmp_path, "net", net=FIXED).reason == "it is built for one number of tokens, n"


def test_a_result_of_all_tokens_behind_a_recurrence_is_no_comparison_and_that_is_said(tmp_path: Path) -> None:
    found = decoded(tmp_path, "net", net=POOLED)
    assert found.checks == ()
    assert found.reason == "`pooled` computes `pooled` from all tokens at once, and keeps none of them for later steps"
    last = POOLED.replace("{op: mean, over: 1}", "{op: select, axis: 1, index: -1}")
    assert [check.found for check in decoded(tmp_path, "net", net=last).checks] == [""] * 6


def test_splits_that_a_condition_forbids_are_named(tmp_path: Path) -> None:
    found = decoded(tmp_path, "head", head=IN_PAIRS)
    assert found.equal
    assert found.checks
    assert all(length % 2 == 0 for check in found.checks for length in check.split)
    assert any(text.startswith("1+1+1") and text.endswith("would need n % 2 == 0") for text in found.left_out)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("gpt2", "return start\n", "return 0\n"),
        ("causal_attention", "torch.cat((past, new), dim)", "torch.cat((past, new), dim).flip(dim)"),
        ("rnn", "state.get(name, first)", "first"),
    ],
)  # fmt: skip
def test_a_state_that_is_kept_wrongly_differs(monkeypatch: pytest.MonkeyPatch, name: str, right: str, wrong: str) -> None:
    files = dict(support_files())
    assert right in files["_state.py"]
    files["_state.py"] = files["_state.py"].replace(right, wrong)
    monkeypatch.setattr("generator.proof.verify.instance.support_files", lambda: files)
    with Workbench(builtin_library()) as bench:
        found = check_decoding(bench, name)
    assert found is not None
    assert found.reason == ""
    assert not found.equal


def test_stepwise_runs_are_printed_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(write_specs(tmp_path / "mine", head=HEAD) / "head.yaml")
    assert main(["verify", file, "--samples", "1"]) == 0
    assert "\n  decoding: equal at splits 1+1+1" in capsys.readouterr().out
    assert main(["verify", file, "--samples", "1", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["decoding"]["equal"] is True
    assert [check["equal"] for check in result["decoding"]["checks"]] == [True] * 6
    write_specs(tmp_path / "mine", head=BOTH_WAYS)
    assert main(["verify", file, "--samples", "1", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)
    assert result["decoding"]["equal"] is None
    assert "not causal" in result["decoding"]["not_compared"]
