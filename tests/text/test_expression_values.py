"""Values of expressions, checked against Python's own arithmetic."""

from __future__ import annotations

import ast as python_ast
import math
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, example, given
from hypothesis import strategies as st

from generator.formulas.logarithm import Log2
from generator.formulas.symbols import symbol
from generator.text.expressions import ExpressionError, evaluate_number, parse_condition, parse_expression, symbolic
from tests.support.expression_texts import SIZES, conditions, expressions

sizes = st.fixed_dictionaries({name: st.integers(1, 9) for name in SIZES})


class Exact(python_ast.NodeTransformer):
    """Makes Python's literals exact, so that 7/2 is 7/2."""

    def visit_Constant(self, node: python_ast.Constant) -> python_ast.AST:
        return python_ast.Call(python_ast.Name("Fraction", python_ast.Load()), [node], [])

    def visit_BinOp(self, node: python_ast.BinOp) -> python_ast.AST:
        """Keep it so: the rounded quotient of two fractions is an int, and the quotient of two such a float."""
        self.generic_visit(node)
        if not isinstance(node.op, python_ast.FloorDiv):
            return node
        return python_ast.Call(python_ast.Name("Fraction", python_ast.Load()), [node], [])


def truth(text: str, environment: dict[str, int]) -> Any:
    """Python's own value of an expression; the case is dropped where there is none, or where it is unreasonably large."""
    tree = python_ast.fix_missing_locations(Exact().visit(python_ast.parse(text, mode="eval")))
    scope: dict[str, Any] = {"Fraction": Fraction, "min": min, "max": max}
    scope |= {"ceil": lambda value: Fraction(math.ceil(value)), "floor": lambda value: Fraction(math.floor(value))}
    scope |= {name: Fraction(value) for name, value in environment.items()}
    try:
        value = eval(compile(tree, "<test>", "eval"), scope)  # noqa: S307  the truth that the parser is checked against
    except ZeroDivisionError:
        assume(False)
    assume(abs(value) < 10**60)
    return value


@given(text=expressions, environment=sizes)
@example(text="-2**2", environment={})
@example(text="2**3**2", environment={})
@example(text="-7//2", environment={})
@example(text="-7%3", environment={})
@example(text="7%-3", environment={})
@example(text="2**-1*4", environment={})
@example(text="-b**-2", environment={"b": 3})
@example(text="9-4-3*2//5%3", environment={})
def test_numbers_come_out_as_in_python(text: str, environment: dict[str, int]) -> None:
    expected = truth(text, environment)
    assert evaluate_number(parse_expression(text), environment) == expected


@given(text=expressions, environment=sizes)
def test_sympy_on_numbers_comes_out_as_in_python(text: str, environment: dict[str, int]) -> None:
    expected = truth(text, environment)
    found = symbolic(parse_expression(text), {name: sympy.Integer(value) for name, value in environment.items()})
    assert found == sympy.Rational(expected.numerator, expected.denominator)


@given(text=expressions, environment=sizes)
@example(text="(n//n)/(n//n)", environment={"b": 2, "n": 9, "d": 7, "h": 6, "e": 6})
def test_formulas_come_out_as_in_python_for_any_sizes(text: str, environment: dict[str, int]) -> None:
    expected = truth(text, environment)
    formula = symbolic(parse_expression(text), {name: symbol(name) for name in SIZES})
    found = formula.subs({symbol(name): value for name, value in environment.items()})
    assert found == sympy.Rational(expected.numerator, expected.denominator)


@given(text=conditions, environment=sizes)
@example(text="1 == 1 or 1 == 1 and 1 == 2", environment={})
@example(text="(1 == 1 or 1 == 1) and 1 == 2", environment={})
def test_conditions_come_out_as_in_python(text: str, environment: dict[str, int]) -> None:
    ast = parse_condition(text)
    expected = truth(text, environment)
    try:
        found = evaluate_number(ast, environment)
    except ExpressionError:
        assume(False)  # Python skipped an operand that divides by zero; we evaluate all operands
    assert found is expected
    assert symbolic(ast, {name: sympy.Integer(value) for name, value in environment.items()}) == expected


EVALUATION_MISTAKES = [
    ("2*width", 2, 5, "unknown name `width`; did you mean `widths`?; known names: `n` and `widths`"),
    ("2*N", 2, 1, "unknown name `N`; did you mean `n`?; known names: `n` and `widths`"),
    ("n/(n - n)", 2, 7, "division by zero: `n - n` is 0"),
    ("n//0", 3, 1, "division by zero: `0` is 0"),
    ("n % (2 - 2)", 4, 7, "division by zero: `2 - 2` is 0"),
    ("0**-1", 0, 5, "division by zero: `0` is 0 and its exponent is negative"),
    ("(-2)**0.5", 0, 9, "`(-2)**0.5` is the root of a negative number"),
    ("sqrt(-2)", 5, 2, "the root of a negative number: `-2`"),
    ("log2(n - n)", 5, 5, "the logarithm of a number that is not positive: `n - n`"),
    ("((2**64)**64)**64", 0, 17, "`((2**64)**64)**64` is too large to evaluate"),
]


@pytest.mark.parametrize(("text", "offset", "length", "message"), EVALUATION_MISTAKES)
def test_what_has_no_value_is_explained_in_place(text: str, offset: int, length: int, message: str) -> None:
    ast = parse_expression(text)
    for run in (lambda: symbolic(ast, {"n": symbol("n"), "widths": symbol("widths")}), lambda: evaluate_number(ast, {"n": 4, "widths": 1})):
        with pytest.raises(ExpressionError) as caught:
            run()
        assert (str(caught.value), caught.value.offset, caught.value.length) == (message, offset, length)


def test_an_unknown_name_where_none_is_known() -> None:
    with pytest.raises(ExpressionError, match="unknown name `n`; no names are known here"):
        evaluate_number(parse_expression("n"), {})


def test_formulas_are_exact() -> None:
    e, n, w = symbol("e"), symbol("n"), symbol("w")
    environment = {"e": e, "n": n, "w": w}

    def formula(text: str) -> Any:
        return symbolic(parse_expression(text), environment)

    assert formula("e**-0.5") == e ** sympy.Rational(-1, 2)
    assert formula("0.1*n") == n / 10
    assert formula("n//w") == sympy.floor(n / w)
    assert formula("ceil(n/w)*w") == sympy.ceiling(n / w) * w
    assert formula("n % w") == sympy.Mod(n, w)
    assert formula("log2(n)") == Log2(n)
    assert formula("log2(8)") == 3
    assert formula("log2(1/8)") == -3
    assert formula("2**log2(n)") == n
    assert formula("4**(log2(n) + w)") == n**2 * 4**w
    assert sympy.expand(formula("log2(6*n**2*w) - log2(3*w) - 2*log2(n)")) == 1
    assert formula("max(n, 0)") == n
    assert formula("min(1, 1/(e*n))") == 1 / (e * n)
    assert symbolic(parse_condition("1 <= 1/(e*n)"), environment) not in (True, False)
    assert formula("sqrt(n**2)") == n
    assert symbolic(parse_condition("n % w == 0 and n >= 2*w"), environment) == sympy.And(sympy.Eq(sympy.Mod(n, w), 0), n >= 2 * w)


@pytest.mark.parametrize("exponent", [1, 2, 7, 50, 60, 200])
def test_floor_and_ceiling_of_roots_and_logarithms_are_exact(exponent: int) -> None:
    for n in (2**exponent - 1, 2**exponent, 2**exponent + 1, 4**exponent - 1, 4**exponent, 4**exponent + 1):
        floor, root = n.bit_length() - 1, math.isqrt(n)
        texts = ("floor(log2(n))", "ceil(log2(n))", "floor(sqrt(n))", "ceil(sqrt(n))")
        found = [evaluate_number(parse_expression(text), {"n": n}) for text in texts]
        assert found == [floor, floor + (2**floor != n), root, root + (root**2 != n)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sqrt(n)", 12),
        ("sqrt(n/25)", Fraction(12, 5)),
        ("n**-0.5", Fraction(1, 12)),
        ("27**(1/3)", 3),
        ("log2(1/8)", -3),
        ("sqrt(2)", math.sqrt(2)),
        ("2**0.5 * 3", 3 * math.sqrt(2)),
        ("2**0.25", 2**0.25),
        ("log2(10)", math.log2(10)),
        ("sqrt(sqrt(2))", 2**0.25),
        ("floor(log2(1/3))", -2),
        ("ceil(log2(1/3))", -1),
        ("floor(log2(3/4))", -1),
        ("ceil(sqrt(1/3))", 1),
        ("n / 2", 72),
        ("n / 5", Fraction(144, 5)),
    ],
)
def test_plain_numbers_are_exact_where_they_can_be(text: str, value: float | Fraction) -> None:
    found = evaluate_number(parse_expression(text), {"n": 144})
    assert type(found) is type(value)
    assert found == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value)


def test_reading_expressions_does_not_import_sympy() -> None:
    code = "import sys, generator.text.expressions as e; print(e.evaluate_number(e.parse_expression('6*7'), {}), 'sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "42 False\n"
