"""The two sides of a difference: NAME, NAME@PRESET or NAME@git:REVISION."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.importing.named_model import locate
from generator.questions.diff.revision import library_at
from generator.questions.growth.at_sizes import preset_values
from generator.questions.growth.axes import size_of
from generator.sheet.asked import options_of, with_choices
from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import Sheet
from generator.spec.library import Library
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed

GIT = "git:"


@dataclass(frozen=True)
class DiffSide:
    """One side: what it is called, its sheet, what is chosen for it, and the sizes that its preset and the line give it."""

    label: str
    sheet: Sheet
    chosen: Mapping[str, object]
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
    library, name, named = locate(target, specs)
    if rest.startswith(GIT):
        with library_at(library, name, rest.removeprefix(GIT)) as old:
            return DiffSide(text, *_compiled(old, name, options), sizes)
    preset = rest or named
    sheet, chosen = _compiled(library, name, options_of(library.spec(name), preset) | dict(options), preset)
    return DiffSide(text, sheet, chosen, {**(preset_values(sheet, preset) if preset else {}), **sizes})


def check_settings(sizes: Mapping[str, int], options: Mapping[str, str], sides: Sequence[DiffSide]) -> None:
    """Raise SizeError for a setting that neither side has, and for a size that is no number."""
    sheets = [side.sheet for side in sides]
    known = [name for side in sides for name in side.chosen]
    known += [name for sheet in sheets for name in (*(size.name for size in sheet.sizes if size.kind != "derived"), *sheet.options)]
    chosen = {name for side in sides for name in side.chosen}
    for name, text in options.items():
        if name not in chosen and any(size.name == name for sheet in sheets for size in sheet.sizes):
            size_of(text, name)  # says what is wrong with it
    for name in (*sizes, *options):
        if name not in known:
            raise SizeError(
                f"`{name}` is neither a size nor an option of the two",
                *did_you_mean(name, known),
                f"known: {listed(dict.fromkeys(known), limit=20)}",
            )


def _compiled(library: Library, name: str, options: Mapping[str, str], preset: str = "") -> tuple[Sheet, Mapping[str, object]]:
    library, chosen = with_choices(library, name, options, preset)
    return compile_spec(library, name).sheet, chosen
