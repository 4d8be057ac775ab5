"""Example values for sizes that no preset sets: small whole numbers that satisfy the spec's conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from sympy import Integer, Le

from generator.formulas.feasible import PROPOSALS, Holds, Sizes, first, solutions
from generator.formulas.symbols import symbol
from generator.sheet.demands import search_order, sheet_demands
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet, SheetPreset, Size

SMALL = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 1)
COMMON = (128, 64, 256, 512, 32, 16, 8, 4, 2, 1, 3, 7, 14, 28, 56, 112, 224)  # beside published sizes: lengths and widths in use
FEW = {"batch": (1, 2, 4), "rounds": (2, 1, 4)}  # by a word of the meaning: of these there are few
MANY = 16 * PROPOSALS


class NoExampleError(ValueError):
    """No sizes were found that satisfy the spec's conditions."""


@dataclass(frozen=True)
class ExampleView:
    """Complete sizes at which the outputs show a spec: those of a preset, with examples of ours for what it leaves open.

    Args:
        preset: the preset; None for a spec that has none.
        examples: the sizes that are ours.
        sizes: all sizes, defaults and derived ones included.
    """

    preset: SheetPreset | None
    examples: Mapping[str, int]
    sizes: Mapping[str, int]


def views(sheet: Sheet) -> tuple[ExampleView, ...]:
    """Return the sizes at which a sheet is shown, one view for each preset, or one of examples only.

    Raises:
        NoExampleError: nothing tried satisfies the conditions; the message names them.
    """
    found = []
    for view in searched_views(sheet):
        if isinstance(view, NoExampleError):
            raise view
        found.append(view)
    return tuple(found)


def known_views(sheet: Sheet) -> tuple[ExampleView, ...]:
    """Return what `views` does, but where no examples are found the view of a preset without them."""
    presets = sheet.presets or (None,)
    found = zip(presets, searched_views(sheet), strict=True)
    return tuple(view_of(sheet, preset, {}) if isinstance(view, NoExampleError) else view for preset, view in found)


def other_views(sheet: Sheet) -> tuple[ExampleView, ...]:
    """Return the view of each preset with options or blocks of its own, without examples where none are found."""
    found = ((sheet.under(preset), preset) for preset in sheet.other_presets)
    searched = ((under, preset, searched_view(under, preset)) for under, preset in found)
    return tuple(view_of(under, preset, {}) if isinstance(view, NoExampleError) else view for under, preset, view in searched)


@lru_cache(maxsize=128)
def searched_views(sheet: Sheet) -> tuple[ExampleView | NoExampleError, ...]:
    """Return the view of each preset, or one of examples only; where nothing was found that satisfies the conditions, that error."""
    return tuple(searched_view(sheet, preset) for preset in sheet.presets or (None,))


def searched_view(sheet: Sheet, preset: SheetPreset | None) -> ExampleView | NoExampleError:
    """Return the view of one preset of a sheet, or that error; of a preset with options of its own it is the sheet under these."""
    try:
        return view_of(sheet, preset, example_sizes(sheet, preset.sizes if preset else {}))
    except NoExampleError as error:
        return error


def view_of(sheet: Sheet, preset: SheetPreset | None, examples: Mapping[str, int]) -> ExampleView:
    """Return the view of a preset with known examples."""
    given = {**(preset.sizes if preset else {}), **examples}
    return ExampleView(preset, examples, {name: value for name, value in complete(sheet.sizes, given).items() if value is not None})


def example_sizes(sheet: Sheet, given: Mapping[str, int]) -> dict[str, int]:
    """Return values for the free sizes that are not given.

    Without any size given they are small and all different, where the conditions allow; beside published sizes the batch is 1 and others
    are common lengths. Where none of these fits, they are what the conditions ask for.

    Raises:
        NoExampleError: nothing was found that satisfies the conditions; the message names them.
    """
    open_sizes = [size for size in sheet.sizes if size.kind == "free" and size.name not in given]
    usual = _usual(sheet, given)

    def candidates(name: str, sizes: Sizes) -> Iterator[int]:  # noqa: ARG001 - the same whatever is chosen
        yield from usual[name]

    order, demands = search_order(sheet, given), sheet_demands(sheet, given)
    few = [Holds(Le(symbol(size.name), max(usual[size.name]))) for size in open_sizes if _few(size)]
    distinct = [] if given else [size.name for size in open_sizes]
    for further, different, proposals in ((few, distinct, PROPOSALS), ([], distinct, PROPOSALS), ([], [], PROPOSALS), ([], [], MANY)):
        found = first(solutions(order, [*demands, *further], candidates, known=given, distinct=different, proposals=proposals))
        if found is not None:
            return {size.name: found[size.name] for size in open_sizes}
    conditions = ", ".join(constraint.text for constraint in sheet.constraints)
    raise NoExampleError(f"no sizes {', '.join(size.name for size in open_sizes)} were found that satisfy {conditions}")


def _usual(sheet: Sheet, given: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the numbers to try first, by size, with those that the conditions name and small multiples of them."""
    base = COMMON if given else SMALL
    named = sorted({int(number) for constraint in sheet.constraints for number in constraint.condition.atoms(Integer) if number > 1})
    many = tuple(dict.fromkeys([*base, *(number * factor for number, factor in product(named, (1, 2, 3, 4)))]))
    found: dict[str, tuple[int, ...]] = {}
    for size in sheet.sizes:
        found[size.name] = () if size.kind != "free" else _few(size) or many
    return found


def _few(size: Size) -> tuple[int, ...]:
    """Return the numbers that are usual for a size of which there are few; none for others."""
    return next((few for word, few in FEW.items() if word in size.meaning.lower()), ())
