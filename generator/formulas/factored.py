"""Formulas as products: `2*b*n*d*(n - 2*d)`, where the printers would multiply out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Add, Expr, Mul

from generator.formulas.algebra import factor
from generator.formulas.latex import to_latex
from generator.formulas.order import ordered_terms
from generator.formulas.text import to_text

_Factors = list[tuple[Expr, Expr]]  # base and exponent


def factored_text(expr: Expr, size_order: Sequence[str] = ()) -> str:
    """Return a formula as the spec language writes it, sums that it is a product of in parentheses."""
    return _product(expr, size_order, to_text, "*", "**{}", "({})")


def factored_latex(expr: Expr, size_order: Sequence[str] = ()) -> str:
    """The same in LaTeX."""
    return _product(expr, size_order, to_latex, " ", "^{{{}}}", r"\left({}\right)")


def _product(
    expr: Expr, order: Sequence[str], shown: Callable[[Expr, Sequence[str]], str], times: str, power: str, parentheses: str
) -> str:
    parts = [part.as_base_exp() for part in Mul.make_args(factor(expr))]
    sums = [(base, exponent) for base, exponent in parts if base.is_Add and exponent.is_Integer and exponent > 0]
    rest = Mul(*(base**exponent for base, exponent in parts if (base, exponent) not in sums))
    if not sums or (rest in (1, -1) and sum(exponent for _, exponent in sums) == 1):
        return shown(expr, order)
    rest, sums = _with_plus(rest, sums)
    texts = [parentheses.format(_sum(base, order, shown)) + (power.format(exponent) if exponent != 1 else "") for base, exponent in sums]
    if rest == -1:
        return f"-{times.join(texts)}"
    return times.join([*([] if rest == 1 else [shown(rest, order)]), *texts])


def _with_plus(rest: Expr, sums: _Factors) -> tuple[Expr, _Factors]:
    """Turn -2*b*(2*d - n) into 2*b*(n - 2*d); -b*(d - 1) stays, because it is seen to be negative."""
    for i, (base, exponent) in enumerate(sums):
        signs = {bool(term.could_extract_minus_sign()) for term in base.args}
        if rest.could_extract_minus_sign() and exponent % 2 == 1 and len(signs) == 2 and not any(term.is_number for term in base.args):
            return -rest, [*sums[:i], (-base, exponent), *sums[i + 1 :]]
    return rest, sums


def _sum(base: Expr, order: Sequence[str], shown: Callable[[Expr, Sequence[str]], str]) -> str:
    """Print a sum with what is added before what is taken away."""
    taken = [term for term in base.args if term.could_extract_minus_sign()]
    if not taken or len(taken) == len(base.args):
        return shown(base, order)
    added = shown(Add(*(term for term in base.args if term not in taken)), order)
    return added + "".join(f" - {shown(term.expr, order)}" for term in ordered_terms(-Add(*taken), order))
