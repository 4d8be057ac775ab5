"""Where comparisons are found. Nothing is imported here, so that a build that finds nothing to do stays fast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.spec.library import Library

FOLDER = "comparisons"


def comparison_files(library: Library) -> dict[str, Path]:
    """Return the files of comparisons in the folders of a library, by name."""
    found: dict[str, Path] = {}
    for root in library.roots:
        for file in sorted((root / FOLDER).glob("*.yaml")):
            found.setdefault(file.stem, file)
    return found
