"""Einsums of many tensors and of diagonals compute what torch.einsum does in one call, in an order that costs what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from generator.formulas.evaluate import evaluate
from generator.proof.verify.instance import Workbench
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.builtin import ops_library

SIZES = {"b": 2, "h": 3, "n": 4, "m": 5, "i": 2, "j": 3, "o": 6}


def test_einsums_of_many_are_those_of_torch() -> None:
    with Workbench(ops_library()) as bench:
        torch.manual_seed(0)
        module = bench.build("einsum_of_many", SIZES, dtype=torch.float64)
        x, z, q, k, v, s = inputs = bench.inputs("einsum_of_many", SIZES, dtype=torch.float64)
        bilinear, chained, diagonal, weighed, scaled = module(*inputs)
    layer = nn.Bilinear(2, 3, 6, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(module.w)
    torch.testing.assert_close(bilinear, layer(x, z))
    mixed = torch.einsum("bhpi,bhri,bhrj->bhpj", q, k, v)
    torch.testing.assert_close(chained, torch.einsum("bpq,bqr,btr,bhtj->bhpj", s, s, s, mixed))
    torch.testing.assert_close(diagonal, torch.einsum("bpp->pb", s))
    torch.testing.assert_close(weighed, torch.einsum("bpp,bi->bpi", s, x))
    torch.testing.assert_close(scaled, torch.einsum("bpq,b,bqq->bpq", s, torch.einsum("bpp->b", s), s))


def test_contraction_is_from_left_to_right() -> None:
    sheet = compile_spec(ops_library(), "einsum_of_many").sheet
    macs = {row.name: evaluate(row.costs["macs"], SIZES) for row in sheet.rows}
    assert macs["bilinear"] == 2 * 6 * 2 * 3 + 2 * 6 * 3  # b*o*i*j, then b*o*j
    assert macs["mixed"] == 2 * 3 * 4 * 5 * (2 + 3)
    assert macs["trace"] == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{op: einsum, in: x, eq: "p p -> p"}', "`y` aligns axis p of x with axis p of x, but their sizes differ"),
        ('{op: einsum, in: [x, x, x], eq: "p q, p q -> p"}', "`p q, p q -> p` has 2 operands, but the row has 3 inputs"),
        ('{op: einsum, in: [x, x], eq: "p q, p q -> p p"}', "`p` stands twice in `p p`"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, row: str, said: str) -> None:
    text = f"title: One\ndims: {{b: batch, n: length}}\ninputs: {{x: [b, n]}}\nlayers:\n  y: {row}\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ProblemsError, match="error") as raised:
        compile_spec(Library([tmp_path]), "mine")
    assert [problem.message for problem in raised.value.problems] == [said]
