"""Mistakes in sizes, conditions and names."""

from __future__ import annotations

from pathlib import Path

from tests.support.bad_specs import each_of, errors

SPECS = {
    "a size that is defined by later ones": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  e: {is: head width, value: d / h}
  d: model width
  h: number of heads
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:5:30: error: size `e` is defined by `d`, which stands below it, on line 6
    5 |   e: {is: head width, value: d / h}
      |                              ^
  list sizes in the order in which they are defined
mine.yaml:5:34: error: size `e` is defined by `h`, which stands below it, on line 7
    5 |   e: {is: head width, value: d / h}
      |                                  ^
  list sizes in the order in which they are defined""",
    ),
    "sizes that are defined by each other": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: one, value: f / h}
  f: {is: other, value: e * h}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:7:23: error: size `e` is defined by `f`, which stands below it, on line 8
    7 |   e: {is: one, value: f / h}
      |                       ^
  list sizes in the order in which they are defined""",
    ),
    "a size that is defined by itself": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, default: e}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:7:32: error: size `e` is defined by itself
    7 |   e: {is: head width, default: e}
      |                                ^""",
    ),
    "derived sizes that are never sizes": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: 5/2}
  f: {is: other, value: d - d}
  g: {is: third, default: 1 - 3}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:7:30: error: size `e`: `5/2` is no size; sizes are whole numbers of at least 1
    7 |   e: {is: head width, value: 5/2}
      |                              ^^^
mine.yaml:8:25: error: size `f`: `d - d` is 0, which is no size; sizes are whole numbers of at least 1
    8 |   f: {is: other, value: d - d}
      |                         ^^^^^
mine.yaml:9:27: error: size `g`: `1 - 3` is -2, which is no size; sizes are whole numbers of at least 1
    9 |   g: {is: third, default: 1 - 3}
      |                           ^^^^^""",
    ),
    "a size that is both derived and a default": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h, default: 64}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:7:3: error: size `e` has both a value and a default
    7 |   e: {is: head width, value: d / h, default: 64}
      |   ^
  `value` always holds; `default` may be overridden""",
    ),
    "an unknown size in each place": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
inputs:
  x: {shape: [b, m, d], dtype: int, below: V}
where: n <= P
layers:
  q: {op: scale, in: x, by: w**2}
""",
        """\
mine.yaml:9:18: error: unknown size `m`
    9 |   x: {shape: [b, m, d], dtype: int, below: V}
      |                  ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`
mine.yaml:9:44: error: unknown size `V`
    9 |   x: {shape: [b, m, d], dtype: int, below: V}
      |                                            ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`
mine.yaml:10:13: error: unknown size `P`
   10 | where: n <= P
      |             ^
  sizes of this spec: `b`, `n`, `d`, `h` and `e`""",
    ),
    "conditions that never hold": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
where: [n < 1, d == d + 1, d % 0 == 0]
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, h*e]}
""",
        """\
mine.yaml:8:9: error: `n < 1` never holds
    8 | where: [n < 1, d == d + 1, d % 0 == 0]
      |         ^^^^^
mine.yaml:8:16: error: `d == d + 1` never holds
    8 | where: [n < 1, d == d + 1, d % 0 == 0]
      |                ^^^^^^^^^^
mine.yaml:8:32: error: division by zero: `0` is 0
    8 | where: [n < 1, d == d + 1, d % 0 == 0]
      |                                ^""",
    ),
    "axes that are no sizes": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: the rest
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, in: x, out: [b, n, 0]}
  r: {op: linear, in: x, out: [b, n, -3]}
  s: {op: linear, in: x, out: [b, n, d**0.5]}
  t: {op: linear, in: x, out: [b, n, 2.5]}
""",
        """\
mine.yaml:11:38: error: `0` is no size; sizes are whole numbers of at least 1
   11 |   q: {op: linear, in: x, out: [b, n, 0]}
      |                                      ^
mine.yaml:12:38: error: `-3` is no size; sizes are whole numbers of at least 1
   12 |   r: {op: linear, in: x, out: [b, n, -3]}
      |                                      ^^
mine.yaml:13:38: error: `d**0.5` is sqrt(d), which is not always a whole number
   13 |   s: {op: linear, in: x, out: [b, n, d**0.5]}
      |                                      ^^^^^^
  round down: floor(sqrt(d))
  or give it a name under `dims`, and it is checked to be whole: {is: ..., value: sqrt(d)}
mine.yaml:14:38: error: expected a whole number or an expression in `layers.t.out`; found `2.5`
   14 |   t: {op: linear, in: x, out: [b, n, 2.5]}
      |                                      ^^^""",
    ),
    "expressions that are too long to be written out": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: the rest
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, in: x, out: [b, n, (b+n+d+h)**60]}
  r: {op: linear, in: x, out: [b, n, d**d**d]}
  s: {op: linear, in: x, out: [b, n, 9**9**9]}
""",
        """\
mine.yaml:11:38: error: this expression is too long when it is written out as a sum
   11 |   q: {op: linear, in: x, out: [b, n, (b+n+d+h)**60]}
      |                                      ^^^^^^^^^^^^^
  give a name to its parts under `dims`, or write it as a product
mine.yaml:12:41: error: a power of sizes stands in an exponent
   12 |   r: {op: linear, in: x, out: [b, n, d**d**d]}
      |                                         ^^^^
mine.yaml:13:41: error: the exponent `9**9` is too large; exponents go to 64
   13 |   s: {op: linear, in: x, out: [b, n, 9**9**9]}
      |                                         ^^^^""",
    ),
    "one name for two things": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  h: number of heads
  e: {is: head width, value: d / h}
options:
  n: {is: an option, default: true}
inputs:
  h: [b, n, d]
  x: [b, n, d]
layers:
  x: {op: linear, out: [b, n, d]}
""",
        """\
mine.yaml:9:3: error: `n` is a size and an option
    9 |   n: {is: an option, default: true}
      |   ^
  the first is on line 4
  rename one of them
mine.yaml:11:3: error: `h` is a size and an input
   11 |   h: [b, n, d]
      |   ^
  the first is on line 6
  rename one of them
mine.yaml:14:3: error: row `x` has the name of an input
   14 |   x: {op: linear, out: [b, n, d]}
      |   ^
  the first is on line 12
  rename one of them""",
    ),
    "names that mean something else": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  lambda: number of heads
  max: the most
  torch: a library
  e: {is: head width, value: d / 2}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, e]}
""",
        """\
mine.yaml:6:3: error: `lambda` cannot be the name of a size: it is a word of Python or PyTorch
    6 |   lambda: number of heads
      |   ^^^^^^
  call it `lambda_size`
mine.yaml:7:3: error: `max` cannot be the name of a size: it is a word of expressions
    7 |   max: the most
      |   ^^^
  call it `max_size`
mine.yaml:8:3: error: `torch` cannot be the name of a size: it is a word of Python or PyTorch
    8 |   torch: a library
      |   ^^^^^
  call it `torch_size`""",
    ),
    "words that are no names": (
        """\
title: Mine
dims:
  b: batch size
  n: sequence length
  d: model width
  __class__: one
  é: two
  n-1: three
  e: {is: head width, value: d / 2}
inputs:
  x: [b, n, d]
layers:
  q: {op: linear, out: [b, n, e]}
""",
        """\
mine.yaml:6:3: error: `__class__` cannot be a name in `dims`
    6 |   __class__: one
      |   ^^^^^^^^^
  a name is at most 40 letters, digits and _, and begins with a letter
mine.yaml:7:3: error: `é` cannot be a name in `dims`
    7 |   é: two
      |   ^
  a name is at most 40 letters, digits and _, and begins with a letter
mine.yaml:8:3: error: `n-1` cannot be a name in `dims`
    8 |   n-1: three
      |   ^^^
  did you mean `n_1`?
  a name is at most 40 letters, digits and _, and begins with a letter""",
    ),
}


@each_of(SPECS)
def test_what_is_said_about(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said
