"""What was worked out before, in the user's own folder of caches. It only saves time: without it all is worked out again.

Each entry is a file of JSON under the hash of its key, behind a hash over itself. A key names everything that an entry came from, so that
no entry is ever out of date.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from generator.files.regular_file import read_regular

FOLDER = "ARCHSHEET_CACHE"  # of the environment: another folder, or none where it is empty
MOST_ENTRIES = 400
_MOST_BYTES = 16 << 20  # of one entry


def recall(key: str) -> Any:
    """Return what was kept under a key; None if nothing was, or if it cannot be read."""
    folder = _folder()
    if folder is None:
        return None
    try:
        seal, _, content = read_regular(_file(folder, key), _MOST_BYTES).partition(b"\n")
        return json.loads(content) if sha256(content).hexdigest().encode() == seal else None
    except (OSError, ValueError, RecursionError):
        return None


def keep(key: str, value: Any) -> None:
    """Keep a value that has a form as JSON, if that is possible."""
    folder = _folder()
    if folder is None:
        return
    from generator.files.writing import replace

    with suppress(OSError, TypeError, ValueError, RecursionError):
        content = json.dumps(value).encode()
        if len(content) < _MOST_BYTES - 100:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace(_file(folder, key), sha256(content).hexdigest().encode() + b"\n" + content)
            _forget_oldest(folder)


def _folder() -> Path | None:
    """Return where the user keeps caches; None where nothing is to be kept."""
    chosen = os.environ.get(FOLDER)
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home) / "archsheet" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "archsheet"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "archsheet"


def _file(folder: Path, key: str) -> Path:
    return folder / f"{sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()}.json"


def _forget_oldest(folder: Path) -> None:
    entries = list(folder.glob("*.json"))
    if len(entries) > MOST_ENTRIES:
        for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime)[: len(entries) // 2]:
            entry.unlink(missing_ok=True)
