"""Formulas survive as plain data."""

from __future__ import annotations

import json

import pytest
from sympy import Max, Min, Mod, Piecewise, Rational, ceiling, floor, sqrt

from generator.build.formula_data import FormulaDataError, from_data, to_data
from generator.formulas.logarithm import Log2
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
    ],
)
def test_a_formula_comes_back(formula) -> None:
    assert from_data(json.loads(json.dumps(to_data(formula)))) == formula


def test_what_has_no_form_as_data_is_refused() -> None:
    with pytest.raises(FormulaDataError, match="Piecewise has no form as data"):
        to_data(Piecewise((n, n > 1), (d, True)))


@pytest.mark.parametrize(
    "data", [None, True, 1.5, [], ["Mul"], ["__import__", "os"], "os.system", ["Rational", 1, 0], ["Rational", 1], {"Mul": 1}]
)
def test_data_that_is_no_formula_is_refused(data) -> None:
    with pytest.raises(FormulaDataError):
        from_data(data)
