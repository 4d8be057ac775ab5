"""Formulas survive as plain data."""

from __future__ import annotations

import json

import pytest
from sympy import And, Eq, Gt, Max, Min, Mod, Ne, Not, Or, Piecewise, Rational, ceiling, false, floor, log, sin, sqrt, true

from generator.formulas.evaluate import evaluate
from generator.formulas.formula_data import FormulaDataError, from_data, to_data
from generator.formulas.logarithm import Log2
from generator.formulas.stored_formula import StoredFormula
from generator.formulas.symbols import symbol

b, n, d = map(symbol, "bnd")


@pytest.mark.parametrize(
    "formula",
    [
        4 * b * n * d**2 + 2 * b * n**2 * d,
        floor(n / 2) * ceiling(d / 3) + Mod(n, d),
        Min(n, d) + Max(b, n, 7),
        Rational(3, 7) * sqrt(d) / n,
        n * Log2(d),
        n - n,
        2 ** (3 * n),
        n * log(d),
        Piecewise((n, n > 1), (d, Eq(Mod(n, d), 0)), (b, True)),
        And(Gt(n, 0, evaluate=False), Or(n <= d, Ne(n, 3))),
        Not(And(n <= d, d < 7)),
        true,
        false,
    ],
)
def test_a_formula_comes_back(formula) -> None:
    assert from_data(json.loads(json.dumps(to_data(formula)))) == formula


@pytest.mark.parametrize(
    ("formula", "sizes", "value"),
    [
        (4 * n**2 * d - d, {"n": 3, "d": 5}, 175),
        (Piecewise((n, n > 1), (d, True)), {"n": 1, "d": 4}, 4),
        (Mod(n, d), {"n": 17, "d": 5}, 2),
        (sqrt(d) * ceiling(n / 2), {"n": 3, "d": 16}, 8),
        (sqrt(d), {"d": 2}, 2**0.5),
        (Eq(Mod(n, d), 0), {"n": 12, "d": 4}, True),
    ],
)
def test_what_comes_back_has_the_same_value_without_being_a_formula_of_sympy_again(formula, sizes, value) -> None:
    kept = StoredFormula(json.loads(json.dumps(to_data(formula))), ())
    assert kept.names == tuple(sorted(sizes))
    assert evaluate(kept, sizes) == evaluate(formula, sizes) == value


def test_sums_and_multiples_of_kept_formulas_are_formulas() -> None:
    kept = StoredFormula(to_data(n * d), ("n", "d"), "n*d")
    assert evaluate(2 * kept + kept + 1, {"n": 3, "d": 5}) == 46
    assert (kept.text, (kept + 2 * StoredFormula("b", ("n", "d", "b"))).text) == ("n*d", "n*d + 2*b")


def test_what_has_no_form_as_data_is_refused() -> None:
    with pytest.raises(FormulaDataError, match="sin has no form as data"):
        to_data(sin(n))


@pytest.mark.parametrize(
    "data",
    [
        None,
        True,
        1.5,
        [],
        ["Mul"],
        ["__import__", "os"],
        "os.system",
        ["Rational", 1, 0],
        ["Rational", 1],
        {"Mul": 1},
        ["Piecewise", 1],
        ["true", 1],
    ],
)
def test_data_that_is_no_formula_is_refused(data) -> None:
    with pytest.raises(FormulaDataError):
        from_data(data)
