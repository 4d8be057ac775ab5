"""List the specs that can be named: the built-in ones, those in ./specs, and those given."""

from __future__ import annotations

import argparse

from generator.commands.arguments import add_paths, existing
from generator.commands.kept import keep_lines, kept_lines
from generator.render.terminal.console import complain, say, width
from generator.render.terminal.table import Column, table_lines
from generator.resources import builtin_specs_dir
from generator.spec.library import Library, shown
from generator.spec.lookup import everything
from generator.text.problems import ProblemsError

EXAMPLES = """\
  gen list
  gen list my-specs/
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_paths(parser, optional=True)


def run(args: argparse.Namespace) -> int:
    """Print one line for each spec."""
    library = everything(existing(args.paths))
    kept = kept_lines(library)
    rows, broken = (kept, []) if kept is not None else _read(library)
    columns = [Column("name"), Column("title", shrinks=True), Column("presets", right=True), Column("from", shrinks=True)]
    for line in table_lines(columns, rows, width()):
        say(line)
    if broken:
        complain(f"mistakes in {', '.join(broken)}", "`gen check PATH` shows them")
    elif kept is None:
        keep_lines(library, rows)
    return 1 if broken else 0


def _read(library: Library) -> tuple[list[list[str]], list[str]]:
    """Return the line of each spec, and the names of those that have mistakes."""
    rows, broken = [], []
    for name in library.names:
        try:
            spec = library.spec(name)
        except ProblemsError:
            broken.append(name)
            places = [_where(library, name), *map(shown, library.namesakes.get(name, ()))]
            rows += [[name, "(has mistakes)", "", place] for place in places]
            continue
        rows.append([name, spec.title, str(len(spec.presets) or ""), _where(library, name)])
    return rows, broken


def _where(library: Library, name: str) -> str:
    if name in library.own:
        return shown(library.own[name])
    return f"built-in {library.path(name).relative_to(builtin_specs_dir()).as_posix()}"
