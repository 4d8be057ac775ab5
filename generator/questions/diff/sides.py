"""The two sides of a difference: NAME, NAME@PRESET or NAME@git:REVISION."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.errors import SizeError
from generator.questions.diff.revision import library_at
from generator.questions.growth.bound import preset_values
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import check_option
from generator.spec.library import Library
from generator.spec.lookup import find
from generator.text.suggest import did_you_mean, listed

GIT = "git:"


@dataclass(frozen=True)
class DiffSide:
    """One side: what it is called, its sheet, and the sizes that its preset and the line give it."""

    label: str
    sheet: Sheet
    sizes: Mapping[str, int]


def diff_side(text: str, sizes: Mapping[str, int], options: Mapping[str, str], specs: Sequence[Path]) -> DiffSide:
    """Return a side.

    Args:
        text: NAME, NAME@PRESET or NAME@git:REVISION.
        sizes: sizes for both sides; each takes those that it has.
        options: options for both sides, likewise.

    Raises:
        ProblemsError: no such spec or revision, or a spec with mistakes.
        SizeError: no such preset, or an option that cannot be so.
    """
    target, _, rest = text.partition("@")
    library, name = find(target, specs)
    if rest.startswith(GIT):
        with library_at(library, name, rest.removeprefix(GIT)) as old:
            return DiffSide(text, _compiled(old, name, options), sizes)
    sheet = _compiled(library, name, options)
    return DiffSide(text, sheet, {**(preset_values(sheet, rest) if rest else {}), **sizes})


def check_settings(settings: Mapping[str, object], sheets: Sequence[Sheet]) -> None:
    """Raise SizeError for a setting that neither side has."""
    known = [name for sheet in sheets for name in (*(size.name for size in sheet.sizes if size.kind != "derived"), *sheet.options)]
    for name in settings:
        if name not in known:
            raise SizeError(
                f"`{name}` is neither a size nor an option of the two",
                *did_you_mean(name, known),
                f"known: {listed(dict.fromkeys(known), limit=20)}",
            )


def _compiled(library: Library, name: str, options: Mapping[str, str]) -> Sheet:
    known = library.spec(name).options
    return compile_spec(library, name, {key: check_option(known[key], value) for key, value in options.items() if key in known}).sheet
