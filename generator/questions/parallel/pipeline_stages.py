"""Which layers, and which rows outside of stacks, each stage of a pipeline has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator.formulas.evaluate import evaluate
from generator.sheet.costing import Cost
from generator.text.errors import SizeError


@dataclass(frozen=True)
class Stage:
    """What one stage has.

    Args:
        shares: rows of the spec itself, by name, each with the part of it, and of what is inside of it, that the stage has.
    """

    shares: tuple[tuple[str, Fraction], ...]


def stages(cost: Cost, count: int, pieces: int) -> list[Stage]:
    """Return the stages of a pipeline, each of so many pieces; layers are spread as evenly as can be.

    Where they do not come out even, stages in the middle have one layer more, then the first and at last the last one, which has the head.
    Rows before the first stack are the first stage's, and others belong to the layer before them. Rows of several kinds of layers in one
    stack are shared by all stages alike.

    Raises:
        SizeError: there are fewer layers than pieces.
    """
    units = _units(cost)
    in_order = [place for place, (_, is_layer) in enumerate(units) if is_layer]
    if count == 1:
        return [Stage(_shares([*range(len(units))], units))]
    if len(in_order) < count * pieces:
        raise SizeError(f"{len(in_order)} layers are too few for {count * pieces} pieces of a pipeline")
    sizes = [len(in_order) // (count * pieces)] * (count * pieces)
    order = [*range(1, count * pieces - 1), 0, count * pieces - 1]
    for place in order[: len(in_order) % (count * pieces)]:
        sizes[place] += 1
    found: list[list[int]] = [[] for _ in range(count)]
    begin = 0
    for piece, size in enumerate(sizes):
        first = 0 if piece == 0 else in_order[begin]
        begin += size
        last = len(units) if begin == len(in_order) else in_order[begin]
        found[piece % count] += range(first, last)
    return [Stage(_shares(places, units)) for places in found]


def layers(cost: Cost) -> Mapping[str, int]:
    """Return how many layers each row of the spec itself stands for: 1 of what is no stack."""
    return Counter(name for name, _ in _units(cost))


def _units(cost: Cost) -> list[tuple[str, bool]]:
    """Return the rows of the spec itself in order, each layer of a stack as one of its own, and whether it is a layer."""
    found: list[tuple[str, bool]] = []
    for row in cost.sheet.rows:
        if row.depth == 0:
            kinds = [one for one in cost.sheet.rows if row.op == "pattern" and one.depth == 1 and one.path.startswith(f"{row.path}.")]
            number = sum(int(evaluate(one.repeat, cost.dims)) for one in (kinds or [row])) if row.is_group else 1
            is_stack = row.is_group and (bool(kinds) or row.repeat != 1)
            found += [(row.path, is_stack)] * number
    return found


def _shares(places: Sequence[int], units: Sequence[tuple[str, bool]]) -> tuple[tuple[str, Fraction], ...]:
    all_of_them = Counter(name for name, _ in units)
    own = Counter(units[place][0] for place in places)
    return tuple((name, Fraction(number, all_of_them[name])) for name, number in own.items())
