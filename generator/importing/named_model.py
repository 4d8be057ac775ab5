"""What commands and calls name: a spec, a preset, or the configuration of a public model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from generator.spec import lookup
from generator.spec.library import Library
from generator.text.errors import ConfigWarning


def locate(target: str, specs: Sequence[Path] = ()) -> tuple[Library, str, str]:
    """Return the library in which a spec stands, its name, and the preset that was named; see `generator.spec.lookup.locate`.

    Of a configuration (config.json) it is the spec that stands for it, with its sizes as a preset; what may make the numbers others is
    warned of (ConfigWarning).

    Raises:
        NotFoundError: there is no such spec, file or preset.
        ProblemsError: several specs have the preset, or a configuration is not one that a spec stands for.
    """
    if not lookup.is_config(target):
        return lookup.locate(target, specs)
    from generator.importing.found import imported_file

    found = imported_file(target, specs)
    for warning in found.warnings:
        warnings.warn(warning, ConfigWarning, stacklevel=2)
    return found.library, found.name, found.preset


def entries_of(targets: Iterable[str], specs: Sequence[Path] = ()) -> dict[str, tuple[str, ...]]:
    """Return the sizes with several entries that any of some specs has: the sizes that these are. Raises as `locate` does."""
    found: dict[str, tuple[str, ...]] = {}
    for target in targets:
        library, name, _ = locate(target, specs)
        found |= library.spec(name).entries
    return found
