"""Mistakes around mixtures of experts."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import each_of, errors

HEAD = """\
title: Mine
dims: {b: batch size, n: length, d: width, f: inner width, h: heads, E: experts, k: experts of a token}
inputs: {x: [b, n, d]}
layers:
  router: {op: linear, out: [b, n, E], bias: false}
  top: {op: top_k, k: k}
"""
OTHERS = {
    "halves": "title: Pairs\ndims: {n: rows, d: width}\ninputs: {x: [n, d]}\n"
    "where: n % 2 == 0\nlayers:\n  y: {op: activation, kind: relu}\n",
    "places": "title: Places\ndims: {n: rows, d: width}\ninputs: {x: [n, d]}\n"
    "layers:\n  w: {op: parameter, out: [n, d]}\n  y: {op: add, in: [x, w]}\n",
    "pair": "title: Two\ndims: {n: rows, d: width}\ninputs: {x: [n, d], y: [n, d]}\nlayers:\n  z: {op: add, in: [x, y]}\n",
    "sum_up": "title: Sum\ndims: {n: rows, d: width}\ninputs: {x: [n, d]}\nlayers:\n  z: {op: sum, over: 0, keep: true}\n",
}
MISTAKES = {
    "keys that need one another": (
        """\
  a: {use: gated_mlp, in: x, experts: E}
  c: {use: gated_mlp, in: a, by: top.indices}
  e: {use: gated_mlp, in: c, weights: top.values}
  y: {use: gated_mlp, in: e, experts: E, repeat: 2, by: top.indices}
""",
        """\
mine.yaml:7:30: error: row `a` has `experts` without `by`
    7 |   a: {use: gated_mlp, in: x, experts: E}
      |                              ^^^^^^^
  `by` names the row that chooses, such as a top_k: `{use: gated_mlp, in: x, experts: E, by: chosen.indices, weights: chosen.values}`
mine.yaml:8:30: error: row `c` has `by` without `experts`
    8 |   c: {use: gated_mlp, in: a, by: top.indices}
      |                              ^^
  a mixture of experts: `{use: gated_mlp, in: x, experts: E, by: chosen.indices, weights: chosen.values}`
mine.yaml:9:30: error: row `e` has `weights` without `experts`
    9 |   e: {use: gated_mlp, in: c, weights: top.values}
      |                              ^^^^^^^
  a mixture of experts: `{use: gated_mlp, in: x, experts: E, by: chosen.indices, weights: chosen.values}`
mine.yaml:10:30: error: row `y` has both `repeat` and `experts`
   10 |   y: {use: gated_mlp, in: e, experts: E, repeat: 2, by: top.indices}
      |                              ^^^^^^^
  use a spec that has the experts within one that repeats""",
    ),
    "a limit without experts": (
        """\
  y: {use: gated_mlp, in: x, capacity: 4}
""",
        """\
mine.yaml:7:30: error: row `y` has `capacity` without `experts`
    7 |   y: {use: gated_mlp, in: x, capacity: 4}
      |                              ^^^^^^^^
  a mixture of experts: `{use: gated_mlp, in: x, experts: E, by: chosen.indices, weights: chosen.values}`""",
    ),
    "what chooses and what weighs in each other's place": (
        """\
  y: {use: gated_mlp, in: x, experts: E, by: top.values, weights: top.indices}
""",
        """\
mine.yaml:7:46: error: `by` of `y` must hold indices (dtype: int), but `top.values` holds numbers
    7 |   y: {use: gated_mlp, in: x, experts: E, by: top.values, weights: top.indices}
      |                                              ^^^^^^^^^^
  the experts are chosen by their numbers: `chosen: {op: top_k, k: k}`, by: chosen.indices
mine.yaml:7:67: error: `weights` of `y` must hold numbers, but `top.indices` holds indices (dtype: int)
    7 |   y: {use: gated_mlp, in: x, experts: E, by: top.values, weights: top.indices}
      |                                                                   ^^^^^^^^^^^
  what the results of the experts are multiplied by: `chosen: {op: top_k, k: k}`, weights: chosen.values""",
    ),
    "a weight for each expert that there is": (
        """\
  y: {use: gated_mlp, in: x, experts: E, by: top.indices, weights: router}
""",
        """\
mine.yaml:7:68: error: `router` must have a weight for each expert in `top.indices`
    7 |   y: {use: gated_mlp, in: x, experts: E, by: top.indices, weights: router}
      |                                                                    ^^^^^^
  top.indices is [b, n, k]; router is [b, n, E]""",
    ),
    "experts that look at other tokens": (
        """\
  y: {use: multi_head_attention, in: x, experts: E, by: top.indices, weights: top.values}
""",
        """\
mine.yaml:7:50: error: `multi_head_attention` cannot be an expert: its MACs must be linear in its tokens, whose number depends on values
    7 |   y: {use: multi_head_attention, in: x, experts: E, by: top.indices, weights: top.values}
      |                                                  ^
  an expert works on each token by itself, as a gated_mlp does""",
    ),
    "an expert that asks for even numbers of tokens": (
        """\
  y: {use: halves, in: x, experts: E, by: top.indices}
""",
        """\
mine.yaml:7:36: error: `halves` cannot be an expert: it asks for a certain number of tokens, which depends on values
    7 |   y: {use: halves, in: x, experts: E, by: top.indices}
      |                                    ^
  `n % 2 == 0` must hold in halves.yaml:4""",
    ),
    "an expert with a weight for each token": (
        """\
  y: {use: places, in: x, experts: E, by: top.indices}
""",
        """\
mine.yaml:7:36: error: `places` cannot be an expert: it has weights that grow with its tokens, whose number depends on values
    7 |   y: {use: places, in: x, experts: E, by: top.indices}
      |                                    ^
  an expert works on each token by itself, as a gated_mlp does""",
    ),
    "an expert that keeps a state": (
        """\
  y: {use: grouped_query_attention, in: x, with: {g: h}, experts: E, by: top.indices}
""",
        """\
mine.yaml:7:67: error: `grouped_query_attention` cannot be an expert: it keeps a state between decoding steps, when other tokens choose it
    7 |   y: {use: grouped_query_attention, in: x, with: {g: h}, experts: E, by: top.indices}
      |                                                                   ^
  an expert works on each token by itself, as a gated_mlp does""",
    ),
    "an expert with two inputs": (
        """\
  y: {use: pair, in: x, experts: E, by: top.indices}
""",
        """\
mine.yaml:7:34: error: `pair` takes 2 inputs (x, y), but an expert reads its tokens alone
    7 |   y: {use: pair, in: x, experts: E, by: top.indices}
      |                                  ^
  use a spec with one input, such as gated_mlp""",
    ),
    "a sum over the tokens of an expert": (
        """\
  y: {use: sum_up, in: x, experts: E, by: top.indices}
""",
        """\
mine.yaml:7:36: error: `sum_up` cannot be an expert: its result must have a row for each token
    7 |   y: {use: sum_up, in: x, experts: E, by: top.indices}
      |                                    ^
  it is given [tokens of one expert, d], and its result is [1, d]""",
    ),
    "more experts of a token than there are": (
        """\
  z: {op: top_k, in: router, k: 3}
  u: {use: gated_mlp, in: x, experts: 2, by: z.indices, weights: z.values}
  w: {use: gated_mlp, in: x, experts: E, by: top.indices}
  y: {op: add, in: [u, w]}
""",
        """\
mine.yaml:8:46: error: `u` chooses 3 of 2 experts
    8 |   u: {use: gated_mlp, in: x, experts: 2, by: z.indices, weights: z.values}
      |                                              ^^^^^^^^^
  z.indices is [b, n, 3]""",
    ),
}


@each_of(MISTAKES, head=HEAD)
def test_a_mistake_around_experts_is_said_in_full(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec, OTHERS) == said
