"""Formulas on pages: short ones in place, long ones in a display that is broken between terms."""

from __future__ import annotations

import pytest
from sympy import Integer, Max, Piecewise, ceiling, floor

from generator.formulas.latex import to_latex
from generator.formulas.symbols import symbol
from generator.render.markdown.formula import PageFormulas, display_lines, outer_terms

n, d, w = symbol("n"), symbol("d"), symbol("w")
MANY = sum((Integer(i + 2) * symbol(f"c_{i}") * n**2 for i in range(30)), Integer(0))


@pytest.mark.parametrize(
    ("latex", "terms"),
    [
        ("d", ["d"]),
        ("a - b + c", ["a", " - b", " + c"]),
        (r"\frac{a + b}{c - d} + e", [r"\frac{a + b}{c - d}", " + e"]),
        (r"n\left\lfloor \frac{n}{2} + 1 \right\rfloor - 1", [r"n\left\lfloor \frac{n}{2} + 1 \right\rfloor", " - 1"]),
        (r"\left(a + b\right)\left(c - d\right)", [r"\left(a + b\right)\left(c - d\right)"]),
        (r"\begin{cases} a + b & \text{if } a \lt b \cr c - d & \text{otherwise} \end{cases}", None),
        (r"\leftarrow + \rightarrow", [r"\leftarrow", r" + \rightarrow"]),
    ],
)
def test_a_sum_is_split_only_between_its_own_terms(latex: str, terms: list[str] | None) -> None:
    assert outer_terms(latex) == (terms or [latex])


@pytest.mark.parametrize(
    "expr", [MANY, MANY - Max(n, d + w) + floor(n / w), MANY + ceiling((n + d) / (w + 1)) - Piecewise((n, n < d), (d, True))]
)
def test_a_broken_display_holds_the_whole_formula_in_lines_of_limited_width(expr: object) -> None:
    latex = to_latex(expr, ["n", "d"])
    lines = display_lines(latex, width=60)
    assert (lines[0], lines[-1]) == (r"\begin{aligned}", r"\end{aligned}")
    inner = [line.removesuffix(r" \\").removeprefix("& ").removeprefix("{} ") for line in lines[1:-1]]
    assert " ".join(inner) == latex
    assert all(len(line) <= 60 or len(outer_terms(line)) == 1 for line in inner)
    assert [line.endswith(r" \\") for line in lines[1:-1]] == [True] * (len(inner) - 1) + [False]


def test_a_short_display_is_one_line() -> None:
    assert display_lines("4d^2 + 4d") == ("4d^2 + 4d",)


def test_cells_hold_short_formulas_and_link_to_long_ones() -> None:
    formulas = PageFormulas(["n", "d"])
    assert formulas.cell(4 * d**2 * n, "a") == "$`4nd^2`$"
    assert formulas.cell(Integer(30_522), "a") == "30,522"
    assert formulas.take() == ()
    assert formulas.cell(MANY, "Parameters") == "[(1)](#formula-1)"
    assert formulas.cell(2 * MANY, "MACs") == "[(2)](#formula-2)"
    assert formulas.cell(MANY, "Active parameters") == "[(1)](#formula-1)"
    assert [(long.number, long.caption) for long in formulas.take()] == [(1, "Parameters; Active parameters"), (2, "MACs")]
    assert formulas.take() == ()
