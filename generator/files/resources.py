"""Where the templates, the ops and the built-in specs are, in the repository and in an installed wheel alike."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def templates_dir() -> Path:
    """Return the folder of the Jinja templates."""
    return _data_dir("templates")


def builtin_specs_dir() -> Path:
    """Return the folder of the specs that come with the tool: the blocks that any spec can `use`."""
    return _data_dir("specs")


OPS_GROUP = "archsheet.ops"  # of entry points, each of which names a package with ops of one's own


@cache
def op_packages() -> dict[str, tuple[Path, ...]]:
    """Return the packages of other installed distributions that hold ops, by name, with their folders; none for one that is not there.

    Each op is a module with its class, and a template of the op's name beside it: `my_ops/erf.py` and `my_ops/erf.jinja`.
    """
    return {name: _folders(name) for name in sorted({point.module for point in entry_points(group=OPS_GROUP)})}


def _folders(package: str) -> tuple[Path, ...]:
    try:
        spec = find_spec(package)
    except ImportError:  # of the package around it
        return ()
    return tuple(Path(folder) for folder in spec.submodule_search_locations or ()) if spec else ()


def _data_dir(name: str) -> Path:
    """Return the wheel's copy of a data folder if there is one, else the repository's top-level folder."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
