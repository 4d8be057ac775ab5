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
    from generator.build.spec_summary import restore
    from generator.render.markdown.index import render_index
    from generator.sheet.compiled import compile_spec

    return render_index([restore(summary) or compile_spec(library, name).sheet for name, summary in summaries.items()], links)
