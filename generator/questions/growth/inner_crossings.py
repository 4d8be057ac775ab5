"""Where parts of one spec change places as a size grows: the one derivation that the page, the workbook and `gen growth` show.

Compared are the largest parts with each other, contractions of weights with contractions of activations, and the terms of the highest
power of a size with those of the next lower one. A root alone does not say who is above whom: that is decided by the costs at the whole
sizes on both sides of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import floor
from typing import Literal

from sympy import Add, Basic, Expr, Ge, Gt, Le, Lt, Symbol

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.order import polynomial, rebuilt
from generator.formulas.symbols import symbol
from generator.quantities import BY_KEY, Shown, cost_formula
from generator.questions.growth.at_sizes import divisibility
from generator.questions.growth.closed import ClosedForm, can_cross, closed_form
from generator.questions.growth.parts import CostPart, leaves_of, main_quantity, parts_of
from generator.sheet.example import ExampleView, known_views
from generator.sheet.sheet import Constraint, Sheet, Size

LARGEST = 4  # so many of the parts are compared with each other
SPOKEN_OF = 3  # the main pair is two of so many
LEAST = Fraction(1, 100)  # of the cost, for a part to be compared
LONGEST = 30  # operations in a root that is worth a line
MOST_TERMS = 60  # of a difference whose root may be worth a line
CONTRACTIONS = ("linear", "einsum")  # kinds of rows that are compared: work of weights, and work of activations on each other
PROBES = (4, 64, 1024)  # times an example size, where there are no presets: whether a crossing is ever met
_WITH_FEATURES = 3  # axes of an input whose last one holds features

SideKind = Literal["part", "op", "power"]
Certainty = Literal["always", "where positive", "depends"]


@dataclass(frozen=True)
class PartSide:
    """One of two costs that are compared.

    Args:
        kind: a part of the spec, all rows of an op, or the terms that have a size in some power.
        name: of the part or the op; the power as a number.
        cost: in the sizes of the sheet, defaults that nobody sets put in.
        of: the size that stands in a power.
        assumes: the default sizes that were put into the cost already.
    """

    kind: SideKind
    name: str
    cost: Expr
    of: str = ""
    assumes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the side is called in English."""
        return self.name if self.kind != "power" else f"{_POWERS.get(self.name, f'degree-{self.name}')} part"


_POWERS = {"1": "linear", "2": "quadratic", "3": "cubic", "4": "quartic"}


@dataclass(frozen=True)
class InsideCrossing:
    """Two sides whose costs change places as a size grows.

    Args:
        size: the name of the size that grows.
        first, second: the sides; at the sizes where this was found the first costs more beyond the root.
        root: where both cost the same.
        certainty: whether the first costs more exactly beyond the root, `always` or `where positive` (the root); else it `depends` on the
            other sizes who does.
        assumed: default sizes that were taken to follow their defaults.
        limits: the conditions of the spec that bound the size, with the same put in.
    """

    size: str
    first: PartSide
    second: PartSide
    root: Expr
    certainty: Certainty
    assumed: tuple[tuple[str, Expr], ...] = ()
    limits: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class Met:
    """A crossing at given sizes.

    Args:
        root: the size at which both cost the same.
        low, high: the whole sizes next to it, of which the first has the old order and the second the new one.
        large, small: who costs more at `high`, and less.
        excluded: the condition of the spec that `low` or `high` breaks, if any: then these sizes are never seen.
    """

    root: Expr | float | int
    low: int
    high: int
    large: PartSide
    small: PartSide
    excluded: Constraint | None


def met(one: InsideCrossing, sizes: Mapping[str, int]) -> Met | None:
    """Return a crossing at given sizes; None where no two neighbouring whole sizes have different orders there.

    Args:
        sizes: all sizes of the sheet; that of the crossing is not looked at.
    """
    try:
        if any(sizes.get(name) != evaluate(value, sizes) for name, value in one.assumed):
            return None
        root = evaluate(one.root, sizes)
        low, high = _neighbours(root)
        if low < 1:
            return None
        before, after = (_sign(one, {**sizes, one.size: at}) for at in (low, high))
        if before * after != -1:
            return None
        broken = (c for c in one.limits for at in (low, high) if not evaluate(c.condition, {**sizes, one.size: at}))
        large, small = (one.first, one.second) if after > 0 else (one.second, one.first)
        return Met(root, low, high, large, small, next(broken, None))
    except (EvaluationError, TypeError, OverflowError):
        return None


def _neighbours(root: float) -> tuple[int, int]:
    """Return the whole numbers below and above a root; a root that rounding has moved off a whole number is that number."""
    whole = round(root)
    if abs(root - whole) <= 1e-9 * max(1, abs(whole)):
        return whole - 1, whole + 1
    return floor(root), floor(root) + 1


def _sign(one: InsideCrossing, sizes: Mapping[str, int]) -> int:
    first, second = (evaluate(side.cost, sizes) for side in (one.first, one.second))
    return int(first > second) - int(first < second)


# ---- what is compared ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartPair:
    """The two parts that outputs speak of first; the first costs more beyond their crossing. The second is missing where there is one."""

    first: CostPart
    second: CostPart | None


class Division:
    """A sheet divided into parts, which are compared with each other. Each is made once, by `division_of`.

    Args:
        sheet: the architecture.
    """

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._crossings: dict[str, tuple[InsideCrossing, ...]] = {}

    @cached_property
    def views(self) -> tuple[ExampleView, ...]:
        """The sizes at which the sheet is shown; none of which a size is unknown, because no small ones satisfy the conditions."""
        return tuple(view for view in known_views(self.sheet) if len(view.sizes) == len(self.sheet.sizes))

    @cached_property
    def parts(self) -> tuple[CostPart, ...]:
        """The parts of the cost; small ones are told from large ones at the first view."""
        return parts_of(self.sheet, self.views[0].sizes) if self.views else ()

    @cached_property
    def pair(self) -> PartPair | None:
        """Two of the largest parts that cross as the size grows that people ask about; else the two largest.

        None where nothing costs anything.
        """
        key = main_quantity(self.sheet).key
        ranked = self._ranked(key)
        if len(ranked) < 2:
            return PartPair(ranked[0], None) if ranked else None
        sizes = self.views[0].sizes
        for a, b in combinations(ranked[:SPOKEN_OF], 2):
            one = _crossing(self.sheet, self._side(a, key), self._side(b, key), preferred(self.sheet.sizes) or "", lambda _: [sizes])
            found = met(one, sizes) if one is not None else None
            if found is not None:
                return PartPair(a, b) if found.large.name == a.name else PartPair(b, a)
        return PartPair(ranked[0], ranked[1])

    def is_main(self, one: InsideCrossing) -> bool:
        """Say whether a crossing is that of the main pair."""
        pair = self.pair
        names = {pair.first.name, pair.second.name} if pair is not None and pair.second is not None else set()
        return {one.first.name, one.second.name} == names and one.first.kind == "part"

    def crossings(self, key: str) -> tuple[InsideCrossing, ...]:
        """Return the crossings of a measure that have a closed form and are met at the sizes of some preset.

        Without presets those are kept that are met at small sizes, or once one of the sizes is larger. The main pair comes first, then what
        grows with the inputs, and of each pair the size that people ask about. Where neither side is the larger at some whole size nothing
        crosses, wherever the root is. The same two costs under two names are one pair.
        """
        if key not in self._crossings:
            self._crossings[key] = self._found(key)
        return self._crossings[key]

    def _found(self, key: str) -> tuple[InsideCrossing, ...]:
        found: dict[tuple[str, Expr, frozenset[Expr]], InsideCrossing] = {}
        for first, second in (*self._largest(key), *self._powers(key), *self._contractions(key)):
            for size in _in_order(self.sheet):
                one = _crossing(self.sheet, first, second, size.name, self._tried)
                turned = self._turned(one) if one is not None else None
                if one is not None and turned is not None:
                    found.setdefault((one.size, one.root, frozenset((one.first.cost, one.second.cost))), turned)
        processed = {size.name for size in _settable(self.sheet)}
        return tuple(sorted(found.values(), key=lambda one: (not self.is_main(one), one.size not in processed)))

    def _turned(self, one: InsideCrossing) -> InsideCrossing | None:
        """Return a crossing with that side first that costs more beyond it, at the first sizes at which it is met."""
        found = next(filter(None, (met(one, sizes) for sizes in self._tried(one.root.free_symbols))), None)
        return replace(one, first=found.large, second=found.small) if found else None

    def _tried(self, others: Iterable[Basic]) -> Iterator[Mapping[str, int]]:
        """Yield the sizes at which a crossing is looked for that depends on other sizes."""
        yield from (view.sizes for view in self.views)
        if not self.sheet.presets and self.views:
            sizes = self.views[0].sizes
            for name in sorted(map(str, others)):
                yield from ({**sizes, name: sizes[name] * factor} for factor in PROBES)

    def _largest(self, key: str) -> Iterator[tuple[PartSide, PartSide]]:
        for a, b in combinations(self._ranked(key)[:LARGEST], 2):
            yield self._side(a, key), self._side(b, key)

    def _contractions(self, key: str) -> Iterator[tuple[PartSide, PartSide]]:
        """Yield the two kinds of contractions where they are no parts themselves."""
        if Shown.CONTRACTIONS not in BY_KEY[key].shown:
            return
        linear, einsum = (PartSide("op", kind, self._of_op(kind, key)) for kind in CONTRACTIONS)
        if linear.cost != 0 and einsum.cost != 0 and not {linear.name, einsum.name} <= {part.name for part in self.parts}:
            yield linear, einsum

    def _powers(self, key: str) -> Iterator[tuple[PartSide, PartSide]]:
        """Yield the terms of the highest power of a size and those of the next lower one, of the first size that has two."""
        for size in _settable(self.sheet):
            assumed, total = _assumed(self.sheet, size), cost_formula(self.sheet.totals, key)
            parts = _by_power(total.xreplace(assumed), size)
            if len(parts) > 1:
                high, low = sorted(parts, reverse=True)[:2]
                if low >= 1:
                    assumes = tuple(name.name for name in assumed if total.has(name))
                    yield _power(high, parts, size, assumes), _power(low, parts, size, assumes)
                    return

    def _ranked(self, key: str) -> list[CostPart]:
        if not self.views:
            return []
        costs = {part.name: Fraction(evaluate(part.cost(self.sheet, key), self.views[0].sizes)) for part in self.parts}
        whole = sum(costs.values(), Fraction(0))
        return sorted((part for part in self.parts if costs[part.name] > LEAST * whole), key=lambda part: -costs[part.name])

    def _side(self, part: CostPart, key: str) -> PartSide:
        return PartSide("part", part.name, part.cost(self.sheet, key))

    def _of_op(self, op: str, key: str) -> Expr:
        """Return what the rows of a kind cost; where some are repeated, only those: what is done once is not what grows."""
        rows = [self.sheet.rows[i] for i in leaves_of(self.sheet.rows)]
        repeated = [row for row in rows if row.repeat != 1] or rows
        return Add(*(cost_formula(row.costs, key) for row in repeated if row.op == op)).expand()


@lru_cache(maxsize=128)
def division_of(sheet: Sheet) -> Division:
    """Return how a sheet is divided, which all of its outputs show."""
    return Division(sheet)


def preferred(sizes: Sequence[Size]) -> str | None:
    """Return the name of the size whose growth people ask about first: a length, then anything but the batch."""
    free = [size for size in sizes if size.kind != "derived"]
    lengths = [size for size in free if any(word in size.meaning.lower() for word in ("length", "token", "patches"))]
    others = [size for size in free if "batch" not in size.meaning.lower()]
    chosen = next(iter([size for size in lengths if "greatest" not in size.meaning.lower()] or others or free), None)
    return chosen.name if chosen else None


def _power(power: int, parts: Mapping[int, Expr], size: Symbol, assumes: tuple[str, ...]) -> PartSide:
    return PartSide("power", str(power), parts[power] * size**power, size.name, assumes)


# ---- how two costs compare -------------------------------------------------------------------------------------------


def _crossing(
    sheet: Sheet, first: PartSide, second: PartSide, size: str, tried: Callable[[Iterable[Basic]], Iterable[Mapping[str, int]]]
) -> InsideCrossing | None:
    """Compare two costs in one size.

    Args:
        tried: the sizes of which some must have a crossing, given those on which it depends. Solving with numbers first spares the
            formulas that nobody would see.
    """
    x = symbol(size)
    if first.of not in ("", size):
        return None
    assumed = _assumed(sheet, x)
    both = first.cost + second.cost
    used = tuple((name.name, value) for name, value in assumed.items() if both.has(name) or name.name in first.assumes)
    a, b = (replace(side, cost=side.cost.xreplace(assumed).expand()) for side in (first, second))
    difference = a.cost - b.cost
    if len(polynomial(difference)) > MOST_TERMS or not can_cross(difference, x, tried(difference.free_symbols - {x})):
        return None
    form = closed_form(a.cost, b.cost, x)
    if form.verdict != "crosses" or form.roots[0].count_ops() > LONGEST:
        return None
    return InsideCrossing(size, a, b, form.roots[0], _certainty(form), used, _limits(sheet, x, assumed))


def _certainty(form: ClosedForm) -> Certainty:
    if form.above == 0:
        return "depends"
    return "where positive" if form.is_conditional else "always"


def _in_order(sheet: Sheet) -> list[Size]:
    main_size = preferred(sheet.sizes)
    return sorted((size for size in sheet.sizes if size.kind != "derived"), key=lambda size: size.name != main_size)


def _limits(sheet: Sheet, x: Symbol, assumed: Mapping[Symbol, Expr]) -> tuple[Constraint, ...]:
    """Return the conditions that say how large or small a size may be; what divides another is at most that."""
    known = {**_derived(sheet), **assumed}
    found = []
    for constraint in sheet.constraints:
        division = divisibility(constraint.condition)
        bound = Le(division[1], division[0]) if division is not None else constraint.condition
        condition = bound.xreplace(known)
        if isinstance(condition, Le | Lt | Ge | Gt) and condition.has(x):
            found.append(Constraint(constraint.text, condition))
    return tuple(found)


def _derived(sheet: Sheet) -> dict[Symbol, Expr]:
    found: dict[Symbol, Expr] = {}
    for size in sheet.sizes:
        if size.kind == "derived" and size.value is not None:
            found[symbol(size.name)] = size.value.xreplace(found)
    return found


def _assumed(sheet: Sheet, x: Symbol) -> dict[Symbol, Expr]:
    """Return the default of each size that no preset sets and that follows the size that grows, in other sizes."""
    set_by_presets = {name for preset in sheet.presets for name in preset.sizes}
    found: dict[Symbol, Expr] = {}
    for size in sheet.sizes:
        name = symbol(size.name)
        if size.kind == "default" and size.name not in set_by_presets and size.value is not None and name != x:
            value = size.value.xreplace(found)
            if value.has(x):
                found[name] = value
    return found


def _settable(sheet: Sheet) -> list[Symbol]:
    """Return the sizes that say how much there is to process: those of the inputs' axes, without the features (last of three or more)."""
    axes: set[Symbol] = set()
    for shape in sheet.inputs.values():
        processed = shape if len(shape) < _WITH_FEATURES or shape[-1] in shape[:-1] else shape[:-1]
        axes |= {one for axis in processed for one in axis.free_symbols}
    return [symbol(size.name) for size in sheet.sizes if size.kind != "derived" and symbol(size.name) in axes]


def _by_power(total: Expr, size: Symbol) -> dict[int, Expr]:
    """Return the coefficients of a size's powers; none where it stands in more than whole powers."""
    parts: dict[int, list[Expr]] = {}
    for monomial, coefficient in polynomial(total).items():
        powers = dict(monomial)
        exponent = powers.pop(size, None)
        if any(base.has(size) for base in powers) or (exponent is not None and not exponent.is_Integer):
            return {}
        parts.setdefault(int(exponent or 0), []).append(rebuilt({frozenset(powers.items()): coefficient}))
    return {power: Add(*terms) for power, terms in parts.items()}
