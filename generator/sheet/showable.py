"""Whether outputs can show a spec's numbers: at every preset, or at examples of ours, and each within the numbers of a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.quantities import QUANTITIES
from generator.sheet.example import ExampleView, NoExampleError, searched_view, searched_views
from generator.sheet.sheet import Sheet, SheetPreset
from generator.spec.model import Spec
from generator.text.problems import Problem
from generator.text.source import Span

GREATEST = 10**308  # numbers of a spreadsheet end a little above


def unshown_problems(spec: Spec, sheet: Sheet) -> Iterator[Problem]:
    """Yield what keeps a workbook from being made: sizes of which no example is found, and numbers that no spreadsheet can hold."""
    presets: tuple[SheetPreset | None, ...] = (*(sheet.presets or (None,)), *sheet.other_presets)
    views = (*searched_views(sheet), *(searched_view(sheet.under(preset), preset) for preset in sheet.other_presets))
    for preset, view in zip(presets, views, strict=True):
        if isinstance(view, NoExampleError):
            at = f" beside preset `{preset.name}`" if preset else ""
            note = "give a preset that sets them" if preset is None else "let the preset set them too"
            yield Problem(f"{view}{at}, so the workbook has nothing to show", _place(spec, preset), (note,))
        else:
            yield from _too_large(spec, sheet.under(preset) if preset else sheet, view)


def _place(spec: Spec, preset: SheetPreset | None) -> Span:
    if preset is not None:
        return spec.presets[preset.name].span
    return spec.where[0].span if spec.where else spec.span


def _too_large(spec: Spec, sheet: Sheet, view: ExampleView) -> Iterator[Problem]:
    """Yield the first number that is too large at the sizes that are shown."""
    at = ", ".join(f"{name} is {value}" for name, value in view.sizes.items())
    shown = f"preset `{view.preset.name}`" if view.preset else "the example that the outputs show"
    for quantity in QUANTITIES:
        try:
            value = evaluate(sheet.totals[quantity.key], view.sizes)
        except EvaluationError as error:
            yield Problem(f"{quantity.key} has no value at {shown}: {error}", _place(spec, view.preset), (at,))
            return
        if abs(value) >= GREATEST:
            words = f"{quantity.key} at {shown} is beyond the numbers of a spreadsheet, which end at 10**308"
            yield Problem(words, _place(spec, view.preset), (at,))
            return
