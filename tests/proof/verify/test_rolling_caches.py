"""A cache that keeps the last tokens alone, against transformers' cache of a sliding window and against one pass over all tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from generator.api import load
from generator.cli import main
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.mistral import small_model
from generator.proof.verify.state import elements
from generator.proof.verify.stepwise import Decoding, check_decoding
from generator.spec.library import Library
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

WINDOW = """\
title: One head in a window
dims:
  b: batch size
  n: new tokens
  m: {is: tokens so far, default: n}
  w: window
  d: width
  k: {is: tokens at hand, value: "n + min(m - n, w - 1)"}
inputs: {x: [b, n, d]}
where: m >= n
layers:
  keys: {op: cache, axis: 1, to: m, keep: w - 1, out: [b, k, d]}
  scores: {op: einsum, in: [x, keys], eq: "b i d, b j d -> b i j"}
  near: {op: hide, axes: b i j, where: j > i + k - n or i + k - n - j >= w}
  weights: {op: softmax}
  y: {op: einsum, in: [weights, keys], eq: "b i j, b j d -> b i d"}
"""
NOT_HIDDEN = WINDOW.replace("near: {op: hide, axes: b i j, where: j > i + k - n or i + k - n - j >= w}", "near: {op: mask, kind: causal}")
FROM_LAST = """\
title: What a window reads
dims: {b: batch, n: new tokens, m: {is: all, default: n}, w: window, d: width}
inputs: {x: [b, n, d]}
where: [m >= n, w >= n]
layers:
  keys: {op: cache, in: x, axis: 1, to: KEPT}
  y: {op: mean, over: 1}
"""
SMALL = {"d": 24, "L": 3, "h": 4, "g": 2, "e": 6, "w": 5, "f": 56, "V": 97, "P": 29}


def decoded(folder: Path, text: str) -> Decoding:
    with Workbench(Library([write_specs(folder / "mine", net=text)])) as bench:
        found = check_decoding(bench, "net")
    assert found is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("split", [[1] * 13, [9, 1, 1, 2], [2, 7, 4]])
def test_each_step_of_mistral_and_what_it_keeps_are_those_of_transformers(split: list[int]) -> None:
    from transformers import DynamicCache

    torch.manual_seed(0)
    mistral = load("mistral")
    with Workbench(builtin_library()) as bench, default_dtype(torch.float64), torch.no_grad():
        other: Any = small_model().to(torch.float64).eval()
        own: Any = bench.build("mistral", SMALL)
        own.load_reference(other.state_dict(), "transformers")
        cache, state, seen = DynamicCache(config=other.config), {}, 0
        for words in torch.randint(0, 97, (2, sum(split))).split(split, 1):
            seen += words.shape[1]
            torch.testing.assert_close(own(words, state), other(input_ids=words, cache=cache).logits)
            kept = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
            assert elements(state) == kept
            cost = mistral.cost(b=2, n=words.shape[1], m=seen, **SMALL)
            assert cost.state_elements == kept


def test_steps_come_to_what_one_pass_comes_to_though_tokens_are_dropped(tmp_path: Path) -> None:
    found = decoded(tmp_path, WINDOW)
    assert (found.reason, [check.found for check in found.checks]) == ("", [""] * 6)
    assert all(check.sizes["w"] < check.sizes["m"] for check in found.checks)


def test_scores_that_one_pass_does_not_hide_differ_and_that_is_said(tmp_path: Path) -> None:
    found = decoded(tmp_path, NOT_HIDDEN)
    assert not found.equal
    assert all("; `keys` keeps the last tokens alone, and one pass must hide the others too" in check.found for check in found.checks)


def test_the_shape_and_the_state_are_exact_at_all_sizes() -> None:
    cost = load("sliding_window_attention")
    at = {"b": 2, "d": 8, "h": 4, "g": 2, "w": 5, "P": 64}
    # Of 2 heads of width 2, of as many tokens as DynamicSlidingWindowLayer of transformers keeps: the last w - 1 of all so far.
    for n, m in ((1, 1), (1, 4), (1, 5), (1, 40), (7, 7), (3, 9)):
        assert cost.cost(n=n, m=m, **at).state_elements == 2 * 2 * 2 * 2 * len(range(m)[-4:])


@pytest.mark.parametrize("to", ['"min(m, w)"', '"min(w, m)"'])
def test_the_form_of_a_cache_of_the_last_tokens_is_shown_and_works(tmp_path: Path, capsys: pytest.CaptureFixture[str], to: str) -> None:
    file = write_specs(tmp_path / "mine", net=FROM_LAST.replace("KEPT", to)) / "net.yaml"
    assert main(["check", str(file)]) == 1
    shown = capsys.readouterr().err
    assert (
        "net.yaml:6:41: error: `keys` grows to min(m, w) tokens, where `to` says how many there are so far, those that are dropped" in shown
    )
    assert "did you mean to: m, keep: w?\n" in shown
    file.write_text(FROM_LAST.replace("KEPT", "m, keep: w"), encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert decoded(tmp_path, file.read_text(encoding="utf-8")).equal


def test_fewer_than_no_tokens_are_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_specs(tmp_path, net=FROM_LAST.replace("KEPT", "m, keep: 0 - 1")) / "net.yaml"
    assert main(["check", str(file)]) == 1
    assert "net.yaml:6:50: error: `keys` keeps -1 tokens\n" in capsys.readouterr().err
