"""Each kind of mistake in a spec, with all that is said about it. `KINDS` go on after HEAD, whose last line is line 9."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import HEAD, each_of, errors

KINDS = {
    "an unknown key": (
        """\
layers:
  q: {op: softmax, over: -1, note: fine, ovr: -1}
""",
        """\
mine.yaml:11:42: error: unknown key `ovr` in `layers.q`
   11 |   q: {op: softmax, over: -1, note: fine, ovr: -1}
      |                                          ^^^
  did you mean `over`?
  known keys: `op`, `over`, `in`, `out`, `when`, `else`, `tie`, `tie_when`, `frozen`, `init`, `is` and `note`""",
    ),
    "an unknown op": (
        """\
layers:
  q: {op: softmx, over: -1}
""",
        """\
mine.yaml:11:11: error: unknown op `softmx`
   11 |   q: {op: softmx, over: -1}
      |           ^^^^^^
  did you mean `softmax`, `softmin` or `log_softmax`?""",
    ),
    "an unknown dim": (
        """\
layers:
  q: {op: linear, out: [b, n, heads*e]}
""",
        """\
mine.yaml:11:31: error: unknown size `heads`
   11 |   q: {op: linear, out: [b, n, heads*e]}
      |                               ^^^^^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`""",
    ),
    "an unknown row": (
        """\
layers:
  query: {op: linear, out: [b, n, d]}
  y: {op: linear, in: qery, out: [b, n, d]}
""",
        """\
mine.yaml:12:23: error: there is no row or input `qery`
   12 |   y: {op: linear, in: qery, out: [b, n, d]}
      |                       ^^^^
  did you mean `query`?
  rows and inputs: `x`, `query` and `y`""",
    ),
    "a row used before it is defined": (
        """\
layers:
  q: {op: linear, in: k, out: [b, n, d]}
  k: {op: linear, in: x, out: [b, n, d]}
""",
        """\
mine.yaml:11:23: error: `k` is read before it is defined
   11 |   q: {op: linear, in: k, out: [b, n, d]}
      |                       ^
  it stands on line 12; a row reads rows above it""",
    ),
    "a clash of shapes in an einsum": (
        """\
layers:
  q: {op: linear, in: x, out: [b, n, h*e]}
  k: {op: linear, in: x, out: [b, n, h*d]}
  q_heads: {op: rearrange, in: q, to: b n (h e) -> b h n e}
  k_heads: {op: rearrange, in: k, to: b n (h w) -> b h n w}
  scores: {op: einsum, in: [q_heads, k_heads], eq: "b h i e, b h j e -> b h i j"}
  weights: {op: softmax, over: -1}
""",
        """\
mine.yaml:15:52: error: axis `e` of k_heads is d, not e
   15 |   scores: {op: einsum, in: [q_heads, k_heads], eq: "b h i e, b h j e -> b h i j"}
      |                                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  q_heads is [b, h, n, e]; k_heads is [b, h, n, d]
  q_heads comes from line 13: {op: rearrange, in: q, to: b n (h e) -> b h n e}
  k_heads comes from line 14: {op: rearrange, in: k, to: b n (h w) -> b h n w}
  did you mean out: [b, n, h*e] on line 12?""",
    ),
    "a clash of shapes in a rearrangement": (
        """\
layers:
  k: {op: linear, out: [b, n, h*d]}
  k_heads: {op: rearrange, to: b n (h e) -> b h n e}
""",
        """\
mine.yaml:12:32: error: `h e` is d, but that axis of k is d*h
   12 |   k_heads: {op: rearrange, to: b n (h e) -> b h n e}
      |                                ^^^^^^^^^^^^^^^^^^^^
  k is [b, n, d*h]
  k comes from line 11: {op: linear, out: [b, n, h*d]}
  did you mean out: [b, n, h*e] on line 11?""",
    ),
    "a clash of shapes in a sum": (
        """\
layers:
  q: {op: linear, in: x, out: [b, n, h]}
  y: {op: add, in: [x, q]}
""",
        """\
mine.yaml:12:20: error: `y` cannot add x and q: their shapes do not fit
   12 |   y: {op: add, in: [x, q]}
      |                    ^
  x is [b, n, d]; q is [b, n, h]
  q comes from line 11: {op: linear, in: x, out: [b, n, h]}
  did you mean out: [b, n, d] on line 11?""",
    ),
    "a clash of shapes with a used spec": (
        """\
layers:
  q: {op: linear, out: [b, n, h]}
  y: {use: keep}
""",
        """\
mine.yaml:12:3: error: `keep` expects x to be [b, n, d], but `q` is [b, n, h]
   12 |   y: {use: keep}
      |   ^
  x is declared [b, n, d] in keep.yaml
  did you mean with: {d: h}?
  q comes from line 11: {op: linear, out: [b, n, h]}
  did you mean out: [b, n, d] on line 11?""",
    ),
    "a declared shape that is not the result's": (
        """\
layers:
  y: {op: softmax, over: -1, out: [b, n, h]}
""",
        """\
mine.yaml:11:35: error: `y` is declared [b, n, h], but its shape is [b, n, d]
   11 |   y: {op: softmax, over: -1, out: [b, n, h]}
      |                                   ^
  x is [b, n, d]
  did you mean out: [b, n, d]?""",
    ),
    "a linear layer that changes another axis": (
        """\
layers:
  y: {op: linear, out: [b, d, h]}
""",
        """\
mine.yaml:11:24: error: `y` is declared [b, d, h], but a linear layer changes only the last axis
   11 |   y: {op: linear, out: [b, d, h]}
      |                        ^
  x is [b, n, d]
  did you mean out: [b, n, h]?""",
    ),
    "a wrong number of inputs of an op": (
        """\
layers:
  y: {op: add, in: x}
""",
        """\
mine.yaml:11:20: error: `add` takes at least 2 inputs; `y` has 1
   11 |   y: {op: add, in: x}
      |                    ^
  it reads `x`""",
    ),
    "a wrong number of inputs of a spec": (
        """\
layers:
  y: {use: keep, in: [x, x]}
""",
        """\
mine.yaml:11:22: error: `keep` takes 1 input (x); `y` has 2
   11 |   y: {use: keep, in: [x, x]}
      |                      ^
  it reads `x` and `x`""",
    ),
    "a missing spec": (
        """\
layers:
  y: {use: kep}
""",
        """\
mine.yaml:11:12: error: there is no spec named `kep`
   11 |   y: {use: kep}
      |            ^^^
  did you mean `keep`?
  a spec's name is its file's name without .yaml""",
    ),
    "a key that occurs twice": (
        """\
layers:
  q: {op: linear, out: [b, n, h*e]}
  q: {op: softmax, over: -1}
""",
        """\
mine.yaml:12:3: error: the key `q` occurs twice
   12 |   q: {op: softmax, over: -1}
      |   ^
  the first is on line 11: q: {op: linear, out: [b, n, h*e]}""",
    ),
    "a bad expression": (
        """\
layers:
  q: {op: linear, out: [b, n, 2^h]}
  y: {op: linear, out: [b, n, d*]}
  z: {op: linear, out: [b, n, 2 h]}
""",
        """\
mine.yaml:11:32: error: `^` has no place in an expression
   11 |   q: {op: linear, out: [b, n, 2^h]}
      |                                ^
  write ** for a power
mine.yaml:12:32: error: the expression ends after `*`; a number, a name or a parenthesis is missing
   12 |   y: {op: linear, out: [b, n, d*]}
      |                                ^
mine.yaml:13:33: error: an operator is missing before `h`
   13 |   z: {op: linear, out: [b, n, 2 h]}
      |                                 ^
  to multiply, write 2*h""",
    ),
}

WHOLE = {
    "a dim that does not divide": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  w: width of a window
inputs:
  x: [b, n, d]
layers:
  parts: {op: rearrange, to: b n (w k) -> b w n k}
  third: {op: linear, in: x, out: [b, n, d/3]}
outputs: [parts, third]
""",
        """\
mine.yaml:11:30: error: cannot split an axis of d into `w k`: w does not always divide it
   11 |   parts: {op: rearrange, to: b n (w k) -> b w n k}
      |                              ^^^^^^^^^^^^^^^^^^^^
  x is [b, n, d]
  did you mean to add where: ["d % w == 0"]?
mine.yaml:12:42: error: `d/3` is not always a whole number
   12 |   third: {op: linear, in: x, out: [b, n, d/3]}
      |                                          ^^^
  did you mean to add where: ["d % 3 == 0"]?
  or round down: d // 3""",
    ),
}


@each_of(KINDS, head=HEAD)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said


@each_of(WHOLE)
def test_what_is_said_about_a_whole_spec_with(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
