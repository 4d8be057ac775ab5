"""A claim whose formulas have no value at its sizes is one mistake at the formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sheet.claims.claim_specs import problems

HAS_NONE = "`{}` has no value at the sizes of this claim"
FORMULAS = [
    "24/(d - 768)",
    "sqrt(d - 769)",
    "8*log2(d - 768)",
    "d % (d - 768)",
    "d // (d - 768)",
    "min(n, 1/(d - 768))",
    "0**(d - 769)",
    "log2(log2(d - 767))",
]


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("claim", ['equals: "{}"', 'order: "{}"', 'exceeds: "{}", once: n > 3*d', 'equals: d, given: {{b: "{}"}}'])
def test_a_formula_without_a_value_at_a_preset_is_one_mistake(formula: str, claim: str, tmp_path: Path) -> None:
    [(line, message, notes)] = problems(tmp_path, f"{{of: params, preset: base, {claim.format(formula)}}}")
    assert (line, message) == (1, HAS_NONE.format(formula))
    assert "d is 768" in notes[0]


def test_a_condition_without_a_value_at_the_sizes_of_a_claim_is_a_mistake(tmp_path: Path) -> None:
    conditions = ["where: n > 24/(d - 768)", "where: n > sqrt(d - 769)", "exceeds: d, once: n > h/(d - 768)"]
    found = problems(tmp_path, *(f"{{of: params, given: {{d: 768}}, {text}{', equals: d' * ('once' not in text)}}}" for text in conditions))
    texts = ["n > 24/(d - 768)", "n > sqrt(d - 769)", "n > h/(d - 768)"]
    assert [(line, message) for line, message, _ in found] == [(i, HAS_NONE.format(text)) for i, text in enumerate(texts, 1)]


def test_a_right_formula_beside_an_erratum_needs_a_value_too(tmp_path: Path) -> None:
    [(_, message, _)] = problems(tmp_path, "{of: params, equals: 1, preset: base, erratum: one, correct: 24/(d - 768)}")
    assert message == HAS_NONE.format("24/(d - 768)")


def test_a_size_put_in_the_place_of_another_may_take_the_value_away(tmp_path: Path) -> None:
    [(_, message, notes)] = problems(tmp_path, "{of: params, equals: 1/(f - d), given: {f: d}}")
    assert message == HAS_NONE.format("1/(f - d)")
    assert notes[0] == "f is d"
