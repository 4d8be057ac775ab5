"""Writing outputs: whole or not at all, never over what somebody else wrote, and not if nothing has changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

MADE_BY = "Made by `gen build`"
_TEMPORARY = ".gen-tmp"
_MARKS = re.compile(rb"Made by `gen build`|Generated from [^\n]{1,300}\(sha256 [0-9a-f]{8,64}\)")
_HEAD = 1000  # bytes of a text file in which the mark stands


class ForeignFileError(Exception):
    """A file is in the way that was not written by a build."""


def write(path: Path, data: bytes) -> bool:
    """Write a file whole, through a temporary one beside it; return whether anything has changed.

    Raises:
        ForeignFileError: there is a file that does not carry our mark.
        OSError: the file cannot be written; the old one is left whole.
    """
    old = path.read_bytes() if path.exists() else None
    if old == data:
        return False
    if old is not None and not is_ours(path, old):
        raise ForeignFileError(f"{path} was not written by gen build, so it is left alone; move it, or choose another folder with --out")
    replace(path, data)
    return True


def replace(path: Path, data: bytes) -> None:
    """Put a file in place in one step, whatever is there. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_TEMPORARY}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)  # noqa: PTH105 - the name that the promise of one step is known by
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_ours(path: Path, data: bytes) -> bool:
    """Say whether a file with some content was written by a build: it carries our mark, or is empty."""
    if not data:
        return True
    return _workbook_is_ours(path) if path.suffix == ".xlsx" else bool(_MARKS.search(data[:_HEAD]))


def remove_temporaries(folders: Iterable[Path]) -> None:
    """Remove what a build that was killed has left behind."""
    for folder in folders:
        for file in sorted(folder.glob(f".*{_TEMPORARY}")):
            file.unlink(missing_ok=True)


def _workbook_is_ours(path: Path) -> bool:
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as workbook:
            return any(
                b"archsheet" in workbook.read(part) for part in ("docProps/core.xml", "docProps/app.xml") if part in workbook.namelist()
            )
    except (BadZipFile, OSError):
        return False
