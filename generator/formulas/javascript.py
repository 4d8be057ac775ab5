"""Formulas as JavaScript over BigInt, for the pages in a browser: exact for whole numbers of any length, or an error.

The text calls functions that the page has (`HELPERS`): a division that must leave no remainder, rounding and remainders by Python's rules,
roots and logarithms that must come out whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne, Piecewise, Pow, Rational, Symbol

from generator.formulas.dialect import Binds, Piece, PrintingError
from generator.formulas.exact import over_common_denominator
from generator.formulas.logarithm import Log2
from generator.formulas.order import Term
from generator.formulas.python import PythonDialect, has_roots

HELPERS: Final[Mapping[str, str]] = {
    "Q": "a/b without remainder, or an error",
    "F": "a/b rounded down",
    "C": "a/b rounded up",
    "M": "the remainder of a/b, with the sign of b",
    "mn": "the least",
    "mx": "the greatest",
    "P": "a**b of any whole b from zero on, or an error where that takes too many digits",
    "R": "the root of a square, or an error",
    "fR": "a root rounded down",
    "L": "the exponent of a power of two, or an error",
    "bl": "the number of binary digits",
}


class JavaScriptDialect(PythonDialect):
    """Whole-number JavaScript. Unlike Python's `//` a division says so where it does not come out whole.

    Args:
        names: the text of each size, such as `s[0]`; one that stands beside any operator.
    """

    name: ClassVar[str] = "JavaScript"
    times: ClassVar[str] = "*"
    plus: ClassVar[str] = "+"
    minus: ClassVar[str] = "-"
    relations: ClassVar[dict[type, str]] = {Eq: "===", Ne: "!==", Lt: "<", Le: "<=", Gt: ">", Ge: ">="}

    def number(self, value: int) -> Piece:
        """A BigInt."""
        return Piece(f"{value}n", Binds.ATOM)

    def size(self, symbol: Symbol) -> Piece:
        """Whatever text the caller gives."""
        if symbol.name not in self.names:
            raise PrintingError(f"no JavaScript name is known for the size `{symbol.name}`")
        return Piece(self.names[symbol.name], Binds.ATOM)

    def negative(self, piece: Piece, term: Term) -> str:
        """Return a first term with its minus sign: `-a**2n` is a mistake in JavaScript, which will not guess what is meant."""
        del term
        text = self.inside(piece, Binds.PRODUCT)
        return f"-({text})" if "**" in text else f"-{text}"

    def call(self, function: str, arguments: Sequence[Expr]) -> Piece:
        """Return a call of a function of the page."""
        short = {"min": "mn", "max": "mx"}.get(function, function)
        return Piece(f"{short}({','.join(self.piece(argument).text for argument in arguments)})", Binds.ATOM)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a quotient without remainder."""
        return self._divided("Q", over, under)

    def _divided(self, function: str, over: Piece, under: Sequence[Piece]) -> Piece:
        return Piece(f"{function}({over.text},{self.product(under).text})", Binds.ATOM) if under else over

    def factor(self, base: Expr, exponent: Rational) -> Piece:
        """Return a power; one with sizes in its exponent may take too many digits."""
        if not isinstance(base, Pow) or base.exp.is_Rational:
            return super().factor(base, exponent)
        if exponent != 1 or any(over_common_denominator(part)[1] != 1 for part in base.args):
            raise PrintingError(f"JavaScript has no whole-number reading of {base**exponent}")
        return self.call("P", base.args)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power."""
        return Piece(f"{self.inside(base, Binds.ATOM)}**{self.inside(exponent, Binds.ATOM)}", Binds.POWER)

    def root(self, expr: Expr) -> Piece:
        """Return the root of a square."""
        return self.call("R", [expr])

    def floor(self, expr: Expr) -> Piece:
        """Round down."""
        return self._rounded(expr, "F")

    def ceiling(self, expr: Expr) -> Piece:
        """Round up."""
        return self._rounded(expr, "C")

    def _rounded(self, expr: Expr, function: str) -> Piece:
        """Round a quotient. Where its numerator is no whole number, that is rounded first, which comes to the same."""
        numerator, denominator = over_common_denominator(expr.args[0])
        down = function == "F"
        if isinstance(numerator, Log2):
            length = self._bit_length(numerator.args[0] if down else numerator.args[0] - 1)
            over = Piece(f"{length}-1n", Binds.SUM) if down else Piece(length, Binds.ATOM)
        elif has_roots(numerator):
            text = f"fR({self._squared(numerator, 0 if down else 1)})"
            over = Piece(text, Binds.ATOM) if down else Piece(f"{text}+1n", Binds.SUM)
        else:
            over = self.piece(numerator)
        return self._divided(function, over, self._denominator(denominator))

    def _bit_length(self, expr: Expr) -> str:
        self._require_whole(expr)
        return f"bl({self.piece(expr).text})"

    def log2(self, expr: Expr) -> Piece:
        """Return the exponent of a power of two."""
        self._require_whole(expr.args[0])
        return self.call("L", expr.args)

    def _require_whole(self, expr: Expr) -> None:
        if over_common_denominator(expr)[1] != 1 or has_roots(expr):
            raise PrintingError(f"JavaScript rounds the binary logarithm of whole numbers only, not of {expr}")

    def mod(self, expr: Expr) -> Piece:
        """Remainder; JavaScript's own has the sign of the dividend."""
        return self.call("M", expr.args)

    def cases(self, expr: Piecewise) -> Piece:
        """Choice by conditions; the last branch is taken where no other is."""
        cases, last = self.last_first(expr)
        text = self.piece(last).text
        for value, test in cases:
            text = f"{self.piece(test).text}?{self.piece(value).text}:{text}"
        return Piece(f"({text})", Binds.ATOM)

    def both(self, expr: Any) -> Piece:
        """All of several conditions."""
        return Piece("&&".join(self.inside(self.piece(part), Binds.NOT) for part in self.arguments(expr)), Binds.BOTH)

    def either(self, expr: Any) -> Piece:
        """Any of several conditions."""
        return Piece("||".join(self.inside(self.piece(part), Binds.BOTH) for part in self.arguments(expr)), Binds.EITHER)

    def negation(self, expr: Any) -> Piece:
        """The opposite of a condition."""
        return Piece(f"!({self.piece(expr.args[0]).text})", Binds.ATOM)

    def truth(self, expr: Any) -> Piece:
        """A condition that always or never holds."""
        return Piece(str(bool(expr)).lower(), Binds.ATOM)


def to_javascript(expr: Any, names: Mapping[str, str], size_order: Sequence[str] = ()) -> str:
    """Return an expression, or a condition, as JavaScript over BigInt.

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        names: the text of each size, such as `{"d": "s[0]"}`.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.

    Returns:
        Source without side effects that calls `HELPERS`. Where the value is no whole number, running it is an error.

    Raises:
        PrintingError: a size without a name, or something that has no exact reading in whole numbers.
    """
    return JavaScriptDialect(names, size_order).print(expr)
