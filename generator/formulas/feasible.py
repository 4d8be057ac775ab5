"""Sizes that satisfy conditions: the one search behind examples, verification at random sizes, and limits of sizes.

A backtracking search over whole numbers. What it tries for a size comes first from whoever asks (small numbers, common lengths, random
ones) and then from the conditions themselves: solutions of congruences (`b % 8 == 0`: 8, 16, ...), divisors (`32 % h == 0`), solutions of
equations, and the bounds that comparisons leave. A condition some of whose sizes are still open is looked at with intervals, so that a
choice that cannot lead anywhere is seen at once; and where a size has no value left, the search goes back to the last choice that this
depends upon. Conditions in one open size that are linear, congruences or divisibilities are so solved exactly, not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from math import gcd
from typing import Any, Protocol

from sympy import Eq, Expr, Integer, Mod, divisors
from sympy.logic.boolalg import And, Boolean
from sympy.ntheory.modular import solve_congruence

from generator.formulas.evaluate import EvaluationError, evaluate_scalar
from generator.formulas.intervals import Interval, interval_of

STEPS = 20_000  # choices that a search looks at
GREATEST = 1 << 40  # no size tried is greater
PROPOSALS = 24  # numbers that the conditions on one open size propose
FACTORED = 1 << 50  # greater numbers are not taken apart into divisors

Sizes = Mapping[str, int]
Candidates = Callable[[str, Sizes], Iterator[int]]  # what to try for a size, first things first, beside the sizes chosen so far


class Demand(Protocol):
    """Something that sizes must meet."""

    @property
    def names(self) -> frozenset[str]:
        """The sizes that it is about."""

    def holds(self, sizes: Sizes) -> bool:
        """Say whether it is met, where all of its sizes are known."""

    def possible(self, ranges: Mapping[str, Interval]) -> bool:
        """Say whether it may be met by some sizes in the ranges; true where nobody can tell."""

    def solutions(self, name: str, sizes: Sizes, bounds: Interval) -> Proposal | None:
        """Return which values of one size meet it, all others being known; None where that is not worked out."""


@dataclass(frozen=True)
class Proposal:
    """What a demand leaves of one open size: some numbers, a congruence (remainder, modulus), or neither."""

    values: tuple[int, ...] | None = None
    congruence: tuple[int, int] | None = None


@dataclass(frozen=True)
class Holds:
    """A condition must hold."""

    condition: Boolean

    @cached_property
    def names(self) -> frozenset[str]:
        """The sizes that it is about."""
        return _names(self.condition)

    def holds(self, sizes: Sizes) -> bool:
        """Say whether it does; one without a value does not."""
        try:
            return bool(evaluate_scalar(self.condition, sizes))
        except EvaluationError:
            return False

    def possible(self, ranges: Mapping[str, Interval]) -> bool:
        """Say whether it may."""
        return bool(interval_of(self.condition, ranges).high > 0)

    def solutions(self, name: str, sizes: Sizes, bounds: Interval) -> Proposal | None:
        """Solve equations, and remainders that must be a number."""
        if not isinstance(self.condition, Eq):
            return None
        for left, right in (self.condition.args, self.condition.args[::-1]):
            if not isinstance(left, Expr) or name in _names(right):
                continue
            factor, rest = left.as_coeff_Mul()
            if isinstance(rest, Mod):
                return _remainder_solutions(rest, right / factor, name, sizes, bounds)
            line = _line(left, name, sizes)
            wanted = _value(right, sizes)
            if line is not None and wanted is not None:
                return Proposal(values=_on_line(line, wanted))
        return None


@dataclass(frozen=True)
class AtLeast:
    """A formula must be a whole number of at least `least`."""

    formula: Expr
    least: int = 1

    @cached_property
    def names(self) -> frozenset[str]:
        """The sizes that it is about."""
        return _names(self.formula)

    def holds(self, sizes: Sizes) -> bool:
        """Say whether it is."""
        value = _value(self.formula, sizes)
        return isinstance(value, int) and value >= self.least

    def possible(self, ranges: Mapping[str, Interval]) -> bool:
        """Say whether it may be."""
        return bool(interval_of(self.formula, ranges).high >= self.least)

    def solutions(self, name: str, sizes: Sizes, bounds: Interval) -> Proposal | None:
        """Solve a fraction over a number for being whole."""
        numerator, denominator = self.formula.as_numer_denom()
        if denominator == 1:
            return None
        return _remainder_solutions(Mod(numerator, denominator, evaluate=False), Integer(0), name, sizes, bounds)


@dataclass(frozen=True)
class Equals:
    """A size must come to what a formula of other sizes does, such as a default or a derived size."""

    name: str
    formula: Expr

    @cached_property
    def names(self) -> frozenset[str]:
        """The sizes that it is about."""
        return _names(self.formula) | {self.name}

    def holds(self, sizes: Sizes) -> bool:
        """Say whether it does."""
        return bool(_value(self.formula, sizes) == sizes[self.name])

    def possible(self, ranges: Mapping[str, Interval]) -> bool:
        """Say whether it may."""
        return interval_of(self.formula, ranges).meets(ranges[self.name])

    def solutions(self, name: str, sizes: Sizes, bounds: Interval) -> Proposal | None:  # noqa: ARG002 - as of all demands
        """Return the value of the formula where it is the size that is open."""
        if name != self.name:
            return None
        value = _value(self.formula, sizes)
        return Proposal(values=(value,) if isinstance(value, int) else ())


def demanded(condition: Boolean) -> Iterator[Demand]:
    """Yield the demands that make up a condition."""
    for part in And.make_args(condition):
        yield Holds(part)


def solutions(
    order: Sequence[str],
    demands: Sequence[Demand],
    candidates: Candidates,
    *,
    known: Sizes | None = None,
    distinct: Sequence[str] = (),
    proposals: int = PROPOSALS,
    arranged: Callable[[Sequence[int]], Iterable[int]] = tuple,
    steps: int = STEPS,
) -> Iterator[dict[str, int]]:
    """Yield sizes that satisfy all demands whose sizes are known or searched for, in the order of the candidates.

    Args:
        order: the sizes to find, in the order in which they are chosen.
        candidates: what to try for each.
        known: sizes that are given.
        distinct: sizes no two of which may be equal.
        proposals: how many numbers the conditions may propose for a size beside the candidates; 0 for none.
        arranged: brings these, which come smallest first, into the order in which they are tried.
        steps: after so many choices the search ends.
    """
    search = _Search(order, demands, candidates, dict(known or {}), frozenset(distinct), proposals, arranged, steps)
    if search.can_begin():
        yield from search.run()


def first(found: Iterator[dict[str, int]]) -> dict[str, int] | None:
    """Return the first sizes found; None if there are none."""
    return next(found, None)


def bounds(names: Sequence[str], demands: Sequence[Demand], known: Sizes | None = None) -> dict[str, Interval] | None:
    """Return between which numbers each size must lie, as far as intervals tell; None where some size can be nothing."""
    ranges = {name: Interval(1, GREATEST) for name in names} | {name: Interval(v, v) for name, v in (known or {}).items()}
    relevant = [demand for demand in demands if demand.names <= ranges.keys()]
    for _ in range(len(names) + 1):
        before = dict(ranges)
        for demand in relevant:
            for name in sorted(demand.names & set(names)):
                found = _narrowed(demand, name, ranges)
                if found is None:
                    return None
                ranges[name] = found
        if ranges == before:
            break
    return ranges


def _narrowed(demand: Demand, name: str, ranges: Mapping[str, Interval]) -> Interval | None:
    """Return the range of a size without the ends at which a demand cannot be met."""
    low, high = int(ranges[name].low), int(ranges[name].high)

    def possible(one: int, other: int) -> bool:
        return demand.possible({**ranges, name: Interval(one, other)})

    if not possible(low, high):
        return None
    if low == high:
        return ranges[name]
    least = _last_but(low, high, lambda mid: not possible(low, mid))
    most = -_last_but(-high, -least, lambda mid: not possible(-mid, high))
    return Interval(least, most)


def _last_but(low: int, high: int, is_void: Callable[[int], bool]) -> int:
    """Return the least number that is not seen to be too small: all from `low` up to the one below it are void."""
    if low == high or not is_void(low):
        return low
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if is_void(middle) else (low, middle)
    return high


class _Search:
    def __init__(
        self,
        order: Sequence[str],
        demands: Sequence[Demand],
        candidates: Candidates,
        known: dict[str, int],
        distinct: frozenset[str],
        proposals: int,
        arranged: Callable[[Sequence[int]], Iterable[int]],
        steps: int,
    ) -> None:
        self.order = [name for name in order if name not in known]
        self.place = {name: index for index, name in enumerate(self.order)}
        names = {*self.order, *known}
        self.demands = [demand for demand in demands if demand.names <= names]
        self.candidates, self.known, self.distinct = candidates, known, distinct
        self.proposals, self.arranged, self.steps = proposals, arranged, steps
        self.watching: dict[str, list[Demand]] = {name: [d for d in self.demands if name in d.names] for name in self.order}

    def can_begin(self) -> bool:
        """Say whether nothing is seen to be impossible before anything is chosen."""
        if not all(demand.holds(self.known) for demand in self.demands if demand.names <= self.known.keys()):
            return False
        found = bounds(self.order, self.demands, self.known)
        if found is None:
            return False
        self.ranges = found
        return True

    def run(self) -> Iterator[dict[str, int]]:
        """Yield solutions; the last value of this generator's inner ones is what a failure depends upon."""
        yield from self._choose(0, dict(self.known), dict(self.ranges))

    def _choose(self, index: int, sizes: dict[str, int], ranges: dict[str, Interval]) -> Any:
        """Try all values of a size. Returns the sizes upon which it depends that none leads further; None where one has."""
        if index == len(self.order):
            yield dict(sizes)
            return None
        name = self.order[index]
        has_found, blamed = False, self._behind_proposals(name, sizes)
        for value in self._values(name, sizes):
            self.steps -= 1
            if self.steps < 0:
                return None
            broken = self._broken(name, value, sizes, ranges)
            if broken is None:
                sizes[name], ranges[name] = value, Interval(value, value)
                deeper = yield from self._choose(index + 1, sizes, ranges)
                del sizes[name]
                ranges[name] = self.ranges[name]
                if self.steps < 0:
                    return None
                if deeper is None:
                    has_found = True
                    continue
                if name not in deeper and not has_found:
                    return deeper  # no other value of this size can help
                broken = deeper
            blamed |= broken
        return None if has_found else blamed - {name}

    def _broken(self, name: str, value: int, sizes: Sizes, ranges: Mapping[str, Interval]) -> frozenset[str] | None:
        """Return the chosen sizes with which a value cannot be; None where it can."""
        if not self.ranges[name].low <= value <= self.ranges[name].high:
            return frozenset()
        with_it = {**sizes, name: value}
        narrowed = {**ranges, name: Interval(value, value)}
        for demand in self.watching[name]:
            is_met = demand.holds(with_it) if demand.names <= with_it.keys() else demand.possible(narrowed)
            if not is_met:
                return self._chosen(demand.names, sizes)
        if name in self.distinct:
            same = self._holders(value, sizes)
            if same:
                return same
        return self._left_without(name, with_it)

    def _chosen(self, names: Iterable[str], sizes: Sizes) -> frozenset[str]:
        return frozenset(name for name in names if name in sizes and name in self.place)

    def _holders(self, value: int, sizes: Sizes) -> frozenset[str]:
        """Return a size that must differ from others and has a value already; an empty set if none has."""
        return frozenset(other for other in self.place if other in self.distinct and sizes.get(other) == value)

    def _left_without(self, name: str, sizes: Sizes) -> frozenset[str] | None:
        """Return the sizes beside one chosen last that leave another without a value, where its values can be told; else None."""
        for demand in self.watching[name]:
            open_sizes = demand.names - sizes.keys()
            if len(open_sizes) != 1:
                continue
            (other,) = open_sizes
            proposal = demand.solutions(other, sizes, self.ranges[other])
            if proposal is None or proposal.values is None:
                continue
            last = self._last(other, sizes)
            fit = [value for value in proposal.values if all(one.holds({**sizes, other: value}) for one in last)]
            taken = {value: self._holders(value, sizes) for value in fit} if other in self.distinct else {}
            if all(taken.get(value) for value in fit):
                names = {*(one for demand in last for one in demand.names), *(one for holders in taken.values() for one in holders)}
                return self._chosen(names, sizes) - {name}
        return None

    def _last(self, name: str, sizes: Sizes) -> list[Demand]:
        """Return the demands in which a size is the only one that is open."""
        return [demand for demand in self.watching[name] if demand.names <= {*sizes, name}]

    def _behind_proposals(self, name: str, sizes: Sizes) -> frozenset[str]:
        """Return the chosen sizes upon which it depends what the conditions propose for another."""
        return self._chosen({other for demand in self._last(name, sizes) for other in demand.names}, sizes)

    def _values(self, name: str, sizes: Sizes) -> Iterator[int]:
        seen: set[int] = set()
        for value in self.candidates(name, sizes):
            if value not in seen:
                seen.add(value)
                yield value
        for value in self.arranged(list(islice(self._proposed(name, sizes), self.proposals))) if self.proposals else ():
            if value not in seen:
                seen.add(value)
                yield value

    def _proposed(self, name: str, sizes: Sizes) -> Iterator[int]:
        """Yield values that the conditions leave, smallest first."""
        last = self._last(name, sizes)
        ranges = {other: Interval(sizes[other], sizes[other]) for demand in last for other in demand.names if other != name}
        span = self.ranges[name]
        for demand in last:
            narrowed = _narrowed(demand, name, {**ranges, name: span})
            if narrowed is None:
                return
            span = narrowed
        found = [proposal for demand in last if (proposal := demand.solutions(name, sizes, span)) is not None]
        named = [set(proposal.values) for proposal in found if proposal.values is not None]
        if named:
            yield from sorted(value for value in set.intersection(*named) if span.low <= value <= span.high)
            return
        congruences = [proposal.congruence for proposal in found if proposal.congruence is not None]
        joined = solve_congruence(*congruences) if congruences else (0, 1)
        if joined is None:
            return
        remainder, modulus = map(int, joined)
        start = int(span.low) + (remainder - int(span.low)) % modulus
        yield from range(start, int(span.high) + 1, modulus)


# ---- one open size ---------------------------------------------------------------------------------------------------------------


def _names(expr: Any) -> frozenset[str]:
    return frozenset(symbol.name for symbol in expr.free_symbols)


def _value(expr: Any, sizes: Sizes) -> Any:
    try:
        return evaluate_scalar(expr, sizes)
    except EvaluationError:
        return None


def _line(expr: Expr, name: str, sizes: Sizes) -> tuple[Any, Any] | None:
    """Return (a, c) for a formula that is a*x + c in the size that is open; None for others."""
    if not _is_linear(expr, name):
        return None
    at_zero, at_one = (_value(expr, {**sizes, name: number}) for number in (0, 1))
    return None if at_zero is None or at_one is None else (at_one - at_zero, at_zero)


@lru_cache(maxsize=4096)
def _is_linear(expr: Expr, name: str) -> bool:
    size = next((symbol for symbol in expr.free_symbols if symbol.name == name), None)
    return size is not None and bool(expr.is_polynomial(size)) and expr.as_poly(size).degree() == 1


def _on_line(line: tuple[Any, Any], wanted: Any) -> tuple[int, ...]:
    slope, rest = line
    if slope == 0 or (wanted - rest) % slope != 0:
        return ()
    return (int((wanted - rest) // slope),)


def _remainder_solutions(remainder: Mod, wanted: Expr, name: str, sizes: Sizes, bounds: Interval) -> Proposal | None:
    """Solve p % m == r for one size, where p or m is linear in it and the other two are known."""
    over, under = remainder.args
    rest = _value(wanted, sizes) if name not in _names(wanted) else None
    if not isinstance(rest, int):
        return None
    if name not in _names(under):
        modulus, line = _value(under, sizes), _line(over, name, sizes)
        if isinstance(modulus, int) and modulus > 0 and line is not None and all(isinstance(part, int) for part in line):
            return _congruence(line, rest, modulus)
    elif name not in _names(over):
        value, line = _value(over, sizes), _line(under, name, sizes)
        if isinstance(value, int) and line is not None and 0 < abs(value - rest) <= FACTORED:
            found = (solution for divisor in divisors(abs(value - rest)) for solution in _on_line(line, divisor))
            return Proposal(values=tuple(sorted(one for one in found if bounds.low <= one <= bounds.high)))
    return None


def _congruence(line: tuple[int, int], rest: int, modulus: int) -> Proposal:
    """Solve slope*x + c = rest modulo a number."""
    slope, constant = line
    shared = gcd(slope, modulus)
    difference = rest - constant
    if difference % shared or not 0 <= rest < modulus:
        return Proposal(values=())
    reduced = modulus // shared
    if reduced == 1:
        return Proposal(congruence=(0, 1))
    return Proposal(congruence=(difference // shared * pow(slope // shared, -1, reduced) % reduced, reduced))
