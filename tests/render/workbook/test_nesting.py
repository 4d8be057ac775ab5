"""What Excel's parser allows; that the workbooks of all built-in specs keep to it is seen in `test_every_workbook.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from sympy import Add, Eq, Le, Mod

from generator.formulas.symbols import symbol
from generator.render.workbook import build_workbook
from generator.sheet.sheet import Constraint, Sheet, SheetPreset, Size

from .calculator import stored
from .nesting import deepest, too_deep
from .sheets import built, linear, row, sums

SIZES = 134


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
