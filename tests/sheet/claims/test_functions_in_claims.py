"""Whatever the expression language says, a claim may say: it is judged, and printed in every dialect."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from generator.formulas.excel import to_excel
from generator.formulas.factored import factored_latex, factored_text
from generator.formulas.latex import to_latex
from generator.formulas.python import to_python_number
from generator.formulas.text import to_text
from generator.text.expressions import evaluate_number, parse_expression
from tests.sheet.claims.claim_specs import claims, problems

ORDER = tuple("bndhf")
NAMES = {name: name for name in ORDER}
AT = {"b": 2, "n": 16, "d": 12, "h": 3, "f": 48}
FORMULAS = [
    "log2(d)",
    "d*log2(n)**2 + log2(6*d)",
    "1/log2(d + 1)",
    "log2(d/h)",
    "log2(n)/log2(d)",
    "log2(log2(d) + 1)",
    "log2(sqrt(d))",
    "log2(min(d, n))",
    "sqrt(log2(d))",
    "3**log2(d)",
    "log2(d)**h",
    "log2(3)",
    "d*sqrt(n)/h",
    "sqrt(d + 1)",
    "d**0.3",
    "min(d, n)/h",
    "max(log2(d), n)",
    "floor(d/7) + ceil(n/5)",
    "floor(log2(d)/2) + ceil(log2(n))",
    "d // 7 + d % 7",
    "log2(d) % 2",
    "2**-h",
    "(-1)**n",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_claim_with_any_function_is_printed_in_every_dialect(formula: str, tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, f'{{of: params, equals: "{formula}", erratum: to see it printed}}')
    for expr in (claim.claimed, claim.derived, claim.difference):
        for text in (to_text(expr, ORDER), to_latex(expr, ORDER), to_excel(expr, NAMES, ORDER), to_python_number(expr, NAMES, ORDER)):
            assert "Log2" not in text
            assert "Max" not in text
        assert factored_text(expr, ORDER)
        assert factored_latex(expr, ORDER)
    expected = float(evaluate_number(parse_expression(formula), AT))
    printed = evaluate_number(parse_expression(to_text(claim.claimed, ORDER)), AT)
    assert float(printed) == pytest.approx(expected)
    python = eval(to_python_number(claim.claimed, NAMES, ORDER), {"math": math, "min": min, "max": max}, dict(AT))  # noqa: S307
    assert python == pytest.approx(expected)


def test_a_wrong_claim_with_a_logarithm_shows_the_difference(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "{of: params, row: normed, equals: log2(d)}")
    assert found[1:] == (
        "this claim does not hold: params of `normed` is not log2(d)",
        ("derived: 2*d", "claimed - derived: log2(d) - 2*d", "if the source is wrong, say why under `erratum`"),
    )


def test_a_claim_with_a_logarithm_that_cancels_holds(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: params, row: normed, equals: 2**(log2(d) + 1) + log2(8*d**2) - 2*log2(d) - 3}")
    assert claim.verdict == "equal"


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("d % 7 + 1", "the growth of d % 7 is not known here"),
        ("n**log2(d)", "the growth of n**log2(d) is not known here"),
        ("log2(d/h)", "terms with a minus may cancel the others"),
    ],
)
def test_an_order_that_cannot_be_judged_is_named_as_a_spec_writes_it(formula: str, why: str, tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f"{{of: params, order: {formula}}}")
    assert found[1] == f"the order of growth cannot be judged: {why}"


@pytest.mark.parametrize("formula", ["log2(n - d)", "sqrt(n - d)", "1/(n - 512)", "n % (d - 768)"])
def test_a_formula_without_a_value_at_a_preset_is_refused(formula: str, tmp_path: Path) -> None:
    (found,) = problems(tmp_path, f'{{of: params, equals: "{formula}", erratum: to see it}}')
    assert found[1] == f"`{formula}` has no value at preset `base`, where the outputs show it"


def test_a_formula_beyond_the_numbers_of_a_spreadsheet_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "{of: params, equals: 2**(n*d), erratum: to see it}")
    assert found[1:] == (
        "`2**(n*d)` is beyond the numbers of a spreadsheet, which end at 10**308, at preset `base`, where the outputs show it",
        ("n is 512, d is 768",),
    )
