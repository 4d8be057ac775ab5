"""The page of all models, from which the others are found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import yaml

from generator.files.resources import templates_dir
from generator.files.writing import MADE_BY
from generator.render.environment import environment
from generator.render.markdown.index import INSIDE, LAST, IndexEntry, digest_of, folder_of
from generator.render.site.escaped import script_json
from generator.render.site.site_files import html_page, texts
from generator.render.site.translations import Pairs, called, translations
from generator.sheet.sheet import Sheet
from generator.text.translated import ENGLISH


def start_page() -> str:
    """Return the HTML of the page of all models."""
    return _page_of_all("start", home="")


def compare_page() -> str:
    """Return the HTML of the page that shows models side by side."""
    return _page_of_all("compare")


def _page_of_all(page: str, home: str = "index.html") -> str:
    """Return the HTML of a page that is of no single model: its data is the list of all."""
    origin, said = f"{MADE_BY}; do not edit", texts(ENGLISH)
    title, description = said[f"{page}_title"], said[f"{page}_about"]
    return html_page(page, origin=origin, title=title, description=description, script="index.js", plain="../markdown/README.md", home=home)


def start_script(entries: Sequence[IndexEntry]) -> str:
    """Return a script that sets `archsheet.index` and `archsheet.questions`.

    Families come by their first years, then what belongs to none, by its folder; questions are those that one of the pages answers.
    """
    shown = [entry for entry in entries if entry.sheet.family or folder_of(entry.sheet) != INSIDE]
    ordered = sorted(shown, key=lambda entry: (not entry.sheet.family, entry.sheet.year or LAST, entry.sheet.name))
    pages = {entry.sheet.name for entry in ordered}
    return (
        environment()
        .get_template("site/index.js.jinja")
        .render(
            origin=f"{MADE_BY}; do not edit",
            digest=digest_of(ordered),
            data=script_json([_entry(entry) for entry in ordered]),
            said=script_json(_said([entry.sheet for entry in ordered])),
            questions=script_json([one for one in questions() if one["page"] in pages]),
        )
    )


@cache
def questions() -> tuple[dict[str, str], ...]:
    """Return what people ask: the words in each language, the `page` that answers, and the `address` behind its version."""
    text = (templates_dir() / "site" / "questions.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text))


def _said(sheets: Sequence[Sheet]) -> Pairs:
    """Return titles, descriptions and families in other languages; folders stand in the place of families, and are called as blocks are."""
    found = translations(text for sheet in sheets for text in (sheet.title, sheet.description, sheet.family))
    folders = called(folder_of(sheet) for sheet in sheets if not sheet.family)
    return {language: [*pairs, *folders[language]] for language, pairs in found.items()}


def _entry(entry: IndexEntry) -> dict[str, Any]:
    sheet = entry.sheet
    presets = [[one.preset, *(None if count is None else str(count) for count in (one.params, one.flops))] for one in entry.numbers]
    return {
        "name": sheet.name,
        "title": sheet.title,
        "family": sheet.family or folder_of(sheet),
        "year": sheet.year,
        "description": sheet.description,
        "presets": presets,
    }
