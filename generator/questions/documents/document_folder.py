"""Where the lists of documents' formulas lie: the folder `documents` of a library."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

FOLDER = "documents"


def document_files(roots: Iterable[Path]) -> dict[str, Path]:
    """Return the lists of some libraries' folders by name; those of earlier folders win."""
    found: dict[str, Path] = {}
    for root in roots:
        for file in sorted((root / FOLDER).glob("*.yaml")):
            found.setdefault(file.stem, file)
    return dict(sorted(found.items()))
