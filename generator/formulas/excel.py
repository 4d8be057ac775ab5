"""Formulas as spreadsheets calculate them, exact for whole numbers as far as double precision goes.

Excel's precedence differs from Python's: `-x^2` is (-x)^2, and `2^3^2` is (2^3)^2. No leading minus is ever printed before a power.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Mul, Ne, Piecewise, Rational, Symbol, log

from generator.formulas.dialect import Binds, Dialect, Piece, PrintingError
from generator.formulas.exact import with_whole_arguments
from generator.formulas.logarithm import Log2
from generator.formulas.logs import fold_logs
from generator.formulas.order import Term, ordered_terms

# Logarithms and odd roots miss whole numbers by a rounding error; sizes below 2^39 stay clear of this many decimals.
ROUNDED_DECIMALS = 12


class ExcelDialect(Dialect):
    """`4*b*n*d^2+2*b*n^2*d`, `INT(n/2)`, `d-h*INT(d/h)=0`.

    Args:
        names: the Excel name (or cell) of each size.
        size_order: the names of the sizes as the spec lists them.
    """

    name: ClassVar[str] = "Excel"
    relations: ClassVar[dict[type, str]] = {Eq: "=", Ne: "<>", Lt: "<", Le: "<=", Gt: ">", Ge: ">="}
    plus: ClassVar[str] = "+"
    minus: ClassVar[str] = "-"

    def __init__(self, names: Mapping[str, str], size_order: Sequence[str] = ()) -> None:
        super().__init__(size_order)
        self.names = names
        self._terms: dict[Term, Piece] = {}  # most recur from sum to sum

    def print(self, expr: Any) -> str:
        """Return the text of an expression or a condition, without the equals sign."""
        return self.piece(with_whole_arguments(fold_logs(expr))).text

    def size(self, symbol: Symbol) -> Piece:
        """A defined name or a cell."""
        if symbol.name not in self.names:
            raise PrintingError(f"no Excel name is known for the size `{symbol.name}`")
        return Piece(self.names[symbol.name], Binds.ATOM)

    def sum(self, expr: Expr) -> Piece:
        """Where several terms are divided, they are added before the division: thirds do not add up to ones in binary."""
        terms = ordered_terms(expr, self.size_order)
        divided = [term for term in terms if _is_divided(term)]
        if len(terms) > 1 and (len(divided) > 1 or any(not _is_binary(term.coefficient) for term in terms)):
            over, under = self.ratio(expr)
            return self.quotient(over, under)
        return super().sum(expr)

    def term(self, term: Term) -> Piece:
        """A quotient of roots is the root of one quotient: where it comes out whole, so does the calculation."""
        if term not in self._terms:
            self._terms[term] = self._term(term)
        return self._terms[term]

    def _term(self, term: Term) -> Piece:
        if {exponent.p > 0 for _, exponent in term.factors if exponent.q == 2} != {True, False}:
            return super().term(term)
        return self.root(Mul(term.coefficient**2, *(base ** (2 * exponent) for base, exponent in term.factors)))

    def negative(self, piece: Piece, term: Term) -> str:
        """A number may carry the minus; a name must not, because a power could follow."""
        text = self.inside(piece, Binds.PRODUCT)
        return f"-{text}" if abs(term.coefficient.p) != 1 or not term.factors else f"0-{text}"

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power."""
        return Piece(f"{self.inside(base, Binds.ATOM)}^{self.inside(exponent, Binds.ATOM)}", Binds.POWER)

    def call(self, function: str, arguments: Sequence[Expr]) -> Piece:
        """Return a call; its arguments are separated by commas in the file, whatever the reader's locale shows."""
        return Piece(f"{function.upper()}({','.join(self.piece(argument).text for argument in arguments)})", Binds.ATOM)

    def root(self, expr: Expr) -> Piece:
        """Square root."""
        return self.call("sqrt", [expr])

    def floor(self, expr: Expr) -> Piece:
        """Round down."""
        return Piece(f"INT({self._to_round(expr.args[0]).text})", Binds.ATOM)

    def ceiling(self, expr: Expr) -> Piece:
        """Round up: the negative of rounding the negative down."""
        return Piece(f"-INT(-{self._negated(expr.args[0])})", Binds.SUM)

    def _negated(self, expr: Expr) -> str:
        if _is_rounded(expr):
            return self._to_round(expr).text
        over, under = self.ratio(expr)
        negated = Piece(self.inside(over, Binds.ATOM), Binds.ATOM)
        return self.quotient(negated, under).text if under else negated.text

    def _to_round(self, expr: Expr) -> Piece:
        piece = self.joined(expr)
        return Piece(f"ROUND({piece.text},{ROUNDED_DECIMALS})", Binds.ATOM) if _is_rounded(expr) else piece

    def mod(self, expr: Expr) -> Piece:
        """Excel's own MOD fails on large quotients."""
        a, b = (self.piece(argument) for argument in expr.args)
        quotient = self.quotient(a, [b]).text
        return Piece(f"{self.inside(a, Binds.SUM)}-{self.inside(b, Binds.POWER)}*INT({quotient})", Binds.SUM)

    def log2(self, expr: Expr) -> Piece:
        """Binary logarithm."""
        return Piece(f"LOG({self.piece(expr.args[0]).text},2)", Binds.ATOM)

    def natural_log(self, expr: Expr) -> Piece:
        """Natural logarithm."""
        return self.call("ln", expr.args)

    def cases(self, expr: Piecewise) -> Piece:
        """Nested IF."""
        cases, last = self.last_first(expr)
        text = self.piece(last).text
        for value, test in cases:
            text = f"IF({self.piece(test).text},{self.piece(value).text},{text})"
        return Piece(text, Binds.ATOM)

    def both(self, expr: Any) -> Piece:
        """All of several conditions."""
        return self.call("and", self.arguments(expr))

    def either(self, expr: Any) -> Piece:
        """Any of several conditions."""
        return self.call("or", self.arguments(expr))

    def negation(self, expr: Any) -> Piece:
        """The opposite of a condition."""
        return self.call("not", expr.args)

    def truth(self, expr: Any) -> Piece:
        """A condition that always or never holds."""
        return Piece(str(bool(expr)).upper(), Binds.ATOM)


def _is_divided(term: Term) -> bool:
    return any(exponent.p < 0 for _, exponent in term.factors) or not _is_binary(term.coefficient)


def _is_binary(number: Rational) -> bool:
    """Whether floating point holds a fraction of this denominator exactly."""
    below = int(number.q)
    return below & (below - 1) == 0


def _is_rounded(expr: Expr) -> bool:
    """Whether a whole value of the expression may come out beside the whole number."""
    if expr.has(log, Log2):
        return True
    terms = ordered_terms(expr)
    kinds = {int(exponent.q) for term in terms for _, exponent in term.factors}
    return bool(kinds - {1, 2}) or (2 in kinds and len(terms) > 1)


def to_excel(expr: Any, names: Mapping[str, str], size_order: Sequence[str] = ()) -> str:
    """Return an expression (or condition) as an Excel formula without the equals sign.

    Args:
        expr: a sympy expression of sizes, or a condition on them.
        names: the Excel name (or cell) of each size, by the size's name.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.

    Raises:
        PrintingError: a size without an Excel name, or a kind of node that Excel has no word for.
    """
    return ExcelDialect(names, size_order).print(expr)
