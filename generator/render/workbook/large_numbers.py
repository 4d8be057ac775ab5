"""Numbers beyond the two conditions that one number format may have, and those of which Excel shows no more than 15 digits."""

from __future__ import annotations

from openpyxl.formatting.rule import Rule
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.styles.numbers import NumberFormat

from generator.quantities import SHORT_UNITS
from generator.render.texts import Texts
from generator.render.workbook.cells import Page
from generator.render.workbook.styles import WHOLE

INEXACT = "1E15"  # from here on Excel shows zeros in place of digits
_FIRST_ID = 201  # of number formats; smaller ones are built in, or those of dashes
_APPROXIMATE = '"≈ "#,##0'


def kind_of(unit: str) -> str:
    """Return in which kind of style a quantity stands, by its unit: work is counted in GFLOP and GMAC, all else in billions."""
    return "FLOP" if unit in SHORT_UNITS else "count"


def name_large(page: Page, cells: str, words: Texts, unit: str) -> None:
    """Let numbers of a range that are beyond its number format have the unit that they have on the summary."""
    key = "large_work" if unit in SHORT_UNITS else "large_count"
    limits = sorted(words.formats(f"look.{key}").items(), key=lambda one: -float(one[0]))
    for i, (limit, code) in enumerate(limits):
        _add(page, cells, limit, _FIRST_ID + (key == "large_work") * len(limits) + i, code)


def mark_inexact(page: Page, cells: str) -> None:
    """Mark numbers of a range with ≈ where Excel does not show all of their digits."""
    _add(page, cells, INEXACT, _FIRST_ID + 9, _APPROXIMATE)


def name_whole(page: Page, cells: str) -> None:
    """Show whole numbers of a range without decimals, which its format has for all others."""
    first = cells.partition(":")[0]
    look = DifferentialStyle(numFmt=NumberFormat(numFmtId=_FIRST_ID + 10, formatCode=WHOLE))
    page.sheet.conditional_formatting.add(cells, Rule(type="expression", formula=[f"IFERROR({first}=INT({first}),FALSE)"], dxf=look))


def _add(page: Page, cells: str, limit: str, number: int, code: str) -> None:
    look = DifferentialStyle(numFmt=NumberFormat(numFmtId=number, formatCode=code))
    first = cells.partition(":")[0]
    # A text, such as the dash of sizes that have no answer, would be greater than any number.
    rule = Rule(type="expression", formula=[f"AND(ISNUMBER({first}),{first}>={limit})"], dxf=look)
    page.sheet.conditional_formatting.add(cells, rule)
