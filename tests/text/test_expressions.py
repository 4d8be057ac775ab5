"""Reading expressions: what is accepted, the normal form, and the messages for mistakes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.text.expressions import (
    Ast,
    Binary,
    ExpressionError,
    Name,
    Number,
    expression_problem,
    names,
    parse_condition,
    parse_expression,
    unparse,
)
from generator.text.problems import render
from generator.text.source import Source, Span
from tests.support.expression_texts import conditions, expressions


@given(st.one_of(expressions.map(parse_expression), conditions.map(parse_condition)))
def test_normal_form_is_read_back_as_the_same_tree(ast: Ast) -> None:
    read = parse_condition if any(sign in unparse(ast) for sign in "=<>") else parse_expression
    assert read(unparse(ast)) == ast


@given(expressions)
def test_normal_form_has_no_needless_parentheses(text: str) -> None:
    normal = unparse(parse_expression(text))
    stack = []
    for at, character in enumerate(normal):
        if character == "(":
            stack.append(at)
        elif character == ")":
            start = stack.pop()
            if not normal[start - 1 : start].isalnum():  # the parentheses of a call stay
                without = f"{normal[:start]} {normal[start + 1 : at]} {normal[at + 1 :]}"
                assert reads_differently(without, normal)


def reads_differently(text: str, normal: str) -> bool:
    try:
        return parse_expression(text) != parse_expression(normal)
    except ExpressionError:
        return True


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2 * n+d /h", "2*n + d/h"),
        ("((n))", "n"),
        ("+n", "n"),
        ("--n", "--n"),
        ("(a*b)*c", "a*b*c"),
        ("a*(b*c)", "a*(b*c)"),
        ("(-a)**2", "(-a)**2"),
        ("-(a**2)", "-a**2"),
        ("a**(-b)", "a**-b"),
        ("(a**b)**c", "(a**b)**c"),
        ("a**(b**c)", "a**b**c"),
        ("min( a,b , c )", "min(a, b, c)"),
        ("30_000", "30000"),
        ("1e6", "1000000"),
        ("1e20", "1e20"),
        (".50", "0.5"),
        ("2.", "2"),
        ("1.25e-2", "0.0125"),
        ("1e-12", "1e-12"),
        ("0.000", "0"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert unparse(parse_expression(text)) == normal
    assert parse_expression(normal) == parse_expression(text)


@given(st.decimals(min_value=0, max_value=10**30, allow_nan=False, allow_infinity=False, places=15))
def test_decimals_are_exact(value: Any) -> None:
    ast = parse_expression(f"{value:f}")
    assert ast == Number(Fraction(value))
    assert parse_expression(unparse(ast)) == ast


def test_names_are_listed_once_in_their_order() -> None:
    assert names(parse_condition("n*d + max(h, n) == b and e > d")) == ("n", "d", "h", "b", "e")
    assert names(parse_expression("7")) == ()


def test_nodes_know_their_places_in_the_text() -> None:
    ast = parse_expression(" (a + b) * cd ")
    assert isinstance(ast, Binary)
    assert [(node.start, node.end) for node in (ast, ast.left, ast.right)] == [(1, 13), (1, 8), (11, 13)]
    assert ast.right == Name("cd")


FUNCTIONS = "functions are `ceil`, `floor`, `min`, `max`, `log2` and `sqrt`"

MISTAKES = [
    ("d^2", 1, 1, "`^` has no place in an expression; write ** for a power"),
    ("n²", 1, 1, "`²` has no place in an expression; write **2"),
    ("2 × n", 2, 1, "`×` has no place in an expression; write * to multiply"),
    ("n ÷ 2", 2, 1, "`÷` has no place in an expression; write / to divide, or // to divide and round down"),
    ("n − 1", 2, 1, "`−` has no place in an expression; write - to subtract; this is a longer dash"),
    ("2d", 1, 1, "an operator is missing before `d`; to multiply, write 2*d"),
    ("2e", 1, 1, "an operator is missing before `e`; to multiply, write 2*e"),
    ("d h", 2, 1, "an operator is missing before `h`; to multiply, write d*h"),
    ("2(a + b)", 1, 1, "an operator is missing before `(`; to multiply, write 2*(...)"),
    ("(a + b)c", 7, 1, "an operator is missing before `c`; to multiply, write (...)*c"),
    ("n(a)", 0, 1, f"unknown function `n`; {FUNCTIONS}; to multiply, write n*(...)"),
    (
        "sqr(n)",
        0,
        3,
        f"unknown function `sqr`; did you mean `sqrt`?; {FUNCTIONS}; to multiply, write sqr*(...)",
    ),
    ("ceil", 0, 4, "`ceil` is a function; its argument is missing; write ceil(...)"),
    ("ceil(a, b)", 0, 4, "`ceil` takes one argument; found 2"),
    ("max(a)", 0, 3, "`max` takes two or more arguments; found 1"),
    ("min()", 0, 3, "`min` takes two or more arguments; found 0"),
    ("2*(n", 2, 1, "this parenthesis is never closed"),
    ("n)", 1, 1, "`)` is not expected here; there are more closing parentheses than opening ones"),
    ("a, b", 1, 1, "`,` is not expected here; several are written as a list: [a, b]"),
    ("n +", 2, 1, "the expression ends after `+`; a number, a name or a parenthesis is missing"),
    ("* n", 0, 1, "expected a number, a name or a parenthesis; found `*`"),
    ("", 0, 1, "the expression is empty"),
    ("  ", 0, 1, "the expression is empty"),
    ("007", 0, 3, "`007` is not a number; numbers are written as 7, 30_000, 0.5 or 1e-6"),
    ("0x10", 1, 3, "`0x10` is not a number; numbers are written in decimal"),
    ("1__0", 0, 4, "`1__0` is not a number; numbers are written as 7, 30_000, 0.5 or 1e-6"),
    ("1e301", 0, 5, "`1e301` is out of bounds: powers of ten go to 300"),
    ("n[0]", 1, 1, "`[` has no place in an expression; group with parentheses ( )"),
    ("é", 0, 1, "`é` has no place in an expression; names are made of the letters a-z and A-Z, digits and _"),
    ("'n'", 0, 1, "`'` has no place in an expression; an expression holds no quotes"),
    (
        "n.real",
        1,
        1,
        "`.` has no place in an expression; functions are called ceil, floor, min, max, log2 and sqrt, without `math.` before them",
    ),
    ("x" * 41, 0, 41, f"the name `{'x' * 40}...` is longer than 40 characters"),
    ("n**65", 3, 2, "the exponent `65` is too large; exponents go to 64"),
    ("n**-(8*9)", 3, 6, "the exponent `-(8*9)` is too large; exponents go to 64"),
    ("2**2**7", 3, 4, "the exponent `2**7` is too large; exponents go to 64"),
    ("n == 1", 0, 6, "expected a number; found the condition `n == 1`"),
    ("1 + (n == 1)", 4, 8, "expected a number; found the condition `n == 1`"),
    ("n mod 2", 2, 3, "`mod` is not an operator of this language; write % for the remainder"),
    ("1" * 1001, 0, 1001, "the expression has 1001 characters; at most 1000 are read"),
    ("(" * 60 + "n" + ")" * 60, 50, 1, "the expression is nested deeper than 50 levels"),
    ("-" * 60 + "n", 50, 1, "the expression is nested deeper than 50 levels"),
    ("+".join("n" * 202), 401, 1, "the expression has more than 200 operators"),
]
CONDITION_MISTAKES = [
    ("d % h = 0", 6, 1, "`=` has no place in an expression; write == to compare"),
    ("a > 1 && b > 1", 6, 2, "`&&` has no place in an expression; write and"),
    ("a > 1 || b > 1", 6, 2, "`||` has no place in an expression; write or"),
    ("a ≤ b", 2, 1, "`≤` has no place in an expression; write <="),
    ("a <> b", 2, 2, "`<>` has no place in an expression; write != for unequal"),
    ("a < b <= c + 1", 6, 2, "comparisons do not chain; write a < b and b <= c + 1"),
    ("(a < b) == 1", 0, 7, "expected a number; found the condition `a < b`"),
    ("not a == b", 0, 3, "`not` is not an operator of this language; write the opposite comparison, such as a != b for not a == b"),
    ("d % h", 0, 5, "expected a condition; `d%h` compares nothing; a condition is written as d % h == 0"),
    ("d % h == 0 and n", 15, 1, "`and` joins conditions; `n` is a number"),
]


@pytest.mark.parametrize(
    ("read", "text", "offset", "length", "message"),
    [(parse_expression, *mistake) for mistake in MISTAKES] + [(parse_condition, *mistake) for mistake in CONDITION_MISTAKES],
)
def test_mistakes_are_explained_in_place(read: Callable[[str], Ast], text: str, offset: int, length: int, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        read(text)
    assert (str(caught.value), caught.value.offset, caught.value.length) == (message, offset, length)


@given(st.text(st.sampled_from("abn0123456789_.eE+-*/%(),<>=!&|^ ²×andorceilminlog2"), max_size=25))
def test_any_text_is_read_or_explained_inside_itself(text: str) -> None:
    for error in filter(None, (error_of(parse_expression, text), error_of(parse_condition, text))):
        assert 0 <= error.offset <= len(text)
        assert error.offset + error.length <= len(text) + 1


def error_of(read: Callable[[str], Ast], text: str) -> ExpressionError | None:
    try:
        read(text)
    except ExpressionError as error:
        return error
    return None


@pytest.mark.parametrize("scalar", ['"d % h = 0"', "'d % h = 0'", "d % h = 0"])
def test_an_error_points_into_the_file(scalar: str) -> None:
    source = Source("specs/mine.yaml", f"where: [{scalar}]")
    with pytest.raises(ExpressionError) as caught:
        parse_condition("d % h = 0")
    problem = expression_problem(caught.value, Span(source, 1, 9, len(scalar)))
    place, line, caret, note = render(problem).split("\n")
    assert place.endswith(": error: `=` has no place in an expression")
    assert line[caret.index("^")] == "="
    assert note == "  write == to compare"
