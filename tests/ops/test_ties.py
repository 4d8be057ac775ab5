"""What `tie` shares: the weight, and between linear layers the bias too, unless one is said beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.api import load
from generator.text.errors import SpecError
from tests.support.small_specs import write_specs

TWICE = """\
title: Two layers of one weight
dims: {b: batch, d: width, V: vocabulary}
inputs: {ids: {shape: [b], dtype: int, below: V}}
layers:
  words: {op: embedding, count: V, width: d}
  a: {op: linear, in: words, out: [b, d]FIRST}
  y: {op: linear, in: a, out: [b, WIDTH], tie: TIE}
"""
D, V = 10, 7


# Each count is that of one nn.Linear or nn.Embedding applied twice, its weight V*d or d*d and its bias of as many as the layer is wide.
@pytest.mark.parametrize(
    ("first", "tie", "width", "params"),
    [
        ("", "a", "d", V * D + D * D + D),  # weight and bias
        (", bias: false", "a", "d", V * D + D * D),  # there is no bias to share
        ("", "a, bias: false", "d", V * D + D * D + D),  # the weight alone
        ("", "a, bias: true", "d", V * D + D * D + 2 * D),  # the weight alone, and a bias of its own
        (", bias: false", "a, bias: true", "d", V * D + D * D + D),
        ("", "words", "V", V * D + D * D + D + V),  # a table has no bias: the head's own, as BERT's
        ("", "words, bias: false", "V", V * D + D * D + D),
    ],
)
def test_a_tied_layer_has_the_parameters_that_are_not_shared(tmp_path: Path, first: str, tie: str, width: str, params: int) -> None:
    text = TWICE.replace("FIRST", first).replace("TIE", tie).replace("WIDTH", width)
    assert load(write_specs(tmp_path, twice=text) / "twice.yaml").cost(b=1, d=D, V=V).params == params


def test_a_bias_of_another_shape_cannot_be_shared(tmp_path: Path) -> None:
    text = TWICE.replace("FIRST", "").replace("TIE", "a").replace("WIDTH", "V")
    with pytest.raises(SpecError) as raised:
        load(write_specs(tmp_path, twice=text) / "twice.yaml")
    assert "`y` needs a weight [V, d], but the weight of `a` is [d, d]" in str(raised.value)
