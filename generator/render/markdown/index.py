"""The index of all pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from generator.formulas.human import counted
from generator.formulas.latex import to_latex
from generator.quantities import MATMUL_FLOPS, PARAMS
from generator.render.environment import environment
from generator.render.markdown.escape_markdown import code, label, link, text
from generator.render.markdown.formula import LINE_WIDTH, inline
from generator.render.markdown.numbers import human
from generator.render.markdown.preset_tables import PresetNumbers, preset_parameters
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import Sheet

FIRST_FOLDERS = ("models", "blocks")
INSIDE = "inside of other specs"  # in place of a folder
LAST = "9999"  # as the year of what has none


@dataclass(frozen=True)
class IndexEntry:
    """A spec, of which the rows may be missing, and what its presets come to."""

    sheet: Sheet
    numbers: Sequence[PresetNumbers]


@dataclass(frozen=True)
class IndexGroup:
    """The specs of a family or a folder; specs at the top of their library that have no family have no heading."""

    heading: str
    specs: MarkdownTable


def render_index(entries: Sequence[IndexEntry], links: Sequence[tuple[str, str]] = ()) -> str:
    """Return the index of pages: first families by their first years, each with what its presets come to; then the folders of all others.

    Args:
        links: labels and addresses of pages of no single spec.
    """
    ordered = sorted(entries, key=lambda entry: (_folder_key(folder_of(entry.sheet)), entry.sheet.name))
    families: dict[str, list[IndexEntry]] = {}
    for entry in sorted(ordered, key=lambda entry: entry.sheet.year or LAST):
        if entry.sheet.family:
            families.setdefault(entry.sheet.family, []).append(entry)
    others = [entry.sheet for entry in ordered if not entry.sheet.family]
    groups = [IndexGroup(text(family), _presets_table(members)) for family, members in families.items()]
    groups += [
        IndexGroup(text(name), _specs_table([sheet for sheet in others if folder_of(sheet) == name]))
        for name in dict.fromkeys(folder_of(sheet) for sheet in others)
    ]
    digest = digest_of(ordered)
    summary = f"{counted(len(entries), 'spec')}, each with its rows, its exact costs and the published numbers beside them."
    also = " · ".join(link(label(name), address) for name, address in links)
    index = environment().get_template("markdown/index.md.jinja").render(groups=groups, source_hash=digest, summary=summary, links=also)
    return index.rstrip("\n") + "\n"  # each section ends with an empty line


def _presets_table(entries: Sequence[IndexEntry]) -> MarkdownTable:
    """Return a line for each preset; the first has the architecture and the year of its first source."""
    rows = []
    for entry in entries:
        about = [link(label(entry.sheet.title), f"{entry.sheet.name}.md"), entry.sheet.year]
        for one in entry.numbers:
            at = ", ".join(f"{code(name)} = {value:,}" for name, value in one.chosen.items())
            rows.append([*about, code(one.preset), _count(one.params), _count(one.flops, MATMUL_FLOPS.unit), at])
            about = ["", ""]
        if not entry.numbers:
            rows.append([*about, "", _parameters(entry.sheet), "", ""])
    head = ["Architecture", "Year", "Preset", PARAMS.title, MATMUL_FLOPS.title, "Work at"]
    return table(*without_empty_columns(head, rows, head[1:]), right=(PARAMS.title, MATMUL_FLOPS.title))


def _count(count: int | None, unit: str = "") -> str:
    return "" if count is None else human(count, unit) or str(count)


def digest_of(entries: Sequence[IndexEntry]) -> str:
    """Return a hash over the specs that a list was made from, in its order."""
    return sha256("".join(f"{entry.sheet.name}\0{entry.sheet.source_hash}\0" for entry in entries).encode()).hexdigest()


def folder_of(sheet: Sheet) -> str:
    """Return the folder of a spec in its library; `INSIDE` for one that stands in the file of another."""
    source = PurePosixPath(sheet.source)
    folder = source.parent.as_posix()
    return INSIDE if source.stem != sheet.name else "" if folder == "." else folder


def _folder_key(folder: str) -> tuple[int, str]:
    top = folder.partition("/")[0]
    return (FIRST_FOLDERS.index(top) if top in FIRST_FOLDERS else len(FIRST_FOLDERS) + (folder == INSIDE), folder)


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
