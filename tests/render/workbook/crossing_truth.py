"""What is said of crossings, against the formulas of the rows put into numbers by sympy alone, at the whole sizes around the root."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import floor
from typing import Any

from sympy import Expr, Poly, Rational, Symbol

from generator.formulas.symbols import symbol
from generator.questions.growth.inner_crossings import PartSide
from generator.render.workbook.crossings import FIRST_CROSSING_ROW
from generator.render.workbook.sheet_plan import Plan

from .libreoffice import Cell

ROUNDING = 1e-12  # of a spreadsheet's numbers


def wrong_sentences(plan: Plan, values: Mapping[Cell, Any], sizes: Mapping[str, int]) -> list[str]:
    """Return what is wrong about the crossings of a workbook.

    Args:
        values: of the cells of its sheet Formulas.
        sizes: all sizes in use.
    """
    found = []
    for index, one in enumerate(plan.crossings):
        text, root = (values["Formulas", f"{column}{FIRST_CROSSING_ROW + index}"] for column in "BE")
        said = re.fullmatch(r"(.+) overtakes (.+?)( \(excluded by .*)?", text)
        if said is None:
            continue
        sides = {plan.side_name(side): side for side in (one.first, one.second)}
        large, small = sides[said[1]], sides[said[2]]
        if abs(root - round(root)) < ROUNDING * root:  # a whole root, worked out in floating point
            root = round(root)
        low, high = (floor(root), floor(root) + 1) if root != int(root) else (int(root) - 1, int(root) + 1)
        formulas = [cost(plan, side, one.size, sizes) for side in (large, small)]
        costs = [[Rational(formula.subs(symbol(one.size), at)) for formula in formulas] for at in (low, high)]
        if low < 1 or not costs[0][0] < costs[0][1] or not costs[1][0] > costs[1][1]:
            found.append(f"{text} at {one.size} = {root}: {costs}")
        if bool(said[3]) != any(broken(plan, one.size, at, sizes) for at in (low, high)):
            found.append(f"{text} at {one.size} = {root}: excluded or not")
        passed = values["Formulas", f"G{FIRST_CROSSING_ROW + index}"]
        if passed != ("yes" if sizes[one.size] > root else "no"):
            found.append(f"{text} at {one.size} = {root}: passed {passed}")
    return found


def sentences(plan: Plan, values: Mapping[Cell, Any]) -> Iterator[str]:
    """Yield what is said of each crossing."""
    yield from (str(values["Formulas", f"B{FIRST_CROSSING_ROW + index}"]) for index in range(len(plan.crossings)))


def cost(plan: Plan, side: PartSide, size: str, sizes: Mapping[str, int]) -> Expr:
    """Return what the rows of a side cost, of one size; sizes that follow from it do so in the formula."""
    x = symbol(size)
    expr = sum(_costs(plan, side)).subs(_numbers(plan, size, x, sizes))
    if side.kind == "power":
        expr = Poly(expr.expand(), x).coeff_monomial(x ** int(side.name)) * x ** int(side.name)
    return expr


def _costs(plan: Plan, side: PartSide) -> Iterator[Expr]:
    rows, key = plan.sheet.rows, plan.main.key
    leaves = [row for row in rows if not any(other.path.startswith(f"{row.path}.") for other in rows)]
    repeated = [row for row in leaves if row.repeat != 1] or leaves
    if side.kind == "power":
        yield from (row.costs[key] for row in leaves)
    elif side.kind == "op":
        yield from (row.costs[key] for row in repeated if row.op == side.name)
    else:
        part = next(part for part in plan.parts if part.name == side.name)
        yield from (rows[index].costs[key] for index in part.rows)


def _set(plan: Plan) -> set[str]:
    return {name for preset in plan.sheet.presets for name in preset.sizes}


def _numbers(plan: Plan, size: str, at: Any, sizes: Mapping[str, int]) -> dict[Symbol, Any]:
    """Return all sizes where one is another: derived sizes follow, and defaults that neither a preset nor a user sets."""
    found: dict[Symbol, Any] = {}
    in_use = {symbol(name): value for name, value in sizes.items()}
    for one in plan.sheet.sizes:
        found[symbol(one.name)] = Rational(Fraction(sizes[one.name]))
        if one.value is not None:
            is_default = one.name not in _set(plan) and one.value.subs(in_use) == sizes[one.name]
            if one.kind == "derived" or is_default:
                found[symbol(one.name)] = one.value.subs(found)
        if one.name == size:
            found[symbol(one.name)] = at
    return found


def broken(plan: Plan, size: str, at: int, sizes: Mapping[str, int]) -> bool:
    """Say whether a size breaks a condition that bounds it, as the spec writes it; what divides another is at most that."""
    numbers = {name.name: Fraction(int(value.p), int(value.q)) for name, value in _numbers(plan, size, Rational(at), sizes).items()}
    for text in (constraint.text for constraint in plan.sheet.constraints):
        bound = re.sub(r"^(.+) % (.+) == 0$", r"\2 <= \1", text)
        if "<" in bound or ">" in bound:
            names = {str(one) for constraint in plan.sheet.constraints if constraint.text == text for one in _closure(plan, constraint)}
            if size in names and not eval(bound, {"__builtins__": {}, "min": min, "max": max}, numbers):  # noqa: S307 - of the specs
                return True
    return False


def _closure(plan: Plan, constraint: Any) -> set[Symbol]:
    """Return the sizes that a condition depends on, also through sizes that follow."""
    found = set(constraint.condition.free_symbols)
    for one in reversed(plan.sheet.sizes):
        if symbol(one.name) in found and one.value is not None and (one.kind == "derived" or one.name not in _set(plan)):
            found |= one.value.free_symbols
    return found
