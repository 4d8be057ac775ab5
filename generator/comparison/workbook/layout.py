"""What stands where in the workbook of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from openpyxl.utils import get_column_letter
from sympy import Expr

from generator.comparison.result import Result
from generator.growth.subject import Subject
from generator.symbols import symbol

SIZES = "Sizes"
FIRST_SIZE_ROW = 6
FIRST_SIDE_COLUMN = 3
FIRST_VALUE_ROW = 5


@dataclass(frozen=True)
class Layout:
    """The rows of sizes and of swept values, and the cell of each size of each side."""

    result: Result

    @cached_property
    def sizes(self) -> dict[str, str]:
        """The sizes that any side has a number for, with their meaning, in the order in which they are first met."""
        found: dict[str, str] = {}
        for subject in self.result.comparison.subjects:
            for name in self._numbers(subject):
                meaning = next(size.meaning for size in subject.sheet.sizes if size.name == name)
                found.setdefault(name, meaning)
        return found

    def number(self, subject: Subject, name: str) -> int | None:
        """Return a side's value of a size; None where it has none, or one that follows from the swept size."""
        return self._numbers(subject).get(name)

    def size_cell(self, side: int, name: str) -> str:
        """Return the cell of a size on the sheet of sizes."""
        row = FIRST_SIZE_ROW + list(self.sizes).index(name)
        return f"${get_column_letter(FIRST_SIDE_COLUMN + side)}${row}"

    def cells(self, side: int) -> Mapping[str, str]:
        """Return where another sheet finds each size of a side."""
        subject = self.result.comparison.subjects[side]
        return {name: f"{SIZES}!{self.size_cell(side, name)}" for name in self._numbers(subject)}

    def formula(self, side: int, key: str) -> Expr:
        """Return a measure of a side in its sizes, those that follow from the swept size put in."""
        subject = self.result.comparison.subjects[side]
        numbers = self._numbers(subject)
        bound = {name: value for name, value in subject.sizes.items() if name.name not in numbers and name.name != self.swept}
        return subject.symbolic(key).xreplace(bound)

    def whole(self, side: int, key: str) -> Expr:
        """Return a measure of the whole of which a side is a row, as `formula`."""
        subject = self.result.comparison.subjects[side]
        total = Subject(subject.label, subject.sheet, subject.given)
        numbers = self._numbers(subject)
        bound = {name: value for name, value in total.sizes.items() if name.name not in numbers and name.name != self.swept}
        return total.symbolic(key).xreplace(bound)

    @property
    def swept(self) -> str:
        """The swept size."""
        return self.result.comparison.axis.size

    def _numbers(self, subject: Subject) -> dict[str, int]:
        """Return the sizes of a side that may be typed over: those that are numbers and follow from no others."""
        settable = {size.name for size in subject.sheet.sizes if size.kind != "derived"}
        return {
            name.name: int(value)
            for name, value in subject.sizes.items()
            if value.is_Integer and name.name in settable and name != symbol(self.swept)
        }
