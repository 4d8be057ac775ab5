"""Numbers in units that people say: 109.48 million, 22.36 GFLOP, 1.5 GiB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from generator.render.texts import Texts
from generator.render.workbook.cells import quoted
from generator.render.workbook.stamp import Value


@dataclass(frozen=True)
class UnitScale:
    """Steps from one unit to the next.

    Args:
        base: how many of a unit make the next one.
        limits: from where on each further unit is used, as a spreadsheet writes the numbers.
    """

    base: int
    limits: tuple[str, ...]

    def scaled(self, value: Value) -> tuple[Fraction, int]:
        """Return a count in its best unit, and how many steps up that is."""
        number = Fraction(value)
        step = sum(number >= Fraction(limit) for limit in self.limits)
        return number / self.base**step, step

    def scaled_formula(self, cell: str) -> str:
        """Return the formula that divides a cell by its best unit."""
        return f"{cell}/{self.base}^{self._step(cell)}"

    def unit_formula(self, cell: str, names: Sequence[str]) -> str:
        """Return the formula that names the best unit of a cell, of the names of all of them."""
        return f"CHOOSE(1+{self._step(cell)},{','.join(quoted(name) for name in names)})"

    def _step(self, cell: str) -> str:
        return f"({'+'.join(f'({cell}>={limit})' for limit in self.limits)})"


MYRIADS = UnitScale(10_000, ("1E4", "1E8", "1E12", "1E16"))  # as Chinese counts
THOUSANDS = UnitScale(1000, ("1E3", "1E6", "1E9", "1E12", "1E15", "1E18"))
BINARY = UnitScale(1024, tuple(str(1024**power) for power in range(1, 6)))


def of_counts(words: Texts) -> UnitScale:
    """Return the steps in which a language counts."""
    return {scale.base: scale for scale in (THOUSANDS, MYRIADS)}[int(words("scale.base"))]
