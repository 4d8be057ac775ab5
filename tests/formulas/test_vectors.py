"""Formulas at arrays of sizes, against sympy's own value at each place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Eq, Integer, Max, Min, Mod, Ne, Or, Piecewise, floor, sqrt

import generator.formulas.evaluate as evaluation
from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.symbols import symbol

from .expressions import SIZES, exact_value, formulas, whole_formulas

m, n, w = (symbol(name) for name in ["m", "n", "w"])
ARRAY = np.arange(1, 9)


SEVERAL = st.lists(st.fixed_dictionaries({name: st.integers(1, 40) for name in SIZES}), min_size=1, max_size=6)


@given(st.one_of(formulas, whole_formulas), SEVERAL, st.sets(st.sampled_from(SIZES)))
def test_random_formulas(expr: Any, places: list[dict[str, int]], same: set[str]) -> None:
    """Some sizes are arrays, and the others numbers."""
    places = [{**place, **{name: places[0][name] for name in same}} for place in places]
    sizes: dict[str, Any] = {name: places[0][name] if name in same else np.array([place[name] for place in places]) for name in SIZES}
    expected = [exact_value(expr, place) for place in places]
    if not all(value.is_Rational for value in expected):
        return
    found = np.broadcast_to(evaluate(expr, sizes), (len(places),))
    assert [Fraction(value) for value in found] == [Fraction(int(value.p), int(value.q)) for value in expected]


@pytest.mark.parametrize(
    "expr",
    [
        4 * n**2 * Min(m - n, w - 1) / (2 * n**2 + 2 * n * Min(m - n, w - 1)),
        floor(m / 6) * Max(0, m - w) ** 2 / 3,
        -n / (n - m) ** 3,  # of either sign
        Piecewise((1 / (m - 1), Ne(m, 1)), (w, True)),  # has no value where it is not asked for
        Piecewise((Integer(2), m < 3), (m**20, Or(m < 5, Eq(Mod(m, 2), 0))), (n / m, True)),
    ],
)
def test_no_place_is_worked_out_alone(expr: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [evaluate(expr, {"m": int(size), "n": 9, "w": 4}) for size in ARRAY]
    monkeypatch.setattr(evaluation, "evaluate_scalar", lambda *_: pytest.fail("one by one"))
    assert evaluate(expr, {"m": ARRAY, "n": 9, "w": 4}).tolist() == expected


def test_what_is_irrational_or_without_a_value_is_worked_out_place_by_place() -> None:
    assert evaluate(sqrt(m), {"m": np.array([4, 9])}).tolist() == [2, 3]
    with pytest.raises(EvaluationError, match="divides by zero at m=9"):
        evaluate(1 / (m - 9), {"m": np.array([4, 9])})
