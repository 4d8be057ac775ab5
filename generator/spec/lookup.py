"""Which specs a command or a call sees, and which of them it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.files.regular_file import irregular, real
from generator.files.resources import builtin_specs_dir
from generator.spec.library import Library, spec_files
from generator.spec.nearby import NOT_ARCHITECTURES, nearby_notes
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import did_you_mean, listed


class NotFoundError(ProblemsError):
    """There is no spec of the name, or no such file."""


def is_file_name(target: str) -> bool:
    """Say whether a target is a file's name, not a spec's."""
    return target.endswith((".yaml", ".yml")) or "/" in target or "\\" in target


def is_config(target: str) -> bool:
    """Say whether a target is the file of a public model's configuration, and no spec."""
    return target.endswith((".json", ".gguf"))


def named_file(target: str) -> Path:
    """Return the file that a target names. Raises NotFoundError where there is none."""
    file = Path(target)
    kind = irregular(file)
    if kind or not file.exists():
        raise NotFoundError([Problem(f"{target}: {f'{kind}, not a file' if kind else 'no such file'}", None)])
    return file


def find(target: str, specs: Sequence[Path] = ()) -> tuple[Library, str]:
    """Return the library in which a spec stands, and its name.

    Args:
        target: a spec's name, or a file's.
        specs: more folders and files to look in, beside the built-in specs and ./specs.

    Raises:
        NotFoundError: there is no such spec or file.
        ProblemsError: two specs have the same name.
    """
    if is_file_name(target):
        file = named_file(target)
        return Library([*_surroundings(file), *specs]), file.stem
    library = Library([*specs, *_working_specs()])
    if target not in library.files:
        raise _unknown([target], library)
    return library, target


def locate(target: str, specs: Sequence[Path] = ()) -> tuple[Library, str, str]:
    """Return the library in which a spec stands, its name, and the preset that was named: `bert`, `bert@bert-large` or `bert-large`.

    Raises:
        NotFoundError: there is no such spec, file or preset.
        ProblemsError: several specs have the preset.
    """
    is_file = is_file_name(target) and Path(target).exists()
    name, _, preset = (target, "", "") if is_file else target.partition("@")
    try:
        return (*find(name, specs), preset)
    except NotFoundError as error:
        if is_file_name(target) or preset:
            raise
        library = everything(specs)
        owners = library.with_preset(target)
        if len(owners) == 1:
            return library, owners[0], target
        if not owners:
            likely = did_you_mean(target, library.preset_names())
            kept = [note for note in error.problems[0].notes if not (likely and note.startswith("did you mean"))]
            raise NotFoundError([replace(error.problems[0], notes=(*likely, *kept))]) from None
        places = [library.draft(owner).presets[target].span for owner in owners]
        others = [f"and {place.source.path}:{place.line}" for place in places[1:]]
        notes = (*others, f"name the spec too, such as {owners[0]}@{target}, or rename one")
        raise ProblemsError([Problem(f"{listed(owners)} have a preset `{target}`", places[0], notes)]) from error


def require_names(names: Iterable[str], library: Library) -> None:
    """Raise NotFoundError with all names that no spec of a library has."""
    unknown = [name for name in names if name not in library.files]
    if unknown:
        raise _unknown(unknown, library)


def _unknown(names: Iterable[str], library: Library) -> NotFoundError:
    hint = "`gen list` shows all; a file is named with its .yaml"
    return NotFoundError(
        Problem(f"there is no spec named `{name}`", None, (*(nearby_notes(name) or did_you_mean(name, library.names)), hint))
        for name in names
    )


@dataclass(frozen=True)
class Collection:
    """Specs to work on, and the library in which they find what they use.

    Args:
        paths: what the library was made of, so that another process can make it again.
        requested: the names of the specs that were asked for, in a fixed order.
        is_whole: whether that is everything: whole folders, not some files or a folder inside.
        others: the files and folders asked for that hold other kinds of sheets, such as devices.
    """

    paths: tuple[Path, ...]
    library: Library
    requested: tuple[str, ...]
    is_whole: bool
    others: tuple[Path, ...] = ()

    def covers(self, file: Path) -> bool:
        """Say whether a file of another kind than specs was asked for."""
        return self.is_whole or any(real(file).is_relative_to(real(path)) for path in self.others)


def collect(paths: Sequence[Path], specs: Sequence[Path] = ()) -> Collection:
    """Return all specs in some folders and files. A file brings its neighbours, which are not asked for.

    Args:
        specs: more folders and files, whose specs may be used but are not asked for.

    Raises:
        ProblemsError: two specs have the same name.
    """
    if configs := [path for path in paths if is_config(str(path))]:
        raise NotFoundError(Problem(f"{path} is a configuration, and no spec", None, (f"gen import {path}",)) for path in configs)
    others = {path: root for path in paths if (root := _root_of_others(path))}
    requested = dict.fromkeys(file.stem for path in paths if path not in others for file in spec_files(path))
    seen = dict.fromkeys(found for path in paths for found in _surroundings(others.get(path, path)))
    own = {file.stem for path in seen for file in spec_files(path)}
    is_whole = all(path.is_dir() for path in paths) and len(requested) == len(own) and set(paths) != set(others)
    around = tuple(dict.fromkeys([*seen, *specs]))
    library = Library(around)
    blocks = [block for name in requested for block in library.blocks_of(name)]
    return Collection(around, library, tuple(sorted([*requested, *blocks])), is_whole, tuple(others))


def _root_of_others(path: Path) -> Path | None:
    """Return the folder of specs in which a path is, or lies in, a folder of other sheets; none for specs."""
    folder = Path(os.path.abspath(path if path.is_dir() else path.parent))  # noqa: PTH100  Path.resolve() follows links
    is_other = folder.name in NOT_ARCHITECTURES and next(spec_files(folder.parent), None) is not None
    return folder.parent if is_other else None


def everything(specs: Sequence[Path] = ()) -> Library:
    """Return the library of all specs that can be named: the built-in ones, those in ./specs and those given."""
    return Library([*specs, *_working_specs()])


def _surroundings(path: Path) -> list[Path]:
    """Return what a file or folder may use: all of ./specs or of the built-in specs if it lies there, else it and its neighbours."""
    for folder in (*_working_specs(), builtin_specs_dir()):
        if real(path).is_relative_to(real(folder)):
            return [folder]
    if path.is_dir():
        return [path]
    # Not the folders below: the file may lie in somebody's home.
    neighbours = (file for file in sorted(path.parent.glob("*.yaml")) if file.name not in (path.name, "references.yaml"))
    return [path, *neighbours]


def _working_specs() -> list[Path]:
    folder = Path("specs")
    if not folder.is_dir() or real(folder) == real(builtin_specs_dir()):
        return []
    return [folder]
