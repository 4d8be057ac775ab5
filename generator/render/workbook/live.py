"""Sentences with numbers in them that follow the sizes: the formula of a text, and what it says when the file is written."""

from __future__ import annotations

from fractions import Fraction
from string import Formatter
from typing import NamedTuple

from generator.render.workbook.cells import quoted


class Live(NamedTuple):
    """A formula (without the equals sign) and its value as text."""

    formula: str
    shown: str


def fixed(text: str) -> Live:
    """Return text that does not change."""
    return Live(quoted(text), text)


def sentence(template: str, **places: Live | str) -> Live:
    """Return a text with its places, in braces, filled in."""
    formulas, shown, literal = [], [], ""
    for text, place, _, _ in Formatter().parse(template):
        literal += text
        found = "" if place is None else places[place]
        if isinstance(found, str):
            literal += found
            continue
        if literal:
            formulas.append(quoted(literal))
            shown.append(literal)
        literal = ""
        formulas.append(found.formula)
        shown.append(found.shown)
    if literal or not formulas:
        formulas.append(quoted(literal))
        shown.append(literal)
    return Live("&".join(formulas), "".join(shown))


def rounded(cell: str, value: float | Fraction, decimals: int = 0) -> Live:
    """Return a number rounded to some decimals, halves up, without trailing zeros."""
    return Live(f"ROUND({cell},{decimals})", rounded_text(value, decimals))


def percent(cell: str, value: float | Fraction) -> Live:
    """Return a share as a whole number of hundredths."""
    return Live(f"ROUND(100*{cell},0)", rounded_text(Fraction(value) * 100, 0))


def choice(condition: str, holds: bool, yes: Live, no: Live) -> Live:
    """Return one of two texts."""
    return Live(f"IF({condition},{yes.formula},{no.formula})", yes.shown if holds else no.shown)


def rounded_text(value: float | Fraction, decimals: int = 1) -> str:
    """Return ROUND(value, decimals) of a number above zero as a spreadsheet joins it to text."""
    steps = int(Fraction(value) * 10**decimals + Fraction(1, 2))
    whole, rest = divmod(steps, 10**decimals)
    return f"{whole}.{str(rest).zfill(decimals)}".rstrip("0") if rest else str(whole)
