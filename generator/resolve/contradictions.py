"""Whether conditions can hold together: the one search for contradictions.

Those on one size that bound it from above are tried at every value it may have. The others are looked at in their linear parts alone: each
product of sizes counts as a number of its own, of at least one. What no such numbers meet, no sizes meet; the reverse need not be so. The
numbers are eliminated one after the other, as Fourier and Motzkin do: each bound from below must lie below each from above.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from sympy import And, Eq, Expr, Symbol
from sympy.logic.boolalg import Boolean

from generator.formulas.feasible import Holds, bounds, first, solutions
from generator.formulas.order import polynomial
from generator.resolve.requirements import is_strict, slack

MOST_VALUES = 4096  # of one size that are tried
MOST_ROWS = 300  # inequalities at a time; beyond, nothing is said
_ONE: Hashable = frozenset()  # the product of nothing
Row = Mapping[Hashable, Fraction]  # a sum of multiples of products that is at least zero


def contradiction(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    """Return some of the conditions, or parts of them, that no whole numbers from 1 on meet together; nothing where that is not seen.

    Where they are all about one size, they are all that is known of it; else none of them is too many.
    """
    return _on_one_size(conditions) or _linear(conditions)


def unmet(conditions: Iterable[Boolean]) -> str:
    """Say that no sizes meet conditions, which are then listed."""
    sizes = {size.name for condition in conditions for size in condition.free_symbols}
    return f"no size `{sizes.pop()}` meets" if len(sizes) == 1 else "no sizes meet"


def _on_one_size(conditions: Iterable[Boolean]) -> tuple[Boolean, ...]:
    by_size: dict[Symbol, list[Boolean]] = {}
    for condition in conditions:
        for part in sorted(And.make_args(condition), key=str):  # sympy has them in no fixed order
            if len(part.free_symbols) == 1:
                by_size.setdefault(next(iter(part.free_symbols)), []).append(part)
    for size, known in sorted(by_size.items(), key=lambda item: item[0].name):
        if _is_void(size.name, [Holds(part) for part in known]):
            return tuple(dict.fromkeys(known))
    return ()


def _is_void(name: str, demands: Sequence[Holds]) -> bool:
    """Say whether no number meets all demands upon one size; false where too many would have to be tried."""
    ranges = bounds([name], demands)
    if ranges is None:
        return True
    low, high = int(ranges[name].low), int(ranges[name].high)
    return high <= MOST_VALUES and first(solutions([name], demands, lambda *_: iter(range(low, high + 1)))) is None


def _linear(conditions: Sequence[Boolean]) -> tuple[Boolean, ...]:
    if not _is_impossible(conditions):
        return ()
    needed = list(dict.fromkeys(conditions))
    for condition in list(needed):
        rest = [other for other in needed if other is not condition]
        if _is_impossible(rest):
            needed = rest
    return tuple(needed)


def _is_impossible(conditions: Iterable[Boolean]) -> bool:
    rows = [row for condition in conditions for part in And.make_args(condition) for row in _rows(part)]
    products = {product: None for row in rows for product in row if product != _ONE}
    rows += [least for product in products for least in _least(product)]
    for product in products:
        rows = _without(product, rows)
        if _has_contradiction(rows) or len(rows) > MOST_ROWS:
            break
    return _has_contradiction(rows)


def _has_contradiction(rows: Iterable[Row]) -> bool:
    return any(row.keys() <= {_ONE} and row.get(_ONE, Fraction(0)) < 0 for row in rows)


def _rows(condition: Boolean) -> list[Row]:
    """Return what is at least zero where a condition holds; nothing for what is no comparison."""
    margin = slack(condition)
    if margin is not None:
        margins = [margin - 1 if is_strict(condition) and margin.is_integer else margin]
    elif isinstance(condition, Eq) and isinstance(condition.lhs - condition.rhs, Expr):
        margins = [condition.lhs - condition.rhs, condition.rhs - condition.lhs]
    else:
        return []
    return [row for margin in margins if (row := _row(margin)) is not None]


def _row(margin: Expr) -> Row | None:
    terms = polynomial(margin)
    if not all(coefficient.is_Rational for coefficient in terms.values()):
        return None
    return {product: Fraction(int(c.p), int(c.q)) for product, c in terms.items() if c}


def _least(product: Hashable) -> list[Row]:
    """Return that a product of whole sizes is at least one, and that of other positive numbers at least zero."""
    assert isinstance(product, frozenset)
    if all(base.is_integer and base.is_positive and exponent.is_Integer and exponent > 0 for base, exponent in product):
        return [{product: Fraction(1), _ONE: Fraction(-1)}]
    return [{product: Fraction(1)}] if all(base.is_positive for base, _ in product) else []


def _without(product: Hashable, rows: Sequence[Row]) -> list[Row]:
    """Return what follows from the rows without a product."""
    above = [row for row in rows if row.get(product, 0) > 0]
    below = [row for row in rows if row.get(product, 0) < 0]
    kept = [row for row in rows if not row.get(product, 0)]
    return [*kept, *(_joined(one, other, product) for one in above for other in below)]


def _joined(one: Row, other: Row, product: Hashable) -> Row:
    a, b = -other[product], one[product]
    total = {key: a * one.get(key, Fraction(0)) + b * other.get(key, Fraction(0)) for key in {**one, **other}}
    return {key: value for key, value in total.items() if value}
