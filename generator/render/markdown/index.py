"""The index of all pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from generator.formulas.human import counted
from generator.formulas.latex import to_latex
from generator.quantities import PARAMS
from generator.render.environment import environment
from generator.render.markdown.escape import code, label, link, text
from generator.render.markdown.formula import LINE_WIDTH, inline
from generator.render.markdown.numbers import human
from generator.render.markdown.presets import preset_parameters
from generator.render.markdown.table import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import Sheet

FIRST_FOLDERS = ("models", "blocks")


@dataclass(frozen=True)
class Folder:
    """The specs of one folder; specs at the top of their library have no heading."""

    heading: str
    specs: MarkdownTable


def render_index(sheets: Sequence[Sheet], links: Sequence[tuple[str, str]] = ()) -> str:
    """Return the index of pages: a table for each folder, models first, then blocks, then all others.

    Args:
        links: labels and addresses of pages of no single spec.
    """
    ordered = sorted(sheets, key=lambda sheet: (_folder_key(_folder(sheet)), sheet.name))
    folders = [
        Folder(text(name), _specs_table([sheet for sheet in ordered if _folder(sheet) == name]))
        for name in dict.fromkeys(_folder(sheet) for sheet in ordered)
    ]
    digest = sha256("".join(f"{sheet.name}\0{sheet.source_hash}\0" for sheet in ordered).encode()).hexdigest()
    summary = f"{counted(len(sheets), 'spec')}, each with its rows, its exact costs and the published numbers beside them."
    also = " · ".join(link(label(name), address) for name, address in links)
    index = environment().get_template("markdown/index.md.jinja").render(folders=folders, source_hash=digest, summary=summary, links=also)
    return index.rstrip("\n") + "\n"  # each section ends with an empty line


def _folder(sheet: Sheet) -> str:
    folder = PurePosixPath(sheet.source).parent.as_posix()
    return "" if folder == "." else folder


def _folder_key(folder: str) -> tuple[int, str]:
    top = folder.partition("/")[0]
    return (FIRST_FOLDERS.index(top) if top in FIRST_FOLDERS else len(FIRST_FOLDERS), folder)


def _specs_table(sheets: Sequence[Sheet]) -> MarkdownTable:
    head = ["Architecture", "Name", "Parameters", "Presets"]
    rows = [
        [link(label(sheet.title), f"{sheet.name}.md"), code(sheet.name), _parameters(sheet), str(len(sheet.presets) or "")]
        for sheet in sheets
    ]
    return table(*without_empty_columns(head, rows, ("Presets",)), right=("Presets",))


def _parameters(sheet: Sheet) -> str:
    """Return the formula, or where it is long and there are presets, from how many to how many."""
    latex = to_latex(sheet.totals[PARAMS.key], [size.name for size in sheet.sizes])
    if len(latex) <= LINE_WIDTH and not sheet.presets:
        return inline(latex)
    counts = preset_parameters(sheet)
    if counts:
        shown = [human(count) or str(count) for count in (counts[0], counts[-1])]
        return " – ".join(dict.fromkeys(shown))
    return inline(latex) if len(latex) <= LINE_WIDTH else link("formula", f"{sheet.name}.md#totals")
