"""Mistakes in the form of a file: all that are independent are reported at once, each once."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import each_of, errors

SPECS = {
    "a wrong type in each place": (
        """\
title: 3
description: [one, two]
cite: {a: b}
dims:
  b: batch size
  n: 5
  d:
inputs:
  x: b n d
layers:
  q: linear
  r: {op: 3}
  s: {op: linear, out: b n d}
  t: {op: linear, out: [b, n, true], in: [[x]]}
  u: {op: scale, by: [2]}
  v: {use: [keep]}
  w: {use: keep, repeat: [3], with: [d], options: {bias: [true]}}
outputs: 3
where: {a: b}
presets:
  small: {set: [1], expect: {params: many}}
""",
        """\
mine.yaml:1:8: error: expected a text in `title`; found `3`
    1 | title: 3
      |        ^
mine.yaml:2:14: error: expected a text in `description`; found a list
    2 | description: [one, two]
      |              ^
mine.yaml:3:7: error: expected a text or a list in `cite`; found `key: value` entries
    3 | cite: {a: b}
      |       ^
mine.yaml:6:6: error: expected a text or `key: value` entries in `dims.n`; found `5`
    6 |   n: 5
      |      ^
  say what it means, such as `L: number of layers`; its values stand in presets, or as `L: {is: ..., default: 12}`
mine.yaml:7:5: error: expected a text or `key: value` entries in `dims.d`; found nothing
    7 |   d:
      |     ^
  say what it means, such as `L: number of layers`; its values stand in presets, or as `L: {is: ..., default: 12}`
mine.yaml:9:6: error: expected a list or `key: value` entries in `inputs.x`; found `b n d`
    9 |   x: b n d
      |      ^^^^^
  did you mean [b, n, d]?
mine.yaml:11:6: error: expected `key: value` entries in `layers.q`; found `linear`
   11 |   q: linear
      |      ^^^^^^
  did you mean {op: linear}?
mine.yaml:12:11: error: expected the name of an op in `layers.r.op`; found `3`
   12 |   r: {op: 3}
      |           ^
mine.yaml:13:24: error: expected a list in `layers.s.out`; found `b n d`
   13 |   s: {op: linear, out: b n d}
      |                        ^^^^^
  did you mean [b, n, d]?
mine.yaml:14:31: error: expected a whole number or an expression in `layers.t.out`; found true
   14 |   t: {op: linear, out: [b, n, true], in: [[x]]}
      |                               ^^^^
mine.yaml:14:43: error: expected a text in `layers.t.in`; found a list
   14 |   t: {op: linear, out: [b, n, true], in: [[x]]}
      |                                           ^
mine.yaml:15:22: error: expected a number or an expression in `layers.u.by`; found a list
   15 |   u: {op: scale, by: [2]}
      |                      ^
mine.yaml:16:12: error: expected a text in `layers.v.use`; found a list
   16 |   v: {use: [keep]}
      |            ^
mine.yaml:17:26: error: expected a number or an expression in `layers.w.repeat`; found a list
   17 |   w: {use: keep, repeat: [3], with: [d], options: {bias: [true]}}
      |                          ^
mine.yaml:17:37: error: expected `key: value` entries in `layers.w.with`; found a list
   17 |   w: {use: keep, repeat: [3], with: [d], options: {bias: [true]}}
      |                                     ^
  it is written with: {n: m}
mine.yaml:17:58: error: expected a number, a word, or true or false in `layers.w.options.bias`; found a list
   17 |   w: {use: keep, repeat: [3], with: [d], options: {bias: [true]}}
      |                                                          ^
mine.yaml:18:10: error: expected a text or a list in `outputs`; found `3`
   18 | outputs: 3
      |          ^
mine.yaml:19:8: error: expected a text or a list in `where`; found `key: value` entries
   19 | where: {a: b}
      |        ^
  a condition is a text, such as d % h == 0; several are a list
mine.yaml:21:16: error: expected `key: value` entries in `presets.small.set`; found a list
   21 |   small: {set: [1], expect: {params: many}}
      |                ^
  it is written set: {d: 768, L: 12}
mine.yaml:21:38: error: expected a whole number in `presets.small.expect.params`; found `many`
   21 |   small: {set: [1], expect: {params: many}}
      |                                      ^^^^""",
    ),
    "several mistakes at once, each reported once": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: [b, n, d]
layers:
  q: {op: softmx, out: [b, n, d]}
  k: {op: softmax, in: qq, over: -1, note: 3}
  v: {op: linear, in: vv, out: [b, n, w]}
  scaled: {op: scale, in: q, by: 2}
  summed: {op: add, in: [q, k, v]}
  kind: {op: activation, in: x, kind: gelv}
  last: {op: softmax, in: x, over: 5}
cite: nobody1999
presets:
  small: {set: {dd: 8}}
""",
        """\
mine.yaml:11:11: error: unknown op `softmx`
   11 |   q: {op: softmx, out: [b, n, d]}
      |           ^^^^^^
  did you mean `softmax`, `softmin` or `log_softmax`?
mine.yaml:12:44: error: expected a text in `layers.k.note`; found `3`
   12 |   k: {op: softmax, in: qq, over: -1, note: 3}
      |                                            ^
mine.yaml:13:23: error: there is no row or input `vv`
   13 |   v: {op: linear, in: vv, out: [b, n, w]}
      |                       ^^
  did you mean `v`?
  rows and inputs: `x`, `q`, `k`, `v`, `scaled`, `summed`, `kind` and `last`
mine.yaml:13:39: error: unknown size `w`
   13 |   v: {op: linear, in: vv, out: [b, n, w]}
      |                                       ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`
mine.yaml:16:39: error: `kind` of `kind`: `gelv` is not one of relu, relu6, leaky_relu, elu, elu_plus_one, celu, selu, gelu, gelu_tanh, quick_gelu, silu, mish, hardswish, hardsigmoid, hardshrink, softshrink, hardtanh, tanh, tanhshrink, sigmoid, logsigmoid, softplus, softsign, exp
   16 |   kind: {op: activation, in: x, kind: gelv}
      |                                       ^^^^
  did you mean `gelu`?
mine.yaml:17:36: error: axis 5 does not exist: x is [b, n, d]
   17 |   last: {op: softmax, in: x, over: 5}
      |                                    ^
  its axes are 0 to 2, or -3 to -1 counted from the last
mine.yaml:18:7: error: `nobody1999` is not in references.yaml
   18 | cite: nobody1999
      |       ^^^^^^^^^^
mine.yaml:20:17: error: preset `small` sets `dd`, which is not a size of `mine`
   20 |   small: {set: {dd: 8}}
      |                 ^^
  did you mean `d`?
  sizes: `b`, `n`, `d` and `h`""",  # noqa: E501  an activation has many kinds
    ),
    "keys that stand in the wrong place": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, d], use: keep}
  k: {op: softmax, over: -1, in: x, with: {d: h}, scan: n}
  v: {use: keep, bias: true}
  w: {in: x}
  y: {use: keep, slot: inner}
presets:
  small: {d: 8, h: 2}
""",
        """\
mine.yaml:11:35: error: row `q` has both `op` and `use`
   11 |   q: {op: linear, out: [b, n, d], use: keep}
      |                                   ^^^
  a row has one of `op`, `use` and `slot`
mine.yaml:12:37: error: unknown key `with` in `layers.k`
   12 |   k: {op: softmax, over: -1, in: x, with: {d: h}, scan: n}
      |                                     ^^^^
  `with` belongs to a row with `use`
mine.yaml:12:51: error: unknown key `scan` in `layers.k`
   12 |   k: {op: softmax, over: -1, in: x, with: {d: h}, scan: n}
      |                                                   ^^^^
  `scan` belongs to a row with `use` or `slot`; make the layers a spec of their own and use that
mine.yaml:13:18: error: unknown key `bias` in `layers.v`
   13 |   v: {use: keep, bias: true}
      |                  ^^^^
  an option of the used spec stands under `options`: {bias: true}
mine.yaml:14:3: error: row `w` needs exactly one of `op`, `use` and `slot`; found none
   14 |   w: {in: x}
      |   ^
mine.yaml:15:3: error: row `y` needs exactly one of `op`, `use` and `slot`; found `use` and `slot`
   15 |   y: {use: keep, slot: inner}
      |   ^
mine.yaml:17:3: error: `set` is missing in `presets.small`
   17 |   small: {d: 8, h: 2}
      |   ^^^^^
  the sizes stand under `set`: `bert-base: {set: {d: 768, L: 12}}`""",
    ),
    "parameters of ops": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: [b, n, d]
layers:
  a: {op: linear, in: x, out: [b, n, d], bias: yes}
  c: {op: layer_norm, in: x, eps: tiny}
  f: {op: softmax, in: x, over: q}
  g: {op: rearrange, in: x, to: b n d}
  i: {op: linear, in: x, out: [b, n, d], tie: nothing}
  j: {op: embedding, in: x, count: n, width: d}
  k: {op: linear, in: x, out: []}
outputs: [a, c, f, g, i, j, k]
""",
        """\
mine.yaml:11:48: error: `bias` of `a`: there is no option `yes`
   11 |   a: {op: linear, in: x, out: [b, n, d], bias: yes}
      |                                                ^^^
  did you mean true?
  expected true, false or the name of an option; options of this spec: none
mine.yaml:12:35: error: `eps` of `c`: there is no option `tiny`
   12 |   c: {op: layer_norm, in: x, eps: tiny}
      |                                   ^^^^
  expected a number or the name of an option; options of this spec: none
mine.yaml:13:33: error: `q` is not a size of this spec
   13 |   f: {op: softmax, in: x, over: q}
      |                                 ^
  x is [b, n, d]
  an axis is an index, such as -1 for the last, or the name of its size
mine.yaml:14:33: error: a pattern has one `->` between what comes in and what goes out; found `b n d`
   14 |   g: {op: rearrange, in: x, to: b n d}
      |                                 ^^^^^
mine.yaml:15:47: error: `tie` names `nothing`, but no row above has that name
   15 |   i: {op: linear, in: x, out: [b, n, d], tie: nothing}
      |                                               ^^^^^^^
mine.yaml:16:26: error: `embedding` reads indices (dtype: int), but `x` holds numbers
   16 |   j: {op: embedding, in: x, count: n, width: d}
      |                          ^
mine.yaml:17:31: error: `linear` needs at least one axis in `out`
   17 |   k: {op: linear, in: x, out: []}
      |                               ^
  x is [b, n, d]""",
    ),
    "references": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, in: x..left, out: [b, n, d]}
  r: {op: linear, in: '', out: [b, n, d]}
  s: {op: linear, in: [], out: [b, n, d]}
  t: {op: linear, in: t, out: [b, n, d]}
  u: {op: linear, in: d, out: [b, n, d]}
outputs: [s, z, s]
""",
        """\
mine.yaml:11:23: error: expected the name of a row or input, or `row.part`; found `x..left`
   11 |   q: {op: linear, in: x..left, out: [b, n, d]}
      |                       ^^^^^^^
mine.yaml:12:23: error: expected the name of a row or input, or `row.part`; found nothing
   12 |   r: {op: linear, in: '', out: [b, n, d]}
      |                       ^^
mine.yaml:13:23: error: `layers.s.in` is empty
   13 |   s: {op: linear, in: [], out: [b, n, d]}
      |                       ^
mine.yaml:14:23: error: `t` reads itself
   14 |   t: {op: linear, in: t, out: [b, n, d]}
      |                       ^
  a row reads rows above it
mine.yaml:15:23: error: there is no row or input `d`
   15 |   u: {op: linear, in: d, out: [b, n, d]}
      |                       ^
  `d` is a size; a row reads rows and inputs
  rows and inputs: `x`, `q`, `r`, `s`, `t` and `u`
mine.yaml:16:14: error: there is no row or input `z`
   16 | outputs: [s, z, s]
      |              ^
  rows and inputs: `x`, `q`, `r`, `s`, `t` and `u`
mine.yaml:16:17: error: `s` stands twice in `outputs`
   16 | outputs: [s, z, s]
      |                 ^""",
    ),
}


@each_of(SPECS)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
