r"""Formulas as GitHub renders them: `24bnd^2 + 4bn^2d`.

Markdown eats a backslash before punctuation, so nothing like `\,`, `\{` or `\\` is printed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne, Piecewise, Symbol

from generator.formulas.dialect import Binds, Dialect, Piece

_GREEK_WORDS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
    Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = tuple(_GREEK_WORDS.split())


class LatexDialect(Dialect):
    """Factors stand side by side; names of several letters are upright."""

    name: ClassVar[str] = "LaTeX"
    relations: ClassVar[dict[type, str]] = {Eq: " = ", Ne: r" \ne ", Lt: r" \lt ", Le: r" \le ", Gt: r" \gt ", Ge: r" \ge "}

    def grouped(self, text: str) -> str:
        """Parentheses as high as what they hold."""
        return rf"\left({text}\right)"

    def size(self, symbol: Symbol) -> Piece:
        """`d`, `d_1`, `d_{ff}`, `heads`."""
        return Piece(latex_name(symbol.name), Binds.ATOM)

    def product(self, pieces: Sequence[Piece]) -> Piece:
        """Return factors side by side, with a sign or a space only where the eye needs one."""
        if len(pieces) == 1:
            return pieces[0]
        text = self.inside(pieces[0], Binds.POWER)
        for piece in pieces[1:]:
            text = _beside(text, self.inside(piece, Binds.POWER))
        return Piece(text, Binds.PRODUCT)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a fraction."""
        return Piece(rf"\frac{{{over.text}}}{{{self.product(under).text}}}", Binds.PRODUCT)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power; one character needs no braces."""
        raised = exponent.text if len(exponent.text) == 1 else f"{{{exponent.text}}}"
        return Piece(f"{self.inside(base, Binds.ATOM)}^{raised}", Binds.POWER)

    def root(self, expr: Expr) -> Piece:
        """Return a root."""
        return Piece(rf"\sqrt{{{self.piece(expr).text}}}", Binds.ATOM)

    def floor(self, expr: Expr) -> Piece:
        """Round down."""
        return Piece(rf"\left\lfloor {self.joined(expr.args[0]).text} \right\rfloor", Binds.ATOM)

    def ceiling(self, expr: Expr) -> Piece:
        """Round up."""
        return Piece(rf"\left\lceil {self.joined(expr.args[0]).text} \right\rceil", Binds.ATOM)

    def mod(self, expr: Expr) -> Piece:
        """Remainder."""
        a, b = (self.inside(self.piece(argument), Binds.POWER) for argument in expr.args)
        return Piece(rf"{a} \bmod {b}", Binds.SUM)

    def call(self, function: str, arguments: Sequence[Expr]) -> Piece:
        """min, max and logarithms have commands of their own."""
        name = {"log2": r"\log_2"}.get(function, f"\\{function}")
        return Piece(rf"{name}\left({', '.join(self.piece(argument).text for argument in arguments)}\right)", Binds.ATOM)

    def natural_log(self, expr: Expr) -> Piece:
        """Natural logarithm."""
        return self.call("ln", expr.args)

    def cases(self, expr: Piecewise) -> Piece:
        """Choice by conditions."""
        lines = [
            f"{self.piece(value).text} & " + (r"\text{otherwise}" if test == True else rf"\text{{if }} {self.piece(test).text}")  # noqa: E712
            for value, test in expr.args
        ]
        return Piece(r"\begin{cases} " + r" \cr ".join(lines) + r" \end{cases}", Binds.SUM)

    def both(self, expr: Any) -> Piece:
        """All of several conditions."""
        return Piece(r" \land ".join(self.inside(self.piece(part), Binds.NOT) for part in self.arguments(expr)), Binds.BOTH)

    def either(self, expr: Any) -> Piece:
        """Any of several conditions."""
        return Piece(r" \lor ".join(self.inside(self.piece(part), Binds.BOTH) for part in self.arguments(expr)), Binds.EITHER)

    def negation(self, expr: Any) -> Piece:
        """The opposite of a condition."""
        return Piece(rf"\lnot {self.inside(self.piece(expr.args[0]), Binds.ATOM)}", Binds.NOT)

    def truth(self, expr: Any) -> Piece:
        """A condition that always or never holds."""
        return Piece(rf"\text{{{str(bool(expr)).lower()}}}", Binds.ATOM)


def name_parts(name: str) -> list[str]:
    """Return a size's name, and what stands below it: what follows an underscore, and digits at its end."""
    head, *tail = [part for part in name.split("_") if part] or [name]
    numbered = re.fullmatch(r"([^\W\d]+)(\d+)", head)
    return [numbered[1], numbered[2], *tail] if numbered else [head, *tail]


def latex_name(name: str) -> str:
    r"""Return a size's name: `d`, `\alpha`, `\mathrm{heads}`, `d_1`, `d_{\mathrm{ff}}`."""
    head, *tail = name_parts(name)
    if not tail:
        return _word(head)
    return f"{_word(head)}_{{{','.join(_word(part) for part in tail)}}}" if len("".join(tail)) > 1 else f"{_word(head)}_{tail[0]}"


def _word(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 or word.isdigit() else rf"\mathrm{{{word}}}"


def _beside(left: str, right: str) -> str:
    if right[0].isdigit():
        return rf"{left} \cdot {right}"
    if right.startswith(r"\mathrm") or re.search(r"\\mathrm{\w+}(\^\S+)?$", left):
        return left + (r"\thinspace " if not left.isdigit() else "") + right
    if right[0].isalpha() and re.search(r"\\[a-zA-Z]+$", left):
        return f"{left} {right}"
    return left + right


def to_latex(expr: Any, size_order: Sequence[str] = ()) -> str:
    """Return an expression (or condition) in LaTeX, without the dollar signs.

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.

    Raises:
        PrintingError: the expression holds a kind of node that the dialect does not know.
    """
    return LatexDialect(size_order).print(expr)
