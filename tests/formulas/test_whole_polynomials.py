"""Products and quotients of polynomials are found as sympy finds them, whichever way they are found."""

from __future__ import annotations

from random import Random

import pytest
import sympy
from sympy import Add, Expr, Integer, Max, Mul, Rational, Symbol, symbols

from generator.formulas.algebra import cancel, factor

SIZES = symbols("b n d L h k1 k10 k2", positive=True, integer=True)


def _sum(random: Random, sizes: tuple[Symbol, ...], terms: int, degree: int) -> Expr:
    """Return a random sum of products of sizes."""
    return Add(
        *(Mul(random.choice([-6, -2, -1, 1, 2, 3, 4]), *random.choices(sizes, k=random.randrange(degree + 1))) for _ in range(terms))
    )


def _sums(random: Random) -> list[Expr]:
    sizes = tuple(random.sample(SIZES, random.randrange(1, 6)))
    return [_sum(random, sizes, random.randrange(1, 5), random.randrange(1, 4)) for _ in range(random.randrange(1, 4))]


@pytest.mark.parametrize("seed", range(30))
def test_factors_are_those_that_sympy_finds(seed: int) -> None:
    random = Random(seed)
    expr = sympy.expand(Mul(random.choice([Integer(1), Integer(-4), Rational(-2, 3)]), *_sums(random)))
    assert str(factor(expr)) == str(sympy.factor(expr))
    assert factor(expr) == sympy.factor(expr)


@pytest.mark.parametrize("seed", range(30))
def test_quotients_are_cancelled_as_sympy_cancels_them(seed: int) -> None:
    random = Random(seed)
    shared = _sums(random)
    above, below = (sympy.expand(Mul(*_sums(random), *shared)) for _ in range(2))
    if below == 0:
        below = Integer(2)
    assert cancel(above / below) == sympy.cancel(above / below)


B, N, D = SIZES[:3]


@pytest.mark.parametrize(
    "expr",
    [
        (B * N + D) ** 2 * (B - 1) ** 3 * (N + D),
        (B**2 + N**2) * (B**2 - N**2),
        B**4 + B**2 * N**2 + N**4,
        (B**2 + N * D + 1) * (B**2 - N * D + 3),
        (B**3 + N**3 + 2) * (B**2 * N**2 + 3),
        (B * N * Max(1, N - D) + D) * (B - D),
    ],
)
def test_factors_of_higher_degree_are_found_too(expr: Expr) -> None:
    assert factor(expr.expand()) == sympy.factor(expr.expand())
    assert cancel(expr.expand() / (B**3 * N**3 - D * B * N).expand()) == sympy.cancel(expr.expand() / (B**3 * N**3 - D * B * N).expand())
