"""Places that meet a condition on indices, held against going through all of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Eq, Expr, Ge, Le, Mod, floor
from sympy.logic.boolalg import Boolean

from generator.formulas.evaluate import evaluate
from generator.formulas.places import ALWAYS, Condition, both, compared, count, either, index, opposite
from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text

n, m, w, g, c = (symbol(name) for name in ("n", "m", "w", "g", "c"))
i, j, block = index(0), index(1), index(2)
OPERATORS = ("<", "<=", ">", ">=", "==", "!=")


def by_going_through(condition: Condition, extents: dict[object, Expr], sizes: dict[str, int]) -> int:
    """Count the places at which all bounds of some case are at most 0."""
    numbers = {symbol(name): value for name, value in sizes.items()}
    cases = [[bound.subs(numbers) for bound in case] for case in condition]
    places = product(*(range(int(size.subs(numbers))) for size in extents.values()))
    return sum(any(all(bound.subs(dict(zip(extents, place, strict=True))) <= 0 for bound in case) for case in cases) for place in places)


CAUSAL = compared("<=", j, i)
WINDOW = both(CAUSAL, compared("<", i - j, w))
LATE = compared("<=", j, i + m - n)
DOCUMENTS = both(CAUSAL, compared("==", floor(i / w), floor(j / w)))
NEAR = opposite(either(either(compared("<", j, i), compared(">", j, i + 2 * w)), compared("<", block * w + j, w)))
FORMULAS: list[tuple[Condition, dict[object, Expr], list[Boolean], str | None]] = [
    (CAUSAL, {i: n, j: n}, [], "n**2/2 + n/2"),
    (LATE, {i: n, j: m}, [Ge(m, n)], "n*m - n**2/2 + n/2"),
    (WINDOW, {i: n, j: n}, [Le(w, n)], "n*w - w**2/2 + w/2"),
    (WINDOW, {i: n, j: n}, [], None),
    (opposite(compared("<", i + j, w - 1)), {i: n, j: w}, [Le(w, n)], "n*w - w**2/2 + w/2"),
    (both(LATE, compared("<", i + m - n - j, w)), {i: n, j: m}, [Ge(m, n)], None),
    (both(CAUSAL, either(compared("<", i - j, w), compared("<", j, g))), {i: n, j: n}, [], None),
    (DOCUMENTS, {i: n, j: n}, [], None),
    (DOCUMENTS, {i: n, j: n}, [Eq(Mod(n, w), 0)], "n*w/2 + n/2"),
    (compared("<", floor(j / c), floor(i / w)), {i: n, j: n * c / w}, [Eq(Mod(n, w), 0)], None),
    (NEAR, {block: n / w, i: w, j: 3 * w}, [Eq(Mod(n, w), 0)], None),
    (ALWAYS, {i: n, j: m}, [], "n*m"),
]


@pytest.mark.parametrize(("condition", "extents", "facts", "formula"), FORMULAS)
def test_a_closed_form_counts_the_places(
    condition: Condition, extents: dict[object, Expr], facts: list[Boolean], formula: str | None
) -> None:
    found = count(condition, extents, Facts(facts))  # type: ignore[arg-type]  # indices are symbols
    assert found is not None
    assert formula is None or to_text(found, ("n", "m", "w")) == formula
    tried = 0
    for numbers in product((1, 2, 4, 6), (1, 5, 6), (1, 2, 3, 7), (1, 3), (2,)):
        sizes = dict(zip(("n", "m", "w", "g", "c"), numbers, strict=True))
        if all(evaluate(fact, sizes) for fact in facts):
            tried += 1
            assert evaluate(found, sizes) == by_going_through(condition, extents, sizes), sizes
    assert tried > 5


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    """Conditions on two indices, their difference and two sizes."""
    sides = st.sampled_from([i, j, j - i, i - j + w, j - 2, i + g - n, j - i - g])
    parts = [
        compared(draw(st.sampled_from(OPERATORS)), draw(sides), draw(st.sampled_from([w, g, w - g, n - 1, w * 0])))
        for _ in range(draw(st.integers(1, 2)))
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = draw(st.sampled_from([both, either]))(whole, part)
    return opposite(whole) if draw(st.booleans()) else whole


@settings(deadline=None, max_examples=40)
@given(conditions(), st.tuples(*[st.integers(1, 6)] * 4))
def test_drawn_conditions_are_counted_exactly(condition: Condition, numbers: tuple[int, ...]) -> None:
    sizes = dict(zip(("n", "m", "w", "g"), numbers, strict=True))
    found = count(condition, {i: n, j: m}, Facts())
    if found is not None:
        assert evaluate(found, sizes) == by_going_through(condition, {i: n, j: m}, sizes)


@pytest.mark.parametrize(
    "bound", [compared("<", Mod(i + j, 3), 1), compared("<", 2 * i, j), both(compared("<", i, j), compared("<", i + j, n))]
)
def test_what_has_no_closed_form_here_is_said_to_have_none(bound: Condition) -> None:
    assert count(bound, {i: n, j: m}, Facts()) is None
