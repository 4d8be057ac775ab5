"""What stands where in the workbook of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from openpyxl.utils import get_column_letter, quote_sheetname
from sympy import Expr, Symbol

from generator.formulas.symbols import symbol
from generator.questions.comparison.result import ComparisonResult, MeasureTable
from generator.questions.growth.subject import Subject
from generator.render.comparison.wording import axis_title
from generator.render.texts import Texts

FIRST_SIZE_ROW = 9
FIRST_SIDE_COLUMN = 3
CHART_ROW = 5  # in which the chart of a measure begins: it is seen at once, and the table below it
CHART_ROWS = 21
FIRST_VALUE_ROW = CHART_ROW + CHART_ROWS + 2  # on the sheets of measures
_FORBIDDEN = str.maketrans("", "", "[]:*?/\\'")  # in a sheet's title


@dataclass(frozen=True)
class Layout:
    """The rows of sizes and of swept values, and the cell of each size of each side."""

    result: ComparisonResult
    words: Texts

    @property
    def sides(self) -> tuple[Subject, ...]:
        """What is compared."""
        return tuple(self.result.comparison.subjects)

    @property
    def swept(self) -> str:
        """The swept size."""
        return self.result.comparison.axis.size

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the swept size."""
        return tuple(self.result.comparison.axis.values)

    @property
    def axis(self) -> str:
        """The swept size with its meaning."""
        return axis_title(self.result.comparison, self.words.said)

    @property
    def is_share(self) -> bool:
        """Whether shares of a whole are compared, not costs."""
        return self.result.comparison.view == "share"

    def title(self, table: MeasureTable) -> str:
        """Return what a measure is called."""
        return table.measure.words(self.words.language).title

    def sheet_title(self, table: MeasureTable) -> str:
        """Return the title of a measure's sheet."""
        words = table.measure.words(self.words.language)
        return (words.short or words.title).translate(_FORBIDDEN)[:31]

    @cached_property
    def summary(self) -> str:
        """The title of the first sheet, as formulas of other sheets write it."""
        title = self.words("sheets.summary")
        return title if title.isascii() and title.isalnum() else quote_sheetname(title)

    # The first sheet

    @cached_property
    def sizes(self) -> dict[str, str]:
        """The sizes that any side is given, with what they mean there, in the order in which they are first met."""
        found: dict[str, list[str]] = {}
        for side, subject in enumerate(self.sides):
            for size in subject.sheet.sizes:
                if self.has_size(side, size.name):
                    found.setdefault(size.name, []).append(self.words.said(size.meaning))
        return {name: " / ".join(dict.fromkeys(meanings)) for name, meanings in found.items()}

    def has_size(self, side: int, name: str) -> bool:
        """Say whether a side is given a size, beside the swept one and those that it derives itself."""
        subject = self.sides[side]
        settable = any(size.name == name and size.kind != "derived" for size in subject.sheet.sizes)
        return settable and name != self.swept and symbol(name) in subject.sizes

    @property
    def values_row(self) -> int:
        """The row of the first swept value."""
        return FIRST_SIZE_ROW + len(self.sizes) + 4

    def side_column(self, side: int) -> str:
        """Return the letter of a side's column on the first sheet."""
        return get_column_letter(FIRST_SIDE_COLUMN + side)

    def size_cell(self, side: int, name: str) -> str:
        """Return the cell of a size on the first sheet."""
        return f"${self.side_column(side)}${FIRST_SIZE_ROW + list(self.sizes).index(name)}"

    def value_cell(self, index: int) -> str:
        """Return the cell of a swept value on the first sheet."""
        return f"$A${self.values_row + index}"

    def state_cell(self, side: int, index: int) -> str:
        """Return the cell that says whether a side's sizes fit together at a swept value, on the first sheet."""
        return f"${self.side_column(side)}${self.values_row + index}"

    # The sheets of measures

    @property
    def has_ratios(self) -> bool:
        """Whether it is shown how many times the first side's each value is."""
        return not self.is_share and len(self.sides) > 1

    @property
    def ratios_row(self) -> int:
        """The row of the first ratios, below the table of values, a section's title and heads."""
        return FIRST_VALUE_ROW + len(self.values) + 3

    # The formulas of a side

    def numbers(self, side: int) -> dict[str, int]:
        """Return the sizes of a side that may be typed over: those that are numbers and follow from no others."""
        subject = self.sides[side]
        settable = {size.name for size in subject.sheet.sizes if size.kind != "derived"}
        return {
            name.name: int(value)
            for name, value in subject.sizes.items()
            if value.is_Integer and name.name in settable and name.name != self.swept
        }

    def following(self, side: int) -> dict[Symbol, Expr]:
        """Return the sizes of a side that follow from the swept one and those that may be typed over."""
        subject, numbers = self.sides[side], self.numbers(side)
        found: dict[Symbol, Expr] = {}
        for size in subject.sheet.sizes:
            name = symbol(size.name)
            if size.name in numbers or size.name == self.swept or name not in subject.sizes:
                continue
            is_given = size.name in subject.given and size.kind != "derived"
            found[name] = subject.sizes[name] if is_given or size.value is None else size.value.xreplace(found)
        return found

    def cells(self, side: int, swept: str, *, inside: bool = False) -> Mapping[str, str]:
        """Return where formulas find each size of a side.

        Args:
            side: the side's index.
            swept: the cell of the swept size.
            inside: whether the formulas stand on the first sheet.
        """
        sheet = "" if inside else f"{self.summary}!"
        return {**{name: f"{sheet}{self.size_cell(side, name)}" for name in self.numbers(side)}, self.swept: swept}

    def formula(self, side: int, key: str) -> Expr:
        """Return a measure of a side in its sizes, those that follow put in."""
        return self.sides[side].symbolic(key).xreplace(self.following(side))

    def whole(self, side: int, key: str) -> Expr:
        """Return a measure of the whole of which a side is a row, as `formula`."""
        subject = self.sides[side]
        return Subject(subject.label, subject.sheet, subject.given).symbolic(key).xreplace(self.following(side))

    def conditions(self, side: int) -> list[tuple[Any, Any]]:
        """Return the conditions of a side with the sizes that follow put in, each with the constraint that it comes from."""
        following = self.following(side)
        return [(constraint, constraint.condition.xreplace(following)) for constraint in self.sides[side].sheet.constraints]
