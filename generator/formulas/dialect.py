"""What all dialects share: the walk over an expression, and where parentheses are needed."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from sympy import Add, And, Eq, Expr, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Not, Or, Piecewise, Pow, Rational, Symbol, ceiling, floor, log
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from generator.formulas.exact import over_common_denominator
from generator.formulas.logarithm import Log2
from generator.formulas.logs import fold_logs
from generator.formulas.order import Term, in_size_order, ordered_terms


class PrintingError(ValueError):
    """The expression holds something that this dialect cannot say."""


class Binds(IntEnum):
    """How strongly a piece of text holds together; a piece inside a stronger one needs parentheses."""

    EITHER = 0
    BOTH = 1
    NOT = 2
    RELATION = 3
    SUM = 4
    REMAINDER = 5  # `a % b` and `a // b`: a minus in front would take hold of a alone
    PRODUCT = 6
    POWER = 7
    ATOM = 8


class Piece(NamedTuple):
    """A text and how strongly it binds."""

    text: str
    binds: Binds


RELATIONS = {Eq: " == ", Ne: " != ", Lt: " < ", Le: " <= ", Gt: " > ", Ge: " >= "}


class Dialect:
    """Turns expressions into text. A subclass says how its language writes each kind of node.

    Args:
        size_order: the names of the sizes as the spec lists them.
    """

    name: ClassVar[str]
    table: ClassVar[dict[type, str]] = {
        Add: "sum",
        Mul: "sum",
        Pow: "sum",
        Rational: "sum",
        Symbol: "size",
        floor: "floor",
        ceiling: "ceiling",
        Mod: "mod",
        Min: "least",
        Max: "greatest",
        Piecewise: "cases",
        Log2: "log2",
        log: "natural_log",
        **dict.fromkeys(RELATIONS, "relation"),
        And: "both",
        Or: "either",
        Not: "negation",
        BooleanTrue: "truth",
        BooleanFalse: "truth",
    }

    relations: ClassVar[dict[type, str]] = RELATIONS
    times: ClassVar[str] = "*"
    plus: ClassVar[str] = " + "
    minus: ClassVar[str] = " - "

    def __init__(self, size_order: Sequence[str] = ()) -> None:
        self.size_order = tuple(size_order)

    def print(self, expr: Any) -> str:
        """Return the text of an expression or a condition. Raises PrintingError on a kind of node that the dialect does not know."""
        return self.piece(fold_logs(expr)).text

    def piece(self, expr: Any) -> Piece:
        """Return the text of one node."""
        for kind in type(expr).__mro__:
            if kind in self.table:
                piece: Piece = getattr(self, self.table[kind])(expr)
                return piece
        raise self.error(expr)

    def inside(self, piece: Piece, binds: Binds) -> str:
        """Return a piece's text, in parentheses where it binds less than what is around it."""
        return piece.text if piece.binds >= binds else self.grouped(piece.text)

    def error(self, expr: Any) -> PrintingError:
        """Return the error for a node that the dialect cannot say."""
        return PrintingError(f"{self.name} cannot say {type(expr).__name__} in a formula: {expr}")

    # Sums of terms

    def sum(self, expr: Expr) -> Piece:
        """Sums, products, powers and numbers: everything that is a sum of terms."""
        terms = ordered_terms(expr, self.size_order)
        if not terms:
            return self.number(0)
        first, *rest = _with_plus_first(terms)
        piece = self.term(first)
        if first.is_negative:
            piece = Piece(self.negative(piece, first), Binds.SUM)
        if not rest:
            return piece
        tail = "".join(f"{self.minus if term.is_negative else self.plus}{self.inside(self.term(term), Binds.REMAINDER)}" for term in rest)
        return Piece(piece.text + tail, Binds.SUM)

    def negative(self, piece: Piece, term: Term) -> str:
        """Return a first term with its minus sign."""
        del term
        return "-" + self.inside(piece, Binds.PRODUCT)

    def term(self, term: Term) -> Piece:
        """Return one term without its sign."""
        over = self.factors([(base, exponent) for base, exponent in term.factors if exponent.p > 0])
        under = self.factors([(base, -exponent) for base, exponent in term.factors if exponent.p < 0])
        number, below = abs(term.coefficient.p), term.coefficient.q
        if number != 1 or not over:
            over.insert(0, self.number(int(number)))
        if below != 1:
            under.insert(0, self.number(int(below)))
        return self.quotient(self.product(over), under) if under else self.product(over)

    def factors(self, powers: Sequence[tuple[Expr, Rational]]) -> list[Piece]:
        """Return one piece a factor; square roots are drawn together under one sign at the end."""
        pieces, under_root = [], []
        for base, exponent in powers:
            whole, half = (exponent - Rational(1, 2), True) if exponent.q == 2 else (exponent, False)
            if half:
                under_root.append(base)
            if whole != 0:
                pieces.append(self.factor(base, whole))
        return [*pieces, self.root(Mul(*under_root))] if under_root else pieces

    def factor(self, base: Expr, exponent: Rational) -> Piece:
        """Return base**exponent for an exponent above zero."""
        if isinstance(base, Pow) and not base.exp.is_Rational:
            return self.power(self.piece(base.base), self.piece(base.exp))
        piece = self.piece(base)
        return piece if exponent == 1 else self.power(piece, self.piece(exponent))

    def product(self, pieces: Sequence[Piece]) -> Piece:
        """Return the product of pieces."""
        if len(pieces) == 1:
            return pieces[0]
        return Piece(self.times.join(self.inside(piece, Binds.POWER) for piece in pieces), Binds.PRODUCT)

    def ratio(self, expr: Expr) -> tuple[Piece, list[Piece]]:
        """Return an expression as one numerator and the factors of one denominator (none for 1)."""
        numerator, denominator = over_common_denominator(expr)
        if denominator == 1:
            return self.piece(numerator), []
        number, below = denominator.as_coeff_Mul()
        powers = [part.as_base_exp() for part in in_size_order(Mul.make_args(below), self.size_order)] if below != 1 else []
        under = self.factors(powers)
        if number != 1:
            under.insert(0, self.number(int(number)))
        return self.piece(numerator), under

    def joined(self, expr: Expr) -> Piece:
        """Return an expression with at most one fraction bar, as a function's argument reads best."""
        if len(ordered_terms(expr, self.size_order)) == 1:
            return self.piece(expr)
        over, under = self.ratio(expr)
        return self.quotient(over, under) if under else over

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a quotient."""
        below = self.product(under)
        return Piece(f"{self.inside(over, Binds.PRODUCT)}/{self.inside(below, Binds.POWER)}", Binds.PRODUCT)

    # What languages spell differently

    def grouped(self, text: str) -> str:
        """Return a text in parentheses."""
        return f"({text})"

    def call(self, function: str, arguments: Sequence[Expr]) -> Piece:
        """Return a call of a function."""
        return Piece(f"{function}({', '.join(self.piece(argument).text for argument in arguments)})", Binds.ATOM)

    def arguments(self, expr: Expr) -> list[Expr]:
        """Return the arguments of min, max, and, or, or a comparison in one order, whatever sympy's own is."""
        return in_size_order(expr.args, self.size_order)

    def number(self, value: int) -> Piece:
        """A whole number from zero on."""
        return Piece(str(value), Binds.ATOM)

    def size(self, symbol: Symbol) -> Piece:
        """A size's name."""
        return Piece(symbol.name, Binds.ATOM)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power. Both `**` and `^` differ on how chains group, so a power inside a power gets parentheses."""
        return Piece(f"{self.inside(base, Binds.ATOM)}**{self.inside(exponent, Binds.ATOM)}", Binds.POWER)

    def root(self, expr: Expr) -> Piece:
        """Return a square root."""
        return Piece(f"sqrt({self.piece(expr).text})", Binds.ATOM)

    def floor(self, expr: Expr) -> Piece:
        """Round down."""
        return Piece(f"floor({self.joined(expr.args[0]).text})", Binds.ATOM)

    def ceiling(self, expr: Expr) -> Piece:
        """Round up."""
        return Piece(f"ceil({self.joined(expr.args[0]).text})", Binds.ATOM)

    def mod(self, expr: Expr) -> Piece:
        """Remainder; the result has the sign of the divisor."""
        a, b = (self.piece(argument) for argument in expr.args)
        return Piece(f"{self.inside(a, Binds.POWER)} % {self.inside(b, Binds.POWER)}", Binds.REMAINDER)

    def least(self, expr: Expr) -> Piece:
        """Minimum."""
        return self.call("min", self.arguments(expr))

    def greatest(self, expr: Expr) -> Piece:
        """Maximum."""
        return self.call("max", self.arguments(expr))

    def log2(self, expr: Expr) -> Piece:
        """Binary logarithm."""
        return self.call("log2", expr.args)

    def natural_log(self, expr: Expr) -> Piece:
        """Natural logarithm."""
        raise self.error(expr)

    def cases(self, expr: Piecewise) -> Piece:
        """Choice by conditions; the last branch is taken where no other is."""
        cases, last = self.last_first(expr)
        text = self.inside(self.piece(last), Binds.SUM)
        for value, test in cases:
            text = f"{self.inside(self.piece(value), Binds.SUM)} if {self.piece(test).text} else {text}"
        return Piece(self.grouped(text), Binds.ATOM)

    def last_first(self, expr: Piecewise) -> tuple[list[tuple[Expr, Any]], Expr]:
        """Return cases with their conditions, from the last on, and what stands where none holds. Raises PrintingError without that."""
        *cases, (last, condition) = expr.args
        if condition != True:  # noqa: E712 - sympy's true is not Python's
            raise PrintingError(f"{self.name} needs a value for every case: {expr}")
        return cases[::-1], last

    def relation(self, expr: Any) -> Piece:
        """A comparison."""
        left, right = (self.inside(self.piece(side), Binds.SUM) for side in self.arguments(expr))
        return Piece(f"{left}{self.comparison(expr)}{right}", Binds.RELATION)

    def comparison(self, expr: Any) -> str:
        """Return the sign between the sides of a comparison, which stand in the order of sizes."""
        kept = list(expr.args) == self.arguments(expr)
        return self.relations[expr.func if kept else expr.reversed.func]

    def both(self, expr: Any) -> Piece:
        """All of several conditions."""
        return Piece(" and ".join(self.inside(self.piece(part), Binds.NOT) for part in self.arguments(expr)), Binds.BOTH)

    def either(self, expr: Any) -> Piece:
        """Any of several conditions."""
        return Piece(" or ".join(self.inside(self.piece(part), Binds.BOTH) for part in self.arguments(expr)), Binds.EITHER)

    def negation(self, expr: Any) -> Piece:
        """The opposite of a condition."""
        return Piece(f"not {self.inside(self.piece(expr.args[0]), Binds.RELATION)}", Binds.NOT)

    def truth(self, expr: Any) -> Piece:
        """A condition that always or never holds."""
        return Piece(str(bool(expr)), Binds.ATOM)


def _with_plus_first(terms: Sequence[Term]) -> list[Term]:
    """Return terms so that a sum begins with one that is added, if there is one: `f - 2*d`, and not `-2*d + f`."""
    added = next((term for term in terms if term.coefficient > 0), terms[0])
    return [added, *(term for term in terms if term is not added)]
