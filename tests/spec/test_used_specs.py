"""What is said about a spec that is used wrongly: once, at the row that uses it. And about one with a mistake of its own: once, there."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.cli import main
from tests.support.bad_specs import each_of, errors

FEW = "title: Mine\ndims: {b: batch size, n: length, w: width}\ninputs: {x: [b, n, w]}\n"
SPLIT = """\
title: Split
dims:
  b: batch size
  n: length
  d: width
  h: heads
  e: {is: width of a head, value: d / h}
  p: {is: positions, default: n}
inputs: {x: [b, n, d]}
layers:
  q: {op: linear, in: x, out: [b, n, h*e]}
  r: {op: rearrange, to: b n (h e) -> b h n e}
  s: {op: scale, by: e**-0.5}
  y: {op: rearrange, to: b h n e -> b n (h e)}
"""
LONG = (
    SPLIT.replace("title: Split", "title: Long")
    .replace("p: {is: positions, default: n}", "p: greatest number of positions")
    .replace("by: e**-0.5", "by: p**-0.5")
)
AROUND = SPLIT.replace("title: Split", "title: Around").split("layers:")[0] + "layers:\n  y: {use: split}\n"
BROKEN = """\
title: Broken
dims: {b: batch size, k: width}
inputs: {x: [b, k]}
layers:
  y: {op: linear, out: [b, 2*k]}
  z: {op: add, in: [x, y]}
"""
SLOTTED = """\
title: Slotted
dims: {b: batch size, n: length, d: width, h: heads}
inputs: {x: [b, n, d]}
slots: {inner: split}
layers:
  y: {slot: inner}
"""
OTHERS = {"split": SPLIT, "long": LONG, "around": AROUND, "broken": BROKEN, "slotted": SLOTTED}

CASES = {
    "a size that a slot's block asks for in many rows": (
        "slots: {inner: {use: split, with: {d: w}}}\nlayers:\n  y: {slot: inner}\n",
        """\
mine.yaml:4:22: error: `split` needs a size `h`, which `mine` does not have
    4 | slots: {inner: {use: split, with: {d: w}}}
      |                      ^^^^^
  h: heads
  add `h` to the sizes of `mine`, or say here what it is: with: {h: ...}
  asked for on line 11 of split.yaml""",
    ),
    "a size that a spec hands on to a spec inside": (
        "layers:\n  y: {use: around, with: {d: w}}\n",
        """\
mine.yaml:5:12: error: `around` needs a size `h`, which `mine` does not have
    5 |   y: {use: around, with: {d: w}}
      |            ^^^^^^
  h: heads
  add `h` to the sizes of `mine`, or say here what it is: with: {h: ...}
  asked for on line 11 of split.yaml""",
    ),
    "a size that what fills a slot asks for": (
        "layers:\n  y: {use: slotted, with: {d: w, h: 2}, slots: {inner: long}}\n",
        """\
mine.yaml:5:56: error: `long` needs a size `p`, which `mine` does not have
    5 |   y: {use: slotted, with: {d: w, h: 2}, slots: {inner: long}}
      |                                                        ^^^^
  p: greatest number of positions
  add `p` to the sizes of `mine`, or say here what it is: with: {p: ...}
  asked for on line 13 of long.yaml""",
    ),
    "sizes that a spec cannot work with": (
        "layers:\n  v: {op: linear, out: [b, n, 7]}\n  y: {use: split, with: {d: 7, h: 3}}\n",
        """\
mine.yaml:6:12: error: `split` cannot work with what `y` gives it: size `e`: `d / h` is 7/3, which is no size; \
sizes are whole numbers of at least 1
    6 |   y: {use: split, with: {d: 7, h: 3}}
      |            ^^^^^
  inside it, at split.yaml:7: e: {is: width of a head, value: d / h}""",
    ),
}


@each_of(CASES, head=FEW)
def test_a_spec_that_is_used_wrongly(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec, OTHERS) == said


def test_the_size_of_the_same_meaning_is_suggested(folder: Path) -> None:
    spec = "title: Mine\ndims: {b: batch size, n: length, d: width, H: Heads}\ninputs: {x: [b, n, d]}\nlayers:\n  y: {use: split%s}\n"
    assert "  did you mean with: {h: H}?\n" in errors(folder, spec % "", OTHERS)
    assert errors(folder, spec % ", with: {h: H}", OTHERS) == ""


def test_a_mistake_of_a_shared_spec_is_printed_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in OTHERS.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    for i in range(20):
        (folder / f"user_{i}.yaml").write_text(
            f"title: User\ndims: {{b: batch size, w{i}: width}}\ninputs: {{x: [b, w{i}]}}\n"
            f"layers:\n  y: {{use: broken, with: {{k: w{i}}}}}\n",
            encoding="utf-8",
        )
    assert main(["check", "."]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("broken.yaml:6:20: error: `z` cannot add x and y: their shapes do not fit\n")
    assert said.err.count("error: ") == 1
    assert said.out == "25 specs: 1 mistake, in 21 of them\n"


CROSS = """\
title: Cross
dims: {b: batch size, n: queries, m: keys, d: width, e: {is: half of it, value: d / 2}}
inputs: {x: [b, n, d], memory: [b, m, d], half: [b, e]}
layers:
  y: {op: linear, in: x, out: [b, n, d]}
  z: {op: linear, in: memory, out: [b, m, d]}
  h: {op: linear, in: half, out: [b, e]}
outputs: [y, z, h]
"""
READS = "title: Mine\ndims: {b: batch size, n: length, d: width, k: other length, w: other width}\nwhere: [d % 2 == 0, w % 2 == 0]\n"
INPUTS = {
    "x: [b, n, w], memory: [b, k, w], half: [b, w/2]": "  did you mean with: {m: k, d: w}?",
    "x: [b, k, d], memory: [b, 7, d], half: [b, d/2]": "  did you mean with: {m: 7, n: k}?",
    "x: [b, n, w], memory: [b, k, d], half: [b, d/2]": None,  # no width suits both
    "x: [b, n, w], memory: [b, k, w], half: [b, d/2]": None,
    "x: [b, n, d, w], memory: [b, k, d], half: [b, d/2]": None,
}


@pytest.mark.parametrize("inputs", INPUTS)
def test_sizes_are_suggested_under_which_all_inputs_fit(inputs: str, folder: Path) -> None:
    rows = "layers:\n  y: {use: cross, in: [x, memory, half], with: {m: k}}\noutputs: [y.y, y.z, y.h]\n"
    said = errors(folder, f"{READS}inputs: {{{inputs}}}\n{rows}", {"cross": CROSS}).split("\n")
    suggestions = [line for line in said if "did you mean" in line]
    assert said[0].startswith("mine.yaml:6:23: error: `cross` expects ")
    assert suggestions == ([] if INPUTS[inputs] is None else [INPUTS[inputs]])
