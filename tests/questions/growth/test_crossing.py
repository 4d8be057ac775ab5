"""Crossings: both formulas agree at the root, and differ in the right direction on both sides."""

from __future__ import annotations

import random

import pytest
from sympy import Integer, Rational, ceiling, sqrt

from generator.formulas.symbols import symbol
from generator.questions.growth.closed import closed_form
from generator.questions.growth.crossing import Crossing, crossing

n, d, h, f = (symbol(name) for name in ["n", "d", "h", "f"])


def check(first, second, found: Crossing) -> None:
    """Compare the formulas as plain integers, at all small sizes and around each root."""
    places = {*range(1, 200), *(place for root in found.roots for place in (root.low - 1, root.low, root.high, root.high + 1) if place > 0)}
    for place in sorted(places):
        difference = (first - second).subs(n, place)
        stretch = sum(1 for root in found.roots if place > (root.high if root.is_whole else root.low))
        if any(root.is_whole and root.low == place for root in found.roots):
            assert difference == 0
        elif difference != 0:
            assert (difference > 0) == (found.signs[stretch] > 0), place
    for root in found.roots:
        if root.value is not None:
            assert abs(complex((first - second).subs(n, root.value).evalf(40))) < 1e-9 * abs(complex(first.subs(n, root.value).evalf(20)))


def test_a_whole_root_is_exact() -> None:
    found = crossing(2 * n**2 * 768, 2 * n * 768**2 * 2, n)
    assert (found.signs, [root.value for root in found.roots]) == ((-1, 1), [1536])
    assert found.first_whole(0) == 1537


def test_a_root_between_whole_sizes_has_them_as_its_bracket() -> None:
    (root,) = crossing(2 * n, Integer(129), n).roots
    assert (root.value, root.low, root.high, root.is_whole) == (Rational(129, 2), 64, 65, False)


def test_never_always_and_equal_are_answers() -> None:
    assert crossing(n, n + 1, n) == Crossing("n", (-1,), ())
    assert crossing(n + 1, n, n) == Crossing("n", (1,), ())
    assert crossing(2 * n, n + n, n) == Crossing("n", (0,), ())


def test_roots_at_or_below_one_do_not_count() -> None:
    assert crossing(n**2, n, n).signs == (1,)


def test_a_double_root_changes_nothing() -> None:
    assert crossing((n - 5) ** 2, n - n, n).signs == (1,)


def test_formulas_that_jump_are_bracketed_by_whole_sizes() -> None:
    first, second = ceiling(n / 16) * 256, n**2
    found = crossing(first, second, n)
    assert not found.is_exact
    assert all(root.value is None or root.is_whole for root in found.roots)
    check(first, second, found)


def test_another_open_size_is_refused() -> None:
    with pytest.raises(ValueError, match="d must be given"):
        crossing(n * d, n, n)


@pytest.mark.parametrize("seed", range(25))
def test_random_polynomials(seed) -> None:
    draw = random.Random(seed)
    first, second = (sum(Integer(draw.randint(0, 400)) * n**power for power in range(draw.randint(1, 5))) for _ in range(2))
    check(first, second, crossing(first, second, n))


@pytest.mark.parametrize(
    ("first", "second", "root"),
    [
        (4 * n * d**2 + 2 * n**2 * d, 2 * n * d * f, f - 2 * d),  # attention and feed-forward network
        (2 * n**2 * d, 12 * n * d**2, 6 * d),  # document 003: the quadratic part and the linear one
        (n**2 * d, n * d**2 / h, d / h),  # softmax and linear attention
        (n**2, 3 * n * d + d**2, 3 * d / 2 + sqrt(13) * d / 2),
    ],
)
def test_closed_forms_are_what_algebra_gives(first, second, root) -> None:
    form = closed_form(first, second, n)
    assert form.verdict == "crosses"
    assert (form.roots[0] - root).simplify() == 0


def test_a_closed_form_names_the_condition_under_which_it_is_positive() -> None:
    assert closed_form(2 * n**2 * d, 2 * n * d * f - 4 * n * d**2, n).condition is not None
    assert closed_form(2 * n**2, 3 * n * d, n).condition is None


def test_what_holds_for_all_sizes_is_proven_from_the_signs() -> None:
    assert closed_form(n * d + n, n * d, n).verdict == "more"
    assert closed_form(n * d, n * d + d**2, n).verdict == "less"
    assert closed_form(n * d, d * n, n).verdict == "equal"
    assert closed_form(n * d, n * f, n).verdict == "open"


@pytest.mark.parametrize("seed", range(15))
def test_closed_forms_agree_with_numeric_roots(seed) -> None:
    draw = random.Random(seed)
    first = draw.randint(1, 9) * n**2 * d + draw.randint(0, 9) * n * d * h
    second = draw.randint(1, 9) * n * d**2 + draw.randint(0, 9) * d**2 * h
    form = closed_form(first, second, n)
    values = {d: draw.randint(2, 90), h: draw.randint(1, 9)}
    found = crossing(first.subs(values), second.subs(values), n)
    for root in found.roots:
        assert form.verdict == "crosses"
        assert float(form.roots[0].subs(values)) == pytest.approx(float(root.value))
