"""What is suggested where shapes do not fit: `refused` follows each suggestion and sees that it helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.text.problems import ProblemsError
from tests.support.bad_specs import refused

HEAD = "title: Rows\ndims: {b: batch, m: length, d: width, k: picks, n: queries}\n"
CASES = {
    # indices that pick along an axis
    ("x: [b, m, d], end: {shape: [b], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, 1]",
    ("x: [b, m, d], end: {shape: [k], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, k]",
    ("x: [b, m, d], end: {shape: [k, n], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, n]",
    ("x: [b, m, d], end: {shape: [b, m, k], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, m]",
    ("x: [b, m, d], end: {shape: [b, m, d, 5], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 2}"): "end to be [b, m, d]",
    ("x: [b, m, d, k], end: {shape: [b, n, d], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, n]",
    ("x: [m, d], end: {shape: [k, d, b], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 0}"): "end to be [k]",
    ("x: [b, m, d], end: {shape: [], dtype: int, below: m}", "{op: gather, in: [x, end], axis: 1}"): "end to be [b, 1]",
    # masks
    ("x: [m], end: {shape: [b], dtype: bool}", "{op: mask, kind: padding, in: [x, end]}"): "end to be [m]",
    ("x: [b, m], end: {shape: [b], dtype: bool}", "{op: mask, kind: padding, in: [x, end]}"): "end to be [b, m]",
    ("x: [b, k, n, m], end: {shape: [m, b], dtype: bool}", "{op: mask, kind: padding, in: [x, end]}"): "end to be [b, m]",
    # queries for other keys
    (
        "x: [b, k, n + 1, d], end: [b, k, m + 2, d], v: [b, k, m + 2, d]",
        "{op: attention, in: [x, end, v], causal: true}",
    ): "offset: m - n + 1",
    ("x: [b, k, 3, d], end: [b, k, 5, d]", "{op: attention, in: [x, end, end], causal: true}"): "offset: 2",
    # functions of another op
    ("x: [b, d]", "{op: activation, kind: rrelu}"): "{op: rrelu}",
    ("x: [b, d]", "{op: activation, kind: sin}"): "{op: elementwise, kind: sin}",
    ("x: [b, d]", "{op: elementwise, kind: tanh}"): "{op: activation, kind: tanh}",
    # shapes that are declared otherwise
    ("x: [b, m, d]", "{op: linear, out: [b, k]}"): "out: [b, m, k]",
    ("x: [b, m, d]", "{op: linear, out: [b, n, d, k]}"): "out: [b, m, k]",
    ("x: [b, m, d]", "{op: softmax, over: -1, out: [b, d, m]}"): "out: [b, m, d]",
    ("x: [b, 9, d]", "{op: unfold, axis: 1, size: 3, step: 2, out: [b, d]}"): "out: [b, 4, 3, d]",
    ("x: [b, 8*m*n]", "{op: rearrange, to: b (i j) -> b i j, out: [b, k, 8*m]}"): "",
    # sizes that must divide others
    ("x: [b, m, d]", "{op: rearrange, to: b m (k e) -> b m k e}"): 'to add where: ["d % k == 0"]',
    ("x: [b, m, 2*d + k]", "{op: rearrange, to: b m (n e) -> b m n e}"): 'to add where: ["(2*d + k) % n == 0"]',
    ("x: [b, m, d]", "{op: split, into: 3, axis: -1, names: [p, q, r]}"): 'to add where: ["d % 3 == 0"]',
    ("x: [b, m*k, d]", "{op: unfold, axis: 1, size: n/2}"): 'to add where: ["n % 2 == 0"]',
}


@pytest.mark.parametrize(("inputs", "row"), CASES)
def test_a_suggestion_is_accepted(inputs: str, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(f"{HEAD}inputs: {{{inputs}}}\nlayers:\n  y: {row}\n", encoding="utf-8")
    said = str(ProblemsError(refused(tmp_path, "one")))
    suggestion = CASES[inputs, row]
    assert (f"  did you mean {suggestion}?" in said.split("\n")) if suggestion else ("error" in said and "did you mean" not in said), said
