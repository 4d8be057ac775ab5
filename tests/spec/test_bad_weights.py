"""Mistakes about weights: shared, tied, frozen, and what they start as. The specs go on after HEAD, whose last line is line 9."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import HEAD, each_of, errors

MISTAKES: dict[str, tuple[str, str]] = {
    "share without a stack": (
        """\
layers:
  y: {use: keep, share: true}
""",
        """\
mine.yaml:11:18: error: row `y` has `share` without `repeat`
   11 |   y: {use: keep, share: true}
      |                  ^^^^^
  it lets the layers of a stack have the same weights; a row that uses those of another says `tie`""",
    ),
    "share that is no yes or no": (
        """\
layers:
  y: {use: keep, repeat: 2, share: all}
""",
        """\
mine.yaml:11:36: error: expected true or false in `layers.y.share`; found `all`
   11 |   y: {use: keep, repeat: 2, share: all}
      |                                    ^^^""",
    ),
    "a shared stack without layers": (
        """\
layers:
  y: {use: keep, repeat: h - 1, share: true}
  z: {use: keep, repeat: 0, share: true}
""",
        """\
mine.yaml:12:26: error: `0` is no size; sizes are whole numbers of at least 1
   12 |   z: {use: keep, repeat: 0, share: true}
      |                          ^""",
    ),
    "a tie to nothing above": (
        """\
layers:
  first: {op: linear, out: [b, n, d]}
  y: {op: linear, out: [b, n, d], tie: frist}
  z: {use: keep, in: x, tie: last}
  last: {use: keep, in: x}
outputs: [y, z, last]
""",
        """\
mine.yaml:12:40: error: `tie` names `frist`, but no row above has that name
   12 |   y: {op: linear, out: [b, n, d], tie: frist}
      |                                        ^^^^^
  did you mean `first`?
mine.yaml:13:30: error: `tie` names `last`, but no row above has that name
   13 |   z: {use: keep, in: x, tie: last}
      |                              ^^^^""",
    ),
    "a tie of an op without weights": (
        """\
layers:
  first: {op: linear, out: [b, n, d]}
  y: {op: softmax, tie: first}
""",
        """\
mine.yaml:12:25: error: `y` has no weights of its own that could be those of `first`
   12 |   y: {op: softmax, tie: first}
      |                         ^^^^^""",
    ),
    "a tie to a row without that weight": (
        """\
layers:
  first: {op: layer_norm, bias: false}
  y: {op: layer_norm, tie: first}
  third: {op: softmax, in: x}
  z: {op: linear, in: x, out: [b, n, d], tie: third}
outputs: [y, z, third]
""",
        """\
mine.yaml:12:28: error: `tie` names `first`, but that row has no bias
   12 |   y: {op: layer_norm, tie: first}
      |                            ^^^^^
  did you mean bias: false?
mine.yaml:14:47: error: `tie` names `third`, but that row has no weight
   14 |   z: {op: linear, in: x, out: [b, n, d], tie: third}
      |                                               ^^^^^""",
    ),
    "ties between ops and blocks": (
        """\
layers:
  first: {use: keep}
  y: {op: linear, out: [b, n, d], tie: first}
  second: {op: linear, in: x, out: [b, n, d]}
  z: {use: keep, in: x, tie: second}
  u: {use: widen, in: x, tie: first}
outputs: [y, z, u]
""",
        """\
mine.yaml:12:40: error: `tie` names `first`, which is a block and no single op
   12 |   y: {op: linear, out: [b, n, d], tie: first}
      |                                        ^^^^^
  a row with `op` is tied to another with `op`, and a row with `use` to another that uses the same spec
mine.yaml:13:3: error: nothing reads `second`
   13 |   second: {op: linear, in: x, out: [b, n, d]}
      |   ^^^^^^
  remove the row, or name it under `outputs`
mine.yaml:14:30: error: `tie` names `second`, which runs the op linear; a block is tied to another use of the same spec
   14 |   z: {use: keep, in: x, tie: second}
      |                              ^^^^^^
  `z` uses `keep`
mine.yaml:15:31: error: `tie` names `first`, which uses `keep`; a block is tied to another use of the same spec
   15 |   u: {use: widen, in: x, tie: first}
      |                               ^^^^^
  `u` uses `widen`""",
    ),
    "a tie to a row that may be off": (
        """\
options: {on: {is: whether it is there, default: true}}
layers:
  first: {use: keep, when: on}
  second: {op: linear, out: [b, n, d], when: on}
  y: {use: keep, tie: first}
  z: {op: linear, in: x, out: [b, n, d], tie: second}
outputs: [y, z]
""",
        """\
mine.yaml:14:23: error: `tie` names `first`, which has no weights where `on` is false
   14 |   y: {use: keep, tie: first}
      |                       ^^^^^
  give `y` the same `when`, or `first` none
mine.yaml:15:47: error: `tie` names `second`, which has no weights where `on` is false
   15 |   z: {op: linear, in: x, out: [b, n, d], tie: second}
      |                                               ^^^^^^
  give `z` the same `when`, or `second` none""",
    ),
    "a tie of a slot": (
        """\
slots: {inner: {use: keep}}
layers:
  first: {use: keep}
  y: {slot: inner, tie: first}
""",
        """\
mine.yaml:13:20: error: row `y` fills a slot, so it cannot be tied to another row
   13 |   y: {slot: inner, tie: first}
      |                    ^^^
  what fills a slot is one module; a row with `use` can be tied to another that uses the same spec""",
    ),
    "tied blocks that differ": (
        """\
layers:
  first: {use: optional}
  y: {use: optional, options: {bias: false}, tie: first}
  wide: {op: linear, in: x, out: [b, n, 2*d]}
  z: {use: optional, with: {d: 2*d}, tie: first}
  again: {use: optional, in: x, repeat: 2}
  u: {use: optional, repeat: 3, tie: again}
outputs: [y, z, u]
""",
        """\
mine.yaml:12:51: error: `y` is tied to `first`, but option `bias` of `optional` differs
   12 |   y: {use: optional, options: {bias: false}, tie: first}
      |                                                   ^^^^^
mine.yaml:14:43: error: `z` is tied to `first`, but a weight of `optional` is [2*d, 2*d] here and [d, d] there
   14 |   z: {use: optional, with: {d: 2*d}, tie: first}
      |                                           ^^^^^
mine.yaml:16:38: error: `u` is tied to `again`, but is not repeated as often in the same way
   16 |   u: {use: optional, repeat: 3, tie: again}
      |                                      ^^^^^""",
    ),
    "a table tied to one of other settings": (
        """\
layers:
  first: {op: relative_bias, window: [n], heads: h}
  y: {op: relative_bias, window: [n, 1], heads: h, tie: first}
  z: {op: add, in: [first, y]}
""",
        """\
mine.yaml:12:57: error: `y` can be tied only to another row with the same op and the same settings
   12 |   y: {op: relative_bias, window: [n, 1], heads: h, tie: first}
      |                                                         ^^^^^
  what is read of its weight follows from its settings""",
    ),
    "frozen where nothing could learn": (
        """\
layers:
  y: {op: softmax, frozen: true}
""",
        """\
mine.yaml:11:28: error: `y` has no weights that could be frozen
   11 |   y: {op: softmax, frozen: true}
      |                            ^^^^""",
    ),
    "frozen by what is no yes or no": (
        """\
options:
  on: {is: whether it is there, default: true}
  kind: {is: which, default: relu, choices: [relu, gelu]}
layers:
  first: {op: linear, out: [b, n, d], frozen: onn}
  y: {op: linear, in: x, out: [b, n, d], frozen: kind}
  z: {op: linear, in: x, out: [b, n, d], frozen: 3}
outputs: [first, y, z]
""",
        """\
mine.yaml:14:47: error: `frozen` names `onn`, which is not an option of `mine`
   14 |   first: {op: linear, out: [b, n, d], frozen: onn}
      |                                               ^^^
  did you mean `on`?
  options that are true or false: `on`
mine.yaml:15:50: error: `frozen` names `kind`, which is not true or false but `relu`
   15 |   y: {op: linear, in: x, out: [b, n, d], frozen: kind}
      |                                                  ^^^^
mine.yaml:16:50: error: expected true, false or the name of an option in `layers.z.frozen`; found `3`
   16 |   z: {op: linear, in: x, out: [b, n, d], frozen: 3}
      |                                                  ^""",
    ),
    "frozen weights of another row": (
        """\
layers:
  first: {op: linear, out: [b, n, d]}
  y: {op: linear, out: [b, n, d], tie: first, frozen: true}
""",
        """\
mine.yaml:12:47: error: row `y` has the weights of another, so `frozen` does not belong here
   12 |   y: {op: linear, out: [b, n, d], tie: first, frozen: true}
      |                                               ^^^^^^
  say it of the row that the weights belong to""",
    ),
    "what PyTorch calls frozen": (
        """\
layers:
  y: {use: keep, requires_grad: false}
""",
        """\
mine.yaml:11:18: error: unknown key `requires_grad` in `layers.y`
   11 |   y: {use: keep, requires_grad: false}
      |                  ^^^^^^^^^^^^^
  did you mean `frozen`?
  whether training leaves its weights as they are, or the option that says so; false also inside a frozen block: `frozen: true`""",
    ),
    "initial values that nobody knows": (
        """\
options: {on: {is: whether it is there, default: true}, small: {is: a number, default: 0.1}}
layers:
  a: {op: linear, in: x, out: [b, n, d], init: gauss(0.02)}
  c: {op: linear, in: x, out: [b, n, d], init: normal}
  f: {op: linear, in: x, out: [b, n, d], init: zeros(1)}
  g: {op: linear, in: x, out: [b, n, d], init: kaimin}
  i: {op: linear, in: x, out: [b, n, d], init: on}
  j: {op: linear, in: x, out: [b, n, d], init: normal(k)}
  k: {op: linear, in: x, out: [b, n, d], init: normal(2 +)}
outputs: [a, c, f, g, i, j, k]
""",
        """\
mine.yaml:12:48: error: weights cannot start as `gauss`
   12 |   a: {op: linear, in: x, out: [b, n, d], init: gauss(0.02)}
      |                                                ^^^^^^^^^^^
  known words: `zeros`, `ones`, `constant`, `normal`, `truncated`, `uniform`, `xavier` and `kaiming`; or a number
mine.yaml:13:48: error: `normal` needs a number in parentheses
   13 |   c: {op: linear, in: x, out: [b, n, d], init: normal}
      |                                                ^^^^^^
  such as normal(0.02)
mine.yaml:14:48: error: `zeros` takes no number
   14 |   f: {op: linear, in: x, out: [b, n, d], init: zeros(1)}
      |                                                ^^^^^^^^
  did you mean zeros?
mine.yaml:15:48: error: weights cannot start as `kaimin`
   15 |   g: {op: linear, in: x, out: [b, n, d], init: kaimin}
      |                                                ^^^^^^
  did you mean `kaiming` or `kaiming_normal`?
  known words: `zeros`, `ones`, `constant`, `normal`, `truncated`, `uniform`, `xavier` and `kaiming`; or a number
mine.yaml:16:48: error: weights cannot start as `on`
   16 |   i: {op: linear, in: x, out: [b, n, d], init: on}
      |                                                ^^
  did you mean `ones`?
  known words: `zeros`, `ones`, `constant`, `normal`, `truncated`, `uniform`, `xavier` and `kaiming`; or a number
mine.yaml:17:55: error: unknown size `k`
   17 |   j: {op: linear, in: x, out: [b, n, d], init: normal(k)}
      |                                                       ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`
mine.yaml:18:57: error: the expression ends after `+`; a number, a name or a parenthesis is missing
   18 |   k: {op: linear, in: x, out: [b, n, d], init: normal(2 +)}
      |                                                         ^""",
    ),
    "initial values of weights that are not there": (
        """\
layers:
  a: {op: linear, in: x, out: [b, n, d], init: {wieght: zeros}}
  c: {op: softmax, in: x, init: 0}
  f: {op: linear, in: x, out: [b, n, d], tie: a, init: zeros}
  g: {op: layer_norm, in: x, init: xavier}
  i: {op: linear, in: x, out: [b, n, d], bias: false, init: {bias: zeros}}
outputs: [a, c, f, g, i]
""",
        """\
mine.yaml:11:49: error: `a` has no weight `wieght`
   11 |   a: {op: linear, in: x, out: [b, n, d], init: {wieght: zeros}}
      |                                                 ^^^^^^
  did you mean `weight`?
  its weights: `weight` and `bias`
mine.yaml:12:33: error: `c` has no weight `weight`
   12 |   c: {op: softmax, in: x, init: 0}
      |                                 ^
  its weights: none of its own
mine.yaml:14:36: error: the weight of `g` has one axis, so it cannot start as xavier
   14 |   g: {op: layer_norm, in: x, init: xavier}
      |                                    ^^^^^^
  it depends on the numbers of inputs and outputs of a matrix
mine.yaml:15:62: error: `i` has no weight `bias`
   15 |   i: {op: linear, in: x, out: [b, n, d], bias: false, init: {bias: zeros}}
      |                                                              ^^^^
  its weights: `weight`""",
    ),
    "initial values of a block": (
        """\
layers:
  y: {use: keep, init: zeros}
""",
        """\
mine.yaml:11:18: error: row `y` has no op, so `init` does not belong here
   11 |   y: {use: keep, init: zeros}
      |                  ^^^^
  say it of rows of the block""",
    ),
}


@each_of(MISTAKES, head=HEAD)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
