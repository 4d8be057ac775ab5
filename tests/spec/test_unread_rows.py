"""Rows that nothing reads, and outputs that a spec which uses them could not tell apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bad_specs import HEAD, each_of, errors

UNREAD = {
    "a row of an op": (
        """\
layers:
  f: {op: linear, in: x, out: [b, n, d]}
  y: {op: linear, in: x, out: [b, n, d]}
""",
        """\
mine.yaml:11:3: error: nothing reads `f`
   11 |   f: {op: linear, in: x, out: [b, n, d]}
      |   ^
  remove the row, or name it under `outputs`""",
    ),
    "blocks, and a last row that is no output": (
        """\
layers:
  f: {use: two}
  y: {use: keep, in: x}
  z: {op: linear, out: [b, n, d]}
outputs: [y]
""",
        """\
mine.yaml:11:3: error: nothing reads `f`
   11 |   f: {use: two}
      |   ^
  remove the row, or name it under `outputs`
mine.yaml:13:3: error: nothing reads `z`
   13 |   z: {op: linear, out: [b, n, d]}
      |   ^
  remove the row, or name it under `outputs`""",
    ),
    "a row above one that takes nothing in": (
        """\
layers:
  f: {op: linear, out: [b, n, d]}
  w: {op: parameter, out: [n, d]}
  y: {op: add, in: [x, w]}
""",
        """\
mine.yaml:11:3: error: nothing reads `f`
   11 |   f: {op: linear, out: [b, n, d]}
      |   ^
  remove the row, or name it under `outputs`""",
    ),
}
ALIKE = {
    "a result of a block and a row": (
        """\
layers:
  st: {use: two}
  st_left: {op: mul, in: [st.left, st.right]}
outputs: [st.left, st_left]
""",
        """\
mine.yaml:13:20: error: two outputs have the name `st_left`
   13 | outputs: [st.left, st_left]
      |                    ^^^^^^^
  `st.left` is handed on as `st_left` too, so one of them would be lost; rename a row""",
    ),
}


@each_of(UNREAD, head=HEAD)
def test_a_row_that_nothing_reads_is_refused(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said


@each_of(ALIKE, head=HEAD)
def test_outputs_that_would_have_one_name_are_refused(spec: str, said: str, folder: Path) -> None:
    assert errors(folder, spec) == said


@pytest.mark.parametrize("wrong", ["in: z", "in: f.", "op: linaer", "in: y"])
def test_nothing_is_said_of_an_unread_row_where_a_reference_that_may_mean_it_is_wrong(wrong: str, folder: Path) -> None:
    rest = f"layers:\n  f: {{op: linear, in: x, out: [b, n, d]}}\n  y: {{{wrong}, op: linear, out: [b, n, d]}}\n"
    said = errors(folder, HEAD + rest.replace("op: linaer, op: linear", "op: linaer, in: x"))
    assert said.count("error:") == 1
    assert "nothing reads" not in said


def test_a_row_is_read_by_the_row_below_by_outputs_and_as_a_part_of_its_results(folder: Path) -> None:
    rest = "layers:\n  f: {use: two}\n  y: {op: add, in: [f.left, f.right]}\n  z: {op: softmax, over: -1}\n"
    rest += "  u: {op: softmax, in: x, over: -1}\n"
    assert not errors(folder, f"{HEAD}{rest}outputs: [z, u]\n")
