"""From which size on one part costs more than another, in closed form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Expr, Symbol

from generator.growth.closed import closed_form
from generator.printing.evaluate import EvaluationError, evaluate
from generator.render.workbook.parts import Part, leaves_of, main_quantity
from generator.sheet import Sheet, Size
from generator.symbols import symbol

LARGEST = 4  # so many of the parts are compared with each other
SPOKEN_OF = 3  # the summary speaks of two of so many
LEAST = 0.01  # of the cost, for a part to be compared
LONGEST = 30  # operations in a root that is worth a line
CONTRACTIONS = ("linear", "einsum")  # kinds of rows that are compared: work of weights, and work of activations on each other


@dataclass(frozen=True)
class Crossover:
    """Two parts that change places as a size grows.

    Args:
        small, large: the names of the parts; the second costs more from the root on.
        size: the name of the size that grows.
        root: where both cost the same.
        assumed: default sizes that were taken to follow their defaults.
        is_main: whether these are the two parts that the summary speaks of.
    """

    small: str
    large: str
    size: str
    root: Expr
    assumed: tuple[tuple[str, Expr], ...]
    is_main: bool = False


@dataclass(frozen=True)
class Pair:
    """The two parts that the summary speaks of; the first outgrows the second if they cross. The second is missing where there is one."""

    first: Part
    second: Part | None


def main_pair(sheet: Sheet, parts: Sequence[Part], sizes: Mapping[str, int], set_by_presets: Collection[str]) -> Pair | None:
    """Return two of the largest parts at some sizes that cross as the size grows that people ask about, the one that grows faster first.

    Where no two cross they are the two largest; None where nothing costs anything.
    """
    key = main_quantity(sheet).key
    ranked = _ranked(sheet, parts, sizes, key)
    if len(ranked) < 2:
        return Pair(ranked[0], None) if ranked else None
    main_size = preferred(sheet.sizes)
    for a, b in combinations(ranked[:SPOKEN_OF], 2):
        found = _between(sheet, (a.name, a.cost(sheet, key)), (b.name, b.cost(sheet, key)), set_by_presets)
        for one in found:
            if one.size == main_size and _is_met(one, sizes):
                return Pair(a, b) if one.large == a.name else Pair(b, a)
    return Pair(ranked[0], ranked[1])


def crossovers(
    sheet: Sheet, parts: Sequence[Part], sizes: Mapping[str, int], set_by_presets: Collection[str], pair: Pair | None
) -> tuple[Crossover, ...]:
    """Return the crossovers of the largest parts, and of projections and attention products, those of the main pair first."""
    key = main_quantity(sheet).key
    found: list[Crossover] = []
    names = {pair.first.name, pair.second.name} if pair is not None and pair.second is not None else set()
    ranked = _ranked(sheet, parts, sizes, key)[:LARGEST]
    for a, b in combinations(ranked, 2):
        is_main = {a.name, b.name} == names
        found += _between(sheet, (a.name, a.cost(sheet, key)), (b.name, b.cost(sheet, key)), set_by_presets, is_main=is_main)
    kinds = [(kind, _of_op(sheet, kind, key)) for kind in CONTRACTIONS]
    if all(cost != 0 for _, cost in kinds) and not {kind for kind, _ in kinds} <= {part.name for part in parts}:
        found += _between(sheet, kinds[0], kinds[1], set_by_presets)
    kept = [one for one in found if _is_met(one, sizes)]
    return tuple(sorted(kept, key=lambda one: not one.is_main))


def preferred(sizes: Sequence[Size]) -> str | None:
    """Return the name of the size whose growth people ask about first: a length, then anything but the batch."""
    free = [size for size in sizes if size.kind != "derived"]
    lengths = [size for size in free if any(word in size.meaning.lower() for word in ("length", "token", "patches"))]
    others = [size for size in free if "batch" not in size.meaning.lower()]
    chosen = next(iter([size for size in lengths if "greatest" not in size.meaning.lower()] or others or free), None)
    return chosen.name if chosen else None


def _ranked(sheet: Sheet, parts: Sequence[Part], sizes: Mapping[str, int], key: str) -> list[Part]:
    costs = {part.name: float(evaluate(part.cost(sheet, key), sizes)) for part in parts}
    whole = sum(costs.values())
    return sorted((part for part in parts if costs[part.name] > LEAST * whole), key=lambda part: -costs[part.name])


def _of_op(sheet: Sheet, op: str, key: str) -> Expr:
    """Return what the rows of a kind cost; where some are repeated, only those: what is done once is not what grows."""
    rows = [sheet.rows[i] for i in leaves_of(sheet.rows)]
    repeated = [row for row in rows if row.repeat != 1] or rows
    return Add(*(row.costs[key] for row in repeated if row.op == op)).expand()


def _is_met(one: Crossover, sizes: Mapping[str, int]) -> bool:
    try:
        return bool(evaluate(one.root, sizes) > 0)
    except (EvaluationError, TypeError):
        return False


def _between(
    sheet: Sheet, one: tuple[str, Expr], other: tuple[str, Expr], set_by_presets: Collection[str], *, is_main: bool = False
) -> list[Crossover]:
    """Compare two costs in every size that can be set."""
    assumed = _assumed(sheet, set_by_presets)
    used = tuple((name.name, value) for name, value in assumed.items() if (one[1] + other[1]).has(name))
    a, b = (cost[1].xreplace(assumed).expand() for cost in (one, other))
    found = []
    for size in sheet.sizes:
        x = symbol(size.name)
        if size.kind == "derived" or x in assumed:
            continue
        form = closed_form(a, b, x)
        if form.verdict != "crosses" or form.roots[0].count_ops() > LONGEST:
            continue
        grows = _degree(a, x) > _degree(b, x)
        small, large = (other[0], one[0]) if grows else (one[0], other[0])
        found.append(Crossover(small, large, size.name, form.roots[0], used, is_main))
    return found


def _assumed(sheet: Sheet, set_by_presets: Collection[str]) -> dict[Symbol, Expr]:
    """Return the default of each size that no preset sets, in other sizes."""
    found: dict[Symbol, Expr] = {}
    for size in sheet.sizes:
        if size.kind == "default" and size.name not in set_by_presets and size.value is not None:
            found[symbol(size.name)] = size.value.xreplace(found)
    return found


def _degree(cost: Expr, x: Symbol) -> int:
    return max((int(term.as_coeff_exponent(x)[1]) for term in Add.make_args(cost)), default=0)
