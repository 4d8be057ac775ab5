"""Formulas in the language of the specs, so that what is printed can be pasted back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from generator.formulas.dialect import Dialect


class TextDialect(Dialect):
    """`4*b*n*d**2 + 2*b*n**2*d`, `floor(n/2)`, `d % h == 0`.

    A choice by conditions is printed as Python writes it; the spec language has no word for it.
    """

    name: ClassVar[str] = "the spec language"


def to_text(expr: Any, size_order: Sequence[str] = ()) -> str:
    """Return an expression (or condition) as the spec language writes it.

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.

    Raises:
        PrintingError: the expression holds something that the language has no word for.
    """
    return TextDialect(size_order).print(expr)
