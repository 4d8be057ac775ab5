"""What workbooks and comparisons say in words, from one file a language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import yaml

from generator.files.resources import templates_dir
from generator.quantities import SHORT_UNITS, UNITS


class Texts:
    """The texts of one language by dotted key: `texts("summary.preset")`."""

    def __init__(self, language: str, content: dict[str, Any]) -> None:
        self.language = language
        self._content = content

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its places filled in. Raises KeyError for an unknown key."""
        text = self._found(key)
        return str(text).format(**values) if values else str(text)

    def lines(self, key: str) -> list[str]:
        """Return a list of texts."""
        return [str(line) for line in self._found(key)]

    def scale(self, unit: str, *, spoken: bool = False) -> list[str]:
        """Return the names of a unit and of its thousands, millions and so on: GFLOP, million scalars.

        Args:
            unit: as `Quantity.unit` has it.
            spoken: in words and without the unit.
        """
        short = SHORT_UNITS.get(unit)
        if short is not None and not spoken:
            return [f"{prefix}{short}" for prefix in self.lines("scale.prefixes")]
        name = "" if spoken else UNITS[unit][self.language]
        return [self("scale.joined", word=word, unit=name).strip() for word in self.lines("scale.spoken" if spoken else "scale.words")]

    def meaning(self, english: str) -> str:
        """Return what a size means, as a spec says it in English; that itself where nothing else is known."""
        found = meanings(self.language)
        if english in found:
            return found[english]
        stage = re.fullmatch(r"(.+) \(stage (\d+)\)", english)  # as entries of a size for several stages are told apart
        return self("summary.of_stage", meaning=self.meaning(stage[1]), number=stage[2]) if stage else english

    def formats(self, key: str) -> dict[str, str]:
        """Return number formats by the least number that has them."""
        return {str(limit): str(code) for limit, code in self._found(key).items()}

    def _found(self, key: str) -> Any:
        section, _, name = key.partition(".")
        return self._content[section][name]


@cache
def meanings(language: str) -> dict[str, str]:
    """Return what sizes of built-in specs mean in a language, by the English words; none for English."""
    path = templates_dir() / "meanings" / f"{language}.yaml"
    return {} if language == "en" else {str(en): str(said) for en, said in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


@cache
def texts(language: str = "en") -> Texts:
    """Return the texts of a language."""
    path = templates_dir() / "workbook" / f"{language}.yaml"
    return Texts(language, yaml.safe_load(path.read_text(encoding="utf-8")))
