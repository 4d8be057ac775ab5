"""Writing outputs: whole or not at all, never over what somebody else wrote, and not if nothing has changed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from generator.files.regular_file import read_regular
from generator.files.seal import State, state_of

MADE_BY = "Made by `gen build`"
_TEMPORARY = ".gen-tmp"
LARGEST = 64 << 20  # bytes of an output that are looked at; larger ones are not ours
_KILLED = 60  # seconds after which a temporary file is nobody's any more: another build may be writing its own


class KeptFileError(Exception):
    """A file is in the way that was not written by a build, or was edited by hand since."""


def write(path: Path, data: bytes, *, force: bool = False) -> bool:
    """Write a file whole, through a temporary one beside it; return whether anything has changed.

    Args:
        force: write also over what was edited by hand.

    Raises:
        KeptFileError: there is a file that does not carry our mark, or one that was edited by hand.
        OSError: the file cannot be written; the old one is left whole.
    """
    old = content(path)
    if old == data:
        return False
    if old is not None:
        require_replaceable(path, old, force=force)
    replace(path, data)
    return True


def content(path: Path) -> bytes | None:
    """Return what stands in a file; None if there is none. Raises OSError."""
    try:
        return read_regular(path, LARGEST)
    except FileNotFoundError:
        return None


def require_replaceable(path: Path, old: bytes, *, force: bool) -> None:
    """Raise KeptFileError where a file with some content must stay as it is."""
    state = state_of(path, old)
    if state is State.FOREIGN:
        raise KeptFileError(f"{path} was not written by gen build, so it is left alone; move it, or choose another folder with --out")
    if state is State.EDITED and not force:
        raise KeptFileError(f"{path} was edited by hand, so it is left alone; move it, or give up the edits with --force")


def replace(path: Path, data: bytes) -> None:
    """Put a file in place in one step, whatever is there. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_TEMPORARY}")
    try:
        temporary.write_bytes(data)
        with suppress(FileNotFoundError):
            shutil.copymode(path, temporary)
        os.replace(temporary, path)  # noqa: PTH105 - the name that the promise of one step is known by
    except BaseException as error:
        with suppress(OSError):  # what is said is why the file could not be written
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename:
            error.filename, error.filename2 = str(path), None  # people know the file, not the temporary one
        raise


def remove_temporaries(folders: Iterable[Path]) -> None:
    """Remove what a build that was killed has left behind."""
    for folder in folders:
        for file in sorted(folder.glob(f".*{_TEMPORARY}")):
            with suppress(FileNotFoundError):
                if time.time() - file.stat().st_mtime > _KILLED:
                    file.unlink()
