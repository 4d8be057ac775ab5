"""Claims are decided in symbols: equal, different by exactly what, of the same order, greater from where on."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.formulas.text import to_text
from tests.sheet.claims.claim_specs import FIRST_LINE, claims, problems

EXPLAIN = "if the source is wrong, say why under `erratum`"


def test_a_formula_is_equal_however_it_is_written(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: macs, row: attended, equals: 2*b*n*d*(2*d + n)}")
    assert (claim.verdict, claim.difference, claim.line) == ("equal", 0, FIRST_LINE)


def test_an_unexpected_difference_names_both_formulas_and_the_factored_difference(tmp_path: Path) -> None:
    notes = ("derived: 4*b*n*d**2 + 2*b*n**2*d", "claimed - derived: -2*b*n*d*(2*d + n - 2)", EXPLAIN)
    found = problems(tmp_path, "{of: macs, row: attended, equals: 4*b*n*d}")
    assert found == [(1, "this claim does not hold: macs of `attended` is not 4*b*n*d", notes)]


def test_an_erratum_keeps_its_difference_term_by_term_and_an_example(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: macs, row: attended, equals: 4*b*n*d + 2*b*n**2*d, erratum: a factor is lost}")
    assert (claim.verdict, claim.erratum) == ("differs", "a factor is lost")
    assert [(to_text(term.term, "bnd"), term.claimed, term.derived, term.rows) for term in claim.terms] == [
        ("b*n*d", 4, 0, ()),
        ("b*n*d**2", 0, 4, ("attended.q", "attended.k", "attended.v", "attended.out")),
    ]
    # 4*1*2*3 + 2*1*4*3 = 48 as published, 4*1*2*9 + 24 = 96 as derived
    assert claim.example == {"b": 1, "n": 2, "d": 3}


def test_an_erratum_that_holds_is_a_problem(tmp_path: Path) -> None:
    found = problems(tmp_path, "{of: params, row: normed, equals: 2*d, erratum: no}")
    assert found == [(1, "this claim holds, so it is no erratum: params is 2*d", ())]


def test_the_right_formula_beside_an_erratum_is_verified_too(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: params, row: normed, equals: d, erratum: the bias is missing, correct: 2*d}")
    assert claim.correct == "2*d"
    found = problems(tmp_path, "{of: params, row: normed, equals: d, erratum: the bias is missing, correct: 3*d}")
    assert found == [(1, "`correct` does not hold either: params is not 3*d", ("derived: 2*d", "correct - derived: d"))]


def test_a_claim_under_conditions_holds_for_what_is_put_in_and_prints_it(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: macs, given: {f: 4*d, n: H*W}, equals: 12*b*H*W*d**2 + 2*b*(H*W)**2*d}")
    assert (claim.verdict, claim.conditions) == ("equal", ("f = 4*d", "n = H*W"))
    missing = "{of: macs, given: {n: H*W}, equals: 12*b*H*W*d**2 + 2*b*(H*W)**2*d}"
    (found,) = problems(tmp_path, missing)
    assert found[2][1:] == ("claimed - derived: 2*b*d*H*W*(4*d - f)", "with n = H*W", EXPLAIN)


def test_values_may_be_given_in_terms_of_each_other_but_not_of_themselves(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: macs, row: up, given: {f: 4*d, d: 2*k}, equals: 16*b*n*k**2}")
    assert claim.verdict == "equal"
    found = problems(tmp_path, "{of: macs, given: {n: 2*d, d: n/2}, equals: 1}")
    assert found == [(1, "`n` is given in terms of itself", ())]


def test_a_preset_is_a_condition_and_may_leave_a_size_open(tmp_path: Path) -> None:
    equal, open_length = claims(
        tmp_path,
        "{of: params, row: [up, down], preset: base, equals: 2*768*3072 + 3072 + 768}",
        "{of: macs, row: up, preset: base, given: {n: n}, equals: n*768*3072}",
    )
    assert (equal.verdict, equal.conditions) == ("equal", ("preset base",))
    assert (open_length.verdict, open_length.conditions) == ("equal", ("preset base", "n open"))


def test_a_source_may_print_leading_digits_only(tmp_path: Path) -> None:
    # 4*768**2 + 4*768 = 2,362,368
    (claim,) = claims(tmp_path, "{of: params, row: attended, preset: base, digits: 2, equals: 2400000}")
    assert claim.verdict == "equal"
    (found,) = problems(tmp_path, "{of: params, row: attended, preset: base, digits: 2, equals: 2300000}")
    assert found[1] == "this claim does not hold: params of `attended` is not 2300000"
    found = problems(tmp_path, "{of: params, row: attended, digits: 2, equals: 2400000}")
    assert found == [(1, "`digits` compares numbers, but `d` has no value", ("give them under `given`, or name a `preset`",))]


def test_saved_bytes_are_of_a_number_format(tmp_path: Path) -> None:
    single, half = claims(
        tmp_path,
        "{of: saved_bytes, row: picked, equals: 4*b*n*d}",
        "{of: saved_bytes, row: picked, equals: 2*b*n*d, dtype: bfloat16}",
    )
    assert [(claim.verdict, claim.dtype) for claim in (single, half)] == [("equal", "float32"), ("equal", "bfloat16")]


def test_a_comparison_holds_exactly_where_its_condition_does(tmp_path: Path) -> None:
    line = "{of: macs, row: attended, given: {f: 4*d}, exceeds: {row: [up, down]}, once: n > %s}"
    (claim,) = claims(tmp_path, line % "2*d")
    assert (claim.verdict, claim.text, claim.against) == ("holds", "n > 2*d", "up, down")
    (found,) = problems(tmp_path, line % "3*d")
    assert found[1] == "this claim does not hold: macs of `attended` is not greater exactly where n > 3*d"
    assert found[2][:3] == ("derived: 4*b*n*d**2 + 2*b*n**2*d", "derived - up, down: 2*b*n*d*(n - 2*d)", "other side: 8*b*n*d**2")


def test_what_is_stated_is_never_called_proven(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{states: path length, order: log2(n)/log2(k), because: each layer reaches k times as far}")
    assert (claim.kind, claim.verdict, claim.because) == ("stated", "stated", "each layer reaches k times as far")


@pytest.mark.parametrize(
    ("line", "message", "note"),
    [
        ("{equals: 1}", "`of` is missing in `claims`", "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`"),
        ("{of: macs}", "`equals` is missing in `claims`", "a claim is a quantity and its formula: `{of: macs, equals: 4*b*n*d**2}`"),
        ("{of: macs, equals: 1, order: n}", "a claim has one of `equals`, `order` or `exceeds`; found `equals` and `order`", None),
        ("{of: macs, equals: 1, in: n}", "`in` belongs to a claim with `order`", None),
        ("{of: params, row: normed, equals: 2*d, correct: d}", "`correct` belongs to a claim with `erratum`", None),
        ("{states: path length, order: n}", "a claim with `states` needs `because`: the derivation in words", None),
        (
            "{states: steps, order: n, because: so, of: macs}",
            "a claim with `states` is not derived, so `of` does not belong here",
            None,
        ),
        ("{of: macs, equals: 1, given: {k: 2}}", "`given` replaces `k`, which is not a size of `block`", None),
        ("{of: macs, equals: 1, preset: bass}", "there is no preset `bass`", "did you mean `base`?"),
        (
            "{of: macs, row: atended, equals: 1}",
            "there is no row `atended`, which the claim is about",
            "did you mean `attended`, `attended.v` or `attended.q`?",
        ),
        (
            "{of: macs, where: n == d, equals: 1}",
            "`n == d` is an equation; `where` of a claim takes comparisons such as n > 2*d",
            None,
        ),
        ("{of: macs, row: up, exceeds: 1, once: n >= 2}", "`once` is a comparison with > or <, such as n > 2*d; found `n >= 2`", None),
    ],
)
def test_a_claim_that_makes_no_sense_is_explained(tmp_path: Path, line: str, message: str, note: str | None) -> None:
    (found,) = problems(tmp_path, line)
    assert found[1] == message
    assert note is None or found[2][0] == note


def test_two_claims_have_different_ids(tmp_path: Path) -> None:
    line = "{id: norm, of: params, row: normed, equals: 2*d}"
    assert problems(tmp_path, line, line) == [(2, "two claims have the id `norm`", (f"the first is on line {FIRST_LINE}",))]


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("{of: params, equals: 1, where: n < 0}", "`n < 0` never holds, as sizes are at least 1"),
        ("{of: params, equals: 1, where: [n < 5, n > 7]}", "no size `n` meets `n < 5` and `n > 7`, which this claim assumes"),
        ("{of: params, equals: 1, where: n < 5, preset: base}", "`n < 5` never holds at the sizes of this claim"),
        ("{of: params, equals: 1, given: {d: 7, h: 2}}", "the sizes of this claim break `d % h == 0`, a condition of the spec"),
        ("{of: params, equals: 1, given: {d: 0}}", "`d` cannot be given as 0: sizes are whole numbers of at least 1"),
        ("{of: macs, row: up, exceeds: {row: normed}, once: n < 0}", "`once: n < 0` never holds, as sizes are at least 1"),
        ("{of: macs, row: up, exceeds: {row: normed}, once: n > 0}", "`once: n > 0` always holds, as sizes are at least 1"),
    ],
)
def test_a_claim_about_sizes_that_there_are_not_is_a_problem(claim: str, message: str, tmp_path: Path) -> None:
    assert [found[1] for found in problems(tmp_path, claim)] == [message]
