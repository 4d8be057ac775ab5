"""What may stand where the cursor is, when a shell asks `gen` (through argcomplete) to complete a word.

The answer comes as fast as that of `gen list`: names of specs and presets are read off files, and sizes and options of a spec are kept.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from argcomplete import autocomplete
from argcomplete.lexers import split_line

from generator.commands.command_list import COMMANDS
from generator.commands.kept import kept_words
from generator.commands.parser import command_parser, top_parser
from generator.quantities import MEASURES
from generator.questions.hardware.device_names import device_files
from generator.questions.hardware.device_reader import read_device
from generator.questions.memory.optimisers import COPIES
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.render.formats import EVERY_FORMAT
from generator.spec.library import Library
from generator.spec.lookup import everything, find, is_file_name
from generator.text.problems import ProblemsError
from generator.text.translated import LANGUAGES

Completer = Callable[..., Iterable[str]]
_TARGETS = ("target", "targets", "words", "against")  # arguments that take the name of a spec or preset
_PAIRS = ("settings", "axes", "words", "targets")  # arguments that take NAME=VALUE


def complete() -> None:
    """Write what may stand at the cursor where argcomplete's shell function reads it, and end the process."""
    words = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3]
    first = int(os.environ["_ARGCOMPLETE"])  # where the words behind `gen` begin: further on where Python itself was called
    command = next((one for one in COMMANDS if words[first : first + 1] == [one.name]), None)
    if command is None:
        parser = top_parser()
        parser.add_argument("command", choices=[one.name for one in COMMANDS])
    else:
        os.environ["_ARGCOMPLETE"] = str(first + 1)
        parser = command_parser(command, command.load())
        for action in parser._actions:  # noqa: SLF001  argparse has no other way to get at them
            if completer := _completer(action):
                action.completer = completer  # type: ignore[attr-defined]  # argcomplete looks for it there
    autocomplete(parser, always_complete_options="long")


def _completer(action: argparse.Action) -> Completer | None:
    """Return what completes the values of an argument; None for files and for what argparse knows."""
    values: dict[str, Completer] = {
        "preset": _presets,
        "command": lambda **_: [command.name for command in COMMANDS],
        "lang": lambda **_: LANGUAGES,
        "formats": lambda **_: dict.fromkeys(kind.folder for kind in EVERY_FORMAT),
        "device": lambda **known: _devices(known["parsed_args"]),
        "train": lambda **_: COPIES,
        **dict.fromkeys(("compute", "weights", "cache"), lambda **_: STORED_FORMATS),
        "only": lambda **known: everything(_folders(known["parsed_args"])).names,
        **dict.fromkeys(("quantity", "min", "max"), lambda **_: [one.key for one in MEASURES]),
    }
    if action.dest in (*_TARGETS, *_PAIRS):
        return _words(action.dest)
    return values.get(action.dest)


def _devices(parsed_args: argparse.Namespace) -> list[str]:
    """Return the devices whose files have no mistakes, and their other names."""
    found: list[str] = []
    for file in device_files(_folders(parsed_args)).values():
        with suppress(ProblemsError):
            one = read_device(file)
            found += (one.name, *one.also)
    return found


def _words(dest: str) -> Completer:
    def completions(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> Iterable[str]:
        given = [word for name in _TARGETS for word in _listed(getattr(parsed_args, name, None)) if "=" not in word and word != prefix]
        found = _pairs(given, prefix, parsed_args) if dest in _PAIRS and given else []
        return [*found, *(_targets(prefix, parsed_args) if dest in _TARGETS and "=" not in prefix else [])]

    return completions


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _folders(parsed_args: argparse.Namespace) -> list[Path]:
    return [Path(path) for path in getattr(parsed_args, "specs", None) or () if Path(path).exists()]


def _targets(prefix: str, parsed_args: argparse.Namespace) -> list[str]:
    """Return specs and presets by name, `bert@` with the presets of bert, and files of specs."""
    if is_file_name(prefix):
        folder = Path(prefix) if prefix.endswith("/") else Path(prefix).parent
        with suppress(OSError):
            return [f"{path.as_posix()}/" if path.is_dir() else path.as_posix() for path in sorted(folder.iterdir()) if _is_spec(path)]
        return []
    library = everything(_folders(parsed_args))
    name, at, _ = prefix.partition("@")
    if at:
        return [f"{name}@{preset}" for preset in library.preset_names([name])] if name in library.files else []
    return [*library.names, *library.preset_names()]


def _is_spec(path: Path) -> bool:
    return path.suffix == ".yaml" or (path.is_dir() and not path.name.startswith("."))


def _pairs(targets: Iterable[str], prefix: str, parsed_args: argparse.Namespace) -> list[str]:
    """Return `n=`, `bias=` and the like; behind the equals sign what an option or slot can be."""
    words: dict[str, Any] = {}
    for target in targets:
        words |= _words_of(target, parsed_args)
    name, equals, _ = prefix.partition("=")
    if not equals:
        return [f"{one}=" for one in words]
    values = words.get(name)
    if values is None:
        return []
    return [f"{name}={value}" for value in (everything(_folders(parsed_args)).names if values == "specs" else values)]


def _words_of(target: str, parsed_args: argparse.Namespace) -> Mapping[str, Any]:
    with suppress(ProblemsError, OSError):
        folders = _folders(parsed_args)
        return kept_words(*find(target if is_file_name(target) else _spec_of(target, everything(folders)), folders))
    return {}


def _spec_of(target: str, library: Library) -> str:
    """Return the spec that is named: by itself, with a preset, or by its preset alone."""
    name = target.partition("@")[0]
    return name if name in library.files else next((one for one in library.names if name in library.preset_names([one])), name)


def _presets(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """Return the presets of the specs that are named; all where none is."""
    library = everything(_folders(parsed_args))
    given = [word for name in _TARGETS for word in _listed(getattr(parsed_args, name, None)) if "=" not in word]
    names = [name for name in (_spec_of(word, library) for word in given) if name in library.files]
    return library.preset_names(names or None)
