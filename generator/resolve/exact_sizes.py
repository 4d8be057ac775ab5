"""Sizes with logarithms and roots: which of them a module can work out, in whole numbers and exactly.

A module knows the whole part of the logarithm or root of a whole number. So one of these stands alone, where it must come out whole, or it
is rounded before anything else is done with it. Rounding 2*log2(n) is not rounding log2(n): at n = 3 they come to 3 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Pow, ceiling, floor, preorder_traversal

from generator.formulas.dialect import PrintingError
from generator.formulas.exact import over_common_denominator
from generator.formulas.logarithm import Log2
from generator.formulas.python import to_python
from generator.formulas.symbols import symbol
from generator.formulas.text import to_text
from generator.spec.model import Expression
from generator.text.expressions import ExpressionError, names, symbolic

_NOTES = (
    "write a logarithm or root of a whole number, by itself or rounded at once: ceil(log2(n)), floor(sqrt(n))",
    "or give it a size of its own, `r: {is: the root, value: sqrt(n)}`, which must be a whole number, and use that",
)

_EXPONENT = "an exponent in a size is a whole number of at least 0"


def inexact_problem(expression: Expression) -> tuple[str, ...]:
    """Return what keeps a module from working out a size exactly, with notes; an empty tuple where nothing does.

    The sizes in it are whole numbers, whatever they follow from: what is wrong with them is said where they are defined.
    """
    sizes = {name: symbol(name) for name in names(expression.ast)}
    try:
        value = symbolic(expression.ast, sizes)
    except ExpressionError:
        return ()  # said where its value is asked for
    if not value.has(Log2, Pow) or value.is_rational_function():
        return ()
    open_parts = [part for part in _open_parts(value) if not (part == value and _is_plain(part))]
    if not open_parts and _is_printed(value):
        return ()
    shown = f"`{to_text(open_parts[0], tuple(sizes))}` in " if open_parts and open_parts[0] != value else ""
    notes = _NOTES if any(map(_is_irrational, preorder_traversal(value))) else (_EXPONENT,)
    return (f"a module cannot work out {shown}`{expression.text}` exactly", *notes)


def open_domain(expression: Expression) -> tuple[str, ...]:
    """Return that a size has no value for some sizes, as it is a root or logarithm of what may be too small; else an empty tuple.

    A workbook shows it at all sizes, and so a condition (n > 3) is not enough.
    """
    try:
        value = symbolic(expression.ast, {name: symbol(name) for name in names(expression.ast)})
    except ExpressionError:
        return ()
    order = tuple(names(expression.ast))
    for part in preorder_traversal(value):
        least = 1 if isinstance(part, Log2) else 0
        if not _is_irrational(part) or (part.args[0].is_positive if least else part.args[0].is_nonnegative):
            continue
        inside = to_text(part.args[0], order)
        kind = "logarithm" if least else "root"
        return (
            f"the {kind} of {inside} has no value where that is below {least}",
            f"write max({inside}, {least}) inside, which is never below",
        )
    return ()


def _open_parts(value: Expr) -> Iterator[Expr]:
    """Yield the logarithms and roots of which the whole part is not enough."""
    if isinstance(value, floor | ceiling):
        yield from _open_in_rounding(value.args[0])
    elif _is_irrational(value):
        yield value
    else:
        for part in value.args:
            yield from _open_parts(part)


def _open_in_rounding(value: Expr) -> Iterator[Expr]:
    """Yield those in what is rounded: a logarithm or a product with a root, over a whole number, has a whole part that is enough."""
    numerator, denominator = over_common_denominator(value)
    yield from _open_parts(denominator)
    if _is_plain(numerator) or _is_product_with_root(numerator):
        return
    yield from _open_parts(numerator)


def _is_irrational(value: Expr) -> bool:
    return isinstance(value, Log2) or (isinstance(value, Pow) and not value.exp.is_integer)


def _is_plain(value: Expr) -> bool:
    """Say whether this is the logarithm or square root of a whole number."""
    if not (isinstance(value, Log2) or (isinstance(value, Pow) and 2 * value.exp == 1)):
        return False
    inside = value.args[0]
    return over_common_denominator(inside)[1] == 1 and not any(_open_parts(inside))


def _is_product_with_root(value: Expr) -> bool:
    return value.is_Mul and all((isinstance(part, Pow) and 2 * part.exp == 1) or not any(_open_parts(part)) for part in value.args)


def _is_printed(value: Expr) -> bool:
    """Say whether Python has words for a size."""
    try:
        to_python(floor(value), {size.name: size.name for size in value.free_symbols})
    except PrintingError:
        return False
    return True
