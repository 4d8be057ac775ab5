"""What must hold of the sizes: conditions that a spec states, and those that its sizes and ops need.

What follows from the conditions that are known already is not required once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sympy import Add, Expr, Ge, Gt, Mod, Mul, Ne, Pow, S, ceiling, floor, fraction, postorder_traversal
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from generator.formulas.algebra import factor, together
from generator.formulas.logarithm import Log2
from generator.formulas.symbols import Facts
from generator.resolve.architecture import Requirement
from generator.text.source import Span


@dataclass(frozen=True)
class Asker:
    """Who requires something.

    Args:
        owner: the spec; empty where it is a default, which need not be in force where the spec's module is built.
        when: the options without which the row that requires it does not.
        stated: whether it stands under `where`.
    """

    owner: str
    when: tuple[str, ...] = ()
    stated: bool = False


@dataclass
class Needs:
    """Collects what one spec requires of the sizes, and learns it.

    Args:
        spec: its name, which stands behind what nobody else asks for.
        facts: what is known about the sizes.
    """

    spec: str
    facts: Facts
    found: list[Requirement] = field(default_factory=list)

    def positive(self, value: Expr, span: Span, asker: Asker | None = None) -> None:
        """Require a size to be at least one, unless that is known. Without an asker it is the spec itself."""
        if not (value.is_positive or any(_implies(condition, value) for condition in self.facts.conditions)):
            self._add(_at_least_one(value), span, asker)

    def value(self, values: Iterable[Expr], span: Span, asker: Asker | None = None) -> None:
        """Require that formulas have a value: that nothing is divided by zero, and no root or logarithm taken of what has none."""
        for value in values:
            for condition in _domain(value):
                self.condition(condition, span, asker)

    def condition(self, condition: Boolean, span: Span, asker: Asker | None = None) -> None:
        """Require something that an op needs of the sizes, unless it is known."""
        if not is_known(condition, self.facts):
            self._add(_readable(condition), span, asker)

    def _add(self, condition: Boolean, span: Span, asker: Asker | None) -> None:
        if condition in (S.true, S.false):
            return
        asker = asker or Asker(self.spec)
        if not asker.when:  # others cannot rely upon what a row needs that may be skipped, or only in training
            self.facts.learn(condition)
        self.found.append(Requirement(str(condition), condition, span, asker.owner, asker.stated, asker.when))


def is_known(condition: Boolean, facts: Facts) -> bool:
    """Say whether a condition is seen to hold for all sizes that meet the conditions so far."""
    if condition == S.true or condition in facts.conditions:
        return True
    if isinstance(condition, Ne):
        apart = condition.lhs - condition.rhs
        return any(_implies(known, side) for known in facts.conditions for side in (apart, -apart))
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


def slack(condition: Boolean) -> Expr | None:
    """Return by how much the greater side of a comparison exceeds the other; None for what is no comparison."""
    return condition.gts - condition.lts if isinstance(condition, GreaterThan | LessThan | StrictGreaterThan | StrictLessThan) else None


def is_strict(condition: Boolean) -> bool:
    """Say whether the two sides of a comparison cannot be equal."""
    return isinstance(condition, StrictGreaterThan | StrictLessThan)


def _margin(condition: Boolean) -> Expr | None:
    """Return what is at least zero exactly where a comparison of whole numbers holds; None for other conditions."""
    margin = slack(condition)
    return margin - 1 if margin is not None and is_strict(condition) else margin


def _implies(condition: Boolean, value: Expr) -> bool:
    """Say whether a comparison of whole numbers shows that a value is positive."""
    margin = _margin(condition)
    return margin is not None and bool((value - margin - 1).expand().is_nonnegative)


def _compared(relation: type[Boolean], value: Expr) -> Boolean:
    """Return the comparison of a value with zero, with what is taken away on the other side: n > 4 for n - 4 > 0."""
    taken = Add(*(-term for term in Add.make_args(value) if term.could_extract_minus_sign()))
    return relation(value + taken, taken)


def _readable(condition: Boolean) -> Boolean:
    """Return a comparison as a person would write it: m <= 7 for n >= n + m - 7, n > m for n - m >= 1, and d > g for d/g > 1."""
    value, strict = slack(condition), is_strict(condition)
    if value is None:
        return condition
    over, under = fraction(together(value))
    _, value = (over if under.is_positive else value).expand().as_content_primitive()
    least, rest = value.as_coeff_Add()
    if least == -1 and not strict and rest.is_integer:
        value, strict = rest, True
    shorter = _compared(Gt if strict else Ge, value)
    gain = condition.count_ops() - shorter.count_ops()
    return shorter if gain > 0 or (gain == 0 and under != 1) or condition.lts == 0 else condition


def _at_least_one(value: Expr) -> Boolean:
    """Return the condition that a whole number is at least one; that floor((n - 3)/2) + 1 is: n >= 3."""
    added, rest = value.as_coeff_Add()
    if isinstance(rest, floor):
        numerator, denominator = fraction(together(rest.args[0]))
        if denominator.is_positive:
            return _compared(Ge, (numerator - (1 - added) * denominator).expand())
    over, under = fraction(together(value))
    return _compared(Gt, under if over.is_positive else value)


def _domain(value: Expr) -> Iterator[Boolean]:
    for part in postorder_traversal(value):  # inner parts first: outer conditions have no value without theirs
        if isinstance(part, Mod):
            yield from _nonzero(part.args[1])
        elif isinstance(part, Log2):
            yield _compared(Gt, part.args[0])
        elif isinstance(part, Pow) and part.exp.is_Rational:
            if not part.exp.is_Integer and not part.base.is_nonnegative:
                yield _compared(Gt if part.exp.is_negative else Ge, part.base)
            elif part.exp.is_negative:
                yield from _nonzero(part.base)


def _nonzero(value: Expr) -> Iterator[Boolean]:
    for one in Mul.make_args(factor(value)):
        base = one.as_base_exp()[0]
        if not base.is_nonzero:
            yield _compared(Gt if base.is_nonnegative else Ne, base)
