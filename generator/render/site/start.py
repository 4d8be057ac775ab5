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
from generator.render.site.site_files import html_page


def start_page() -> str:
    """Return the HTML of the page of all models."""
    return _page_of_all("start", "Architectures", "What neural networks cost: exact numbers that follow the sizes you choose.", home="")


def compare_page() -> str:
    """Return the HTML of the page that shows models side by side."""
    return _page_of_all("compare", "Side by side", "Two to eight models, presets or scenarios: where they differ, and how they grow.")


def _page_of_all(page: str, title: str, description: str, home: str = "index.html") -> str:
    """Return the HTML of a page that is of no single model: its data is the list of all."""
    origin = f"{MADE_BY}; do not edit"
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
            questions=script_json([one for one in questions() if one["page"] in pages]),
        )
    )


@cache
def questions() -> tuple[dict[str, str], ...]:
    """Return what people ask: the words in each language, the `page` that answers, and the `address` behind its version."""
    text = (templates_dir() / "site" / "questions.yaml").read_text(encoding="utf-8")
    return tuple(yaml.safe_load(text))


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
