"""Example values for sizes that no preset sets: small whole numbers that satisfy the spec's conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sympy import Integer

from generator.claims import complete
from generator.printing.evaluate import EvaluationError, evaluate
from generator.sheet import Sheet, SheetPreset, Size

SMALL = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 1)
COMMON = (128, 64, 256, 512, 32, 16, 8, 4, 2, 1, 3, 7, 14, 28, 56, 112, 224)  # beside published sizes: lengths and widths in use
FEW = {"batch": (1, 2, 4), "rounds": (2, 1, 4)}  # by a word of the meaning: of these there are few
STEPS = 20_000  # of the search


class NoExampleError(ValueError):
    """No small sizes satisfy the spec's conditions."""


@dataclass(frozen=True)
class View:
    """Complete sizes at which the outputs show a spec: those of a preset, with examples of ours for what it leaves open.

    Args:
        preset: the preset; None for a spec that has none.
        examples: the sizes that are ours.
        sizes: all sizes, defaults and derived ones included.
    """

    preset: SheetPreset | None
    examples: Mapping[str, int]
    sizes: Mapping[str, int]


def views(sheet: Sheet) -> tuple[View, ...]:
    """Return the sizes at which a sheet is shown, one view for each preset, or one of examples only.

    Raises:
        NoExampleError: nothing tried satisfies the conditions; the message names them.
    """
    presets: Sequence[SheetPreset | None] = sheet.presets or (None,)
    return tuple(view_of(sheet, preset, example_sizes(sheet, preset.sizes if preset else {})) for preset in presets)


def known_views(sheet: Sheet) -> tuple[View, ...]:
    """Return what `views` does, but where no examples are found the view of a preset without them."""
    found = []
    for preset in sheet.presets or (None,):
        try:
            examples = example_sizes(sheet, preset.sizes if preset else {})
        except NoExampleError:
            examples = {}
        found.append(view_of(sheet, preset, examples))
    return tuple(found)


def view_of(sheet: Sheet, preset: SheetPreset | None, examples: Mapping[str, int]) -> View:
    """Return the view of a preset with known examples."""
    given = {**(preset.sizes if preset else {}), **examples}
    return View(preset, examples, {name: value for name, value in complete(sheet.sizes, given).items() if value is not None})


def example_sizes(sheet: Sheet, given: Mapping[str, int]) -> dict[str, int]:
    """Return values for the free sizes that are not given.

    Without any size given they are small and all different, where the conditions allow; beside published sizes the batch is 1 and others
    are common lengths.

    Raises:
        NoExampleError: nothing tried satisfies the conditions; the message names them.
    """
    open_sizes = [size for size in sheet.sizes if size.kind == "free" and size.name not in given]
    for distinct in (True, False):
        found = _Search(sheet, open_sizes, distinct and not given).run(dict(given))
        if found is not None:
            return {size.name: found[size.name] for size in open_sizes}
    conditions = ", ".join(constraint.text for constraint in sheet.constraints)
    raise NoExampleError(f"no small sizes for {', '.join(size.name for size in open_sizes)} satisfy {conditions}")


class _Search:
    """Tries candidates size by size and goes back where a condition breaks."""

    def __init__(self, sheet: Sheet, open_sizes: Sequence[Size], distinct: bool) -> None:
        self.sheet = sheet
        self.open_sizes = open_sizes
        self.distinct = distinct
        self.steps = 0

    def run(self, values: dict[str, int]) -> dict[str, int] | None:
        return self._assign(0, values, _candidates(self.sheet, bool(values)))

    def _assign(self, index: int, values: dict[str, int], candidates: Sequence[int]) -> dict[str, int] | None:
        self.steps += 1
        if self.steps > STEPS or not _possible(self.sheet, values):
            return None
        if index == len(self.open_sizes):
            return values
        size = self.open_sizes[index]
        taken = {values[other.name] for other in self.open_sizes[:index]} if self.distinct else set()
        for value in next((few for word, few in FEW.items() if word in size.meaning.lower()), candidates):
            if value not in taken:
                found = self._assign(index + 1, {**values, size.name: value}, candidates)
                if found is not None:
                    return found
        return None


def _candidates(sheet: Sheet, beside_published: bool) -> list[int]:
    """Return numbers to try, with those that the conditions name and small multiples of them."""
    base = COMMON if beside_published else SMALL
    named = sorted({int(number) for constraint in sheet.constraints for number in constraint.condition.atoms(Integer) if number > 1})
    return list(dict.fromkeys([*base, *(number * factor for number, factor in product(named, (1, 2, 3, 4)))]))


def _possible(sheet: Sheet, values: Mapping[str, int]) -> bool:
    """Whether the sizes chosen so far can be part of a solution: every condition, size and axis that they decide is in order."""
    try:
        known = {name: value for name, value in complete(sheet.sizes, values).items() if value is not None}
        if not all(_is_size(value) for value in known.values()):
            return False
        decided = [c.condition for c in sheet.constraints if {symbol.name for symbol in c.condition.free_symbols} <= known.keys()]
        if not all(evaluate(condition, known) for condition in decided):
            return False
        axes = {axis for row in sheet.rows for _, shape in row.shapes for axis in shape}
        sizes = [evaluate(axis, known) for axis in axes if {symbol.name for symbol in axis.free_symbols} <= known.keys()]
    except EvaluationError:
        return False
    return all(_is_size(size) for size in sizes)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and value >= 1
