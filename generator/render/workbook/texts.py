"""What a workbook says in words, from one file a language."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from generator.resources import templates_dir


class Texts:
    """The texts of one language by dotted key: `texts("summary.preset")`."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its places filled in. Raises KeyError for an unknown key."""
        text = self._found(key)
        return str(text).format(**values) if values else str(text)

    def lines(self, key: str) -> list[str]:
        """Return a list of texts."""
        return [str(line) for line in self._found(key)]

    def _found(self, key: str) -> Any:
        section, _, name = key.partition(".")
        return self._content[section][name]


@cache
def texts(language: str = "en") -> Texts:
    """Return the texts of a language."""
    path = templates_dir() / "workbook" / f"{language}.yaml"
    return Texts(yaml.safe_load(path.read_text(encoding="utf-8")))
