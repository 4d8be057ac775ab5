"""An axis named by its size is the one that the spec's author named, whatever sizes a user of the spec makes equal.

The names in a pattern are those of axes, as in einops; that of a size which another axis has is a mistake.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.formulas.symbols import symbol
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.bad_specs import told
from tests.support.small_specs import write_specs

BLOCK = """\
title: Scaled along one axis
dims: {b: batch, n: rows, d: width}
inputs: {x: [b, n, d]}
layers:
  y: {op: softmax, over: n}
"""
SQUARE = """\
title: Used on a square
dims: {b: batch, s: side}
inputs: {x: [b, s, s]}
layers:
  y: {use: block, with: {n: s, d: s}}
"""
ONE = """\
title: A kept axis beside one of a size that may be one
dims: {b: rows, n: columns}
inputs: {x: [n, b]}
layers:
  sum: {op: sum, over: 0, keep: true}
  y: {op: l2_normalise, over: b}
"""


@pytest.fixture
def bench(tmp_path: Path):
    write_specs(tmp_path, block=BLOCK, square=SQUARE, one=ONE)
    with Workbench(Library([tmp_path])) as bench:
        yield bench


def test_a_block_that_names_an_axis_is_used_where_two_axes_are_equal(bench: Workbench) -> None:
    case = check_case(bench, "square", {"b": 2, "s": 5})
    assert [check for check in case.checks if not check.equal] == []


def test_an_axis_named_by_a_size_of_one_stays_that_axis_beside_another_of_one(bench: Workbench) -> None:
    case = check_case(bench, "one", {"b": 1, "n": 3})
    assert [check for check in case.checks if not check.equal] == []


# A level of half the height and width, whose pattern calls its axes as those of the whole; height and width are swapped in the other.
LEVELS = """\
title: Two levels
dims: {b: batch, c: channels, H: height, W: width}
inputs: {p3: [b, c, H, W], p4: [b, c, H//2, W//2]}
layers:
  a: {op: conv2d, in: p3, channels: c, kernel: 3, padding: 1}
  c: {op: conv2d, in: p4, channels: c, kernel: 3, padding: 1, tie: a}
  ra: {op: rearrange, in: a, to: b c H W -> b c (H W)}
  rc: {op: rearrange, in: c, to: b c H W -> b c (H W)}
  y: {op: concat, in: [ra, rc], axis: 2}
"""
WIDE = """\
title: Used on an image twice as wide as high
dims: {b: batch, c: channels, s: side}
inputs: {p3: [b, c, s, 2*s], p4: [b, c, s//2, s]}
layers:
  y: {use: levels, in: [p3, p4], with: {H: s, W: 2*s}}
"""
NAMED = "title: Named\ndims: {b: batch, n: length, d: width, h: heads}\nwhere: d % h == 0\ninputs: {x: [b, n, d]}\nlayers:\n  "


def test_a_name_alone_on_an_axis_is_that_axis_whatever_sizes_are_called(tmp_path: Path) -> None:
    write_specs(tmp_path, levels=LEVELS)
    sheet = compile_spec(Library([tmp_path]), "levels").sheet
    sizes = {"b": 1, "c": 4, "H": 8, "W": 8}
    # One nn.Conv2d(4, 4, 3), applied to 8*8 and to 4*4 positions: 2 * 9 * 4 * 4 * 80 FLOPs.
    assert [int(sheet.totals[key].subs({symbol(k): v for k, v in sizes.items()})) for key in ("params", "matmul_flops")] == [148, 23_040]


def test_it_is_that_axis_where_the_sizes_of_another_spec_give_its_name_to_another(tmp_path: Path) -> None:
    write_specs(tmp_path, levels=LEVELS, wide=WIDE)  # there, W//2 is s, as H is
    with Workbench(Library([tmp_path])) as bench:
        assert [check for check in check_case(bench, "wide", {"b": 1, "c": 2, "s": 4}).checks if not check.equal] == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "y: {op: rearrange, to: b d n -> b n d}",
            ("`d` is d, but that axis of x is n", "b d n -> b n d", ["x is [b, n, d]"]),
        ),
        (
            'y: {op: einsum, in: [x, x], eq: "b d n, b e n -> b d e"}',
            ("axis `d` of x is n, not d", '"b d n', ["x is [b, n, d]; x is [b, n, d]"]),
        ),
        (
            "y: {op: rearrange, to: b n (h d) -> b h n d}",
            ("`h d` is d*h, but that axis of x is d", "b n (h d) -> b h n d", ["x is [b, n, d]"]),
        ),
    ],
)
def test_a_name_of_a_size_that_another_axis_has_is_a_mistake_and_in_a_group_it_is_the_size(
    tmp_path: Path, row: str, said: tuple[str, str, list[str]]
) -> None:
    assert told(tmp_path, NAMED + row) == said
