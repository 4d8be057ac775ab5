"""Random formulas: whatever a dialect prints has the value that sympy gives the formula."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import HealthCheck, assume, given, settings
from sympy import Rational

from generator.formulas.evaluate import evaluate
from generator.formulas.python import to_python, to_python_number
from generator.formulas.text import to_text

from .expressions import SIZES, conditions, exact_value, formulas, polynomials, sizes, whole_formulas, whole_leaves

pytestmark = pytest.mark.slow

SPEC_LANGUAGE = {"floor": sympy.floor, "ceil": sympy.ceiling, "min": sympy.Min, "max": sympy.Max, "sqrt": sympy.sqrt}
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=300)


def run_text(text: str, at: Mapping[str, int]) -> Any:
    numbers = {name: sympy.Integer(value) for name, value in at.items()}
    return eval(sympy_numbers(text), {"__builtins__": {}, "whole": sympy.Integer, **SPEC_LANGUAGE, **numbers})  # noqa: S307


def sympy_numbers(text: str) -> str:
    """Make literals exact: 1/3 is a third in the spec language."""
    return re.sub(r"(?<![\w.])(\d+)", r"whole(\1)", text)


def run_python(source: str, at: Mapping[str, int]) -> Any:
    return eval(source, {"__builtins__": {"min": min, "max": max}, "math": math}, dict(at))  # noqa: S307


def as_rational(value: Any) -> Rational:
    return Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sympy.sympify(value)


@relaxed
@given(formulas, sizes)
def test_text_has_the_formulas_value(expr: Any, at: dict[str, int]) -> None:
    assert run_text(to_text(expr, SIZES), at) == exact_value(expr, at)


@relaxed
@given(formulas, sizes)
def test_evaluation_equals_sympy(expr: Any, at: dict[str, int]) -> None:
    value = evaluate(expr, at)
    assert as_rational(value) == exact_value(expr, at)
    assert isinstance(value, int) or value.denominator > 1


@relaxed
@given(whole_formulas, sizes)
def test_python_source_of_whole_formulas_is_exact(expr: Any, at: dict[str, int]) -> None:
    value = run_python(to_python(expr, {name: name for name in SIZES}, SIZES), at)
    assert isinstance(value, int)
    assert value == exact_value(expr, at)


@relaxed
@given(formulas, sizes)
def test_python_source_is_exact_wherever_the_value_is_whole(expr: Any, at: dict[str, int]) -> None:
    value = exact_value(expr, at)
    assume(value.is_Integer)
    assert run_python(to_python(expr, {name: name for name in SIZES}, SIZES), at) == value


@relaxed
@given(formulas, sizes)
def test_python_numbers_are_close(expr: Any, at: dict[str, int]) -> None:
    value = run_python(to_python_number(expr, {name: name for name in SIZES}, SIZES), at)
    assert math.isclose(value, float(exact_value(expr, at)), rel_tol=1e-9, abs_tol=1e-6)


@relaxed
@given(conditions(whole_leaves), sizes)
def test_conditions_hold_alike_everywhere(condition: Any, at: dict[str, int]) -> None:
    expected = bool(exact_value(condition, at))
    assert evaluate(condition, at) is expected
    assert bool(run_python(to_python(condition, {name: name for name in SIZES}, SIZES), at)) is expected
    assert bool(run_text(to_text(condition, SIZES), at)) is expected


@relaxed
@given(polynomials)
def test_the_text_of_a_polynomial_does_not_depend_on_how_it_was_built(expr: Any) -> None:
    assert to_text(sympy.expand(expr), SIZES) == to_text(sympy.factor(expr), SIZES) == to_text(expr, SIZES)
