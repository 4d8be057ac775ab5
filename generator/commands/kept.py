"""What `gen cost`, `gen show` and `gen list` have derived before, so that asking again takes no more than looking it up.

An answer is found by a hash over the tool, the spec and all that it uses; it is kept only if these files are still those that were read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.build.fingerprints import engine, sources
from generator.files import user_cache
from generator.spec.library import Library
from generator.spec.lookup import NotFoundError, everything, find, is_config, locate
from generator.text.problems import ProblemsError

if TYPE_CHECKING:
    from generator.sheet.asked import Asked
    from generator.sheet.sheet import Sheet
    from generator.spec.model import Option

Place = list[Any]


@dataclass(frozen=True)
class Kept:
    """A sheet that was kept.

    Args:
        preset: the preset that was named.
        chosen: options and slots, as they are in force.
        names: the sizes among the settings.
        key: under which it is kept.
    """

    sheet: Sheet
    preset: str | None
    library: Library
    chosen: Mapping[str, Any]
    names: frozenset[str]
    key: str


def kept_sheet(target: str, written: Mapping[str, str], specs: Sequence[Path], preset: str | None) -> Kept | None:
    """Return the sheet that is asked about; None if it must be derived. What is wrong is said where it is derived.

    Args:
        written: settings as they were written; those that are no sizes choose options and slots.
    """
    if is_config(target):  # its preset stands in no spec
        return None
    try:
        library, name, own = _found(target, specs)
        tool = engine()
        names = frozenset(user_cache.recall(_names_key(tool, library, name)) or ()) & written.keys()
        preset = preset or own or None
        place = _place(library, name, preset, {key: value for key, value in written.items() if key not in names})
        came_from = sources(library, user_cache.recall(_uses_key(tool, place)) or ())
        key = _sheet_key(tool, place, came_from)
        data = user_cache.recall(key)
        if data is None:
            return None
        from generator.sheet.stored_sheet import sheet_from_data

        sheet = sheet_from_data(data["sheet"])
        is_so = names == {size.name for size in sheet.sizes} & written.keys()
        return Kept(sheet, preset, library, data["chosen"], names, key) if is_so else None
    except (ProblemsError, KeyError, TypeError, ValueError, IndexError):
        return None


def _found(target: str, specs: Sequence[Path]) -> tuple[Library, str, str]:
    """Return where a spec stands, its name, and the preset that was named. A preset by its name alone is found where it was before.

    Raises:
        NotFoundError: there is no such spec, or it must be looked for in all specs.
    """
    name, _, preset = target.partition("@")
    try:
        return (*find(name, specs), preset)
    except NotFoundError:
        library = everything(specs)
        owner = user_cache.recall(_owner_key(library, target))
        if owner is None:
            raise
        return library, owner, target


def keep_sheet(target: str, written: Mapping[str, str], specs: Sequence[Path], found: Asked, sheet: Sheet) -> str:
    """Keep a sheet that was derived without any doubt; see `kept_sheet`. Return under which key; empty where it is not kept."""
    from generator.formulas.formula_data import FormulaDataError
    from generator.sheet.stored_sheet import sheet_to_data

    if is_config(target):
        return ""
    library, name, names = found.library, found.name, [size.name for size in sheet.sizes]
    chosen = {key: value for key, value in written.items() if key not in names}
    uses = library.closure(name, read=True)
    came_from = sources(library, uses)
    if not chosen.keys() <= found.chosen.keys() or not _are_as_read(library, uses, came_from):
        return ""
    try:
        data = {"sheet": sheet_to_data(sheet), "chosen": dict(found.chosen)}
    except FormulaDataError:
        return ""
    tool, place = engine(), _place(library, name, found.preset or None, chosen)
    key = _sheet_key(tool, place, came_from)
    user_cache.keep(key, data)
    user_cache.keep(_uses_key(tool, place), list(uses))
    user_cache.keep(_names_key(tool, library, name), names)
    if target == found.preset and name != target:
        _keep_owner(target, specs)
    return key


def _keep_owner(preset: str, specs: Sequence[Path]) -> None:
    """Keep in which spec a preset stands that was named alone, if no file was changed while it was looked for."""
    key = _owner_key(everything(specs), preset)
    library, name, _ = locate(preset, specs)
    if _owner_key(library, preset) == key:
        user_cache.keep(key, name)


def kept_entries(library: Library) -> list[Mapping[str, Any]] | None:
    """Return what `gen list` says of a library's specs; None if they must be read."""
    came_from = sources(library, library.names)
    return user_cache.recall(_list_key(library, came_from)) if came_from else None


def keep_entries(library: Library, entries: Sequence[Mapping[str, Any]]) -> None:
    """Keep what `gen list` says of specs of which none has mistakes."""
    came_from = sources(library, library.names)
    if _are_as_read(library, library.names, came_from):
        user_cache.keep(_list_key(library, came_from), entries)


def kept_words(library: Library, name: str) -> Mapping[str, Any]:
    """Return the sizes of a spec, and the options and slots of it and of what it uses, for completion.

    Of an option stands there what it can be, `specs` for a slot, None for a size.

    Raises:
        ProblemsError: the spec cannot be read.
    """
    key = json.dumps(["words", engine(), str(library.files[name].absolute()), name, sources(library, library.names)])
    found: dict[str, Any] | None = user_cache.recall(key)
    if found is None:
        found = {}
        for used in (library.draft(one) for one in library.closure(name)):
            found = {**dict.fromkeys(used.slots, "specs"), **{one.name: _choices(one) for one in used.options.values()}, **found}
        found |= {size: None for size, dim in library.draft(name).dims.items() if dim.kind != "derived"}
        user_cache.keep(key, found)
    return found


def _choices(option: Option) -> Sequence[str]:
    return ("true", "false") if isinstance(option.default, bool) else option.choices


def _are_as_read(library: Library, names: Sequence[str], came_from: str) -> bool:
    """Say whether a hash is that of files that hold what was read from them."""
    from generator.spec.yaml_reader import load_source

    same = came_from and all(load_source(library.files[name], "").text == library.draft(name).source.text for name in names)
    return bool(same) and sources(library, names) == came_from


def _place(library: Library, name: str, preset: str | None, chosen: Mapping[str, str]) -> Place:
    """Return what is asked about: a file, a spec in it, a preset and choices."""
    return [str(library.files[name].absolute()), name, preset, sorted(chosen.items()), library.is_training]


def _names_key(tool: str, library: Library, name: str) -> str:
    return json.dumps(["names", tool, str(library.files[name].absolute()), name])


def _uses_key(tool: str, place: Place) -> str:
    return json.dumps(["uses", tool, place])


def _sheet_key(tool: str, place: Place, came_from: str) -> str:
    return json.dumps(["sheet", tool, place, came_from])


def _list_key(library: Library, came_from: str) -> str:
    return json.dumps(["list", engine(), str(Path.cwd()), _places(library), came_from])


def _owner_key(library: Library, preset: str) -> str:
    return json.dumps(["owner", engine(), _places(library), sources(library, library.names), preset])


def _places(library: Library) -> list[str]:
    return [str(library.files[name].absolute()) for name in library.names]
