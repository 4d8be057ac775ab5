"""What rows need of the sizes becomes a condition of the sheet, unless it is known; and conditions that nothing meets are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.render.module.condition_checks import own_conditions
from generator.render.module.view import ModuleSet
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.bad_specs import errors
from tests.support.small_specs import write_specs

HEAD = """\
title: Mine
dims: {b: batch, n: length, m: all tokens, d: width, P: places}
inputs:
  x: [b, n, d]
  q: [b, d, n, 4]
  k: [b, d, m, 4]
"""


def conditions(folder: Path, rows: str, where: str = "") -> list[str]:
    text = f"{HEAD}{f'where: {where}' if where else ''}\nlayers:\n{rows}"
    write_specs(folder, mine=text)
    sheet = compile_spec(Library([folder]), "mine").sheet
    return [constraint.text for constraint in (*sheet.constraints, *sheet.trained)]


@pytest.mark.parametrize(
    ("row", "needed"),
    [
        ("{op: select, in: x, axis: n, index: 4}", ["n > 4"]),
        ("{op: select, in: x, axis: n, index: -3}", ["n >= 3"]),
        ("{op: select, in: x, axis: n, index: n - 5}", ["n >= 5"]),
        ("{op: select, in: x, axis: n, index: m}", ["n > m"]),
        ("{op: select, in: x, axis: n, index: m - 2}", ["m >= 2", "n > m - 2"]),
        ("{op: select, in: x, axis: n, index: 0}", []),
        ("{op: select, in: x, axis: n, index: n // 2}", []),
        ("{op: slice, in: x, axis: n, start: 2, size: 3}", ["n >= 5"]),
        ("{op: slice, in: x, axis: n, start: 1, size: n - 1}", ["n > 1"]),
        ("{op: slice, in: x, axis: n, start: n - 3, size: 2}", ["n >= 3"]),
        ("{op: slice, in: x, axis: n, size: m}", ["n >= m"]),
        ("{op: slice, in: x, axis: n, start: m - 3, size: n - 4}", ["m >= 3", "m <= 7", "n > 4"]),
        ("{op: slice, in: x, axis: n, start: 2*m, size: 2*d}", ["n >= 2*m + 2*d"]),
        ("{op: scale, in: x, by: 1/(n - 1)}", ["n > 1"]),
        ("{op: scale, in: x, by: 1/(n - 5)}", ["n != 5"]),
        ("{op: scale, in: x, by: (n - 5)**-0.5}", ["n > 5"]),
        ("{op: scale, in: x, by: sqrt(n - m)}", ["n >= m"]),
        ("{op: scale, in: x, by: log2(n - 1)}", ["n > 1"]),
        ("{op: scale, in: x, by: n % (d - 1)}", ["d > 1"]),
        ("{op: scale, in: x, by: 1/(n*d - n)}", ["d > 1"]),
        ("{op: scale, in: x, by: d**-0.5}", []),
        ("{op: attention, in: [q, k, k], causal: true, offset: m - n}", ["n <= m"]),
        ("{op: attention, in: [q, k, k], scale: 1/(n - 2)}", ["n != 2"]),
        ("{op: positional, in: x, kind: learned, length: P}", ["n <= P"]),
        ("{op: positional, in: x, kind: learned, length: P, offset: m - n}", ["n <= m", "m <= P"]),
        ("{op: top_k, in: x, k: 3}", ["d >= 3"]),
        ('{op: hide, in: x, axes: b i j, where: "j // (n - m) > i"}', ["n != m"]),
        ('{op: hide, in: x, axes: b i j, where: "i % (2*m - 2) > n // (d - 1) or j > i"}', ["m > 1", "d > 1"]),
        ("{op: mask, in: x, kind: causal}", ["n <= d"]),
        ("{op: group_norm, in: x, groups: n}", ["b*d > 1"]),
        ("{op: batch_norm, in: x}", ["b*d > 1"]),
        ("{op: conv1d, in: x, channels: d, kernel: m, transposed: true, stride: m, output_padding: P - 1}", ["m > P - 1"]),
        ("{op: shift, in: x, by: (n/2 - m)**-0.5}", ["n > 2*m"]),
        ("{op: scale, in: x, by: 1/(n//(m - 2))}", ["m != 2", "floor(n/(m - 2)) != 0"]),
        ("{op: pad, in: x, axis: n, before: m - d}", ["m >= d"]),
        ("{op: pool, in: x, kind: avg, kernel: m, padding: 1}", ["m >= 2", "m <= d + 2"]),
        ("{op: linear, in: x, out: [b, n, d % (m - 1) + 1]}", ["m > 1", "d % (m - 1) + 1 > 0"]),
    ],
)
def test_what_a_row_needs_of_the_sizes_is_a_condition_of_the_sheet(row: str, needed: list[str], folder: Path) -> None:
    found = conditions(folder, f"  y: {row}\n" if "op: top_k" not in row else f"  c: {row}\n  y: {{op: scale, in: c.values, by: 2}}\n")
    assert found == needed


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{op: mask, in: s, kind: causal}", "`y` is causal, but has 3 queries for 2 keys"),
        ("{op: remainder, in: i, by: 0}", "`by` of `y` must be at least 1; it is 0"),
        ("{op: floor_divide, in: i, by: n - n}", "`by` of `y` must be at least 1; it is 0"),
        ("{op: fft, in: one, over: [1], kind: irfft}", "`y` makes no real numbers of a single frequency"),
        ("{op: cache, in: x, once: true, offset: -2}", "`offset` of `y` must be at least 0; it is -2"),
        ("{op: positional, in: s, kind: learned, length: 9, offset: -1}", "`y` cannot run at these sizes, whatever the others are"),
        ("{op: positional, in: s, kind: learned, length: 9, offset: 7}", "`y` cannot run at these sizes, whatever the others are"),
        ("{op: rotations, in: s, length: 9, width: 6}", "`y` cannot run at these sizes, whatever the others are"),
        ("{use: gated_mlp, in: t, with: {f: 2}, experts: 2, by: i, capacity: 2}", "take 4 tokens together, and 6 are chosen for them"),
    ],
)
def test_what_numbers_in_a_row_never_meet_is_refused_there(row: str, said: str, folder: Path) -> None:
    inputs = "inputs: {x: [b, n, d], s: [b, 3, 2], t: [3, d], one: [b, 1, 2], i: {shape: [3, 2], dtype: int, below: 2}}"
    head = f"title: Mine\ndims: {{b: batch, n: length, d: width}}\n{inputs}\nlayers:\n"
    text = errors(folder, f"{head}  y: {row}\noutputs: [y]\n", {})
    assert text.startswith("mine.yaml:5:")
    assert said in text


@pytest.mark.parametrize(
    ("row", "where"),
    [
        ("{op: select, in: x, axis: n, index: 4}", "n >= 8"),
        ("{op: slice, in: x, axis: n, size: m}", "n % m == 0"),
        ("{op: positional, in: x, kind: learned, length: P}", "n <= P"),
        ("{op: scale, in: x, by: 1/(n - 1)}", "n > 1"),
    ],
)
def test_what_the_conditions_of_a_spec_imply_is_not_required_once_more(row: str, where: str, folder: Path) -> None:
    assert conditions(folder, f"  y: {row}\n", where) == [where]


def test_what_a_condition_divides_by_comes_before_it(folder: Path) -> None:
    assert conditions(folder, "  y: {op: scale, in: x, by: 2}\n", "n % (d - 1) == 0") == ["d > 1", "n % (d - 1) == 0"]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("[n > 5, n < 3]", "no size `n` meets `n > 5` and `n < 3`"),
        ("[n % 8 == 0, n < 8]", "no size `n` meets `n % 8 == 0` and `n < 8`"),
        ("[n == 3, n == 4]", "no size `n` meets `n == 3` and `n == 4`"),
        ("[n != 1 and n < 2]", "no size `n` meets `n != 1` and `n < 2`"),
        ("[n <= m, n > m]", "no sizes meet `n <= m` and `n > m`"),
        ("[n > 2*m, d >= n, m >= d]", "no sizes meet `n > 2*m`, `n <= d` and `m >= d`"),
    ],
)
def test_conditions_that_no_size_meets_are_refused(where: str, message: str, folder: Path) -> None:
    said = errors(folder, f"{HEAD}where: {where}\nlayers:\n  y: {{op: scale, in: x, by: 2}}\n", {})
    assert f"error: {message}" in said
    assert said.startswith("mine.yaml:7:")


def test_a_row_that_needs_what_a_condition_forbids_is_refused_at_the_row(folder: Path) -> None:
    said = errors(folder, f"{HEAD}where: n < 3\nlayers:\n  y: {{op: select, in: x, axis: n, index: 3}}\n", {})
    assert said.startswith("mine.yaml:9:11: error: no size `n` meets `n < 3` and `n > 3`")
    assert said.endswith("  `n < 3` is stated on line 7 of mine.yaml")


@pytest.mark.parametrize("where", ["[n > 5, n < 7]", "[n % m == 0, n < m]", "[n % 8 == 0, n <= 8]"])
def test_conditions_that_some_size_meets_or_that_are_beyond_this_are_accepted(where: str, folder: Path) -> None:
    assert conditions(folder, "  y: {op: scale, in: x, by: 2}\n", where)


def test_a_module_checks_what_its_conditions_divide_by_before_them(folder: Path) -> None:
    spec = "title: In\ndims: {b: batch, d: width, h: heads}\nwhere: d % (h - 1) == 0\ninputs: {x: [b, d]}\nlayers:\n"
    write_specs(folder, mine=f"{spec}  y: {{op: linear, out: [b, d/(h - 1)]}}\n")
    view = ModuleSet(Library([folder])).view("mine")
    assert [str(one.condition) for one in own_conditions(view.arch, {"d", "h"})] == ["h > 1", "Eq(Mod(d, h - 1), 0)"]


def test_a_module_checks_its_own_conditions_and_not_those_of_its_blocks_that_read_alike(folder: Path) -> None:
    inner = "title: In\ndims: {b: batch, d: width}\nwhere: d % 2 == 0\ninputs: {x: [b, d]}\nlayers:\n  y: {op: scale, by: 2}\n"
    outer = (
        "title: Out\ndims: {b: batch, d: width, f: {is: inner width, value: 3*d}}\nwhere: d % 2 == 0\ninputs: {x: [b, d]}\n"
        "layers:\n  up: {op: linear, out: [b, f]}\n  y: {use: inner, with: {d: f}}\n"
    )
    write_specs(folder, inner=inner, outer=outer)
    view = ModuleSet(Library([folder])).view("outer")
    assert [str(one.condition) for one in own_conditions(view.arch, {"d"})] == ["Eq(Mod(d, 2), 0)"]
