"""What must hold of the sizes: conditions that a spec states, and those that its sizes and ops need.

What follows from the conditions that are known already is not required once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Add, Expr, Ge, Gt, Mod, Mul, Ne, Pow, S, ceiling, factor, floor, fraction, preorder_traversal, together
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from generator.architecture import Architecture, Requirement
from generator.logarithm import Log2
from generator.spec.source import Span
from generator.symbols import Facts


def require_positive(arch: Architecture, value: Expr, facts: Facts, span: Span) -> None:
    """Require a size to be at least one, unless that is known."""
    if value.is_positive or any(_implies(condition, value) for condition in facts.conditions):
        return
    _add(arch, _at_least_one(value), facts, span)


def require_value(arch: Architecture, values: Iterable[Expr], facts: Facts, span: Span, owner: str = "") -> None:
    """Require that formulas have a value: that nothing is divided by zero, and no root or logarithm taken of what has none.

    Args:
        owner: the spec that states something in which the formulas stand.
    """
    for value in values:
        for condition in _domain(value):
            require_condition(arch, condition, facts, span, owner)


def require_condition(arch: Architecture, condition: Boolean, facts: Facts, span: Span, owner: str = "") -> None:
    """Require something that an op needs of the sizes, unless it is known."""
    if not is_known(condition, facts):
        against_zero = isinstance(condition, GreaterThan | StrictGreaterThan) and condition.rhs == 0
        _add(arch, _compared(condition.func, condition.lhs) if against_zero else condition, facts, span, owner)


def is_known(condition: Boolean, facts: Facts) -> bool:
    """Say whether a condition is seen to hold for all sizes that meet the conditions so far."""
    if condition == S.true or condition in facts.conditions:
        return True
    margin = _margin(condition)
    if margin is None:
        return False
    if any(_implies(known, margin + 1) for known in facts.conditions):
        return True
    # Where w divides n, n - w is a multiple of w, of at least none; and a whole number above -1 is at least zero.
    return bool(factor(facts.witnessed(margin)).is_nonnegative or (margin.is_integer and (_without_rounding(margin) + 1).is_positive))


def _without_rounding(value: Expr) -> Expr:
    """Return a bound from below: floors that are taken away, and ceilings that are added, without their rounding."""
    terms = [term.as_coeff_Mul() for term in Add.make_args(value)]
    return Add(*(c * (x.args[0] if isinstance(x, floor if c < 0 else ceiling) else x) for c, x in terms))


def _add(arch: Architecture, condition: Boolean, facts: Facts, span: Span, owner: str = "") -> None:
    if condition not in (S.true, S.false):
        facts.learn(condition)
        arch.requirements.append(Requirement(str(condition), condition, span, owner))


def _margin(condition: Boolean) -> Expr | None:
    """Return what is at least zero exactly where a comparison of whole numbers holds; None for other conditions."""
    if isinstance(condition, LessThan | StrictLessThan):
        margin = condition.rhs - condition.lhs
    elif isinstance(condition, GreaterThan | StrictGreaterThan):
        margin = condition.lhs - condition.rhs
    else:
        return None
    return margin - 1 if isinstance(condition, StrictLessThan | StrictGreaterThan) else margin


def _implies(condition: Boolean, value: Expr) -> bool:
    """Say whether a comparison of whole numbers shows that a value is positive."""
    margin = _margin(condition)
    return margin is not None and bool((value - margin - 1).expand().is_nonnegative)


def _compared(relation: type[Boolean], value: Expr) -> Boolean:
    """Return the comparison of a value with zero, with what is taken away on the other side: n > 4 for n - 4 > 0."""
    taken = Add(*(-term for term in Add.make_args(value) if term.could_extract_minus_sign()))
    return relation(value + taken, taken)


def _at_least_one(value: Expr) -> Boolean:
    """Return the condition that a whole number is at least one; that floor((n - 3)/2) + 1 is: n >= 3."""
    added, rest = value.as_coeff_Add()
    if isinstance(rest, floor):
        numerator, denominator = fraction(together(rest.args[0]))
        if denominator.is_positive:
            return _compared(Ge, (numerator - (1 - added) * denominator).expand())
    return _compared(Gt, value)


def _domain(value: Expr) -> Iterator[Boolean]:
    for part in preorder_traversal(value):
        if isinstance(part, Mod):
            yield from _nonzero(part.args[1])
        elif isinstance(part, Log2):
            yield _compared(Gt, part.args[0])
        elif isinstance(part, Pow) and part.exp.is_Rational:
            if not part.exp.is_Integer and not part.base.is_nonnegative:
                yield _compared(Ge, part.base)
            if part.exp.is_negative:
                yield from _nonzero(part.base)


def _nonzero(value: Expr) -> Iterator[Boolean]:
    for one in Mul.make_args(factor(value)):
        base = one.as_base_exp()[0]
        if not base.is_nonzero:
            yield _compared(Gt if base.is_nonnegative else Ne, base)
