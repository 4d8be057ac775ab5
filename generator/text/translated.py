"""Texts for people in several languages: a text is English, and may have what it is in others beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "zh")  # in which texts are shown; those of specs stand in English at the least
OF_STAGE: Final = {ENGLISH: "{meaning} (stage {number})", "zh": "{meaning}（第 {number} 阶段）"}  # one entry of a size for several stages
LANGUAGE_NAMES: Final = {ENGLISH: "English", "zh": "Chinese"}


class Translated(str):
    """A text in English that knows what it is in other languages."""

    others: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def of(cls, english: str, others: Mapping[str, str]) -> Translated:
        """Return the English text with others, each by its language."""
        made = cls(english)
        made.others = others
        return made


def to_plain(text: str) -> str | dict[str, str]:
    """Return a text as plain data, with what it is in other languages."""
    return {ENGLISH: str(text), **text.others} if isinstance(text, Translated) else text


def from_plain(data: str | Mapping[str, str]) -> str:
    """Return a text from plain data. Raises KeyError and AttributeError for data that is none."""
    if isinstance(data, str):
        return data
    return Translated.of(data[ENGLISH], {language: said for language, said in data.items() if language != ENGLISH})


def said_in(text: str, language: str) -> str | None:
    """Return a text in a language; None where that is not known. A plain text is English."""
    if language == ENGLISH:
        return str(text)
    return text.others.get(language) if isinstance(text, Translated) else None
