"""The index of pages, rendered from summaries of specs so that not all of them must be derived again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.spec.library import Library


def render_index_of(library: Library, summaries: Mapping[str, dict[str, Any] | None], links: Sequence[tuple[str, str]]) -> str:
    """Return the index of some specs, by name with their summaries; a spec without one is derived.

    Args:
        links: labels and addresses of pages of no single spec.

    Raises:
        ProblemsError: a spec that must be derived and cannot.
    """
    from generator.build.spec_summary import restore, restored_numbers
    from generator.render.markdown.index import IndexEntry, render_index
    from generator.render.markdown.presets import preset_numbers
    from generator.sheet.compiled import compile_spec

    entries = []
    for name, summary in summaries.items():
        sheet = restore(summary)
        if summary is None or sheet is None:
            sheet = compile_spec(library, name).sheet
            entries.append(IndexEntry(sheet, preset_numbers(sheet)))
        else:
            entries.append(IndexEntry(sheet, restored_numbers(summary)))
    return render_index(entries, links)
