"""The line of a module that computes a row: of the spec's own rows, and of those in the blocks that it uses."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from generator.render.module.writer import render_module, row_lines
from generator.render.site.model_data import CodeLine
from generator.sheet.compiled import Compiled, compile_spec
from generator.sheet.row_places import place
from generator.text.problems import ProblemsError

if TYPE_CHECKING:
    from generator.render.module.view import ModuleSet
    from generator.spec.library import Library


def code_lines(compiled: Compiled, library: Library, modules: ModuleSet) -> dict[str, CodeLine]:
    """Return the first line of each row's computation, by its path; none of rows whose module says it otherwise."""
    sheet = compiled.sheet
    found: dict[str, CodeLine] = {}
    for row in sheet.rows:
        spec, name = place(sheet, row.path)
        if spec in library.files and (line := _lines_of(library, modules, spec).get(name)):
            found[row.path] = (spec, *line)
    return found


@lru_cache(maxsize=1024)
def _lines_of(library: Library, modules: ModuleSet, spec: str) -> dict[str, tuple[int, str]]:
    try:
        text = render_module(compile_spec(library, spec), modules)
    except ProblemsError:
        return {}
    lines = text.splitlines()
    found = row_lines(modules.view(spec), text.count("\n"))
    return {name: (first, lines[first - 1].strip()) for name, (first, _) in found.items() if name}
