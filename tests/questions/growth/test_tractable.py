"""Formulas of high degrees, which specs may hold, are left as they are where sympy would work on them for minutes."""

from __future__ import annotations

import pytest
from sympy import symbols

from generator.formulas.algebra import cancel, factor, simplify, together

d, h, n = symbols("d h n", integer=True, positive=True)
HOSTILE = {
    "high powers below a bar": d**60 / (n**60 - h**60) + 1,
    "many divisors": sum(d**i * n / (h**i + i) for i in range(1, 25)),
    "a power that holds a size": d ** (n - 512) / (h ** (n - 500) + 1),
}


@pytest.mark.parametrize("expr", HOSTILE.values(), ids=HOSTILE)
def test_formulas_of_high_degrees_are_left_as_they_are(expr) -> None:
    assert [change(expr) for change in (factor, cancel, together, simplify)] == [expr] * 4


def test_formulas_of_the_degrees_in_use_are_worked_on() -> None:
    assert cancel((d**2 - n**2) / (d - n)) == d + n
    assert factor(d**2 + 2 * d * n + n**2) == (d + n) ** 2
    assert together(1 / d + 1 / n) == (d + n) / (d * n)
    assert simplify((d**9 - d**8) / d**8) == d - 1
