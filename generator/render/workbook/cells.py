"""Writing cells: the only way in which text, numbers and formulas get into a sheet.

Text from specs passes through `Page.text`, so that none of it can become a formula or an error value. Each formula is written with the
value that it has, for `stamp.stamped`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from textwrap import wrap
from typing import Any
from unicodedata import east_asian_width

from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell, MergedCell
from openpyxl.chart._chart import ChartBase
from openpyxl.styles import Alignment
from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.workbook import Workbook
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.merge import MergedCellRange
from openpyxl.worksheet.worksheet import Worksheet

from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import LOOKS

LONGEST_FORMULA = 8192  # with the equals sign
LONGEST_TEXT = 32_767
LONGEST_FOOTER = 200  # of its left part; 255 are allowed for all three with their commands
LONGEST_TIP = 250  # of what is said when a link is pointed at; 255 are allowed
LONGEST_ADDRESS = 2000  # of a page of the web; 2,079 are allowed
LONGEST_LITERAL = 250  # of text inside a formula, well inside the limit of 255
LEAST_SCALE = 80  # percent at which a sheet is printed, so that its 10 points are at least 8
# What A4 landscape holds: 784 points without margins, and a character of a column's width is 7 pixels of 0.75 points in both fonts.
PAGE_WIDTH = 784 / 5.25 / (LEAST_SCALE / 100)
REMARKS_WIDTH = 0.8 * PAGE_WIDTH  # of remarks above a sheet, which stay on the first page in wider letters too
STANDARD_WIDTH = 8.43  # of a column of which no width is set
LINE_POINTS = 13.5  # height of a line of 10-point text
WIDE_LINE = 1.12  # as much of that are lines with Chinese, whose fonts are taller
_ESCAPE_LIKE = re.compile("_x(?=[0-9A-Fa-f]{4}_)")  # Excel reads _x000D_ as the character U+000D, and _x005F_ as an underscore
_TEMPTING = ("=", "+", "-", "@", "'", "\t")  # beginnings that a spreadsheet would read as more than text when the cell is edited


class FormulaTooLongError(ValueError):
    """A formula is longer than Excel allows."""


class Page:
    """One sheet of a workbook.

    Attributes:
        is_locked: whether all cells but the inputs are locked when the book is finished.
        chart_texts: what each chart of the sheet shows, in words, in the order in which they were added.

    Args:
        book: the workbook; the sheet is added at its end.
        title: the sheet's title.
        values: where the value of each formula is noted, by sheet title and coordinate.
    """

    def __init__(self, book: Workbook, title: str, values: dict[tuple[str, str], Value]) -> None:
        self.sheet: Worksheet = book.create_sheet(title)
        self.title = title
        self.is_locked = True
        self.chart_texts: list[str] = []
        self._values = values
        self._looks: dict[str, Any] = {}  # what a cell holds that has a style, by the style's name
        self._merged: dict[tuple[str, bool, bool, bool, bool], Any] = {}  # likewise of merged cells, by style and edges

    def text(self, at: str, text: str, style: str = "Words", *, indent: int = 0) -> None:
        """Write text as text, whatever it looks like.

        Control characters become spaces; what is too long for a cell is cut with an ellipsis.
        """
        cell = self._styled(at, style)
        shown = ILLEGAL_CHARACTERS_RE.sub(" ", text)
        if units(shown) > LONGEST_TEXT:
            shown = shortened(shown, LONGEST_TEXT)
        shown = _ESCAPE_LIKE.sub("_x005F_x", shown)
        cell.value = shown
        cell.data_type = "s"
        if shown.startswith(_TEMPTING):
            cell.quotePrefix = True
        if indent:
            look = LOOKS[style]
            cell.alignment = Alignment(horizontal="left", vertical=look.vertical, wrap_text=look.wrap, indent=min(1 + indent, 15))

    def number(self, at: str, value: float, style: str) -> None:
        """Write a constant."""
        self._styled(at, style).value = value

    def blank(self, at: str, style: str) -> None:
        """Style a cell that is empty."""
        self._styled(at, style)

    def formula(self, at: str, formula: str, value: Value, style: str) -> None:
        """Write a formula (without the equals sign) and note its value.

        Raises:
            FormulaTooLongError: the formula is longer than Excel allows.
        """
        if len(formula) >= LONGEST_FORMULA:
            raise FormulaTooLongError(
                f"the formula for {self.title}!{at} has {len(formula)} characters; Excel allows {LONGEST_FORMULA - 1}"
            )
        cell = self._styled(at, style)
        cell.value = f"={formula}"
        self._values[self.title, at] = value

    def chart(self, at: str, chart: ChartBase, text: str) -> None:
        """Place a chart, with words for those who do not see it."""
        self.sheet.add_chart(chart, at)
        self.chart_texts.append(text)

    def link(self, at: str, cell: str, tip: str) -> None:
        """Let a cell that is written lead to another, and say what it is when it is pointed at; it looks as before."""
        self._link(at, Hyperlink(ref=at, location=cell, tooltip=shortened(tip, LONGEST_TIP)))

    def link_out(self, at: str, address: str, tip: str) -> None:
        """Let a cell that is written lead to a page of the web; any other address is left out."""
        if address.startswith(("https://", "http://")) and units(address) <= LONGEST_ADDRESS:
            self._link(at, Hyperlink(ref=at, target=address, tooltip=shortened(tip, LONGEST_TIP)))

    def _link(self, at: str, link: Hyperlink) -> None:
        cell: Any = self.sheet[at]
        look = copy(cell._style)  # noqa: SLF001 - openpyxl puts a style of its own in the way
        cell.hyperlink = link
        cell._style = look  # noqa: SLF001

    def row(self, row: int, texts: Sequence[str], style: str) -> None:
        """Write texts side by side from column A on."""
        for column, text in enumerate(texts, start=1):
            self.text(f"{get_column_letter(column)}{row}", text, style)

    def merged(self, cells: str, style: str) -> str:
        """Merge a range, style it, and return its first cell, of which the others have their lines."""
        first, sheet = cells.partition(":")[0], self.sheet
        self._styled(first, style)
        area = CellRange(cells)
        places = [*area.cells][1:]
        kinds = [(style, y == area.min_row, y == area.max_row, x == area.min_col, x == area.max_col) for y, x in places]
        known = all(kind in self._merged for kind in kinds)
        if known:
            sheet.merged_cells.add(MergedCellRange(sheet, cells))
        else:  # openpyxl puts the lines of each cell together anew
            sheet.merge_cells(cells)
        for place, kind in zip(places, kinds, strict=True):
            if known:
                sheet._cells[place] = MergedCell(sheet, *place)  # noqa: SLF001
            cell: Any = sheet._cells[place]  # noqa: SLF001
            if known:
                cell._style = copy(self._merged[kind])  # noqa: SLF001
            else:
                self._merged[kind] = copy(cell._style)  # noqa: SLF001
        return first

    def widths(self, widths: Sequence[float]) -> None:
        """Set the widths of the columns from A on, in characters."""
        for column, width in enumerate(widths, start=1):
            self.sheet.column_dimensions[get_column_letter(column)].width = width

    def first_page_start(self) -> str:
        """Return the letter of the first column for titles and remarks, once widths are set.

        The first column of a sheet that is too wide for a page is printed on all pages: what stands there and goes on in others would
        be cut on all but the first.
        """
        return "A" if fits_page(self.sheet, len(self.sheet.column_dimensions)) else "B"

    def first_page_end(self) -> str:
        """Return the letter of the last column for remarks: all are printed on the first page, and as far as widths are set."""
        count = max(1, len(self.sheet.column_dimensions))
        return get_column_letter(next(last for last in range(count, 0, -1) if last == 1 or width_to(self.sheet, last) <= REMARKS_WIDTH))

    def first_page_room(self) -> float:
        """Return how many characters a remark has room for in a line."""
        first, last = (column_index_from_string(letter) for letter in (self.first_page_start(), self.first_page_end()))
        return width_to(self.sheet, last) - width_to(self.sheet, first - 1) - 6

    def headed(self, title: str, remark: str) -> None:
        """Write a title, and a remark below it over the first page, once widths are set."""
        start = self.first_page_start()
        self.text(f"{start}1", title, "Sheet title")
        self.sheet.row_dimensions[1].height = 28
        self.text(self.merged(f"{start}2:{self.first_page_end()}2", "Remark"), remark, "Remark")
        self.height(2, [(remark, self.first_page_room())])

    def height(self, row: int, texts: Sequence[tuple[str, float]], *, points: float = LINE_POINTS, least: int = 1) -> None:
        """Make a row high enough for wrapped texts, each given with the width of its cell."""
        lines = max([least, *(lines_of(text, width) for text, width in texts)])
        taller = WIDE_LINE if any(map(_is_wide, "".join(text for text, _ in texts))) else 1
        self.sheet.row_dimensions[row].height = min(409.0, lines * points * taller + 2)

    def _styled(self, at: str, style: str) -> Cell:
        cell = self.sheet[at]
        assert isinstance(cell, Cell)
        # openpyxl looks through all styles for each cell that is given one by name.
        if style in self._looks:
            cell._style = copy(self._looks[style])  # type: ignore[attr-defined]  # noqa: SLF001
        else:
            cell.style = style
            self._looks[style] = copy(cell._style)  # type: ignore[attr-defined]  # noqa: SLF001
        return cell


def fits_page(sheet: Worksheet, last: int) -> bool:
    """Say whether the columns up to one, by its number, are printed on one page."""
    return width_to(sheet, last) <= PAGE_WIDTH


def width_to(sheet: Worksheet, last: int) -> float:
    """Return how many characters the columns up to one, by its number, are wide together."""
    columns = sheet.column_dimensions
    return sum(columns[name].width if name in columns else STANDARD_WIDTH for name in map(get_column_letter, range(1, last + 1)))


def units(text: str) -> int:
    """Return the length of a text as Excel counts it: characters beyond U+FFFF are two."""
    return len(text.encode("utf-16-le")) // 2


def shortened(text: str, longest: int) -> str:
    """Return a text that is cut, with an ellipsis, where it is longer than Excel allows."""
    return text if units(text) <= longest else text.encode("utf-16-le")[: 2 * (longest - 2)].decode("utf-16-le", "ignore") + " …"


def footer_text(text: str) -> str:
    """Return a text for a part of a footer, in which `&` begins a command and for which there is little room."""
    shown = shortened(text, LONGEST_FOOTER)
    while units(shown.replace("&", "&&")) > LONGEST_FOOTER:
        shown = shortened(shown, units(shown) - 2)
    return shown.replace("&", "&&")


def lines_of(text: str, width: float) -> int:
    """Return how many lines a text takes in a cell of so many characters; those of Chinese are two wide and may be parted anywhere."""
    return sum(max(1, len(wrap(_spread(line), max(1, int(width))))) for line in text.split("\n"))


def width_of(text: str) -> int:
    """Return how many characters of the digits' width a text is wide."""
    return len(text) + sum(_is_wide(character) for character in text)


def _spread(line: str) -> str:
    """Return a line in which each wide character is two letters, with a place to break behind it."""
    return "".join("x " if _is_wide(character) else character for character in line)


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"


def quoted(text: str) -> str:
    """Return text as a literal inside a formula; a long one as several, because Excel takes no more than 255 characters at once."""
    pieces = [text[start : start + LONGEST_LITERAL] for start in range(0, len(text), LONGEST_LITERAL)] or [""]
    return "&".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
