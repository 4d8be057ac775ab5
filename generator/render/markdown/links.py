"""What a page links to."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from generator.files.regular_file import real
from generator.render.markdown.escape_markdown import address, code, is_web_address, label, link, text
from generator.sheet.sheet import Sheet

OPERATIONS = "ops.md#vector-operations"  # what each operation costs, on the page of all ops


@dataclass(frozen=True)
class Links:
    """The files around a page.

    Args:
        spec: the address of the spec relative to the page, from `spec_link`; empty where there is none.
        pages: the names of all specs that have a page in the same folder.
        workbook: whether whoever has the page has the workbook too.
    """

    spec: str = ""
    pages: Collection[str] = frozenset()
    workbook: bool = True


def spec_link(file: Path, out: Path) -> str:
    """Return a spec's address relative to the pages in `out`/markdown; empty if it is not in the project in which `out` lies.

    Only then does the address hold on every machine and on GitHub.
    """
    project = real(out).parent
    if not real(file).is_relative_to(project):
        return ""
    return Path(os.path.relpath(real(file), real(out) / "markdown")).as_posix()


def workbook_link(path: str, address: str, *, is_there: bool) -> str:
    """Return a link to a workbook, or where there is none before a build, what makes it."""
    return f"Workbook: {link(code(path), address)}" if is_there else f"Workbook: {code(path)}, which {code('gen build')} makes"


def citation(sheet: Sheet, cite: str) -> str:
    """Return the sources of a claim or preset (keys parted by spaces) as links."""
    return ", ".join(_reference(sheet, key) for key in cite.split())


def bibliography(sheet: Sheet) -> tuple[str, ...]:
    """Return one line for each source, in order of their keys."""
    lines = []
    for key in sorted(sheet.references):
        source = sheet.references[key]
        place = address(source.url) if is_web_address(source.url) else text(source.url)
        lines.append(f"{text(source.label)}: {text(source.text)}{f' {place}' if place else ''}")
    return tuple(lines)


def op_cell(op: str, pages: Collection[str]) -> str:
    """Return a row's op; a block is a link to its own page if it has one."""
    verb, _, name = op.partition(" ")
    if verb != "use" or not name:
        return text(op)
    return f"use {link(code(name), f'{name}.md') if name in pages else code(name)}"


def _reference(sheet: Sheet, key: str) -> str:
    source = sheet.references.get(key)
    if source is None:
        return code(key)
    return link(label(source.label), source.url) if is_web_address(source.url) else text(source.label)
