"""The workbook that lists all architectures, made from summaries of specs so that not all of them must be derived again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.render.formats import EXCEL, Format
from generator.spec.library import Library
from generator.text.translated import LANGUAGES

CATALOGUE = "catalogue"


def catalogue_path(kind: Format) -> str:
    """Return the path of the catalogue in the language of a format, below the folder of outputs."""
    return kind.path(CATALOGUE)


def catalogue_paths() -> frozenset[str]:
    """Return the paths of the catalogue in all languages."""
    return frozenset(catalogue_path(EXCEL.in_language(language)) for language in LANGUAGES)


def catalogue_of(library: Library, summaries: Mapping[str, dict[str, Any] | None], kind: Format) -> bytes:
    """Return the catalogue of some specs, by name with their summaries; a spec without one is derived.

    Raises:
        ProblemsError: a spec that must be derived and cannot.
    """
    from generator.build.spec_summary import counted_others, restore, restored_others, restored_views
    from generator.render.workbook.catalogue import CatalogueLine, build_catalogue
    from generator.sheet.compiled import compile_spec
    from generator.sheet.example import known_views

    entries = []
    for name, summary in summaries.items():
        sheet = restore(summary)
        if summary is None or sheet is None:
            sheet = compile_spec(library, name).sheet
            entries.append(CatalogueLine(sheet, known_views(sheet), counted_others(sheet)))
        else:
            entries.append(CatalogueLine(sheet, restored_views(sheet, summary), restored_others(summary)))
    return build_catalogue(entries, kind.language, kind.suffix)
