"""What workbooks and comparisons say in words, from one file a language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import yaml

from generator.files.resources import templates_dir
from generator.quantities import SHORT_UNITS, UNITS
from generator.text.translated import ENGLISH, OF_STAGE, said_in

_STAGE = re.compile(r"(.+) \(stage (\d+)\)")  # as entries of a size for several stages are told apart
_NUMBERED = re.compile(r"(.*[a-z ]) ?(\d+[a-z]?)")  # as rows for several stages are


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

    def said(self, text: str) -> str:
        """Return a text of a spec: as the spec says it in this language, else as the built-in ones would, else in English."""
        own = said_in(text, self.language)
        if own is not None:
            return own
        found = meanings(self.language)
        if text in found:
            return found[text]
        stage = _STAGE.fullmatch(text)
        return OF_STAGE[self.language].format(meaning=self.said(stage[1]), number=stage[2]) if stage else str(text)

    def named(self, name: str, meaning: str = "") -> str:
        """Return the name of a row with what it is in this language, as its spec says it or as the built-in ones would."""
        found = (meaning and said_in(meaning, self.language)) or self.block(name, "")
        return self("parts.named", name=name, meaning=found) if found and self.language != ENGLISH else name

    def block(self, name: str, otherwise: str | None = None) -> str:
        """Return what a block or an operation is called in this language; its name, or what else is given, where that is not known."""
        plain = name.replace("_", " ")
        number = _NUMBERED.fullmatch(plain)
        known = names(self.language)
        if plain in known or number is None or number[1] not in known:
            return known.get(plain, name if otherwise is None else otherwise)
        return f"{known[number[1]]} {number[2]}"

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
    return {} if language == ENGLISH else {str(en): str(said) for en, said in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


@cache
def names(language: str) -> dict[str, str]:
    """Return what rows, blocks and operations of built-in specs are called in a language, by their names in words; none for English."""
    path = templates_dir() / "names" / f"{language}.yaml"
    return {} if language == ENGLISH else {str(en): str(said) for en, said in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


@cache
def texts(language: str = "en") -> Texts:
    """Return the texts of a language."""
    path = templates_dir() / "workbook" / f"{language}.yaml"
    return Texts(language, yaml.safe_load(path.read_text(encoding="utf-8")))
