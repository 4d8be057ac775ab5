"""Files that may have been meant: specs in folders below the current one that no command was told to look into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from generator.text.naming import name_problem

NOT_ARCHITECTURES = ("comparisons", "documents", "hardware")  # folders of specs that hold other kinds of sheets
MAX_DEPTH = 4  # folders: somebody's home may lie here
MAX_FOLDERS = 500
_SKIPPED = ("node_modules", "site-packages", "__pycache__")


def nearby_notes(name: str) -> tuple[str, ...]:
    """Say how a spec is named that stands in a folder nearby; an empty tuple where there is none of the name, or no spec can have it."""
    if name_problem(name):  # any text may stand where a name should, and some that no disk can look for
        return ()
    file = next(_files(f"{name}.yaml"), None)
    if file is None:
        return ()
    if len(file.parts) == 1:
        return (f"there is a file {file} here: name the file, or add --specs .",)
    return (f"{file.as_posix()} has that name: add --specs {file.parts[0]}",)


def _files(name: str) -> Iterator[Path]:
    """Yield the files of a name, nearest first; the same ones in the same order each time."""
    level, seen = [Path()], 0
    for _ in range(MAX_DEPTH):
        below: list[Path] = []
        for folder in level:
            seen += 1
            if seen > MAX_FOLDERS:
                return
            if (folder / name).is_file() and not set(folder.parts) & set(NOT_ARCHITECTURES):
                yield folder / name
            below += _folders(folder)
        level = below


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
    return [folder / name for name in names if not name.startswith(".") and name not in _SKIPPED]
