"""How many places of some axes meet a condition on their indices, in closed form: the pairs of a causal mask, of windows, of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Expr, Ge, Gt, Integer, Le, Lt, Max, Min, Mod, Mul, Symbol, expand, floor, fraction
from sympy.logic.boolalg import And, Boolean

from generator.formulas.algebra import cancel
from generator.formulas.symbols import Facts

Bounds = frozenset[Expr]  # each at most 0, all at once
Condition = frozenset[Bounds]  # any of them
Extents = Mapping[Symbol, Expr]
ALWAYS: Condition = frozenset({frozenset()})
MOST_CASES = 5
ZERO, ONE = Integer(0), Integer(1)


def index(axis: int) -> Symbol:
    """Return the symbol of the index along an axis."""
    return Symbol(f"index {axis}", integer=True, nonnegative=True)


def compared(op: str, left: Expr, right: Expr) -> Condition:
    """Return a comparison of whole numbers."""
    less, more = left - right, right - left
    cases = {
        "<=": ((less,),),
        "<": ((less + 1,),),
        ">=": ((more,),),
        ">": ((more + 1,),),
        "==": ((less, more),),
        "!=": ((less + 1,), (more + 1,)),
    }[op]
    return frozenset(frozenset(expand(bound) for bound in case) for case in cases)


def both(a: Condition, b: Condition) -> Condition:
    """Return that both hold."""
    return _shortest(one | other for one in a for other in b)


def either(a: Condition, b: Condition) -> Condition:
    """Return that one of them holds, or both."""
    return _shortest([*a, *b])


def opposite(condition: Condition) -> Condition:
    """Return that it does not hold."""
    result = ALWAYS
    for case in condition:
        result = both(result, frozenset(frozenset({expand(1 - bound)}) for bound in case))
    return result


def _shortest(cases: Iterable[Bounds]) -> Condition:
    """Leave out each case that another holds with."""
    found = set(cases)
    return frozenset(case for case in found if not any(other < case for other in found))


def count(condition: Condition, extents: Extents, facts: Facts) -> Expr | None:
    """Return at how many places a condition holds; None where no closed form is known.

    Args:
        extents: how many places there are along each axis, by its index; an axis that the condition does not name counts in full.
        facts: what is known of the sizes.

    Known are conditions on one index and on two that are added or subtracted, on blocks of an index (`i // w`), and on places that are
    told by a block and a place in it (`block*w + j`).
    """
    if len(condition) > MOST_CASES:
        return None
    total: Expr = ZERO
    for number in range(1, len(condition) + 1):
        for cases in combinations(condition, number):  # those that meet several cases are counted several times, and taken off
            found = _Count(facts).places(frozenset().union(*cases), extents)
            if found is None:
                return None
            total += found if number % 2 else -found
    return expand(total)


@dataclass(frozen=True)
class _Range:
    """Whole numbers from `first` on, so many."""

    first: Expr
    number: Expr


class _Count:
    """Counts the places that meet bounds all at once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._known = [*_known_differences(facts.conditions)]

    # ---- what is known of signs ------------------------------------------------------------------------------------------------------

    def is_nonnegative(self, value: Expr) -> bool:
        """Say whether a value is known to be at least 0."""
        value = expand(value)
        sums = [Add(*some) for number in range(3) for some in combinations(self._known, number)]
        return any(self._is_sure(value - one) for one in sums)

    def _is_sure(self, value: Expr) -> bool:
        value = expand(value)
        return bool(value.is_nonnegative) or bool(_factored(self.facts.witnessed(value)).is_nonnegative)

    def greatest(self, values: Iterable[Expr]) -> Expr:
        """Return the greatest of some values, without those that are known to be no greater than another."""
        kept: list[Expr] = []
        for value in map(expand, values):
            if not any(self.is_nonnegative(other - value) for other in kept):
                kept = [*(other for other in kept if not self.is_nonnegative(value - other)), value]
        return kept[0] if len(kept) == 1 else Max(*kept)

    def least(self, values: Iterable[Expr]) -> Expr:
        """Return the least of some values."""
        negated = self.greatest(-value for value in values)
        return Min(*(expand(-value) for value in negated.args)) if isinstance(negated, Max) else expand(-negated)

    # ---- what is rewritten -----------------------------------------------------------------------------------------------------------

    def places(self, bounds: Bounds, extents: Extents) -> Expr | None:
        """Return the number of places."""
        found = self._same_blocks(bounds, extents) or self._blocks(bounds, extents) or self._places_in_blocks(bounds, extents)
        if found is not None:
            times, bounds, inside = found
            inner = [self.places(bounds, each) for each in inside]
            known = [each for each in inner if each is not None]
            return expand(Add(*(a * b for a, b in zip(times, known, strict=True)))) if len(known) == len(inner) else None
        if any(bound.atoms(floor, Mod) & _with(bound, extents) for bound in bounds):
            return None
        used = [name for name in extents if any(bound.has(name) for bound in bounds)]
        rest = Mul(*(size for name, size in extents.items() if name not in used))
        if len(used) > 2:
            return None
        found_here = self._pairs(bounds, {name: extents[name] for name in used})
        return None if found_here is None else rest * found_here

    def _same_blocks(self, bounds: Bounds, extents: Extents) -> tuple[list[Expr], Bounds, list[Extents]] | None:
        """Take two indices that are in one block (`i // w == j // w`, and further only their difference) for places in that block."""
        for bound in _ordered(bounds):
            rounded = sorted((part for part in bound.atoms(floor) if part.has(*extents)), key=str)
            if len(rounded) != 2 or expand(-bound) not in bounds or not expand(bound - rounded[0] + rounded[1]).is_zero:
                continue
            (i, width), (j, other) = map(_block, rounded)
            rest = bounds - {bound, expand(-bound)}
            if i not in extents or j not in extents or width != other or not self.facts.equal(extents[i], extents[j]):
                continue
            if any(expand(one.subs({i: i + 1, j: j + 1}, simultaneous=True) - one) != 0 for one in rest):
                continue
            outer = {name: size for name, size in extents.items() if name not in (i, j)}
            whole = self.facts.simplify(floor(extents[i] / width))
            if self.facts.divisible(extents[i], width):
                return [whole], rest, [{**outer, i: width, j: width}]
            last = Mod(extents[i], width)
            return [whole, ONE], rest, [{**outer, i: width, j: width}, {**outer, i: last, j: last}]
        return None

    def _blocks(self, bounds: Bounds, extents: Extents) -> tuple[list[Expr], Bounds, list[Extents]] | None:
        """Take an index that is named by its block alone (`i // w`) for the number of the block."""
        for name, size in extents.items():
            rounded = {part for bound in bounds for part in bound.atoms(floor) if part.has(name)}
            if len(rounded) != 1:
                continue
            (part,) = rounded
            own, width = _block(part)
            alone = {bound: bound.xreplace({part: ZERO}) for bound in bounds}
            if own != name or any(bound.has(name) for bound in alone.values()) or not self.facts.divisible(size, width):
                continue
            return [width], frozenset(bound.xreplace({part: name}) for bound in bounds), [{**extents, name: cancel(size / width)}]
        return None

    def _places_in_blocks(self, bounds: Bounds, extents: Extents) -> tuple[list[Expr], Bounds, list[Extents]] | None:
        """Take places that are told by a block and a place in it (`block*w + j`) for places along the whole axis.

        Either the bounds name the block and one index, w of which are a block: then whole blocks are counted. Or they name two, where the
        first runs over one block and the second over places around it, near enough to the first never to come to their end.
        """
        for block in extents:
            widths = {expand(bound.coeff(block)) for bound in bounds} - {ZERO}
            if len(widths | {-one for one in widths}) != 2 or widths & {ONE, -ONE}:
                continue
            width = next(one if one.is_positive else -one for one in widths)
            used = [name for name in extents if name != block and any(bound.has(name) for bound in bounds)]
            if len(used) == 1:
                return self._whole_blocks(bounds, extents, block, used[0], width)
            if len(used) == 2:
                for own, other in (used, used[::-1]):
                    found = self._around_blocks(bounds, extents, (block, own, other), width)
                    if found is not None:
                        return found
        return None

    def _whole_blocks(
        self, bounds: Bounds, extents: Extents, block: Symbol, name: Symbol, width: Expr
    ) -> tuple[list[Expr], Bounds, list[Extents]] | None:
        """Count blocks: `block*w + j < t*w` says `block + j // w < t`."""
        if not self.facts.divisible(extents[name], width):
            return None
        counted = []
        for bound in bounds:
            sign = bound.coeff(name)
            free = expand(bound - sign * name - bound.coeff(block) * block)
            if sign not in (1, -1) or expand(bound.coeff(block) - sign * width) != 0 or free.has(*extents):
                return None
            limit = free - 1 if sign == 1 else free  # block*w + j < -limit, or block*w + j >= limit
            if not self.facts.divisible(limit, width):
                return None
            whole = cancel(limit / width)
            counted.append(expand(sign * (block + name) + whole + (1 if sign == 1 else 0)))
        return [width], frozenset(counted), [{**extents, name: cancel(extents[name] / width)}]

    def _around_blocks(
        self, bounds: Bounds, extents: Extents, names: tuple[Symbol, Symbol, Symbol], width: Expr
    ) -> tuple[list[Expr], Bounds, list[Extents]] | None:
        block, own, other = names
        if not self.facts.equal(extents[own], width):
            return None
        whole = expand(extents[block] * width)
        joined: set[Expr] = set()
        lower: Expr | None = None
        upper: Expr | None = None
        for bound in _ordered(bounds):
            a, c = bound.coeff(own), bound.coeff(other)
            free = expand(bound - a * own - c * other - bound.coeff(block) * block)
            if free.has(*extents) or expand(bound.coeff(block) - width * (a + c)) != 0:
                return None
            joined.add(expand(a * own + c * other + free))
            if (a, c) == (1, -1):
                lower = free if lower is None else self.greatest([lower, free])  # other >= own + lower
            if (a, c) == (-1, 1):
                upper = -free if upper is None else self.least([upper, -free])  # other <= own + upper
        if lower is None or upper is None or not self.is_nonnegative(lower):
            return None
        if not self.is_nonnegative(extents[other] - width - upper):
            return None
        far = expand(whole + upper)  # places along the axis that no bound lets be passed
        rest = {name: size for name, size in extents.items() if name not in names}
        return [ONE], frozenset(joined), [{**rest, own: whole, other: far}]

    # ---- what is counted -------------------------------------------------------------------------------------------------------------

    def _pairs(self, bounds: Bounds, extents: Extents) -> Expr | None:
        """Count the places of one or two axes: each by itself between bounds, and their difference or sum."""
        names = [*extents]
        own: dict[Symbol, list[Expr]] = {name: [] for name in names}
        together: list[Expr] = []
        signs = set()
        for bound in _ordered(bounds):
            factors = {name: bound.coeff(name) for name in names if bound.has(name)}
            if any(factor not in (1, -1) for factor in factors.values()):
                return None
            if expand(bound - Add(*(factor * name for name, factor in factors.items()))).has(*names):
                return None
            if len(factors) == 1:
                own[next(iter(factors))].append(bound)
            elif factors:
                together.append(bound)
                signs.add(Mul(*factors.values()))
            elif not self.is_nonnegative(-bound):
                return ZERO if self.is_nonnegative(bound - 1) else None
        if len(signs) > 1:
            return None
        if signs == {ONE}:  # the sum of two indices is a difference, counted from the other end
            j = names[1]
            turned = extents[j] - 1 - j
            own[j], together = ([expand(one.subs(j, turned)) for one in some] for some in (own[j], together))
        ranges = [self._range(own[name], name, size) for name, size in extents.items()]
        if not together:
            return Mul(*(one.number for one in ranges))
        return self._between(together, names, ranges)

    def _range(self, bounds: Iterable[Expr], name: Symbol, size: Expr) -> _Range:
        """Return the indices of one axis that meet bounds."""
        firsts, ends = [ZERO], [size]
        for bound in bounds:
            free = expand(bound - bound.coeff(name) * name)
            (ends if bound.coeff(name) == 1 else firsts).append(1 - free if bound.coeff(name) == 1 else free)
        first = self.greatest(firsts)
        number = expand(self.least(ends) - first)
        return _Range(first, number if self.is_nonnegative(number) else Max(ZERO, number))

    def _between(self, bounds: Iterable[Expr], names: list[Symbol], ranges: list[_Range]) -> Expr:
        """Count pairs (i, j) of which j - i is between bounds."""
        i, j = names
        rows, columns = ranges
        shift = expand(rows.first - columns.first)
        uppers: list[Expr] = []
        lowers: list[Expr] = []
        for bound in bounds:
            sign = bound.coeff(j)
            free = expand(bound - sign * j + sign * i)
            (uppers if sign == 1 else lowers).append(expand(-free + shift) if sign == 1 else expand(free + shift))
        n, m = rows.number, columns.number
        most = self._up_to(self.least(uppers), n, m) if uppers else n * m
        less = self._up_to(self.greatest(lowers) - 1, n, m) if lowers else ZERO
        if uppers and lowers and not self.is_nonnegative(self.least(uppers) - self.greatest(lowers) + 1):
            return Max(ZERO, expand(most - less))
        return expand(most - less)

    def _up_to(self, limit: Expr, n: Expr, m: Expr) -> Expr:
        """Count the pairs i < n, j < m with j - i <= limit: the sum of i + limit + 1, but at least 0 and at most m."""
        ends = (n + limit + 1, ONE), (limit + 1, -ONE), (n + limit + 1 - m, -ONE), (limit + 1 - m, ONE)
        return Add(*(sign * self._triangle(end) for end, sign in ends))

    def _triangle(self, end: Expr) -> Expr:
        """Return 0 + 1 + ... + (end - 1), and 0 where that is none."""
        end = expand(end)
        if self.is_nonnegative(end):
            return end * (end - 1) / 2
        if self.is_nonnegative(1 - end):
            return ZERO
        below = Max(ZERO, expand(end - 1))
        return below * (below + 1) / 2


def _known_differences(conditions: Iterable[Boolean]) -> Iterator[Expr]:
    """Yield what conditions say to be at least 0."""
    for condition in conditions:
        if isinstance(condition, And):
            yield from _known_differences(condition.args)
        elif isinstance(condition, Ge | Gt | Le | Lt):
            yield expand(condition.gts - condition.lts - (1 if isinstance(condition, Gt | Lt) else 0))


def _factored(value: Expr) -> Expr:
    """Write w*k - w as w*(k - 1), the sign of which can be seen."""
    terms = [term.as_powers_dict() for term in Add.make_args(value)]
    common = [name for name in value.free_symbols if all(name in term and term[name].is_positive for term in terms)]
    return Mul(*common) * _factored(expand(value / Mul(*common))) if common else value


def _ordered(bounds: Bounds) -> list[Expr]:
    """Return bounds in one order, so that formulas come out the same each time."""
    return sorted(bounds, key=str)


def _with(bound: Expr, extents: Extents) -> set[Expr]:
    return {part for part in bound.atoms(floor, Mod) if part.has(*extents)}


def _block(part: Expr) -> tuple[Expr, Expr]:
    """Return what is divided and by what in floor(i/w)."""
    over, under = fraction(part.args[0])
    return over, under
