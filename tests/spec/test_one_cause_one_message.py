"""One mistake is one message, however many lines it is met on; what only follows from it is not reported. Specs go on after HEAD."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import HEAD, each_of, errors

CASES = {
    "a size that is not declared, on four lines": (
        """\
layers:
  q: {op: linear, in: x, out: [b, n, w]}
  k: {op: linear, in: x, out: [b, n, w]}
  s: {op: scale, in: x, by: w**-0.5}
outputs: [q, k, s]
claims:
  - {of: params, equals: 2*d*w + 2*w}
""",
        """\
mine.yaml:11:38: error: unknown size `w`
   11 |   q: {op: linear, in: x, out: [b, n, w]}
      |                                      ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`
  also on lines 12, 13 and 16""",
    ),
    "a size that is not always whole": (
        """\
layers:
  q: {op: linear, in: x, out: [b, n, d/3]}
  k: {op: linear, in: x, out: [b, n, d/3]}
outputs: [q, k]
""",
        """\
mine.yaml:11:38: error: `d/3` is not always a whole number
   11 |   q: {op: linear, in: x, out: [b, n, d/3]}
      |                                      ^^^
  did you mean to add where: ["d % 3 == 0"]?
  or round down: d // 3
  also on line 12""",
    ),
    "an option that is not declared": (
        """\
layers:
  q: {op: linear, in: x, out: [b, n, d], bias: bias}
  k: {op: linear, in: x, out: [b, n, d], bias: bias}
outputs: [q, k]
""",
        """\
mine.yaml:11:48: error: `bias` of `q`: there is no option `bias`
   11 |   q: {op: linear, in: x, out: [b, n, d], bias: bias}
      |                                                ^^^^
  expected true, false or the name of an option; options of this spec: none
  also on line 12""",
    ),
    "an option whose default is a word of other languages": (
        """\
options:
  bias: {is: add a bias, default: yes}
layers:
  q: {op: linear, in: x, out: [b, n, d], bias: bias}
  k: {op: linear, in: q, out: [b, n, d], bias: bias}
""",
        """\
mine.yaml:11:35: error: option `bias` has the default `yes`, which YAML reads as a word
   11 |   bias: {is: add a bias, default: yes}
      |                                   ^^^
  did you mean true?""",
    ),
    "a preset with a mistake, which a claim names": (
        """\
layers:
  q: {op: linear, out: [b, n, d]}
presets:
  small: {set: {d: 8, h: "2"}}
  large: {set: {d: 16, h: 2}}
claims:
  - {of: params, preset: small, equals: 72}
""",
        """\
mine.yaml:13:26: error: expected a whole number in `presets.small.set.h`; found the text "2"
   13 |   small: {set: {d: 8, h: "2"}}
      |                          ^^^
  did you mean 2?""",
    ),
    "a row that is two things": (
        """\
layers:
  q: {op: linear, use: keep, repeat: 3, options: {bias: true}}
""",
        """\
mine.yaml:11:19: error: row `q` has both `op` and `use`
   11 |   q: {op: linear, use: keep, repeat: 3, options: {bias: true}}
      |                   ^^^
  a row has one of `op`, `use` and `slot`""",
    ),
    "names of PyTorch": (
        """\
layers:
  q: {op: linear, in: x, out_features: d}
  s: {op: softmax, in: x, dim: -1}
  k: {op: linear, in: x, out: [b, n, d], in_features: d}
outputs: [q, s, k]
""",
        """\
mine.yaml:11:26: error: unknown key `out_features` in `layers.q`
   11 |   q: {op: linear, in: x, out_features: d}
      |                          ^^^^^^^^^^^^
  did you mean `out`?
mine.yaml:12:27: error: unknown key `dim` in `layers.s`
   12 |   s: {op: softmax, in: x, dim: -1}
      |                           ^^^
  did you mean `over`?
mine.yaml:13:42: error: unknown key `in_features` in `layers.k`
   13 |   k: {op: linear, in: x, out: [b, n, d], in_features: d}
      |                                          ^^^^^^^^^^^
  it follows from the shape of the input""",
    ),
    "sizes under `with` the wrong way round": (
        """\
layers:
  wide: {op: linear, out: [b, n, h]}
  y: {use: keep, with: {h: d}}
""",
        """\
mine.yaml:12:25: error: `keep` has no size `h`
   12 |   y: {use: keep, with: {h: d}}
      |                         ^
  its sizes: `b`, `n` and `d`""",
    ),
    "a slot that is used like a spec": (
        """\
slots: {inner: keep}
layers:
  y: {slot: inner}
  z: {use: inner}
""",
        """\
mine.yaml:13:12: error: `inner` is a slot of this spec, not a spec
   13 |   z: {use: inner}
      |            ^^^^^
  write `slot: inner` instead of `use`""",
    ),
    "patterns as torch.einsum has them": (
        """\
layers:
  s: {op: einsum, in: [x, x], eq: "bid,bjd->bij"}
  r: {op: rearrange, in: x, to: bnd -> bdn}
outputs: [s, r]
""",
        """\
mine.yaml:11:35: error: `bij` stands in the result of `bid,bjd->bij` but in no operand
   11 |   s: {op: einsum, in: [x, x], eq: "bid,bjd->bij"}
      |                                   ^^^^^^^^^^^^^^
  spaces stand between labels: b i d, b j d -> b i j
mine.yaml:12:33: error: `bdn`, `bnd` stands on one side of the arrow only; a rearrangement keeps every axis
   12 |   r: {op: rearrange, in: x, to: bnd -> bdn}
      |                                 ^^^^^^^^^^
  spaces stand between labels: b n d -> b d n""",
    ),
    "comparisons the wrong way round": (
        """\
where: [n =< d, n => h]
layers:
  q: {op: linear, out: [b, n, d]}
""",
        """\
mine.yaml:10:11: error: `=<` has no place in an expression
   10 | where: [n =< d, n => h]
      |           ^^
  write <=
mine.yaml:10:19: error: `=>` has no place in an expression
   10 | where: [n =< d, n => h]
      |                   ^^
  write >=""",
    ),
    "a quantity by a part of its name, and conditions as they are said": (
        """\
layers:
  q: {op: linear, out: [b, n, d]}
claims:
  - {of: flops, equals: 2*b*n*d**2}
  - {of: macs, given: b = 1, equals: n*d**2}
""",
        """\
mine.yaml:13:10: error: unknown value `flops` in `claims.of`
   13 |   - {of: flops, equals: 2*b*n*d**2}
      |          ^^^^^
  did you mean `total_flops`?
mine.yaml:14:23: error: expected `key: value` entries in `claims.given`; found `b = 1`
   14 |   - {of: macs, given: b = 1, equals: n*d**2}
      |                       ^^^^^
  did you mean {b: 1}?""",
    ),
    "functions of Python, and conditions behind commas": (
        """\
where: n <= d, d % h == 0
layers:
  q: {op: linear, out: [b, n, int(d/3)]}
""",
        """\
mine.yaml:10:14: error: `,` is not expected here
   10 | where: n <= d, d % h == 0
      |              ^
  several are written as a list: [a, b]
mine.yaml:12:31: error: unknown function `int`
   12 |   q: {op: linear, out: [b, n, int(d/3)]}
      |                               ^^^
  did you mean `floor`?
  functions are `ceil`, `floor`, `min`, `max`, `log2` and `sqrt`; to multiply, write int*(...)""",
    ),
    "an axis that there is not": (
        """\
layers:
  q: {op: softmax, over: h}
""",
        """\
mine.yaml:11:26: error: no axis of x has the size h; give the axis by its index
   11 |   q: {op: softmax, over: h}
      |                          ^
  x is [b, n, d]""",
    ),
    "a quote that is never closed, far above": (
        """\
options:
  bias: {is: add a bias, default: true}
description: "Two layers
layers:
  q: {op: linear, out: [b, n, d], note: "the first"}
""",
        """\
mine.yaml:14:42: error: text goes on after the end of the value
   14 |   q: {op: linear, out: [b, n, d], note: "the first"}
      |                                          ^
  the quote on line 12 is perhaps never closed""",
    ),
    "an indentation that fits nothing": (
        """\
layers:
  q: {op: linear, out: [b, n, d]}
 k: {op: linear, out: [b, n, d]}
""",
        """\
mine.yaml:12:2: error: the indentation of this line fits no line above
   12 |  k: {op: linear, out: [b, n, d]}
      |  ^
  entries of one level begin in the same column; line 11 begins in column 3""",
    ),
}


@each_of(CASES, head=HEAD)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
