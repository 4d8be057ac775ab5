"""What people are told whose positions, conditions, hashes or features do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bad_specs import told

HEADS = "[b, h, n, e]"


def some_rows(rows: str) -> str:
    dims = ", ".join(f"{name}: size {name}" for name in "bhnemkrP")
    return f"title: Rows\ndims: {{{dims}}}\ninputs: {{x: {HEADS}}}\nwhere: n <= P\nlayers: {{{rows}}}\n"


CASES = {
    "y: {op: hide, axes: b h i j, where: i > q}": ["`q` is no axis and no size"],
    "y: {op: hide, axes: b h i, where: i > 1}": ["`axes` gives one name for each axis, 4 in all; found `b h i`"],
    "y: {op: hide, axes: b h m j, where: j > 1}": ["axis `m` of x is n, but m is m"],
    "y: {op: hide, axes: b h i j, where: n > m}": ["the condition names no index of an axis"],
    "y: {op: hide, axes: b h i j, where: i / 2 > j}": ["`/` does not work on an index; use + - * // and %"],
    'y: {op: hide, axes: b h i j, where: "min(i, j) > 2"}': ["`min` does not work on an index; use + - * // and %"],
    "y: {op: hide, axes: b h i j, where: i > j or n > m}": ["each side of `and` and `or` must depend on an index"],
    'y: {op: hide, axes: b h i j, where: "j // (n - n) > i"}': ["the condition divides by zero"],
    "a: {op: rotations, length: P}": [
        "`a` rotates pairs of features, but e is not always even",
        'did you mean to add where: ["e % 2 == 0"]?',
    ],
    "a: {op: rotations, length: P, width: 4, in: x}, y: {op: rotary, in: [x, a.cos, x]}": [
        "`y` needs x [..., n, e] and the two tables [n, e/2] of an `op: rotations` for it"
    ],
    "y: {op: lsh_buckets, rounds: r, buckets: k}": [
        "`y` needs an even number of buckets; found k",
        'did you mean to add where: ["k % 2 == 0"]?',
    ],
    "w: {op: random_projection, out: [m, n]}, y: {op: random_features, in: [x, w], of: keys}": [
        "`y` needs x [..., n, e] and directions [m, e]"
    ],
    "w: {op: random_projection, out: [m]}": ["`w` is declared [m]; directions have two axes: how many, and their width"],
    "y: {op: argsort}": ["`argsort` reads indices (dtype: int), but `x` holds numbers"],
}


@pytest.mark.parametrize("rows", CASES)
def test_people_are_told_what_does_not_fit(tmp_path: Path, rows: str) -> None:
    message, _, notes = told(tmp_path, some_rows(rows))
    expected, *expected_notes = CASES[rows]
    assert message == expected
    assert set(expected_notes) <= set(notes)
