"""What Excel's parser allows: 64 levels of nesting, and 255 arguments of a function; LibreOffice takes more and shows no fault."""

from __future__ import annotations

from collections.abc import Mapping

from openpyxl.formula.tokenizer import Token, Tokenizer

from .libreoffice import Cell

MOST_LEVELS, MOST_ARGUMENTS = 64, 255


def deepest(formula: str) -> tuple[int, int]:
    """Return the levels of parentheses of a formula, and the most arguments of any function in it."""
    levels, most, open_calls = 0, 0, []
    for token in Tokenizer(f"={formula}").items:
        if token.subtype == Token.OPEN:
            open_calls.append(1)
            levels = max(levels, len(open_calls))
        elif token.subtype == Token.CLOSE:
            most = max(most, open_calls.pop())
        elif token.type == Token.SEP and token.subtype == Token.ARG:
            open_calls[-1] += 1
    assert open_calls == []
    return levels, most


def too_deep(formulas: Mapping[Cell, str]) -> dict[Cell, tuple[int, int]]:
    # Few have as many parentheses or commas at all as would be too many; only those are taken apart.
    long = {cell: text for cell, text in formulas.items() if text.count("(") > MOST_LEVELS or text.count(",") >= MOST_ARGUMENTS}
    found = {cell: deepest(formula) for cell, formula in long.items()}
    return {cell: depth for cell, depth in found.items() if depth[0] > MOST_LEVELS or depth[1] > MOST_ARGUMENTS}
