"""What texts of specs are in other languages, as pages have it: beside the English texts, of which everything else of a page is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from generator.render.texts import Texts, texts
from generator.text.translated import ENGLISH, LANGUAGES

Pairs = dict[str, list[list[str]]]


def translations(english: Iterable[str]) -> Pairs:
    """Return for each other language the texts that are known in it, each English one with what it is there."""
    told = [*english]
    return _pairs(told, lambda words, text: words.said(text))


def named(meanings: Iterable[tuple[str, str]]) -> Pairs:
    """Return likewise what rows and parts are called, each given with what its spec says it is."""
    told = dict(meanings)
    return _pairs(told, lambda words, name: words.named(name, told[name]))


def called(names: Iterable[str]) -> Pairs:
    """Return likewise what blocks are called."""
    return _pairs(names, lambda words, name: words.block(name))


def _pairs(english: Iterable[str], said: Callable[[Texts, str], str]) -> Pairs:
    told = {str(text): text for text in english if text}
    found: Pairs = {}
    for language in LANGUAGES:
        if language != ENGLISH:
            pairs = ([plain, said(texts(language), text)] for plain, text in told.items())
            found[language] = [[text, there] for text, there in pairs if there != text]
    return found
