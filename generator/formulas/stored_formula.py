"""A formula as it is kept in a file: it can be shown and evaluated without sympy, which takes longer to import than both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any


class StoredFormula:
    """A formula or a condition that depends on sizes; a number is kept as an int.

    Args:
        data: see `generator.formulas.formula_data`.
        order: the sizes in the order in which they are shown.
        text: as the spec language writes it; where it is not known yet, it is printed when it is asked for.
    """

    def __init__(self, data: Any, order: Sequence[str], text: str | None = None) -> None:
        self.data, self._order, self._text = data, order, text

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sizes that it depends on, in alphabetical order."""
        return tuple(sorted(_names(self.data)))

    @cached_property
    def text(self) -> str:
        """The formula as the spec language writes it."""
        if self._text is not None:
            return self._text
        from generator.formulas.text import to_text

        return to_text(self.whole, self._order)

    @property
    def whole(self) -> Any:
        """The formula as an expression of sympy."""
        from generator.formulas.formula_data import from_data

        return from_data(self.data)

    def __add__(self, other: StoredFormula | int) -> StoredFormula:
        return StoredFormula(["Add", self.data, _data(other)], self._order)

    __radd__ = __add__

    def __mul__(self, other: StoredFormula | int) -> StoredFormula:
        return StoredFormula(["Mul", self.data, _data(other)], self._order)

    __rmul__ = __mul__


def size_names(formula: Any) -> tuple[str, ...]:
    """Return the sizes that a formula depends on, in alphabetical order: one of sympy's, a kept one, or a number."""
    if isinstance(formula, int):
        return ()
    if isinstance(formula, StoredFormula):
        return formula.names
    return tuple(sorted(symbol.name for symbol in formula.free_symbols))


def is_size(formula: Any) -> bool:
    """Say whether a formula is the name of one size and nothing else."""
    if isinstance(formula, StoredFormula):
        return isinstance(formula.data, str)
    return bool(getattr(formula, "is_Symbol", False))


def text_of(formula: Any, order: Sequence[str]) -> str:
    """Return a formula as the spec language writes it: one of sympy's, a kept one, or a number."""
    if isinstance(formula, int):
        return str(formula)
    if isinstance(formula, StoredFormula):
        return formula.text
    from generator.formulas.text import to_text

    return to_text(formula, order)


def with_sizes(formula: Any, known: Mapping[str, int]) -> Any:
    """Return a formula, one of sympy's or a kept one, with numbers put in for some sizes."""
    from generator.formulas.symbols import symbol

    whole = formula.whole if isinstance(formula, StoredFormula) else formula
    return whole.subs({symbol(name): value for name, value in known.items()})


def _data(value: StoredFormula | int) -> Any:
    return value.data if isinstance(value, StoredFormula) else value


def _names(data: Any) -> set[str]:
    if isinstance(data, str):
        return {data}
    if not isinstance(data, list):
        return set()
    return {name for part in data[1:] for name in _names(part)}
