"""The index of pages, rendered from summaries of specs so that not all of them must be derived again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from generator.spec.library import Library

if TYPE_CHECKING:
    from generator.render.markdown.index import IndexEntry


def render_index_of(library: Library, summaries: Mapping[str, dict[str, Any] | None], links: Sequence[tuple[str, str]]) -> str:
    """Return the index of some specs, by name with their summaries; a spec without one is derived.

    Args:
        links: labels and addresses of pages of no single spec.

    Raises:
        ProblemsError: a spec that must be derived and cannot.
    """
    from generator.render.markdown.index import render_index

    return render_index(_entries(library, summaries), links)


def start_script_of(library: Library, summaries: Mapping[str, dict[str, Any] | None]) -> str:
    """Return the data of the page from which the pages for a browser are found; arguments and errors as of `render_index_of`."""
    from generator.render.site.start import start_script

    return start_script(_entries(library, summaries))


def imports_script_of(library: Library, names: Collection[str]) -> str:
    """Return the data by which pages read the configurations of public models: what some specs say under `imports`."""
    from generator.render.site.config_rules import imports_script

    return imports_script(library, names)


def _entries(library: Library, summaries: Mapping[str, dict[str, Any] | None]) -> list[IndexEntry]:
    from generator.build.spec_summary import restore, restored_numbers
    from generator.render.markdown.index import IndexEntry
    from generator.render.markdown.preset_tables import preset_numbers
    from generator.sheet.compiled import compile_spec

    entries = []
    for name, summary in summaries.items():
        sheet = restore(summary)
        if summary is None or sheet is None:
            sheet = compile_spec(library, name).sheet
            entries.append(IndexEntry(sheet, preset_numbers(sheet)))
        else:
            entries.append(IndexEntry(sheet, restored_numbers(summary)))
    return entries
