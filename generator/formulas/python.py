"""Formulas as Python source, for generated modules.

Two readings: whole numbers (`self.d // self.h`, exact, for sizes) and real numbers (`self.e**-0.5`, for scale factors).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sympy import Expr, Pow, Rational, Symbol

from generator.formulas.dialect import Binds, Dialect, Piece, PrintingError
from generator.formulas.exact import over_common_denominator, with_whole_arguments
from generator.formulas.logarithm import Log2
from generator.formulas.logs import fold_logs
from generator.formulas.order import ordered_terms


class PythonDialect(Dialect):
    """Whole-number Python. The caller knows that the formula comes out whole; then `//` at the end of each term is exact.

    Args:
        names: the Python text of each size, such as `self.d`.
        size_order: the names of the sizes as the spec lists them.
    """

    name: ClassVar[str] = "Python"
    times: ClassVar[str] = " * "

    def __init__(self, names: Mapping[str, str], size_order: Sequence[str] = ()) -> None:
        super().__init__(size_order)
        self.names = names

    def print(self, expr: Any) -> str:
        """Return the text of an expression or a condition."""
        return self._whole(expr).text

    def operand(self, expr: Any) -> str:
        """Return the text of an expression so that it may stand beside any operator: in parentheses unless it holds together by itself."""
        return self.inside(self._whole(expr), Binds.POWER)

    def _whole(self, expr: Any) -> Piece:
        return self.piece(with_whole_arguments(fold_logs(expr)))

    def size(self, symbol: Symbol) -> Piece:
        """A variable, an attribute, or whatever text the caller gives."""
        if symbol.name not in self.names:
            raise PrintingError(f"no Python name is known for the size `{symbol.name}`")
        text = self.names[symbol.name]
        try:
            source = ast.parse(text, mode="eval").body
        except SyntaxError as problem:
            raise PrintingError(f"`{text}`, the name of the size `{symbol.name}`, is not Python") from problem
        is_primary = isinstance(source, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant)
        return Piece(text, Binds.ATOM if is_primary else Binds.EITHER)

    def sum(self, expr: Expr) -> Piece:
        """Where several terms are divided, they are added before the division: only their sum is known to be whole."""
        if sum(not _is_undivided(term.coefficient, term.factors) for term in ordered_terms(expr, self.size_order)) > 1:
            over, under = self.ratio(expr)
            return self.quotient(over, under)
        return super().sum(expr)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a quotient without remainder."""
        return self._floor_quotient(over, under)

    def _floor_quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        if not under:
            return over
        return Piece(f"{self.inside(over, Binds.PRODUCT)} // {self.inside(self.product(under), Binds.POWER)}", Binds.REMAINDER)

    def factor(self, base: Expr, exponent: Rational) -> Piece:
        """Return a power, whose exponent must be a whole number that is not negative."""
        raised = base.exp if isinstance(base, Pow) else exponent
        divided = any(over_common_denominator(part)[1] != 1 for part in [raised, base.base if isinstance(base, Pow) else base])
        if divided or not raised.is_nonnegative:
            raise PrintingError(f"Python has no whole-number reading of {base**exponent}")
        return super().factor(base, exponent)

    def root(self, expr: Expr) -> Piece:
        """Return the root of a square."""
        return Piece(f"math.isqrt({self.piece(expr).text})", Binds.ATOM)

    def floor(self, expr: Expr) -> Piece:
        """Round down, in whole numbers throughout."""
        numerator, denominator = over_common_denominator(expr.args[0])
        if isinstance(numerator, Log2):
            over = Piece(f"{self._bit_length(numerator.args[0])} - 1", Binds.SUM)
        elif has_roots(numerator):
            over = Piece(f"math.isqrt({self._squared(numerator)})", Binds.ATOM)
        else:
            over = self.piece(numerator)
        return self._floor_quotient(over, self._denominator(denominator))

    def ceiling(self, expr: Expr) -> Piece:
        """Round up: the negative of rounding the negative down."""
        numerator, denominator = over_common_denominator(expr.args[0])
        if isinstance(numerator, Log2):
            over = Piece(self._bit_length(numerator.args[0] - 1), Binds.ATOM)
        elif has_roots(numerator):
            over = Piece(f"math.isqrt({self._squared(numerator, 1)}) + 1", Binds.SUM)
        else:
            over = self.piece(numerator)
        under = self._denominator(denominator)
        if not under:
            return over
        negated = Piece(f"-{self.inside(over, Binds.PRODUCT)}", Binds.PRODUCT)
        return Piece(f"-({self._floor_quotient(negated, under).text})", Binds.SUM)

    def _denominator(self, denominator: Expr) -> list[Piece]:
        return [] if denominator == 1 else [self.piece(denominator)]

    def _bit_length(self, expr: Expr) -> str:
        if over_common_denominator(expr)[1] != 1 or has_roots(expr):
            raise PrintingError(f"Python rounds the binary logarithm of whole numbers only, not of {expr}")
        return f"{self.inside(self.piece(expr), Binds.ATOM)}.bit_length()"

    def _squared(self, root: Expr, less: int = 0) -> str:
        """Return the square of a term with square roots, so that its whole part can be taken exactly."""
        square = fold_logs(root**2)  # a quotient of two roots of logarithms is seen to be a binary one only now
        if not _is_above_zero(root, less) or has_roots(square) or square.has(Log2):
            raise PrintingError(f"Python cannot round {root} in whole numbers")
        return self.piece(square - less).text

    def log2(self, expr: Expr) -> Piece:
        """Return the exponent of a power of two."""
        return Piece(f"{self._bit_length(expr.args[0])} - 1", Binds.SUM)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power; Python reads `a**-0.5` as it looks."""
        raised = exponent.text if exponent.text.lstrip("-").replace(".", "", 1).isdigit() else self.inside(exponent, Binds.ATOM)
        return Piece(f"{self.inside(base, Binds.ATOM)}**{raised}", Binds.POWER)


class PythonNumberDialect(PythonDialect):
    """Real-number Python: `/` divides, roots are powers."""

    name: ClassVar[str] = "Python"

    def sum(self, expr: Expr) -> Piece:
        """Sums need no care where rounding is allowed."""
        return Dialect.sum(self, expr)

    def factors(self, powers: Sequence[tuple[Expr, Rational]]) -> list[Piece]:
        """Return one piece a factor; roots are powers of it."""
        return [self.factor(base, exponent) for base, exponent in powers]

    def factor(self, base: Expr, exponent: Rational) -> Piece:
        """Return a power, with a decimal exponent where it is a half or a quarter."""
        if exponent.is_Integer or exponent.q not in (2, 4, 8):
            return Dialect.factor(self, base, exponent)
        return self.power(self.piece(base), Piece(str(float(exponent)), Binds.ATOM))

    def term(self, term: Any) -> Piece:
        """One over a root is the power of minus a half."""
        if term.coefficient.p in (1, -1) and term.coefficient.q == 1 and len(term.factors) == 1:
            ((base, exponent),) = term.factors
            if exponent < 0 and exponent.q in (2, 4, 8):
                return self.power(self.piece(base), Piece(str(float(exponent)), Binds.ATOM))
        return super().term(term)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a quotient."""
        return Piece(f"{self.inside(over, Binds.PRODUCT)} / {self.inside(self.product(under), Binds.POWER)}", Binds.PRODUCT)

    def log2(self, expr: Expr) -> Piece:
        """Binary logarithm."""
        return self.call("math.log2", expr.args)

    def natural_log(self, expr: Expr) -> Piece:
        """Natural logarithm."""
        return self.call("math.log", expr.args)


def _is_undivided(coefficient: Rational, factors: Sequence[tuple[Expr, Rational]]) -> bool:
    return coefficient.q == 1 and all(exponent > 0 for _, exponent in factors)


def _is_above_zero(root: Expr, less: int) -> bool:
    """Say whether one term with roots is at least zero where it has a value; where `less` is 1, above it."""
    terms = ordered_terms(root)
    if len(terms) != 1:
        return False
    if less or root.is_positive:
        return bool(root.is_positive)
    return terms[0].coefficient > 0 and all(base.is_nonnegative or not exponent.is_Integer for base, exponent in terms[0].factors)


def has_roots(expr: Expr) -> bool:
    """Say whether an expression has factors under a root."""
    return any(not exponent.is_Integer for term in ordered_terms(expr) for _, exponent in term.factors)


def to_python(expr: Any, names: Mapping[str, str], size_order: Sequence[str] = (), *, operand: bool = False) -> str:
    """Return an expression that comes out whole, or a condition, as exact integer source.

    Args:
        expr: a sympy expression of sizes whose value is known to be whole, or a condition on sizes.
        names: the Python text of each size, such as `{"d": "self.d"}`.
        size_order: the names of the sizes as the spec lists them; factors stand in this order.
        operand: whether the text is to stand beside an operator.

    Returns:
        Source without side effects. Where it holds `math.`, the module must import math. A square root is read as known to be whole.

    Raises:
        PrintingError: a size without a name, or something that has no exact reading in whole numbers.
    """
    dialect = PythonDialect(names, size_order)
    return dialect.operand(expr) if operand else dialect.print(expr)


def to_python_number(expr: Any, names: Mapping[str, str], size_order: Sequence[str] = (), *, operand: bool = False) -> str:
    """Return an expression with a real value, such as `e**-0.5`, as source. Arguments and errors as for `to_python`."""
    dialect = PythonNumberDialect(names, size_order)
    return dialect.operand(expr) if operand else dialect.print(expr)
