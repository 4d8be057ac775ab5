"""The formulas of a page, each once: as JavaScript that is run, and as MathML that is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.formulas.dialect import PrintingError
from generator.formulas.exact import over_common_denominator
from generator.formulas.javascript import to_javascript
from generator.formulas.mathml import to_mathml

UNKNOWN = -1  # in place of a formula that has no reading in whole numbers


@dataclass
class FormulaPool:
    """Collects formulas; what is the same in JavaScript is one.

    Args:
        order: the names of the sizes, whose places are those of the numbers that a page gives its formulas.
    """

    order: Sequence[str]
    sources: list[str] = field(default_factory=list)  # JavaScript in `s`, the list of sizes
    drawn: list[str] = field(default_factory=list)  # MathML; empty where nobody sees it
    places: dict[Any, int] = field(default_factory=dict, init=False)  # of each formula that was added
    _known: dict[str, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._names = {name: f"s[{index}]" for index, name in enumerate(self.order)}

    def add(self, expr: Any, *, is_drawn: bool = True, longest: int | None = None) -> int:
        """Return the number of a formula or condition; `UNKNOWN` for one that JavaScript cannot say.

        Args:
            is_drawn: whether it is shown, and not only worked out.
            longest: a text of more characters is taken for one that cannot be said.
        """
        if expr not in self.places:
            self.places[expr] = self._added(expr, longest)
        place = self.places[expr]
        if is_drawn and place != UNKNOWN and not self.drawn[place]:
            self.drawn[place] = to_mathml(expr, self.order)
        return place

    def quotient(self, expr: Any, *, is_drawn: bool = True) -> list[int]:
        """Return the numbers of a numerator and a denominator: an average need not come out whole."""
        return [self.add(part, is_drawn=is_drawn) for part in over_common_denominator(expr)]

    def _added(self, expr: Any, longest: int | None) -> int:
        try:
            source = to_javascript(expr, self._names, self.order)
        except PrintingError:
            return UNKNOWN
        if longest is not None and len(source) > longest:
            return UNKNOWN
        if source not in self._known:
            self._known[source] = len(self.sources)
            self.sources.append(source)
            self.drawn.append("")
        return self._known[source]
