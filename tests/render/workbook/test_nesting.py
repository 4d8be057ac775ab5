"""What Excel's parser allows: 64 levels of nesting, and 255 arguments of a function; LibreOffice takes more and shows no fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl.formula.tokenizer import Token, Tokenizer
from sympy import Add, Eq, Le, Mod

from generator.formulas.symbols import symbol
from generator.render.workbook import build_workbook
from generator.sheet.sheet import Constraint, Sheet, SheetPreset, Size

from .calculator import stored
from .every import books
from .sheets import built, linear, row, sums

MOST_LEVELS, MOST_ARGUMENTS = 64, 255
SIZES = 134


def deepest(formula: str) -> tuple[int, int]:
    """Return the levels of parentheses of a formula, and the most arguments of any function in it."""
    levels, most, open_calls = 0, 0, []
    for token in Tokenizer(f"={formula}").items:
        if token.subtype == Token.OPEN:
            open_calls.append(1)
            levels = max(levels, len(open_calls))
        elif token.subtype == Token.CLOSE:
            most = max(most, open_calls.pop())
        elif token.type == Token.SEP and token.subtype == Token.ARG:
            open_calls[-1] += 1
    assert open_calls == []
    return levels, most


def many_sizes() -> Sheet:
    """A spec with as many sizes as the longest built-in one, each with a condition, and some that follow from others."""
    names = ["b", *(f"width_{i}" for i in range(1, SIZES))]
    sizes = tuple(
        Size(name, f"width {i}", "default" if i % 9 == 8 else "free", 2 * symbol(names[i - 1]) if i % 9 == 8 else None)
        for i, name in enumerate(names)
    )
    parts = [symbol(name) for name in names]
    rows = (
        *(linear(f"layer_{i}", parts[i], parts[i + 1], parts[0]) for i in range(0, SIZES - 1, 12)),
        row("mixed", "einsum", (parts[0], parts[0]), macs=parts[0] ** 2 * Add(*parts)),
    )
    constraints = tuple(Constraint(f"{name} <= {names[-1]}", Le(symbol(name), symbol(names[-1]))) for name in names[:33])
    constraints += tuple(Constraint(f"{name} % 2 == 0", Eq(Mod(symbol(name), 2), 0)) for name in names[:33])
    given = {name: 2 * (i + 1) for i, name in enumerate(names) if i % 9 != 8} | {names[-1]: 4096}
    return Sheet(
        "sizes", "Many sizes", "", "sizes.yaml", "0" * 64, sizes, {}, {"x": (parts[0], parts[1])}, {}, constraints, rows, sums(rows),
        (SheetPreset("one", given, {}),),
    )  # fmt: skip


def too_deep(formulas: dict[tuple[str, str], str]) -> dict[tuple[str, str], tuple[int, int]]:
    found = {cell: deepest(formula) for cell, formula in formulas.items()}
    return {cell: depth for cell, depth in found.items() if depth[0] > MOST_LEVELS or depth[1] > MOST_ARGUMENTS}


def test_levels_and_arguments_are_counted() -> None:
    assert deepest('IF(A1=")(",SUM(1,(2+3),4),0)') == (3, 3)
    assert too_deep({("a", "A1"): "(" * 65 + "1" + ")" * 65, ("a", "A2"): f"SUM({','.join(['1'] * 256)})"}).keys() == {
        ("a", "A1"),
        ("a", "A2"),
    }


@pytest.mark.parametrize("name", ["encoder", "unpublished"])
def test_formulas_stay_within_what_excel_parses(name: str, tmp_path: Path) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(built(name))
    assert too_deep(stored(file).formulas) == {}


@pytest.mark.slow
def test_so_do_those_of_a_spec_with_134_sizes(tmp_path: Path) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(build_workbook(many_sizes()))
    found = stored(file)
    assert len(found.formulas) > 3000
    assert too_deep(found.formulas) == {}


@pytest.mark.slow
def test_so_do_those_of_every_workbook() -> None:
    found = {one.name: too_deep(one.stored.formulas) for one in books()}
    assert {name: cells for name, cells in found.items() if cells} == {}
