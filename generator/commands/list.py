"""List the specs and presets that can be named: the built-in ones, those in ./specs, and those in the folders given.

Words narrow the list to specs of which the name, the title or a preset has all of them. With --presets there is one line for each
preset, with its sizes. With --devices it is the devices that `gen memory` and `gen time` know.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import UsageError, add_json, existing
from generator.commands.kept import keep_entries, kept_entries
from generator.files.resources import builtin_specs_dir
from generator.render.terminal.console import complain, say, step_by_step, width
from generator.render.terminal.size_line import preset_text
from generator.render.terminal.text_table import Column, table_lines
from generator.spec.library import Library, shown
from generator.spec.lookup import everything, is_file_name
from generator.text.problems import ProblemsError
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from generator.spec.model import Preset

EXAMPLES = """\
  gen list
  gen list attention                specs with that word in their name, title or presets
  gen list --presets llama          presets with their sizes
  gen list my-specs/                also those in a folder
  gen list --devices h100           devices with their peaks, memory and sources of each number (--json)
"""
Entry = Mapping[str, Any]  # of a spec: `name`, `title` (None where it has mistakes), `from`, and `presets` with their sizes and options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("words", metavar="WORD|PATH", nargs="*", help="what to look for; a folder of specs, or one spec's file")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--presets", action="store_true", help="one line for each preset, with its sizes")
    what.add_argument("--devices", action="store_true", help="devices, with their peaks, memory and bandwidth")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line for each spec or preset."""
    paths = [word for word in args.words if is_file_name(word) or Path(word).is_dir()]
    words = [word for word in args.words if word not in paths]
    if args.devices:
        return _list_devices([Path(path) for path in paths], words, in_json=args.json)
    library = everything(existing([Path(path) for path in paths]))
    kept = kept_entries(library)
    entries = kept if kept is not None else _read(library)
    broken = list(dict.fromkeys(entry["name"] for entry in entries if entry["title"] is None))
    if kept is None and not broken:
        keep_entries(library, entries)
    found = [entry for entry in entries if _has(entry, words)]
    if words and not found:
        likely = did_you_mean(words[0], [name for entry in entries for name in (entry["name"], *entry["presets"])])
        raise UsageError(f"no spec or preset has {listed(words)} in its name or title", *likely, "`gen list` shows all")
    (_print_json if args.json else _print)(found, words if args.presets else (), presets=args.presets)
    if broken:
        complain(f"mistakes in {', '.join(broken)}", "`gen check PATH` shows them")
    return 1 if broken else 0


def _list_devices(folders: Sequence[Path], words: Sequence[str], *, in_json: bool) -> int:
    from generator.questions.hardware.device_line import device_data, device_row
    from generator.questions.hardware.device_names import devices

    known = devices(existing([*folders]))
    found = [one for one in known if all(word.lower() in " ".join((one.name, one.title, *one.also)).lower() for word in words)]
    if words and not found:
        raise UsageError(f"no device has {listed(words)} in its name or title", *did_you_mean(words[0], [one.name for one in known]))
    if in_json:
        say(json.dumps([device_data(one) for one in found], indent=2))
        return 0
    columns = [Column("name"), Column("title", shrinks=True), Column("memory", right=True), Column("bandwidth", right=True)]
    columns += [Column("power", right=True), Column("dense peaks, TFLOP/s or TOP/s", shrinks=True), Column("also", shrinks=True)]
    for line in table_lines(columns, [device_row(one) for one in found], width()):
        say(line)
    return 0


def _has(entry: Entry, words: Iterable[str], preset: str | None = None) -> bool:
    """Say whether all words stand in a spec's name or title, or in the name of its presets or of the one asked about."""
    presets = entry["presets"] if preset is None else [preset]
    text = "\n".join([entry["name"], entry["title"] or "", *presets]).lower()
    return all(word.lower() in text for word in words)


def _print(entries: Sequence[Entry], words: Iterable[str], *, presets: bool) -> None:
    if presets:
        columns = [Column("preset"), Column("spec"), Column("sizes", shrinks=True)]
        rows = [[name, entry["name"], preset_text(one["set"], one["options"])] for entry, name, one in _presets(entries, words)]
    else:
        columns = [Column("name"), Column("title", shrinks=True), Column("presets", shrinks=True), Column("from", shrinks=True)]
        titled = ((entry, entry["title"] if entry["title"] is not None else "(has mistakes)") for entry in entries)
        rows = [[entry["name"], title, ", ".join(entry["presets"]), entry["from"]] for entry, title in titled]
    for line in table_lines(columns, rows, width()):
        say(line)


def _print_json(entries: Sequence[Entry], words: Iterable[str], *, presets: bool) -> None:
    plain: Any = [{**entry, "presets": list(entry["presets"])} for entry in entries]
    if presets:
        plain = [{"preset": name, "spec": entry["name"], **one} for entry, name, one in _presets(entries, words)]
    say(json.dumps(plain, indent=2))


def _presets(entries: Iterable[Entry], words: Iterable[str]) -> list[tuple[Entry, str, Entry]]:
    return [(entry, name, one) for entry in entries for name, one in entry["presets"].items() if _has(entry, words, name)]


def _read(library: Library) -> list[Entry]:
    """Return what is listed of each spec; one with mistakes has no title."""
    found: list[Entry] = []
    for name in step_by_step(library.names, lambda name: f"reading {name}"):
        try:
            spec = library.spec(name)
        except ProblemsError:
            places = [_where(library, name), *map(shown, library.namesakes.get(name, ()))]
            found += [{"name": name, "title": None, "from": place, "presets": {}} for place in places]
            continue
        presets = {one.name: {"set": dict(one.sizes), "options": _chosen(one)} for one in spec.presets.values()}
        found.append({"name": name, "title": spec.title, "from": _where(library, name), "presets": presets})
    return found


def _chosen(preset: Preset) -> dict[str, Any]:
    """Return the options of a preset, and the blocks that it puts into slots."""
    return {**preset.options, **{slot: use.spec for slot, use in preset.slots.items()}}


def _where(library: Library, name: str) -> str:
    if name in library.own:
        return shown(library.own[name])
    return f"built-in {library.path(name).relative_to(builtin_specs_dir()).as_posix()}"
