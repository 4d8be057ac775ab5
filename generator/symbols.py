"""Sizes as sympy symbols, and what is known about them.

`Facts` turns the constraints of a spec (`d % h == 0`) into simplifications: with them `n // w` is exactly `n / w`, two
shapes that look different are seen to be equal, and a width that must be whole is seen to be whole. Where nothing is known,
floor and ceiling survive unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sympy import Add, Dummy, Eq, Expr, Integer, Mod, Rational, Symbol, cancel, ceiling, expand, floor, fraction, together
from sympy.logic.boolalg import And, Boolean


@cache
def symbol(name: str) -> Symbol:
    """Return the symbol of the size `name`: a positive integer."""
    return Symbol(name, integer=True, positive=True)


class Facts:
    """Divisibility facts about sizes, applied to expressions."""

    def __init__(self, conditions: Iterable[Boolean] = ()) -> None:
        self.conditions: list[Boolean] = []
        self._witnesses: list[tuple[Symbol, Expr]] = []
        self._quotients: list[Expr] = []
        self._whole_cache: dict[Expr, bool] = {}
        for condition in conditions:
            self.learn(condition)

    def learn(self, condition: Boolean) -> None:
        """Add a condition that holds; only divisibility (`a % b == 0`) and `and` of such is made use of."""
        if condition in self.conditions:
            return
        self.conditions.append(condition)
        self._whole_cache.clear()
        if isinstance(condition, And):
            for part in condition.args:
                self.learn(part)
            return
        divisible = _divisibility(condition)
        if divisible is None:
            return
        self._quotients.append(divisible[0] / divisible[1])
        dividend, divisor = (self.witnessed(side) for side in divisible)
        # dividend = divisor * k for some whole k: solve for a symbol of the dividend that stands there alone.
        coefficient, rest = dividend.as_coeff_Mul()
        if isinstance(rest, Symbol) and not divisor.has(rest):
            step = cancel(divisor / coefficient)
            sign = {"positive": True} if step.is_positive else {"nonzero": True}  # d = (m - 2)*k: where m is 1, k is below zero
            k = Dummy("k", integer=True, **sign)
            least = step.p if isinstance(step, Rational) else step  # a whole multiple of 3/2 that is whole is a multiple of 3
            self._witnesses.append((rest, least * k))

    def witnessed(self, expr: Expr) -> Expr:
        """Write an expression in symbols whose values are free: each known divisibility then holds for all of them."""
        for name, value in self._witnesses:
            expr = expr.xreplace({name: value})
        return expr

    def is_whole(self, expr: Expr) -> bool:
        """Say whether `expr` is known to be a whole number for all sizes that satisfy the conditions."""
        if expr.is_integer:
            return True
        known = self._whole_cache.get(expr)
        if known is None and expr.atoms(floor, ceiling, Mod) and (whole := _with_whole_parts(expr)) != expr:
            known = self._whole_cache[expr] = self.is_whole(whole)
        if known is None:
            known = self._is_whole_term(expr) or all(self._is_whole_term(term) for term in Add.make_args(expand(cancel(expr))))
            if not known:
                known = all(term.is_integer for term in Add.make_args(expand(cancel(self.witnessed(expr)))))
            self._whole_cache[expr] = known
        return known

    def _is_whole_term(self, term: Expr) -> bool:
        """Say whether a term, or a whole sum, is a whole multiple of a quotient that one condition says is whole."""
        return bool(term.is_integer) or any(cancel(term / quotient).is_integer for quotient in self._quotients)

    def simplify(self, expr: Expr) -> Expr:
        """Take out of floor(x) and ceiling(x) the terms of x that are known to be whole, and fold one rounding inside another."""
        if not expr.atoms(floor, ceiling):
            return expr
        simplified: Expr = expr.replace(lambda node: isinstance(node, floor | ceiling), self._rounded)
        return simplified

    def _rounded(self, node: Expr) -> Expr:
        (inside,) = node.args
        if self.is_whole(inside):
            return inside
        terms = Add.make_args(expand(inside))
        whole = [term for term in terms if self.is_whole(term)]
        rest = Add(*(term for term in terms if term not in whole))
        folded = self._folded(rest, node.func)
        if folded is None:
            return Add(*whole, node.func(rest)) if whole else node
        return Add(*whole, self._rounded(node.func(folded)))

    def _folded(self, expr: Expr, rounding: type[Expr]) -> Expr | None:
        """Return (x + k)/b for (floor(x) + k)/b: rounded down it is the same, for whole k and b. None for all else."""
        if not expr.has(rounding):
            return None
        numerator, denominator = fraction(together(expr))
        terms = Add.make_args(expand(numerator))
        rounded = [term for term in terms if isinstance(term, rounding)]
        if len(rounded) != 1 or not (denominator.is_integer and denominator.is_positive):
            return None
        others = [term for term in terms if term is not rounded[0]]
        return (rounded[0].args[0] + Add(*others)) / denominator if all(map(self.is_whole, others)) else None

    def equal(self, a: Expr, b: Expr) -> bool:
        """Say whether two sizes are the same for all values that satisfy the conditions."""
        if a == b:
            return True
        difference = cancel(expand(self.simplify(a) - self.simplify(b)))
        if difference == 0:
            return True
        return bool(cancel(expand(self.simplify(self.witnessed(difference)))) == 0)

    def divisible(self, a: Expr, b: Expr) -> bool:
        """Say whether `b` is known to divide `a`."""
        return self.is_whole(cancel(a / b))


def _with_whole_parts(expr: Expr) -> Expr:
    """Put symbols in the place of roundings and remainders, which sympy does not know to be whole where a divisor may be 0."""
    remainders = {part for part in expr.atoms(Mod) if all(side.is_integer for side in part.args)}
    parts = {part for part in expr.atoms(floor, ceiling) | remainders if not part.is_integer}
    return expr.xreplace({part: Dummy(integer=True) for part in parts})


def _divisibility(condition: Boolean) -> tuple[Expr, Expr] | None:
    """Return (a, b) for a condition of the form a % b == 0."""
    if isinstance(condition, Eq):
        for modulo, zero in (condition.args, reversed(condition.args)):
            if isinstance(modulo, Mod) and zero == 0:
                return modulo.args[0], modulo.args[1]
            # sympy pulls common factors out of Mod: (2*n) % (2*w) becomes 2*Mod(n, w)
            factor, rest = modulo.as_coeff_Mul() if isinstance(modulo, Expr) else (Integer(1), modulo)
            if isinstance(rest, Mod) and zero == 0 and factor != 0:
                return rest.args[0], rest.args[1]
    return None
