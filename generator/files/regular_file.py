"""What people name as a file may be a folder, a pipe on which reading would wait for ever, or a link that leads round in a circle."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}


class IrregularFileError(OSError):
    """What was named is no file with a content of its own; `strerror` says what it is."""


def read_regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file, of which at most `most` + 1 bytes are read: one more than allowed shows that it is too large.

    Raises:
        IrregularFileError: it is a folder, a pipe, a socket or a device. It is not read then.
        OSError: it cannot be read.
    """
    _require_regular(path, path.stat())
    # Without waiting: between the two looks, something else may have come in its place.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        _require_regular(path, os.fstat(descriptor))
        return file.read(most + 1)


def real(path: Path) -> Path:
    """Return where a path leads, as far as links lead anywhere: `Path.resolve()` fails on those that lead round in a circle."""
    return Path(os.path.realpath(path))


def irregular(path: Path) -> str:
    """Return what stands in the place of a regular file, such as `a pipe`; empty if it is one, or if nobody can say."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no ordinary file")


def _require_regular(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "no ordinary file")
        raise IrregularFileError(errno.EINVAL, f"it is {kind}, not a file", str(path))
