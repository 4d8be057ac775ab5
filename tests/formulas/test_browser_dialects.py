"""Formulas in a browser: JavaScript has the values of Python, and MathML is a tree of elements that browsers draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import sympy
from hypothesis import HealthCheck, assume, given, settings
from sympy import Eq, Float, Function, Integer, Max, Min, Mod, Ne, Not, Or, Piecewise, Rational, ceiling, floor, log, sqrt, symbols

from generator.files.resources import templates_dir
from generator.formulas.dialect import PrintingError
from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.javascript import HELPERS, to_javascript
from generator.formulas.latex import to_latex
from generator.formulas.logarithm import Log2
from generator.formulas.mathml import to_mathml
from generator.formulas.symbols import symbol
from tests.support.browser import browser

from .expressions import SIZES, conditions, exact_value, formulas, sizes, whole_leaves

if TYPE_CHECKING:
    from playwright.sync_api import Page

relaxed = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=60,
)
NAMES = {name: f"s[{index}]" for index, name in enumerate(SIZES)}
b, n, d, h = (symbol(name) for name in "bndh")
EACH_NODE = [
    2 * b * n**3 - d / 2 + 7,
    -(n**2),
    -(n**2) / h,
    (n - d) ** 3 / 3,
    floor((n - 2 * d) / h) + ceiling(-n / 7),
    Mod(-n, d) + Mod(n - 40, 7),
    Min(n, 2 * d, h) - Max(b, h / 3, 5),
    Piecewise((n, Eq(Mod(n, 2), 0)), (d / 2, (n < d) & Ne(h, 3)), (0, True)),
    sqrt(n * d) + 2 * sqrt(h),
    floor(sqrt(n) / 3) + ceiling(sqrt(2 * n * d)),
    Log2(n),
    ceiling(Log2(n)) + floor(Log2(d) / 2),
    2**n + h ** (n - 1),
    n**2 < d,
    Or(Eq(n, d), Not(Eq(Mod(n, h), 0))),
    sympy.true,
    sympy.false,
]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as chromium:
        page = chromium.new_page()
        page.add_script_tag(content=(templates_dir() / "site" / "exact.js").read_text())
        yield page


def run(page: Page, texts: Sequence[str], at: Sequence[Mapping[str, int]]) -> list[list[Any]]:
    """Return the value of each formula at each sizes: an int, a truth value, or None where it is an error."""
    helpers = ",".join(HELPERS)
    functions = ",".join(f"s=>{text}" for text in texts)
    script = f"""all => {{ const {{{helpers}}} = HELPERS; const formulas = [{functions}];
        return formulas.map(formula => all.map(sizes => {{
            try {{ const value = formula(sizes.map(BigInt)); return typeof value === "bigint" ? value.toString() : value; }}
            catch (error) {{ if (error instanceof NotWholeError) return null; throw error; }} }})); }}"""
    found = page.evaluate(script, [[str(sizes[name]) for name in SIZES] for sizes in at])
    return [[int(value) if isinstance(value, str) else value for value in values] for values in found]


def value_by_python(expr: Any, at: Mapping[str, int]) -> Any:
    try:
        value = evaluate(expr, at)
    except EvaluationError:
        return None
    return value if isinstance(value, int) else None


@pytest.mark.parametrize("expr", EACH_NODE, ids=str)
def test_each_kind_of_node_has_pythons_value_or_is_an_error(page: Page, expr: Any) -> None:
    at = [
        dict(zip(SIZES, map(int, row.split()), strict=True))
        for row in ("2 4 3 9 1 5 6", "1 9 4 4 2 5 6", "3 16 2 1 3 5 6", "1 7 7 7 7 7 7")
    ]
    at.append(dict.fromkeys(SIZES, 64))
    (found,) = run(page, [to_javascript(expr, NAMES, SIZES)], at)
    assert found == [value_by_python(expr, sizes) for sizes in at]


@pytest.mark.slow
@relaxed
@given(expr=formulas, at=sizes)
def test_a_whole_value_is_exact_and_another_is_an_error(page: Page, expr: Any, at: dict[str, int]) -> None:
    (found,) = run(page, [to_javascript(expr, NAMES, SIZES)], [at])
    value = exact_value(expr, at)
    if value.is_Integer:
        assert found == [value]
    else:
        assert found == [None]


@pytest.mark.slow
@relaxed
@given(condition=conditions(whole_leaves), at=sizes)
def test_conditions_hold_alike(page: Page, condition: Any, at: dict[str, int]) -> None:
    (found,) = run(page, [to_javascript(condition, NAMES, SIZES)], [at])
    assert found == [bool(exact_value(condition, at))]


def test_numbers_beyond_floating_point_are_exact(page: Page) -> None:
    at = dict.fromkeys(SIZES, 10**40 + 7)
    (found,) = run(page, [to_javascript(b * n * d**2 - floor(h / 3), NAMES, SIZES)], [at])
    assert found == [(10**40 + 7) ** 4 - (10**40 + 7) // 3]


@pytest.mark.parametrize("expr", [log(n), Function("gamma")(n), Float(0.5) * n, n ** Rational(1, 3)], ids=str)
def test_what_has_no_whole_reading_is_not_printed(expr: Any) -> None:
    with pytest.raises(PrintingError):
        to_javascript(expr, NAMES, SIZES)


def test_a_size_without_a_name_is_not_printed() -> None:
    with pytest.raises(PrintingError, match="x"):
        to_javascript(symbol("x"), NAMES)


def elements(expr: Any) -> ET.Element:
    return ET.fromstring(f"<math>{to_mathml(expr, SIZES)}</math>")  # noqa: S314 - our own text


def spoken(element: ET.Element) -> str:
    """Write a tree as LaTeX does, so that both dialects can be held against each other."""
    parts = [spoken(child) for child in element]
    match element.tag:
        case "mfrac":
            return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
        case "msup":
            return f"{parts[0]}^{parts[1] if len(parts[1]) == 1 else f'{{{parts[1]}}}'}"
        case "msub":
            return f"{parts[0]}_{parts[1] if len(parts[1]) == 1 else f'{{{parts[1]}}}'}"
        case "msqrt":
            return rf"\sqrt{{{''.join(parts)}}}"
    return (element.text or "") + "".join(parts)


LATEX = {"\u2062": "", "\u2061": "", "−": "-", "⋅": r"\cdot", "⌊": r"\left\lfloor", "⌋": r"\right\rfloor", "⌈": r"\left\lceil"}
LATEX |= {"⌉": r"\right\rceil", "mod": r"\bmod", "≤": r"\le", "≠": r"\ne", "<": r"\lt", "∧": r"\land", "∨": r"\lor"}
LATEX |= {"(": r"\left(", ")": r"\right)", "min": r"\min", "max": r"\max"}


def as_latex(expr: Any) -> str:
    text = spoken(elements(expr))
    for sign, command in LATEX.items():
        text = text.replace(sign, command)
    return re.sub(r"\s", "", text)


@pytest.mark.slow
@relaxed
@given(expr=formulas)
def test_mathml_says_what_latex_says(expr: Any) -> None:
    assume(not expr.has(Piecewise))  # which LaTeX writes in lines
    assert as_latex(expr) == re.sub(r"\s", "", to_latex(expr, SIZES))


@pytest.mark.parametrize("expr", EACH_NODE, ids=str)
def test_fractions_powers_and_names_with_marks_have_two_arguments(expr: Any) -> None:
    for element in elements(expr).iter():
        assert (len(element) == 2) == (element.tag in {"mfrac", "msup", "msub"}) or element.tag not in {"mfrac", "msup", "msub"}
        assert element.tag in {"math", "mrow", "mn", "mi", "mo", "mtext", "mfrac", "msup", "msub", "msqrt", "mtable", "mtr", "mtd"}
        assert element.text or len(element)


def test_names_are_set_as_papers_have_them() -> None:
    text = to_mathml(symbol("d_ff") * symbol("alpha") * symbol("heads") + Integer(0) * n, [])
    assert "<msub><mi>d</mi><mi>ff</mi></msub>" in text
    assert "<mi>α</mi>" in text
    assert "<mi>heads</mi>" in text
    assert to_mathml(symbol("d1")) == "<msub><mi>d</mi><mn>1</mn></msub>"


def test_mathml_refuses_what_it_cannot_say() -> None:
    with pytest.raises(PrintingError):
        to_mathml(Function("gamma")(symbols("x")))
