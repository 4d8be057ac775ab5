"""Putting sizes into the formulas of a sheet, numbers or expressions of other sizes."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Eq, Expr, Integer, Mod, Symbol, expand
from sympy.logic.boolalg import Boolean

from generator.formulas.symbols import symbol
from generator.sheet.preset_totals import held
from generator.sheet.sheet import Sheet
from generator.sheet.sizing import preset_sizes, sized


def bound_sizes(sheet: Sheet, given: Mapping[str, Expr | int]) -> dict[Symbol, Expr]:
    """Return what each size is once some are given: defaults and derived sizes follow; open sizes are left out.

    Raises:
        SizeError: numbers that break a condition of the spec, or that a size cannot be.
    """
    numbers = {name: int(value) for name, value in given.items() if isinstance(value, int) or value.is_Integer}
    sized(sheet, None, numbers)
    known: dict[Symbol, Expr] = {}
    for size in sheet.sizes:
        if size.name in given and size.kind != "derived":
            value = given[size.name]
            known[symbol(size.name)] = Integer(value) if isinstance(value, int) else value
        elif size.value is not None:
            known[symbol(size.name)] = size.value.xreplace(known)
    return known


def preset_values(sheet: Sheet, name: str) -> dict[str, int]:
    """Return the sizes that a preset of a sheet holds; the others follow. Raises SizeError where there is none of the name."""
    sized(sheet, name, {})
    return held(sheet.sizes, preset_sizes(sheet, name), sheet.families)


def check_settable(sheet: Sheet, name: str) -> None:
    """Raise SizeError unless a sheet has a size of a name that may be given."""
    if not any(size.name == name and size.kind != "derived" for size in sheet.sizes):
        sized(sheet, None, {name: 1})  # says what is wrong with it


def at(formula: Expr, known: Mapping[Symbol, Expr]) -> Expr:
    """Return a formula with sizes put in, multiplied out."""
    return expand(formula.xreplace(dict(known)))


def divisibility(condition: Boolean) -> tuple[Expr, Expr] | None:
    """Return (a, b) for a condition that says that b divides a."""
    if isinstance(condition, Eq):
        sides = (condition.lhs, condition.rhs)
        for modulo, zero in (sides, sides[::-1]):
            if isinstance(modulo, Mod) and zero == Integer(0):
                return modulo.args[0], modulo.args[1]
    return None
