"""What a kernel that skips hidden scores multiplies: numbers counted by hand, and what is not skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.spec.library import Library
from tests.support.builtin import ops_library

HEAD = """\
title: Attention
dims: {b: batch, n: queries, m: keys, e: width}
inputs: {q: [b, n, e], k: [b, m, e], v: [b, m, e]}
where: m >= n
layers:
  scores: {op: einsum, in: [q, k], eq: "b i e, b j e -> b i j"}
"""
SIZES = {"b": 1, "n": 3, "m": 5, "e": 2}
ALL, SEEN = 2 * 2 * 3 * 5 * 2, 2 * 2 * (3 + 4 + 5) * 2  # FLOPs of both products; queries see 3, 4 and 5 of 5 keys


def sheet(folder: Path, rows: str) -> Sheet:
    (folder / "mine.yaml").write_text(HEAD + rows, encoding="utf-8")
    return compile_spec(Library([folder]), "mine").sheet


def test_a_window_of_three_keys_of_eight_takes_168_multiply_accumulates() -> None:
    found = compile_spec(ops_library(), "window_of_keys").sheet.totals
    sizes = {"b": 1, "h": 1, "n": 8, "w": 3, "e": 4}
    assert evaluate(found["matmul_flops"], sizes) == 2 * 192
    assert (
        evaluate(found["visible_matmul_flops"], sizes) == 2 * 168
    )  # of n*w - w*(w - 1)/2 = 21 pairs, each 4 for the score and 4 for the value
    assert evaluate(found["visible_backward_matmul_flops"], sizes) == 4 * 168


def test_a_window_of_one_key_is_measured_as_it_is_derived() -> None:
    with Workbench(ops_library()) as bench:
        case = check_case(bench, "window_of_keys", {"b": 2, "h": 2, "n": 3, "w": 1, "e": 2})
    assert [check for check in case.checks if not check.equal] == []


@pytest.mark.parametrize(
    ("rows", "seen"),
    [
        ("  r: {op: mask, kind: causal}\n  w: {op: softmax}\n", SEEN),
        ("  r: {op: hide, axes: b i j, where: j > i + m - n}\n  w: {op: softmax}\n", SEEN),
        ("  t: {op: scale, by: 2}\n  r: {op: mask, kind: causal}\n  w: {op: softmax}\n  d: {op: dropout, p: 0.5}\n", SEEN),
        ("  w: {op: softmax}\n", ALL),
        (
            "  r: {op: mask, kind: causal}\n  w: {op: activation, kind: tanh}\n",
            (ALL + SEEN) // 2,
        ),  # a tanh makes no zeros; scores are hidden
        ("  w: {op: softmax}\n  r: {op: mask, kind: causal}\n", (ALL + SEEN) // 2 + (ALL - SEEN) // 2),  # hidden too late
        ("  r: {op: mask, kind: causal}\n  w: {op: softmax}\n  s: {op: add, in: [w, scores]}\n", ALL),  # read without the mask too
    ],
)
def test_products_count_for_what_is_seen(tmp_path: Path, rows: str, seen: int) -> None:
    last = rows.strip().split("\n")[-1].strip().split(":")[0]
    found = sheet(tmp_path, rows + f'  y: {{op: einsum, in: [{last}, v], eq: "b i j, b j e -> b i e"}}\n')
    assert evaluate(found.totals["matmul_flops"], SIZES) == ALL
    assert evaluate(found.totals["visible_matmul_flops"], SIZES) == seen


def test_a_mask_that_is_data_hides_nothing_and_one_without_a_closed_form_says_so(tmp_path: Path) -> None:
    rows = "  r: {op: hide, axes: b i j, where: (i + j) % 3 == 1}\n  w: {op: softmax}\n"
    found = sheet(tmp_path, rows + '  y: {op: einsum, in: [w, v], eq: "b i j, b j e -> b i e"}\n')
    assert evaluate(found.totals["visible_matmul_flops"], SIZES) == ALL
    (note,) = [row.note for row in found.rows if row.name == "r"]
    assert note == "what it hides has no closed form and counts as visible"
