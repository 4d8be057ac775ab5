"""What a spec comes to at one preset, in numbers: a line of the list of all architectures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.quantities import QUANTITIES
from generator.sheet.example import ExampleView
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class CountedPreset:
    """One line: a spec at one preset, or at examples of ours.

    Args:
        preset: its name; empty for examples of ours.
        cite: keys of its sources.
        sizes: all sizes, and the options and blocks that go with them.
        examples: those of the sizes that are ours.
        counts: what it comes to, by quantity; None where that has no value.
    """

    preset: str
    cite: str
    sizes: Mapping[str, object]
    examples: Collection[str]
    counts: Mapping[str, int | None]


def counted_at(sheet: Sheet, view: ExampleView, choices: Mapping[str, object] | None = None) -> CountedPreset:
    """Return what a sheet comes to at one view of it.

    Args:
        choices: options and blocks that go with the preset, as the sheet has them in force.
    """
    preset = view.preset
    counts = {quantity.key: _total(sheet, quantity.key, view.sizes) for quantity in QUANTITIES}
    cite = preset.cite if preset else " ".join(sheet.cite)
    return CountedPreset(preset.name if preset else "", cite, {**view.sizes, **(choices or {})}, [*view.examples], counts)


def _total(sheet: Sheet, key: str, sizes: Mapping[str, int]) -> int | None:
    try:
        value = evaluate(sheet.totals[key], sizes)
    except EvaluationError:
        return None
    return value if isinstance(value, int) else None
