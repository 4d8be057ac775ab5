"""A spec's sheet with options and blocks in force, and with one of its presets in front: what a workbook of its own shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from generator.sheet.asked import options_of, with_choices
from generator.sheet.compiled import derive
from generator.sheet.sheet import Sheet
from generator.spec.library import Library


def sheet_in_force(library: Library, name: str, preset: str, settings: Mapping[str, Any]) -> Sheet:
    """Return the sheet of a spec under the options and blocks of a preset, and those given.

    A preset that goes with options of its own stands beside those that go with the same ones, with the totals that they must come to. What
    is given on top makes another network of it: then no totals are expected.

    Args:
        preset: comes first; empty for none.
        settings: options and slots, of the spec and of what it uses.

    Raises:
        ProblemsError: the spec has mistakes.
        SizeError: an option that cannot be so.
    """
    if settings:
        chosen, _ = with_choices(library, name, {**options_of(library.spec(name), preset), **settings}, preset)
        return _with_first(derive(chosen, name)[0].sheet, preset)
    plain = derive(library, name)[0].sheet
    asked = next((one for one in plain.other_presets if one.name == preset), None)
    if asked is None:
        return _with_first(plain, preset)
    fellows = [replace(one, under=None, options={}, slots={}) for one in plain.other_presets if one.choices == asked.choices]
    printed = [claim for claim in plain.claims if claim.of_preset in {one.name for one in fellows}]
    return _with_first(replace(plain.under(asked), presets=tuple(fellows), claims=tuple(printed)), preset)


def _with_first(sheet: Sheet, preset: str) -> Sheet:
    return replace(sheet, presets=tuple(sorted(sheet.presets, key=lambda one: one.name != preset)))
