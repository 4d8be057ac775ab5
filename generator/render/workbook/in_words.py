"""A layer's cost as a sentence: the formula with the meanings of the sizes in place of their letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sympy import Symbol

from generator.formulas.dialect import Binds, Dialect, Piece
from generator.quantities import Shown, shown_in
from generator.render.workbook.sheet_plan import Plan
from generator.sheet.sheet import SheetRow

LONGEST = 400
_RAISED = {"2": "²", "3": "³", "4": "⁴"}


class _Words(Dialect):
    """`2 × batch size × sequence length² × model width`."""

    name: ClassVar[str] = "a sentence"
    times: ClassVar[str] = " × "

    def __init__(self, meanings: Mapping[str, str], size_order: Sequence[str]) -> None:
        super().__init__(size_order)
        self.meanings = meanings

    def size(self, symbol: Symbol) -> Piece:
        """What a size means."""
        return Piece(self.meanings[symbol.name], Binds.ATOM)

    def power(self, base: Piece, exponent: Piece) -> Piece:
        """Return a power with a small raised number."""
        raised = _RAISED.get(exponent.text, f"^{self.inside(exponent, Binds.ATOM)}")
        return Piece(f"{self.inside(base, Binds.ATOM)}{raised}", Binds.POWER)

    def quotient(self, over: Piece, under: Sequence[Piece]) -> Piece:
        """Return a quotient."""
        below = self.product(under)
        return Piece(f"{self.inside(over, Binds.PRODUCT)} / {self.inside(below, Binds.POWER)}", Binds.PRODUCT)


def cost_in_words(row: SheetRow, plan: Plan) -> str:
    """Return the quantity that says most about a layer as a formula in words."""
    spoken = sorted(shown_in(Shown.LAYER), key=lambda one: one.unit == "scalars")  # what a layer does says more than what it holds
    quantity = next((q for q in spoken if row.costs[q.key] != 0), None)
    if quantity is None:
        return plan.words("layers.free")
    cost = row.costs[quantity.key]
    text = _Words({size.name: plan.meaning(size) for size in plan.sheet.sizes}, plan.order).print(cost)
    if len(text) > LONGEST:
        text = _Words({size.name: size.name for size in plan.sheet.sizes}, plan.order).print(cost)
    if len(text) > LONGEST:
        text = text[:LONGEST] + " …"
    return plan.words("layers.cost", quantity=plan.title(quantity), formula=text)
