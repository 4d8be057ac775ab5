"""Formulas as MathML, which browsers draw without help: what stands inside of a `<math>` element.

Of a piece that binds as an atom or a power the text is one element, as the arguments of fractions and powers have to be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar, Final

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne, Piecewise, Symbol

from generator.formulas.dialect import Binds, Dialect, Piece
from generator.formulas.latex import GREEK, name_parts

_LETTERS: Final = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_GREEK: Final = dict(zip(GREEK, _LETTERS, strict=True))
_TIMES = "<mo>\u2062</mo>"  # drawn as nothing, and read as times
_APPLY = "<mo>\u2061</mo>"


def _operator(sign: str) -> str:
    return f"<mo>{escape(sign)}</mo>"


class MathMLDialect(Dialect):
    """Factors stand side by side; names of several letters are upright."""

    name: ClassVar[str] = "MathML"
    plus: ClassVar[str] = _operator("+")
    minus: ClassVar[str] = _operator("−")
    relations: ClassVar[dict[type, str]] = {
        kind: _operator(sign) for kind, sign in {Eq: "=", Ne: "≠", Lt: "<", Le: "≤", Gt: ">", Ge: "≥"}.items()
    }

    def grouped(self, text: str) -> str:
        """Parentheses as high as what they hold."""
        return f"<mrow>{_operator('(')}{text}{_operator(')')}</mrow>"

    def number(self, value: int) -> Piece:
        """A number."""
        return Piece(f"<mn>{value}</mn>", Binds.ATOM)

    def size(self, symbol: Symbol) -> Piece:
        """A size's name, with what follows an underscore, and digits at its end, below it."""
        return Piece(mathml_name(symbol.name), Binds.ATOM)

    def negative(self, piece: Piece, term: Any) -> str:
        """Return a first term with its minus sign."""
        del term
        return self.minus + self.inside(piece, Binds.PRODUCT)

    def product(self, pieces: Sequence[Piece]) -> Piece:
        """Return factors side by side, with a dot only where two numbers would run together."""
        if len(pieces) == 1:
            return pieces[0]
        text = self.inside(pieces[0], Binds.POWER)
        for piece in pieces[1:]:
            beside = self.inside(piece, Binds.POWER)
            text += (_operator("⋅") if _starts_with_number(beside) else _TIMES) + beside
        return Piece(text, Binds.PRODUCT)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a fraction."""
        return Piece(f"<mfrac>{_one(over)}{_one(self.product(under))}</mfrac>", Binds.PRODUCT)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power."""
        return Piece(f"<msup>{self.inside(base, Binds.ATOM)}{_one(exponent)}</msup>", Binds.POWER)

    def root(self, expr: Expr) -> Piece:
        """Return a square root."""
        return Piece(f"<msqrt>{self.piece(expr).text}</msqrt>", Binds.ATOM)

    def floor(self, expr: Expr) -> Piece:
        """Round down."""
        return Piece(f"<mrow>{_operator('⌊')}{self.joined(expr.args[0]).text}{_operator('⌋')}</mrow>", Binds.ATOM)

    def ceiling(self, expr: Expr) -> Piece:
        """Round up."""
        return Piece(f"<mrow>{_operator('⌈')}{self.joined(expr.args[0]).text}{_operator('⌉')}</mrow>", Binds.ATOM)

    def mod(self, expr: Expr) -> Piece:
        """Remainder."""
        a, b = (self.inside(self.piece(argument), Binds.POWER) for argument in expr.args)
        return Piece(f"{a}{_operator('mod')}{b}", Binds.SUM)

    def call(self, function: str, arguments: Sequence[Expr]) -> Piece:
        """Return a function of arguments in parentheses."""
        name = "<msub><mi>log</mi><mn>2</mn></msub>" if function == "log2" else f"<mi>{function}</mi>"
        inner = _operator(",").join(self.piece(argument).text for argument in arguments)
        return Piece(f"<mrow>{name}{_APPLY}{_operator('(')}{inner}{_operator(')')}</mrow>", Binds.ATOM)

    def natural_log(self, expr: Expr) -> Piece:
        """Natural logarithm."""
        return self.call("ln", expr.args)

    def cases(self, expr: Piecewise) -> Piece:
        """Choice by conditions."""
        lines = [
            f"<mtr><mtd>{self.piece(value).text}</mtd><mtd>"
            + ("<mtext>otherwise</mtext>" if test == True else f"<mtext>if </mtext>{self.piece(test).text}")  # noqa: E712
            + "</mtd></mtr>"
            for value, test in expr.args
        ]
        return Piece(f"<mrow>{_operator('{')}<mtable>{''.join(lines)}</mtable></mrow>", Binds.SUM)

    def both(self, expr: Any) -> Piece:
        """All of several conditions."""
        return Piece(_operator("∧").join(self.inside(self.piece(part), Binds.NOT) for part in self.arguments(expr)), Binds.BOTH)

    def either(self, expr: Any) -> Piece:
        """Any of several conditions."""
        return Piece(_operator("∨").join(self.inside(self.piece(part), Binds.BOTH) for part in self.arguments(expr)), Binds.EITHER)

    def negation(self, expr: Any) -> Piece:
        """The opposite of a condition."""
        return Piece(f"{_operator('¬')}{self.inside(self.piece(expr.args[0]), Binds.ATOM)}", Binds.NOT)

    def truth(self, expr: Any) -> Piece:
        """A condition that always or never holds."""
        return Piece(f"<mtext>{str(bool(expr)).lower()}</mtext>", Binds.ATOM)


def _one(piece: Piece) -> str:
    """Return a piece as one element."""
    return piece.text if piece.binds >= Binds.POWER else f"<mrow>{piece.text}</mrow>"


def _starts_with_number(text: str) -> bool:
    return re.match(r"(<m(row|sup|frac)>)*<mn>", text) is not None


def mathml_name(name: str) -> str:
    """Return a size's name as one element: `d`, `heads`, `d` with `ff` below it."""
    head, *tail = name_parts(name)
    if not tail:
        return _word(head)
    below = _operator(",").join(map(_word, tail))
    return f"<msub>{_word(head)}{below if len(tail) == 1 else f'<mrow>{below}</mrow>'}</msub>"


def _word(word: str) -> str:
    return f"<mn>{word}</mn>" if word.isdigit() else f"<mi>{escape(_GREEK.get(word, word))}</mi>"


def to_mathml(expr: Any, size_order: Sequence[str] = ()) -> str:
    """Return an expression (or condition) as the content of a `<math>` element.

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.

    Raises:
        PrintingError: the expression holds a kind of node that the dialect does not know.
    """
    return MathMLDialect(size_order).print(expr)
