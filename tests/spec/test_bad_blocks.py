"""Mistakes around used specs, slots, options, stacks and recurrences. The specs go on after HEAD, whose last line is line 9."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import HEAD, each_of, errors

MISTAKES = {
    "a spec that uses itself": (
        """\
layers:
  y: {use: mine}
""",
        """\
mine.yaml:11:12: error: `mine` uses itself: mine -> mine
   11 |   y: {use: mine}
      |            ^^^^""",
    ),
    "a file name for a spec": (
        """\
layers:
  y: {use: blocks/keep.yaml}
""",
        """\
mine.yaml:11:12: error: there is no spec named `blocks/keep.yaml`
   11 |   y: {use: blocks/keep.yaml}
      |            ^^^^^^^^^^^^^^^^
  did you mean `keep`?
  a spec's name is its file's name without .yaml""",
    ),
    "keys beside `use` that other languages have": (
        """\
layers:
  y: {use: keep, times: 3}
  z: {use: keep, if: true}
  v: {use: optional, input: x, causal: true}
  w: {use: keep, width: 4}
  u: {use: keep, option: {bias: true}}
  t: {op: linear, out: [b, n, d], shape: [b, n, d], inputs: x}
""",
        """\
mine.yaml:11:18: error: unknown key `times` in `layers.y`
   11 |   y: {use: keep, times: 3}
      |                  ^^^^^
  did you mean `repeat`?
  how many equal layers are stacked, each with its own weights; its results are the first inputs of the next: `repeat: L`
mine.yaml:12:18: error: unknown key `if` in `layers.z`
   12 |   z: {use: keep, if: true}
      |                  ^^
  did you mean `when`?
  the option that must be true; otherwise the row hands its first input through: `when: residual`
mine.yaml:13:22: error: unknown key `input` in `layers.v`
   13 |   v: {use: optional, input: x, causal: true}
      |                      ^^^^^
  did you mean `in`?
  the row or input it reads, `row.part` for one of several results, a list for several; the row above by default: `in: [x, y]`
mine.yaml:13:32: error: unknown key `causal` in `layers.v`
   13 |   v: {use: optional, input: x, causal: true}
      |                                ^^^^^^
  an option of the used spec stands under `options`: {causal: true}
mine.yaml:14:18: error: unknown key `width` in `layers.w`
   14 |   w: {use: keep, width: 4}
      |                  ^^^^^
  a size of the used spec stands under `with`: {width: 4}
mine.yaml:15:18: error: unknown key `option` in `layers.u`
   15 |   u: {use: keep, option: {bias: true}}
      |                  ^^^^^^
  did you mean `options`?
mine.yaml:16:35: error: unknown key `shape` in `layers.t`
   16 |   t: {op: linear, out: [b, n, d], shape: [b, n, d], inputs: x}
      |                                   ^^^^^
  known keys: `op`, `bias`, `weight_norm`, `in`, `out`, `when`, `else`, `tie`, `tie_when`, `frozen`, `init`, `is` and `note`
mine.yaml:16:53: error: unknown key `inputs` in `layers.t`
   16 |   t: {op: linear, out: [b, n, d], shape: [b, n, d], inputs: x}
      |                                                     ^^^^^^
  did you mean `in`?
  the row or input it reads, `row.part` for one of several results, a list for several; the row above by default: `in: [x, y]`""",
    ),
    "an unknown size under `with`": (
        """\
layers:
  y: {use: keep, with: {width: d}}
""",
        """\
mine.yaml:11:25: error: `keep` has no size `width`
   11 |   y: {use: keep, with: {width: d}}
      |                         ^^^^^
  its sizes: `b`, `n` and `d`""",
    ),
    "a size under `with` that is no size": (
        """\
layers:
  y: {use: keep, with: {d: d/3}}
  z: {use: keep, in: x, with: {d: 0}}
outputs: [y, z]
""",
        """\
mine.yaml:11:28: error: `d/3` is not always a whole number
   11 |   y: {use: keep, with: {d: d/3}}
      |                            ^^^
  did you mean to add where: ["d % 3 == 0"]?
  or round down: d // 3
mine.yaml:12:35: error: `0` is no size; sizes are whole numbers of at least 1
   12 |   z: {use: keep, in: x, with: {d: 0}}
      |                                   ^""",
    ),
    "an unknown option": (
        """\
layers:
  y: {use: optional, options: {bais: true}}
""",
        """\
mine.yaml:11:32: error: `optional` has no option `bais`
   11 |   y: {use: optional, options: {bais: true}}
      |                                ^^^^
  did you mean `bias`?
  its options: `bias` and `kind`""",
    ),
    "options with wrong values": (
        """\
layers:
  y: {use: optional, options: {bias: yes, kind: reluu}}
""",
        """\
mine.yaml:11:38: error: option `bias` of `optional` is true or false; found `yes`
   11 |   y: {use: optional, options: {bias: yes, kind: reluu}}
      |                                      ^^^
  did you mean true?
mine.yaml:11:49: error: option `kind` of `optional` cannot be `reluu`
   11 |   y: {use: optional, options: {bias: yes, kind: reluu}}
      |                                                 ^^^^^
  did you mean `relu` or `gelu`?
  it may be `relu` or `gelu`""",
    ),
    "`when` that names no option": (
        """\
layers:
  y: {op: softmax, over: -1, when: n}
""",
        """\
mine.yaml:11:36: error: `when` names `n`, which is not an option of `mine`
   11 |   y: {op: softmax, over: -1, when: n}
      |                                    ^
  options that are true or false: none""",
    ),
    "a row below one whose shape an option decides": (
        """\
options:
  wide: {is: widen, default: true}
layers:
  y: {op: linear, out: [b, n, 2*d], when: wide}
  z: {op: add, in: [x, y]}
""",
        """\
mine.yaml:14:20: error: `z` cannot add x and y: their shapes do not fit
   14 |   z: {op: add, in: [x, y]}
      |                    ^
  x is [b, n, d]; y is [b, n, 2*d]
  y comes from line 13: {op: linear, out: [b, n, 2*d], when: wide}
  did you mean out: [b, n, d] on line 13?""",
    ),
    "an unknown slot": (
        """\
slots:
  inner: keep
layers:
  y: {slot: iner}
""",
        """\
mine.yaml:13:13: error: `mine` has no slot `iner`
   13 |   y: {slot: iner}
      |             ^^^^
  did you mean `inner`?
  its slots: `inner`""",
    ),
    "a slot in two rows": (
        """\
slots:
  inner: keep
layers:
  y: {slot: inner}
  z: {slot: inner}
""",
        """\
mine.yaml:14:13: error: slot `inner` stands in two rows
   14 |   z: {slot: inner}
      |             ^^^^^
  the first is on line 13; declare a second slot for this one""",
    ),
    "a slot in no row": (
        """\
slots:
  inner: keep
layers:
  y: {op: softmax, over: -1}
""",
        """\
mine.yaml:11:3: error: slot `inner` stands in no row
   11 |   inner: keep
      |   ^^^^^
  a row fills it: `inner: {slot: inner}`""",
    ),
    "a slot without a default": (
        """\
slots:
  inner: {is: what each position does}
layers:
  y: {slot: inner}
""",
        """\
mine.yaml:11:3: error: `use` is missing: the name of the block that stands here
   11 |   inner: {is: what each position does}
      |   ^^^^^""",
    ),
    "a filled slot that does not exist": (
        """\
layers:
  y: {use: slotted, slots: {iner: keep}}
""",
        """\
mine.yaml:11:29: error: `slotted` has no slot `iner`
   11 |   y: {use: slotted, slots: {iner: keep}}
      |                             ^^^^
  did you mean `inner`?
  its slots: `inner`""",
    ),
    "a slot filled with a block that takes more inputs": (
        """\
layers:
  y: {use: slotted, slots: {inner: cross_attention}}
""",
        """\
mine.yaml:11:36: error: `cross_attention` takes 2 inputs (x, memory); slot `inner` of `slotted` has 1
   11 |   y: {use: slotted, slots: {inner: cross_attention}}
      |                                    ^^^^^^^^^^^^^^^
  it reads `x`""",
    ),
    "sizes for a slot's row": (
        """\
slots:
  inner: keep
layers:
  y: {slot: inner, with: {d: h}}
""",
        """\
mine.yaml:13:20: error: row `y` fills a slot, so `with` does not belong here
   13 |   y: {slot: inner, with: {d: h}}
      |                    ^^^^
  what fills a slot is given where the slot is declared, under `slots`, or by the spec that uses this one""",
    ),
    "a stack of blocks that change the shape": (
        """\
layers:
  y: {use: widen, repeat: 3}
""",
        """\
mine.yaml:11:27: error: `widen` cannot be repeated: its result must have the shape of its first input
   11 |   y: {use: widen, repeat: 3}
      |                           ^
  x is [b, n, d]; the result is [b, n, 2*d]""",
    ),
    "a stack of blocks with two results": (
        """\
layers:
  y: {use: two, repeat: 3}
""",
        """\
mine.yaml:11:25: error: `two` cannot be repeated: it has more results than inputs
   11 |   y: {use: two, repeat: 3}
      |                         ^
  the results of a layer are the first inputs of the next; its results: `left` and `right`; its inputs: `x`""",
    ),
    "a stack whose second result is no second input": (
        """\
layers:
  y: {op: linear, in: x, out: [b, n, e]}
  z: {use: crossed, in: [x, y], repeat: 3}
""",
        """\
mine.yaml:12:41: error: `crossed` cannot be repeated: `right` must have the shape of `y`
   12 |   z: {use: crossed, in: [x, y], repeat: 3}
      |                                         ^
  y is [b, n, e]; right is [b, n, d]""",
    ),
    "a stack of less than no layers": (
        """\
layers:
  y: {use: keep, repeat: -1}
""",
        """\
mine.yaml:11:26: error: `-1` is no number of layers, which is whole and at least 0
   11 |   y: {use: keep, repeat: -1}
      |                          ^^""",
    ),
    "a repeated op": (
        """\
layers:
  y: {op: softmax, over: -1, repeat: 3}
""",
        """\
mine.yaml:11:30: error: unknown key `repeat` in `layers.y`
   11 |   y: {op: softmax, over: -1, repeat: 3}
      |                              ^^^^^^
  `repeat` belongs to a row with `use` or `slot`; make the layers a spec of their own and use that""",
    ),
    "a repeated scan without a state": (
        """\
layers:
  y: {use: keep, repeat: 3, scan: n}
""",
        """\
mine.yaml:11:29: error: row `y` has both `repeat` and `scan`
   11 |   y: {use: keep, repeat: 3, scan: n}
      |                             ^^^^
  use a spec that repeats within one that scans""",
    ),
    "a scan over what is no size": (
        """\
layers:
  y: {use: keep, scan: m, carry: {x: [b, d]}}
""",
        """\
mine.yaml:11:3: error: each step of `keep` reads nothing beside its state; `y` gives it `x`
   11 |   y: {use: keep, scan: m, carry: {x: [b, d]}}
      |   ^
  `carry` names `x`; every other input of `keep` is a step of something under `in`
mine.yaml:11:24: error: `scan` names `m`, which is not a size of `mine`
   11 |   y: {use: keep, scan: m, carry: {x: [b, d]}}
      |                        ^
  its sizes: `b`, `n`, `d`, `h` and `e`""",
    ),
    "a state that is no input": (
        """\
layers:
  y: {use: keep, scan: n, carry: {state: [b, d]}}
""",
        """\
mine.yaml:11:35: error: `carry` names `state`, which is no input of `keep`
   11 |   y: {use: keep, scan: n, carry: {state: [b, d]}}
      |                                   ^^^^^
  its inputs: `x`""",
    ),
    "a last row with several results, and no outputs": (
        """\
layers:
  y: {use: two}
""",
        """\
mine.yaml:11:3: error: the last row is the result, and `y` has several results: `left` and `right`
   11 |   y: {use: two}
      |   ^
  write outputs: y.left or y.right""",
    ),
    "an output of which no result is chosen": (
        """\
layers:
  y: {use: two}
outputs: y
""",
        """\
mine.yaml:12:10: error: `y` has several results: `left` and `right`
   12 | outputs: y
      |          ^
  write outputs: y.left or y.right""",
    ),
    "one of several results is not chosen": (
        """\
layers:
  y: {use: two}
  z: {op: softmax, over: -1}
  w: {op: softmax, in: y.lft, over: -1}
outputs: [z, w]
""",
        """\
mine.yaml:12:3: error: this row reads the one above, and `y` has several results: `left` and `right`
   12 |   z: {op: softmax, over: -1}
      |   ^
  write in: y.left or y.right
mine.yaml:13:24: error: `y` has no result `lft`
   13 |   w: {op: softmax, in: y.lft, over: -1}
      |                        ^^^^^
  did you mean `left`?
  its results: `left` and `right`""",
    ),
    "a skipped row with several results": (
        """\
options:
  on: {is: whether it is there, default: true}
layers:
  y: {use: two, when: on}
  z: {op: softmax, in: y.left, over: -1}
""",
        """\
mine.yaml:13:23: error: `y` has `when`, so it must have a single result, which another row can replace
   13 |   y: {use: two, when: on}
      |                       ^^
  its results: `left` and `right`""",
    ),
    "a skipped row whose result is no number": (
        """\
options:
  on: {is: whether it is there, default: true}
layers:
  i: {op: argmax, over: -1}
  y: {op: embedding, in: i, count: n, width: d}
  u: {use: sorted, in: i, when: on}
  z: {use: lookup, in: i, when: on}
outputs: [y, u, z]
""",
        """\
mine.yaml:16:33: error: `z` has `when`, so it must hold what its first input holds
   16 |   z: {use: lookup, in: i, when: on}
      |                                 ^^
  `i` holds indices (dtype: int); `z` holds numbers""",
    ),
    "a stack that makes numbers of indices": (
        """\
layers:
  i: {op: argmax, over: -1}
  y: {use: lookup, in: i, repeat: 3}
""",
        """\
mine.yaml:12:35: error: `lookup` cannot be repeated: its result must hold what its first input holds
   12 |   y: {use: lookup, in: i, repeat: 3}
      |                                   ^
  `ids` holds indices (dtype: int); the result holds numbers""",
    ),
    "a part of a row with one result": (
        """\
layers:
  y: {use: keep}
  z: {op: softmax, in: y.left, over: -1}
""",
        """\
mine.yaml:12:24: error: `y` has no result `left`
   12 |   z: {op: softmax, in: y.left, over: -1}
      |                        ^^^^^^
  `y` has one result; write `y`""",
    ),
}


@each_of(MISTAKES, head=HEAD)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
