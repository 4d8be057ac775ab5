"""Sizes as sympy symbols, and what is known about them.

`Facts` turns the constraints of a spec (`d % h == 0`) into simplifications: with them `n // w` is exactly `n / w`, two
shapes that look different are seen to be equal, and a width that must be whole is seen to be whole. Where nothing is known,
floor and ceiling survive unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from sympy import Add, Dummy, Eq, Expr, Integer, Mod, Rational, Symbol, ceiling, expand, floor, fraction
from sympy.logic.boolalg import And, Boolean
from sympy.ntheory.modular import solve_congruence

from generator.formulas.algebra import cancel, together

MOST_QUOTIENTS = 6  # that are taken out of one term


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
        self._congruences: dict[Symbol, tuple[int, int]] = {}  # size: (remainder, number), all that is known of it joined
        self._whole_cache: dict[Expr, bool] = {}
        for condition in conditions:
            self.learn(condition)

    def learn(self, condition: Boolean) -> None:
        """Add a condition that holds; only remainders that are known (`a % b == 0`, `n % 3 == 1`) and `and` of such are made use of."""
        if condition in self.conditions:
            return
        self.conditions.append(condition)
        self._whole_cache.clear()
        if isinstance(condition, And):
            for part in condition.args:
                self.learn(part)
            return
        divided = _remainder(condition)
        if divided is None:
            return
        remainder = divided[2]
        self._quotients.append((divided[0] - remainder) / divided[1])
        if self._learn_congruence(*divided):
            return
        dividend, divisor = (self.witnessed(side) for side in divided[:2])
        # dividend = divisor * k + remainder for some whole k: solve for a symbol of the dividend that stands there alone.
        coefficient, rest = dividend.as_coeff_Mul()
        if isinstance(rest, Symbol) and not divisor.has(rest) and remainder != 0:
            if coefficient == 1 and divisor.is_positive and not remainder.has(rest):
                self._witnesses.append((rest, divisor * Dummy("k", integer=True, nonnegative=True) + remainder))
        elif isinstance(rest, Symbol) and not divisor.has(rest):
            step = cancel(divisor / coefficient)
            sign = {"positive": True} if step.is_positive else {"nonzero": True}  # d = (m - 2)*k: where m is 1, k is below zero
            k = Dummy("k", integer=True, **sign)
            least = step.p if isinstance(step, Rational) else step  # a whole multiple of 3/2 that is whole is a multiple of 3
            self._witnesses.append((rest, least * k))

    @contextmanager
    def taken_for_whole(self, quotient: Expr) -> Iterator[None]:
        """Take a quotient for whole inside, whatever the sizes: an average of whole numbers, such as the tokens of each expert."""
        self._quotients.append(quotient)
        self._whole_cache.clear()
        try:
            yield
        finally:
            self._quotients.remove(quotient)
            self._whole_cache.clear()

    def _learn_congruence(self, dividend: Expr, divisor: Expr, remainder: Expr) -> bool:
        """Learn the remainder of a size, or of one and a number, by a number. What is known of the size so far is joined with it."""
        added, size = dividend.as_coeff_Add()
        if not (isinstance(size, Symbol) and isinstance(divisor, Integer) and isinstance(remainder, Integer) and divisor > 0):
            return False
        if not added.is_Integer or any(name == size for name, _ in self._witnesses if size not in self._congruences):
            return False
        new = (int(remainder - added) % int(divisor), int(divisor))
        joined = solve_congruence(new, self._congruences[size]) if size in self._congruences else new
        if joined is None:
            return True  # nothing meets both, which is said where the conditions are held against each other
        rest, number = map(int, joined)
        self._congruences[size] = rest, number
        k = Dummy("k", integer=True, **({"nonnegative": True} if rest else {"positive": True}))
        place = next((i for i, (name, _) in enumerate(self._witnesses) if name == size), len(self._witnesses))
        self._witnesses[place : place + 1] = [(size, number * k + rest)]
        return True

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
        """Say whether a term, or a whole sum, is a whole multiple of quotients that conditions say are whole: H*W/M**2 of H/M and W/M."""
        return bool(term.is_integer) or self._is_whole_product(term, MOST_QUOTIENTS)

    def _is_whole_product(self, term: Expr, most: int) -> bool:
        under = fraction(cancel(term))[1]
        for quotient in self._quotients if most else ():
            rest = cancel(term / quotient)
            if rest.is_integer or (_is_simpler(fraction(rest)[1], under) and self._is_whole_product(rest, most - 1)):
                return True
        return False

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


def _is_simpler(one: Expr, other: Expr) -> bool:
    """Say whether a divisor has less in it than another, so that taking quotients out of a term comes to an end."""
    return bool(cancel(other / one).is_integer) and one != other


def _remainder(condition: Boolean) -> tuple[Expr, Expr, Expr] | None:
    """Return (a, b, r) for a condition of the form a % b == r."""
    if isinstance(condition, Eq):
        for modulo, wanted in (condition.args, reversed(condition.args)):
            # sympy pulls common factors out of Mod: (2*n) % (2*w) becomes 2*Mod(n, w)
            factor, rest = modulo.as_coeff_Mul() if isinstance(modulo, Expr) else (Integer(1), modulo)
            if isinstance(rest, Mod) and factor != 0 and isinstance(wanted, Expr) and not wanted.has(Mod):
                left = wanted / factor
                if left.is_integer and left.is_nonnegative:
                    return rest.args[0], rest.args[1], left
    return None
