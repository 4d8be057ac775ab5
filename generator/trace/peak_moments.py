"""The peak of memory as formulas: what is alive at each moment, as polynomials in the sizes, and which moments may be the highest.

A stack or recurrence is replayed in `RUNS` runs, however many it has. Each of those left out holds what a run holds that is neither one of
the two at either end nor next to the one that the replay is in: that one may have in hand what each run takes over from the one before
(`_like`). Between the ends, what is alive is linear in the number of the run. So the highest moment lies in one of the first three runs,
in one of the last three, or outside, and the run in the middle is not looked at: seen from the third, those left out are behind it;
seen from the last but two, before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sympy import Add, Expr, Max, Mul, Rational, Symbol, expand

from generator.formulas.order import python_number
from generator.trace.alive import Alive, Moment, Number, Seen, Sums
from generator.trace.diary import RUNS, Diary, Place
from generator.trace.tensor import Storage

_MIDDLE = 3  # the run that those left out are like, as seen from outside

T = TypeVar("T")
Terms = Mapping[Expr, Number]  # a polynomial: product of sizes: coefficient


class ReplayStep(NamedTuple):
    """Where a moment lies: in the backward pass or before it, at a row, in which runs of the stacks and recurrences around that.

    The last three runs of one that stands for any number of runs have the numbers -3, -2 and -1.
    """

    is_backward: bool
    row: str
    place: Place


class Summits(NamedTuple):
    """The bytes of the moments of which one is the highest: what all of them have, and what each has beside that."""

    shared: Expr
    beside: Sequence[tuple[ReplayStep, Expr]]

    @property
    def highest(self) -> Expr:
        """The most bytes alive at once."""
        rest = [one for _, one in self.beside]
        return self.shared + (Max(*rest, evaluate=False) if len(rest) > 1 else rest[0])


@dataclass(frozen=True)
class Replayed:
    """A forward and backward pass: the elements alive at the moments of which one is the highest.

    Args:
        moments: those of the forward and backward pass, each with where it lies first.
        after_forward: the end of the forward pass.
        left_out: how many runs of a stack were left out, plus one, by the symbol that stands for it in the moments.
        limits: numbers of runs, and from how many on the formulas hold.
        course: all moments before something is let go, in order.
        kept: what derivatives keep at the end of the forward pass.
        reruns: by row, the part of its contractions that run once more in the backward pass, where any do.
        inside: by row, the part of it that lies in what runs once more, and keeps nothing.
    """

    moments: Sequence[tuple[Moment, ReplayStep]]
    after_forward: Moment
    left_out: Mapping[Symbol, Expr]
    limits: Sequence[tuple[Expr, int]]
    course: Sequence[Moment]
    kept: Moment
    reruns: Mapping[str, Fraction] = field(default_factory=dict)
    inside: Mapping[str, Fraction] = field(default_factory=dict)
    _multiplied: dict[Expr, Terms] = field(default_factory=dict, init=False, repr=False, compare=False)

    def bytes(self, item: Mapping[str, int]) -> Expr:
        """Return the most bytes alive at once, given the bytes of an element of each kind."""
        return self.summits(item).highest

    def summits(self, item: Mapping[str, int]) -> Summits:
        """Return the moments that may be the highest, given the bytes of an element of each kind."""
        return self._highest(self.moments, item)

    def bytes_after_forward(self, item: Mapping[str, int]) -> Expr:
        """Return the bytes alive at the end of the forward pass, given the bytes of an element of each kind."""
        return self._at(self.after_forward, item)

    def bytes_kept(self, item: Mapping[str, int]) -> Expr:
        """Return the bytes that derivatives keep at the end of the forward pass, given the bytes of an element of each kind."""
        return self._at(self.kept, item)

    def course_in_bytes(self, item: Mapping[str, int]) -> list[Expr]:
        """Return the bytes alive at each moment before something is let go, given the bytes of an element of each kind."""
        return [self._at(moment, item) for moment in self.course]

    def _at(self, moment: Moment, item: Mapping[str, int]) -> Expr:
        return self._highest([(moment, _NOWHERE)], item).highest

    def _highest(self, moments: Iterable[tuple[Moment, ReplayStep]], item: Mapping[str, int]) -> Summits:
        """Return the highest moments: what all of those have that may be it, and what each has beside."""
        in_bytes = [(_in_bytes(moment, item), step) for moment, step in moments]
        totals = [(terms, sum(terms.values()), step) for terms, step in in_bytes]
        # Where sizes are one, a polynomial is the sum of its numbers: that of the lower one is no greater, which is soon seen.
        highest = _highest_of(totals, lambda one, other: one[1] <= other[1] and _is_at_most(one[0], other[0]))
        found = [(terms, step) for terms, _, step in highest]
        sums = [self._in_sizes(one) for one, _ in found]
        common = {key: min(one[key] for one in sums) for key in sums[0] if all(one.get(key, 0) > 0 for one in sums)}
        beside = [{key: count - common.get(key, 0) for key, count in one.items()} for one in sums]
        return Summits(_added(common), [(step, _added(one)) for one, (_, step) in zip(beside, found, strict=True)])

    def _in_sizes(self, moment: Terms) -> Terms:
        """Return a polynomial with the numbers of runs in the place of the symbols that stand for those left out."""
        found: dict[Expr, Number] = {}
        for product, count in moment.items():
            if product not in self._multiplied:
                terms = expand(product.xreplace(dict(self.left_out))).as_coefficients_dict()
                self._multiplied[product] = {term: python_number(coefficient) for term, coefficient in terms.items()}
            for term, coefficient in self._multiplied[product].items():
                found[term] = found.get(term, 0) + count * coefficient
        return found


def _added(terms: Terms) -> Expr:
    return Add(*(product * Rational(count) for product, count in terms.items()))


_NOWHERE = ReplayStep(is_backward=False, row="", place=())


class Memory:
    """Storages alive, with how many refer to each, and what was alive at each moment before something was let go. Weights do not count.

    Attributes:
        place: in which runs of stacks and recurrences the replay is.
        row: the path of the row that it is at.
        is_backward: whether the forward pass is over.
    """

    def __init__(self, diary: Diary) -> None:
        self.place: Place = ()
        self.row = ""
        self.is_backward = False
        self._diary = diary
        self._references: Counter[Storage] = Counter()
        self._made: dict[Storage, Place] = {}
        self._rising: ReplayStep | None = None
        self._moments: dict[frozenset[tuple[int, Number]], _Noted] = {}  # that differ, as each was first
        self._course: list[frozenset[tuple[int, Number]]] = []
        self._symbols = {row: Symbol(f"left_out_{i}", integer=True, positive=True) for i, row in enumerate(diary.counts)}
        self._alive = Alive(self._symbols, self._standing_for)

    def hold(self, storage: Storage) -> None:
        """Refer to a storage; it is there from the first reference on."""
        storage = storage.memory
        if storage.persistent:
            return
        if not self._references[storage]:
            self._made[storage] = self.place
            self._alive.change(self.place, storage, 1)
            self._rising = ReplayStep(self.is_backward, self.row, tuple(map(self._from_its_end, self.place)))
        self._references[storage] += 1

    def release(self, storage: Storage) -> None:
        """Refer to it no more; it is gone with the last reference."""
        storage = storage.memory
        if storage.persistent:
            return
        self._references[storage] -= 1
        if not self._references[storage]:
            self._note_moment()
            self._alive.change(self._made[storage], storage, -1)

    def times(self, storage: Storage) -> Expr:
        """Return how many storages one stands for, seen from outside of all stacks."""
        rows = [row for row, run in self._made.get(storage.memory, ()) if run == _MIDDLE]
        counts = [self._diary.counts[row] for row in rows if row in self._diary.counts]
        return Mul(*(count - self._diary.runs + 1 for count in counts))

    def now(self) -> Moment:
        """Return what is alive."""
        return self._alive.moment(self._alive.sums(self.place), self._alive.seen())

    def peak(self, after_forward: Moment, kept: Moment) -> Replayed:
        """Return what the replay has come to."""
        self._note_moment()
        left_out = {self._symbols[row]: count - self._diary.runs + 1 for row, count in self._diary.counts.items()}
        highest = [(self._alive.moment(one.sums, one.seen), one.step) for one in _highest_of(self._moments.values(), _is_within)]
        moments = {key: self._alive.of_sums(one.sums) for key, one in self._moments.items()}
        return Replayed(highest, after_forward, left_out, self._limits(), [moments[key] for key in self._course], kept)

    def _limits(self) -> list[tuple[Expr, int]]:
        # Fewer runs may lack the one in which the highest moment lies, or have it in one that others do not go on from.
        limits = dict.fromkeys(self._diary.counts.values(), RUNS)
        return [(count, least) for count, least in limits.items() if not (count - least).is_nonnegative]

    def _note_moment(self) -> None:
        if self._rising and not any(row in self._symbols and 2 < run < self._diary.runs - 3 for row, run in self.place):
            sums = self._alive.sums(self.place)
            key = frozenset(sums.items())
            if key not in self._moments:
                self._moments[key] = _Noted(dict(sums), sum(sums.values()), self._rising, self._alive.seen())
            self._course.append(key)
        self._rising = None

    def _standing_for(self, place: Place, here: Place) -> tuple[str, ...]:
        """Return the rows of which what was made at a place stands for all runs that were left out, as seen from here."""
        found = []
        for depth, (row, run) in enumerate(place):
            if row in self._symbols:
                is_inside = len(here) > depth and here[:depth] == place[:depth] and here[depth][0] == row
                if run == (self._like(here[depth][1]) if is_inside else _MIDDLE):
                    found.append(row)
        return tuple(found)

    def _from_its_end(self, run: tuple[str, int]) -> tuple[str, int]:
        row, number = run
        return row, number - self._diary.runs if row in self._symbols and number >= self._diary.runs - 3 else number

    def _like(self, run: int) -> int:
        """Return the run that those left out are like, as seen from another one."""
        return {2: 4, self._diary.runs - 3: self._diary.runs - 5}.get(run, _MIDDLE)


def _in_bytes(moment: Moment, item: Mapping[str, int]) -> dict[Expr, Number]:
    found: dict[Expr, Number] = {}
    for (kind, product), count in moment.items():
        found[product] = found.get(product, 0) + item[kind] * count
    return found


def _highest_of(all_of_them: Iterable[T], is_below: Callable[[T, T], bool]) -> list[T]:
    """Leave out what is below another one, or as high as one before."""
    kept: list[T] = []
    for one in all_of_them:
        if not any(is_below(one, other) for other in kept):
            kept = [other for other in kept if not is_below(other, one)] + [one]
    return kept


class _Noted(NamedTuple):
    """A moment: what is alive, the sum of all numbers in that, and where it is first."""

    sums: Sums
    total: Number
    step: ReplayStep
    seen: Seen


def _is_within(one: _Noted, other: _Noted) -> bool:
    """Say whether there is of nothing more at one moment than at another, which cannot be where there is more of all together."""
    if one.total > other.total:
        return False
    less, more = one.sums, other.sums
    return all(count <= more.get(key, 0) for key, count in less.items()) and all(count >= less.get(key, 0) for key, count in more.items())


def _is_at_most(one: Terms, other: Terms) -> bool:
    """Say whether a polynomial is nowhere greater than another one, as far as terms show it; sizes are at least one.

    Each term by which it exceeds the other must be made up for by a multiple of that term there: b*d by b*n*d.
    """
    # Which multiple makes up for what is taken in the order of the terms, which no hash decides.
    more = {key: one.get(key, 0) - other.get(key, 0) for key in dict.fromkeys((*one, *other))}
    spare = {key: -count for key, count in more.items() if count < 0}
    for key, count in more.items():
        missing = max(0, count)
        for multiple in [spared for spared in spare if missing and _is_multiple(spared, key)]:
            used = min(missing, spare[multiple])
            missing, spare[multiple] = missing - used, spare[multiple] - used
        if missing:
            return False
    return True


@lru_cache(maxsize=4096)
def _is_multiple(product: Expr, part: Expr) -> bool:
    powers = (product / part).as_powers_dict()
    return all((base.is_Symbol and power.is_Integer and power > 0) or base == 1 for base, power in powers.items())
