"""One side of a comparison: a sheet at some sizes, or a row of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sympy import Expr, Integer, Symbol

from generator.quantities import cost_formula
from generator.questions.growth.at_sizes import at, bound_sizes
from generator.questions.growth.named_measures import row_costs
from generator.sheet.sheet import Sheet


@dataclass(frozen=True)
class Subject:
    """What is compared.

    Args:
        label: what people call it.
        sheet: the architecture.
        given: sizes, as numbers or as expressions of the size that is swept.
        row: the path of a row, if only that is meant.
        preset: the preset that sizes came from, if any.
    """

    label: str
    sheet: Sheet
    given: Mapping[str, Expr | int] = field(default_factory=dict)
    row: str = ""
    preset: str = ""

    @cached_property
    def sizes(self) -> dict[Symbol, Expr]:
        """What each known size is. Raises SizeError."""
        return bound_sizes(self.sheet, self.given)

    def symbolic(self, key: str) -> Expr:
        """Return a measure in the sizes of the sheet. Raises SizeError for an unknown row or measure."""
        return cost_formula(row_costs(self.sheet, self.row), key)

    def formula(self, key: str) -> Expr:
        """Return a measure with the known sizes put in. Raises SizeError."""
        return at(self.symbolic(key), self.sizes)

    def share(self, key: str) -> Expr:
        """Return the part of the whole sheet's cost that the row has, with the known sizes put in. Raises SizeError."""
        whole = at(cost_formula(self.sheet.totals, key), self.sizes)
        return self.formula(key) / whole if whole != 0 else Integer(0)

    def open_sizes(self, key: str) -> tuple[str, ...]:
        """Return the sizes that a measure still depends on, in the order of the spec."""
        left = {symbol.name for symbol in self.formula(key).free_symbols}
        named = [size.name for size in self.sheet.sizes if size.name in left]
        return (*named, *sorted(left - set(named)))
