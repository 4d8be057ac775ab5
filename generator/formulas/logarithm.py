"""The binary logarithm, the only one that the spec language has.

sympy would write log2(n) as log(n)/log(2). Whatever takes such a quotient apart (a factorisation, a sum written out) leaves natural
logarithms behind, which no formula of a spec means; and floating point gets the quotient wrong at powers of two.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, log, perfect_power


class Log2(Function):
    """The binary logarithm of one positive argument; a whole number for powers of two."""

    nargs = 1
    is_real = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return the exponent where x is a power of two, which a root of two is too; of one over a number, minus its logarithm."""
        if isinstance(x, Pow) and x.base == 2 and x.exp.is_real:
            return x.exp
        if not (x.is_Rational and x.is_positive):
            return None
        if x.p == 1 and x.q != 1:
            return -cls(Integer(x.q))
        exponent = int(x.p).bit_length() - int(x.q).bit_length()
        return Integer(exponent) if x == Integer(2) ** exponent else None

    # The names below are sympy's protocol.

    def _eval_is_positive(self) -> Any:
        return (self.args[0] - 1).is_positive

    def _eval_is_nonnegative(self) -> Any:
        return (self.args[0] - 1).is_nonnegative

    def _eval_expand_log(self, deep: bool = True, **hints: Any) -> Expr:
        """Return the logarithm of a product as a sum, and that of a power as a product, where no part can be negative."""
        del deep
        (x,) = self.args
        if isinstance(x, Pow) and x.base.is_positive and x.exp.is_real:
            return x.exp * Log2(x.base).expand(**hints)
        if isinstance(x, Mul) and all(part.is_positive for part in x.args):
            return sum((Log2(part).expand(log=True) for part in x.args), Integer(0))
        if isinstance(x, Rational) and x.is_positive:
            twos = _twos(int(x.p)) - _twos(int(x.q))
            odd = x / Integer(2) ** twos
            return twos + (_of_whole(odd.p) - _of_whole(odd.q))
        return self

    def _eval_evalf(self, prec: int) -> Any:
        return (log(self.args[0]) / log(2))._eval_evalf(prec)  # noqa: SLF001


def power(base: Expr, exponent: Expr) -> Expr:
    """Return base**exponent, in which 2**log2(d) is d and 4**log2(d) is d**2."""
    doublings = Log2(base) if base.is_Integer and base > 1 else None
    if doublings is None or not doublings.is_Integer or not exponent.has(Log2):
        return base**exponent
    terms = [term.as_coeff_Mul() for term in Add.make_args(exponent.expand())]
    powers = [part.args[0] ** (doublings * factor) if isinstance(part, Log2) else base ** (factor * part) for factor, part in terms]
    return Mul(*powers)


def _of_whole(number: int) -> Expr:
    """Return the logarithm of a whole number, that of 27 as three times that of 3."""
    base, exponent = perfect_power(number) or (number, 1)
    return exponent * Log2(Integer(base))


def _twos(number: int) -> int:
    """Return how often two divides a number."""
    return (number & -number).bit_length() - 1
