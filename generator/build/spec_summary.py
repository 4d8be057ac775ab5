"""What the pages of no single spec say about a spec, as plain data, so that one edited spec does not mean deriving all others again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.build.claim_data import claims_from_data, claims_to_data, references_from_data, references_to_data, row_places
from generator.formulas.formula_data import FormulaDataError, from_data, to_data
from generator.render.markdown.preset_tables import PresetNumbers, preset_numbers
from generator.sheet.counted import CountedPreset, counted_at
from generator.sheet.example import ExampleView, known_views, other_views, view_of
from generator.sheet.sheet import Sheet, SheetPreset, Size
from generator.text.translated import from_plain, to_plain


def summarise(sheet: Sheet, lines: Mapping[str, Sequence[int]]) -> dict[str, Any] | None:
    """Return a sheet without its rows as plain data; None if one of its formulas has no such form.

    Args:
        lines: the first and the last of each row in its PyTorch module, which pages link to.
    """
    try:
        return {
            "name": sheet.name,
            "title": to_plain(sheet.title),
            "description": to_plain(sheet.description),
            "family": to_plain(sheet.family),
            "cite": list(sheet.cite),
            "source": sheet.source,
            "source_hash": sheet.source_hash,
            "sizes": [
                [size.name, to_plain(size.meaning), size.kind, None if size.value is None else to_data(size.value)] for size in sheet.sizes
            ],
            "totals": {key: to_data(total) for key, total in sheet.totals.items()},
            "presets": [[preset.name, dict(preset.sizes), dict(preset.expect), preset.cite] for preset in sheet.presets],
            # Chosen here, where conditions and rows are known: what is restored has neither.
            "examples": [dict(view.examples) for view in known_views(sheet)],
            "others": [[one.preset, one.cite, dict(one.sizes), list(one.examples), dict(one.counts)] for one in counted_others(sheet)],
            "numbers": [[one.preset, dict(one.chosen), one.params, one.flops] for one in preset_numbers(sheet)],
            "claims": claims_to_data(sheet),
            "references": references_to_data(sheet),
            "places": [row_places(sheet, claim) for claim in sheet.claims],
            "lines": {row: list(ends) for row, ends in lines.items()},
        }
    except FormulaDataError:
        return None


def restore(data: dict[str, Any] | None) -> Sheet | None:
    """Return the sheet, without its rows, that a summary was made of; None if the data is no summary."""
    if data is None:
        return None
    try:
        restored_numbers(data)  # refuses what is none
        restored_others(data)
        if len(data["examples"]) != max(1, len(data["presets"])):
            return None
        sizes = tuple(
            Size(name, from_plain(meaning), kind, None if value is None else from_data(value))
            for name, meaning, kind, value in data["sizes"]
        )
        return Sheet(
            name=data["name"],
            title=from_plain(data["title"]),
            description=from_plain(data["description"]),
            source=data["source"],
            source_hash=data["source_hash"],
            sizes=sizes,
            options={},
            inputs={},
            outputs={},
            constraints=(),
            rows=(),
            totals={key: from_data(value) for key, value in data["totals"].items()},
            presets=tuple(SheetPreset(name, chosen, expect, cite) for name, chosen, expect, cite in data["presets"]),
            family=from_plain(data["family"]),
            cite=tuple(data["cite"]),
            claims=claims_from_data(data["claims"]),
            references=references_from_data(data["references"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def counted_others(sheet: Sheet) -> tuple[CountedPreset, ...]:
    """Return what the presets with options or blocks of their own come to."""
    views = zip(sheet.other_presets, other_views(sheet), strict=True)
    return tuple(counted_at(sheet.under(preset), view, preset.choices) for preset, view in views)


def restored_others(data: dict[str, Any]) -> tuple[CountedPreset, ...]:
    """Return the same as it was counted when a summary was made."""
    return tuple(CountedPreset(*one) for one in data["others"])


def restored_numbers(data: dict[str, Any]) -> tuple[PresetNumbers, ...]:
    """Return what the presets come to, as it was worked out when a summary was made."""
    return tuple(PresetNumbers(preset, chosen, params, flops) for preset, chosen, params, flops in data["numbers"])


def restored_views(sheet: Sheet, data: dict[str, Any]) -> tuple[ExampleView, ...]:
    """Return the sizes at which a restored sheet is shown: those chosen when its summary was made."""
    presets = sheet.presets or (None,)
    return tuple(view_of(sheet, preset, examples) for preset, examples in zip(presets, data["examples"], strict=True))
