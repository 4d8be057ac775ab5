"""Whether a workbook still is what was built: every locked cell and every name, beside the workbook as it is built now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from generator.files.workbook_content import canonical_formula
from generator.formulas.human import counted
from generator.text.problems import Problem

if TYPE_CHECKING:
    from openpyxl import Workbook

SHOWN = 8  # differences; one is enough, but a person wants to see which


def differences(found: Workbook, built: Workbook) -> list[Problem]:
    """Return what was changed in a workbook beside its inputs; the first few of it."""
    problems: list[Problem] = []
    for name, defined in built.defined_names.items():
        other = found.defined_names.get(name)
        if other is None or _plain(other.attr_text) != _plain(defined.attr_text):
            problems.append(Problem(f"the name `{name}` does not point to {defined.attr_text} any more", None))
    sheets = {sheet.title: sheet for sheet in found.worksheets}  # sheets that are only a chart are others
    for sheet in built.worksheets:
        if sheet.title not in sheets:
            problems.append(Problem(f"the sheet {sheet.title} is missing", None))
            continue
        if not _is_the_readers(sheet):
            problems.extend(_of_sheet(sheets[sheet.title], sheet))
    more = len(problems) - SHOWN
    return [*problems[:SHOWN], *([Problem(f"and {counted(more, 'more cell or name', 'more cells or names')}", None)] if more > 0 else [])]


def _is_the_readers(built: Any) -> bool:
    """Whether a sheet is for notes: not locked, and nothing is calculated on it."""
    return not built.protection.sheet and not any(cell.data_type == "f" for row in built.iter_rows() for cell in row)


def _of_sheet(found: Any, built: Any) -> Iterator[Problem]:
    inputs = {cell.coordinate for row in built.iter_rows() for cell in row if not cell.protection.locked}
    expected = {cell.coordinate: cell.value for row in built.iter_rows() for cell in row if cell.value is not None}
    present = {cell.coordinate: cell.value for row in found.iter_rows() for cell in row if cell.value not in (None, "")}
    for at in sorted(expected.keys() | present.keys()):
        if at in inputs or _same(expected.get(at), present.get(at)):
            continue
        yield Problem(f"{built.title}!{at} holds {_shown(present.get(at))}; as built it holds {_shown(expected.get(at))}", None)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, str) and isinstance(b, str):
        return a == b or (a.startswith("=") and b.startswith("=") and canonical_formula(a) == canonical_formula(b))
    if isinstance(a, int | float) and isinstance(b, int | float):
        return abs(a - b) <= 1e-14 * abs(b)  # LibreOffice writes 15 digits
    return (a or None) == (b or None)


def _plain(reference: str | None) -> str:
    """Return a reference without the quotes of its sheet's title."""
    return (reference or "").replace("'", "")


def _shown(value: Any) -> str:
    text = "nothing" if value is None else f"`{value}`"
    return text if len(text) < 80 else text[:76] + " …`"
