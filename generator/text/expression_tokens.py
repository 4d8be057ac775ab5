"""Cutting the text of an expression into numbers, names and operators, with help for common mistakes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from generator.formulas.numerals import digit_notes
from generator.text.expression_errors import ExpressionError

MAX_LENGTH = 1000
MAX_NAME_LENGTH = 40
MAX_DECIMAL_EXPONENT = 300

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mistake>&&|\|\||<>|\^|=[<>]|=(?!=)|[&|!](?!=)|[×·⋅∗÷−–—²³≤≥≠√⌈⌊])"
    r"|(?P<operator>\*\*|//|==|!=|<=|>=|[-+*/%<>(),])"
)
_DIGITS = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_NUMBER = re.compile(rf"(?:{_DIGITS}\.?|{_DIGITS}?\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WRITE = {
    "^": "write ** for a power",
    "²": "write **2",
    "³": "write **3",
    **dict.fromkeys("×·⋅∗", "write * to multiply"),
    "÷": "write / to divide, or // to divide and round down",
    **dict.fromkeys("−–—", "write - to subtract; this is a longer dash"),
    "&&": "write and",
    "&": "write and",
    "||": "write or",
    "|": "write or",
    "!": "write != for unequal",
    "<>": "write != for unequal",
    "=<": "write <=",
    "=>": "write >=",
    "=": "write == to compare",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "√": "write sqrt(...)",
    "⌈": "write ceil(...)",
    "⌊": "write floor(...)",
}


@dataclass(frozen=True)
class Token:
    """A piece of an expression; the last token of each text is an `end` of no length."""

    kind: Literal["number", "name", "operator", "end"]
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind the last character."""
        return self.start + len(self.text)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of an expression.

    Raises:
        ExpressionError: at the first character that belongs to no token.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are read", 0, len(text))
    tokens = []
    at = _skip_spaces(text, 0)
    while at < len(text):
        token = _token(text, at)
        tokens.append(token)
        at = _skip_spaces(text, token.end)
    return [*tokens, Token("end", "", len(text.rstrip()))]


def number_value(token: Token) -> Fraction:
    """Return the exact value of a number token.

    Raises:
        ExpressionError: if it is not written as numbers are, or its power of ten is out of bounds.
    """
    text = token.text
    if not _NUMBER.fullmatch(text):
        raise ExpressionError(f"`{text}` is not a number", token.start, len(text), ("numbers are written as 7, 30_000, 0.5 or 1e-6",))
    mantissa, _, exponent = text.lower().replace("_", "").partition("e")
    if len(exponent) > 5 or abs(int(exponent or 0)) > MAX_DECIMAL_EXPONENT:
        raise ExpressionError(f"`{text}` is out of bounds: powers of ten go to {MAX_DECIMAL_EXPONENT}", token.start, len(text))
    # Fraction() wants a digit on both sides of the point in some versions of Python.
    whole, _, part = mantissa.partition(".")
    return Fraction(f"{whole or '0'}.{part or '0'}") * Fraction(10) ** int(exponent or 0)


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _token(text: str, at: int) -> Token:
    match = _TOKEN.match(text, at)
    if match is None:
        raise ExpressionError(f"`{text[at]}` has no place in an expression", at, 1, _character_notes(text[at]))
    found = match.group()
    if match.lastgroup == "mistake":
        raise ExpressionError(f"`{found}` has no place in an expression", at, len(found), (_WRITE[found],))
    if match.lastgroup == "number":
        return Token("number", found, at)
    if match.lastgroup == "operator" or found in ("and", "or"):
        return Token("operator", found, at)
    if len(found) > MAX_NAME_LENGTH:
        raise ExpressionError(f"the name `{found[:MAX_NAME_LENGTH]}...` is longer than {MAX_NAME_LENGTH} characters", at, len(found))
    return Token("name", found, at)


def _character_notes(character: str) -> tuple[str, ...]:
    if character.isalpha():
        return ("names are made of the letters a-z and A-Z, digits and _",)
    if character in "[]{}":
        return ("group with parentheses ( )",)
    if character in "'\"“”‘’":
        return ("an expression holds no quotes",)
    if character == ".":
        return ("functions are called ceil, floor, min, max, log2 and sqrt, without `math.` before them",)
    return digit_notes(character)
