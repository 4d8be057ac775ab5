"""What masks hide of products, whatever reads the scores: the visible FLOPs are those of a run that follows each element."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.small_specs import write_specs

HEAD = "title: Scores\ndims: {b: batch, n: length, d: width, f: width of what comes out}\ninputs: {x: [b, n, d]}\nlayers:\n"
SCORES = HEAD + "  s: {op: linear, out: [b, n, n]}\n  m: {op: mask, kind: causal}\n"
READERS = {
    "a product without a softmax": SCORES + "  y: {op: linear, out: [b, n, f]}\n",
    "two of them": SCORES
    + "  p: {op: linear, out: [b, n, f]}\n  q: {op: linear, in: m, out: [b, n, f]}\n  y: {op: add, in: [p, q]}\noutputs: [y, m]\n",
    "a product of scores with themselves": SCORES + '  y: {op: einsum, in: [m, m], eq: "b i j, b k j -> b i k"}\n',
    "one whose result is hidden again": SCORES + "  p: {op: linear, out: [b, n, n]}\n  y: {op: mask, kind: causal}\n",
    "a convolution": SCORES + "  w: {op: softmax}\n  y: {op: conv1d, channels: f, kernel: 3, padding: 1}\n",
    "nothing, and a convolution has made them": HEAD
    + "  s: {op: conv1d, channels: n, kernel: 1, transposed: true, stride: 3}\n"
    + "  y: {op: hide, axes: b i j, where: j > i}\n",
    "nothing, beside experts of which each takes a few tokens": SCORES
    + "  c: {op: top_k, in: x, k: 1}\n"
    + "  e: {use: mlp, in: x, experts: d, by: c.indices, weights: c.values, capacity: n}\noutputs: [m, e]\n",
    "a mask, and a row from which no gradient comes back": HEAD.replace("layers:", "options: {more: {is: one, default: false}}\nlayers:")
    + "  s: {op: linear, out: [b, n, n]}\n  t: {op: linear, out: [b, n, n]}\n  k: {op: add, in: [s, t], when: more}\n"
    + "  m: {op: mask, kind: causal}\n",
    "a softmax": SCORES + "  w: {op: softmax}\n  y: {op: linear, out: [b, n, f]}\n",
    "a sum with the scores as they were": SCORES + "  y: {op: add, in: [s, m]}\n",
    "a sum with another product, and a softmax": SCORES
    + "  t: {op: linear, in: x, out: [b, n, n]}\n  a: {op: add, in: [m, t]}\n  w: {op: softmax}\n",
    "a sum with another product, and another mask": SCORES
    + "  t: {op: linear, in: x, out: [b, n, n]}\n  a: {op: add, in: [m, t]}\n  w: {op: hide, axes: b i j, where: i - j >= 2}\n",
    "a product with another one element by element": SCORES + "  t: {op: linear, in: x, out: [b, n, n]}\n  a: {op: mul, in: [m, t]}\n",
    "weights times another product element by element": SCORES
    + "  w: {op: softmax}\n  t: {op: linear, in: x, out: [b, n, n]}\n  a: {op: mul, in: [w, t]}\n",
    "layers, each of which adds what it has made of them": SCORES
    + "  t: {op: linear, out: [b, n, n]}\n  a: {op: add, in: [m, t]}\n  u: {op: linear, out: [b, n, n]}\n  y: {op: add, in: [a, u]}\n",
}
CELL = """\
title: Layers
dims: {b: batch, n: length, L: layers}
inputs: {x: [b, n, n]}
blocks:
  cell:
    inputs: {x: [b, n, n]}
    layers:
      s: {op: linear, in: x, out: [b, n, n]}
"""
KEEPS = "layers:\n  m: {op: mask, kind: causal}\n  y: {%s}\n"
NEEDS_A_PART = (
    CELL.replace("{x: [b, n, n]}\n    layers", "{x: [b, n, n], v: [b, n, n]}\n    layers")
    + """\
      m: {op: mask, kind: causal}
      w: {op: softmax}
      o: {op: einsum, in: [w, v], eq: "b i j, b j d -> b i d"}
    outputs: [s, o]
layers:
  v: {op: scale, in: x, by: 2}
  y: {in: [x, v], %s}
outputs: [y.s, y.o]
"""
)
HIDES = "      m: {op: mask, kind: causal}\nlayers:\n  y: {%s}\n"


@pytest.mark.parametrize("reader", READERS)
def test_what_is_hidden_is_left_out_of_both_passes(tmp_path: Path, reader: str) -> None:
    with Workbench(Library([write_specs(tmp_path, scores=READERS[reader])])) as bench:
        case = check_case(bench, "scores", {"b": 2, "n": 5, "d": 3, "f": 4})
    assert "visible_backward_matmul_flops" in {check.quantity for check in case.checks}
    assert [check for check in case.checks if not check.equal] == []


@pytest.mark.parametrize("stack", ["use: cell, repeat: L", "repeat: L, pattern: [cell, cell]"])
def test_layers_are_given_what_a_mask_has_hidden(tmp_path: Path, stack: str) -> None:
    with Workbench(Library([write_specs(tmp_path, layers=CELL + KEEPS % stack)])) as bench:
        case = check_case(bench, "layers", {"b": 2, "n": 5, "L": 3})
    assert [check for check in case.checks if not check.equal] == []


@pytest.mark.parametrize("stack", ["use: cell, repeat: L", "repeat: L, pattern: [cell, cell]"])
@pytest.mark.parametrize("rest", [CELL + HIDES, NEEDS_A_PART])
def test_layers_that_hand_on_what_is_hidden_have_no_formula_but_a_count(tmp_path: Path, rest: str, stack: str) -> None:
    write_specs(tmp_path, layers=rest % stack, three=rest % stack.replace("L", "3"))
    with pytest.raises(ProblemsError, match="hidden in part by a mask"):
        compile_spec(Library([tmp_path]), "layers")
    with Workbench(Library([tmp_path])) as bench:
        case = check_case(bench, "three", {"b": 2, "n": 5, "L": 3})
    assert [check for check in case.checks if not check.equal] == []
