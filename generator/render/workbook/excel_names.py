"""Names that Excel accepts for the sizes.

Excel takes many short names for something else (`R`, `C`, `d1`, `TRUE`) and does not tell `n` from `N`. LibreOffice accepts some names that
Excel refuses, so it cannot be the judge; the rules are written down here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

PROBLEM = "what_is_wrong"  # the one name that is not a size's: the cell that says why the sizes have no answer

LONGEST = 255
LAST_COLUMN = "XFD"
LAST_ROW = 1_048_576

_CELL = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})", re.IGNORECASE | re.ASCII)
# R, C, R1, C1, RC, R1C1, R[1]C[-1]: the other way of writing cells.
_ROW_COLUMN = re.compile(r"(R(\[?-?[0-9]*\]?)?)?(C(\[?-?[0-9]*\]?)?)?", re.IGNORECASE | re.ASCII)
_WORDS = frozenset({"true", "false"})
# Names that Excel or LibreOffice define on their own, in whatever case.
_BUILT_IN = frozenset(
    {"print_area", "print_titles", "criteria", "extract", "database", "_filterdatabase", "auto_open", "auto_close", "sheet_title"}
)


def is_legal(name: str) -> bool:
    """Whether Excel accepts a text as a defined name of a workbook (uniqueness aside)."""
    if not name or len(name) > LONGEST or _folded(name) in _WORDS | _BUILT_IN or name.lower().startswith("_xl"):
        return False
    if not (_is_letter(name[0]) or name[0] == "_"):
        return False
    if not all(_is_letter(character) or character.isdecimal() or character in "_." for character in name):
        return False
    return not (_is_cell(name) or _ROW_COLUMN.fullmatch(name))


def excel_names(sizes: Sequence[str]) -> dict[str, str]:
    """Return a legal Excel name for each size, no two equal in Excel's eyes, and a size's own name wherever that is legal and free.

    `PROBLEM` is never free. Of two sizes that differ in case only, the first keeps its name. Others get underscores or numbers behind:
    `d1_`, `N_`, `N_2`.
    """
    taken = {PROBLEM}
    names: dict[str, str] = {}
    for size in sizes:
        if is_legal(size) and _folded(size) not in taken:
            names[size] = size
            taken.add(_folded(size))
    for size in sizes:
        if size not in names:
            names[size] = _free_name(size, taken)
            taken.add(_folded(names[size]))
    return {size: names[size] for size in sizes}


def _free_name(size: str, taken: set[str]) -> str:
    """Return the first legal name after `size` that is not taken."""
    stem = "".join(character if _is_letter(character) or character.isdecimal() or character == "_" else "_" for character in size)
    stem = stem[: LONGEST - 12]
    if not stem or not (_is_letter(stem[0]) or stem[0] == "_") or stem.lower().startswith("_xl"):
        stem = f"size_{stem}"
    candidate, number = f"{stem}_", 1
    while not is_legal(candidate) or _folded(candidate) in taken:
        number += 1
        candidate = f"{stem}_{number}"
    return candidate


def _folded(name: str) -> str:
    """Return what Excel compares: case and width of characters do not count."""
    return unicodedata.normalize("NFKC", name).casefold()


def _is_letter(character: str) -> bool:
    return unicodedata.category(character) in {"Lu", "Ll", "Lo", "Lt"}


def _is_cell(name: str) -> bool:
    match = _CELL.fullmatch(name)
    if match is None:
        return False
    column, row = match[1].upper(), int(match[2])
    return (len(column), column) <= (len(LAST_COLUMN), LAST_COLUMN) and 1 <= row <= LAST_ROW
