"""LaTeX as GitHub's Markdown lets it through."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import And, Eq, Max, Mod, Not, Or, Piecewise, ceiling, floor, log, sqrt, true

from generator.formulas.latex import latex_name, to_latex
from generator.formulas.symbols import symbol

SIZES = ["b", "n", "d", "h", "d_ff", "heads", "lambda", "L"]
b, n, d, h, d_ff, heads, lam, L = (symbol(name) for name in SIZES)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (b * n * d**2 / h, r"\frac{bnd^2}{h}"),
        (3 * n / 2, r"\frac{3n}{2}"),
        (n**12, "n^{12}"),
        (2 * d * d_ff, r"2dd_{\mathrm{ff}}"),
        (2 * b * heads * d, r"2bd\thinspace \mathrm{heads}"),
        (2 * heads, r"2\mathrm{heads}"),
        (lam * L, r"\lambda L"),
        (b * floor((n + 1) / 2), r"b\left\lfloor \frac{n + 1}{2} \right\rfloor"),
        (ceiling(n / h), r"\left\lceil \frac{n}{h} \right\rceil"),
        (n * log(n, 2), r"n\log_2\left(n\right)"),
        (n + log(n), r"n + \ln\left(n\right)"),
        (sqrt(n * d), r"\sqrt{nd}"),
        (Max(n, d), r"\max\left(n, d\right)"),
        (3 * 2**L, r"3 \cdot 2^L"),
        (b * (n + 1) ** -1, r"\frac{b}{n + 1}"),
        (Eq(Mod(d, h), 0), r"d \bmod h = 0"),
        (Piecewise((n, n < d), (d, True)), r"\begin{cases} n & \text{if } n \lt d \cr d & \text{otherwise} \end{cases}"),
        (heads * L, r"\mathrm{heads}\thinspace L"),
        (heads**2 * L, r"\mathrm{heads}^2\thinspace L"),
        (n * sqrt(n), r"n\sqrt{n}"),
        (2 * d * ceiling(n / h), r"2\left\lceil \frac{n}{h} \right\rceil d"),
        (ceiling(n / h) ** 2, r"\left\lceil \frac{n}{h} \right\rceil^2"),
        ((n / h) ** d, r"\left(\frac{n}{h}\right)^d"),
        (And(Or(n < d, n > h), n < L), r"\left(n \lt d \lor n \gt h\right) \land n \lt L"),
        (Not(Or(n < d, d < h), evaluate=False), r"\lnot \left(n \lt d \lor d \lt h\right)"),
        (true, r"\text{true}"),
    ],
)
def test_formulas(expr: Any, text: str) -> None:
    assert to_latex(expr, SIZES) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("d", "d"),
        ("d1", "d_1"),
        ("d_k", "d_k"),
        ("n12", "n_{12}"),
        ("width", r"\mathrm{width}"),
        ("d_model", r"d_{\mathrm{model}}"),
        ("alpha", r"\alpha"),
        ("d_ff_2", r"d_{\mathrm{ff},2}"),
    ],
)
def test_names(name: str, shown: str) -> None:
    assert latex_name(name) == shown


def test_nothing_that_markdown_would_eat() -> None:
    text = to_latex(b * heads * floor(n / 2) * Max(d, h) + Piecewise((n, n <= d), (d, True)), SIZES)
    assert not any(f"\\{character}" in text for character in "\\,;!{}_()[]")
