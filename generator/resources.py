"""Where the templates and the built-in specs are, in the repository and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """Return the folder of the Jinja templates."""
    return _data_dir("templates")


def builtin_specs_dir() -> Path:
    """Return the folder of the specs that come with the tool: the blocks that any spec can `use`."""
    return _data_dir("specs")


def _data_dir(name: str) -> Path:
    """Return the wheel's copy of a data folder if there is one, else the repository's top-level folder."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
