"""`tie_when`: an option that decides whether a row has the weights of another."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from archsheet import load
from tests.support.bad_specs import errors

SPEC = """\
title: Mine
dims: {b: batch size, n: length, d: width, V: words}
options: {tied: {is: whether the head has the weights of the embedding, default: false}}
inputs: {tokens: {shape: [b, n], dtype: int, below: V}}
layers:
  embedded: {op: embedding, count: V, width: d}
  mixed: {op: linear, out: [b, n, d]}
  logits: {op: linear, out: [b, n, V], bias: false, tie: embedded, tie_when: tied}
presets:
  apart: {set: {d: 8, V: 100}, expect: {params: 1672}}
  shared: {set: {d: 8, V: 100}, options: {tied: true}, expect: {params: 872}}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "mine.yaml"
    file.write_text(SPEC, encoding="utf-8")
    return file


@pytest.mark.parametrize("tied", [True, False])
def test_module_and_counts_follow_the_option(spec: Path, tied: bool) -> None:
    loaded = load(spec, tied=tied)
    model = loaded.module(d=8, V=100)
    assert (model.logits.weight is model.embedded.weight) is tied
    assert sum(weight.numel() for weight in model.parameters()) == loaded.cost(d=8, V=100).params == (872 if tied else 1672)
    # The class that stands for both is built either way.
    other = type(model)(d=8, V=100, tied=not tied)
    assert (other.logits.weight is other.embedded.weight) is not tied


def test_presets_go_with_either(spec: Path) -> None:
    assert [load(spec).cost(preset).params for preset in ("apart", "shared")] == [1672, 872]


def test_gradients_of_a_tied_weight_come_from_both_places(spec: Path) -> None:
    torch.manual_seed(0)
    model = load(spec).module(d=8, V=100, tied=True)
    model(torch.zeros(1, 2, dtype=torch.int64)).sum().backward()
    assert int((model.embedded.weight.grad.abs().sum(1) > 0).sum()) == 100  # the head reaches every word, the embedding one


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{op: linear, out: [b, n, V], tie_when: tied}", "row `logits` has `tie_when` without `tie`"),
        ("{op: linear, out: [b, n, V], bias: false, tie: embedded, tie_when: tide}", "`tie_when` names `tide`, which is not an option"),
        ("{op: linear, out: [b, n, 2*V], bias: false, tie: embedded, tie_when: tied}", "`logits` needs a weight [2*V, d]"),
        ("{op: linear, out: [b, n, V], bias: false, tie: embeded, tie_when: tied}", "no row above has that name"),
        ("{use: keep, tie: embedded, tie_when: tied}", "row `logits` is a block, which an option cannot tie"),
    ],
)
def test_what_could_not_be_tied_is_said_whatever_the_option_is(tmp_path: Path, row: str, message: str) -> None:
    start = SPEC.index("  logits:") + len("  logits: ")
    written = SPEC[:start] + row + "\n"
    assert message in errors(tmp_path, written)
    assert message in errors(tmp_path, written.replace("default: false", "default: true"))
