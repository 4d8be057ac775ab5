"""The sides of a comparison from what stands on a command line: names, presets, sizes and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sympy import Expr

from generator.formulas.symbols import symbol
from generator.importing.named_model import locate
from generator.questions.growth.at_sizes import preset_values
from generator.questions.growth.axes import size_of
from generator.questions.growth.subject import Subject
from generator.sheet.asked import choosable, options_of, with_choices
from generator.sheet.compiled import compile_spec
from generator.sheet.preset_totals import held
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import preset_sizes
from generator.spec.library import Library
from generator.text.errors import SizeError
from generator.text.problems import ProblemsError
from generator.text.suggest import did_you_mean, listed


@dataclass(frozen=True)
class Side:
    """A spec by name or file, and a preset of its own: `bert@bert-large`."""

    target: str
    preset: str = ""


def parse_side(text: str) -> Side:
    """Read NAME or NAME@PRESET."""
    target, _, preset = text.partition("@")
    return Side(target, preset)


@dataclass(frozen=True)
class Settings:
    """What is given for all sides.

    Args:
        sizes: numbers, for those sides that have a size of the name.
        others: texts by name, for options of the specs.
        preset: a preset for all sides, if not empty; a side without it takes those of its sizes that it has.
        swept: the size that must stay open.
    """

    sizes: Mapping[str, int]
    others: Mapping[str, str]
    preset: str = ""
    swept: str = ""


def subjects_of(sides: Sequence[Side], settings: Settings, specs: Sequence[Path]) -> tuple[Subject, ...]:
    """Return the sides with their sizes.

    Raises:
        ProblemsError: there is no such spec, or it has mistakes.
        SizeError: a size, option or preset that no side has.
    """
    found = [_found(side, settings, specs) for side in sides]
    sheets = [one.sheet for one in found]
    _check_names(settings, found)
    shared = _shared_preset(settings.preset, [(one.library, one.sheet) for one in found])
    labels = _labels([one.side for one in found], sheets)
    return tuple(_subject(one.side, one.sheet, shared, settings, label) for one, label in zip(found, labels, strict=True))


@dataclass(frozen=True)
class _Found:
    """A side with the preset that its target may name, and the options and slots that are chosen for it."""

    side: Side
    library: Library
    sheet: Sheet
    chosen: Mapping[str, object]


def _found(side: Side, settings: Settings, specs: Sequence[Path]) -> _Found:
    library, name, preset = locate(side.target, specs)
    spec, own = library.spec(name), side.preset or preset
    words = options_of(spec, own or settings.preset)
    words |= {key: str(value) for key, value in {**settings.sizes, **settings.others}.items() if key not in spec.dims}
    library, chosen = with_choices(library, name, words, own or settings.preset)
    return _Found(replace(side, preset=own), library, compile_spec(library, name).sheet, chosen)


def _check_names(settings: Settings, found: Sequence[_Found]) -> None:
    sheets = [one.sheet for one in found]
    chosen = {name for one in found for name in one.chosen}
    sizes = list(dict.fromkeys(size.name for sheet in sheets for size in sheet.sizes if size.kind != "derived"))
    options = list(dict.fromkeys(name for one in found for name in choosable(one.library, one.library.spec(one.sheet.name))))
    for name in (*(size for size in settings.sizes if size not in chosen), *([settings.swept] if settings.swept else [])):
        if name not in sizes:
            derived = any(size.name == name for sheet in sheets for size in sheet.sizes)
            note = "it follows from the others and cannot be given" if derived else f"sizes: {listed(sizes, limit=20)}"
            raise SizeError(f"`{name}` is not a size of {listed(sheet.name for sheet in sheets)}", *did_you_mean(name, sizes), note)
    for name, text in settings.others.items():
        if name in sizes and name not in chosen:
            size_of(text, name)  # says what is wrong with it
        if name not in chosen:
            note = f"options and slots: {listed(options, limit=20)}" if options else "there are no options here"
            raise SizeError(f"`{name}` is neither a size nor an option", *did_you_mean(name, [*options, *sizes]), note)


def _shared_preset(preset: str, found: Sequence[tuple[Library, Sheet]]) -> dict[str, int]:
    """Return the sizes of a preset, from the first side that has it, or from any spec that can be named."""
    if not preset:
        return {}
    for _, sheet in found:
        if any(known.name == preset for known in sheet.presets):
            return dict(preset_sizes(sheet, preset))
    known_presets: dict[str, Mapping[str, int]] = {}
    library = found[0][0]
    for name in library.names:
        try:
            known_presets |= {key: value.sizes for key, value in library.spec(name).presets.items()}
        except ProblemsError:
            continue  # a broken spec has no say in this
    if preset not in known_presets:
        raise SizeError(f"no spec has a preset `{preset}`", *did_you_mean(preset, known_presets))
    return dict(known_presets[preset])


def _subject(side: Side, sheet: Sheet, shared: Mapping[str, int], settings: Settings, label: str) -> Subject:
    settable = {size.name for size in sheet.sizes if size.kind != "derived"}
    taken = {name: value for name, value in shared.items() if name in settable}
    own = preset_values(sheet, side.preset) if side.preset else held(sheet.sizes, taken, sheet.families)
    given: dict[str, Expr | int] = {name: value for name, value in {**own, **settings.sizes}.items() if name in settable}
    if settings.swept in settable:
        given[settings.swept] = symbol(settings.swept)  # stays open, even where it has a default
    used = side.preset or (settings.preset if any(known.name == settings.preset for known in sheet.presets) else "")
    return Subject(label, sheet, given, preset=used)


def _labels(sides: Sequence[Side], sheets: Sequence[Sheet]) -> list[str]:
    """Return the specs' names, with the preset where one side names its own."""
    return [f"{sheet.name}@{side.preset}" if side.preset else sheet.name for side, sheet in zip(sides, sheets, strict=True)]
