"""A second engine comes to the values that are stored in workbooks, and to ours where other sizes are typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES
from generator.render.workbook.load_choices import choice_row
from generator.sheet.preset_totals import complete

from .every import SPECS, book
from .hyperformula import calculated, needs_hyperformula, spelled_out
from .libreoffice import Cell, edited, formulas, values

pytestmark = pytest.mark.slow

LOAD = "Memory and time"


def wrong(file: Path, found: dict[Cell, Any]) -> list[tuple[Cell, str, Any, Any]]:
    """Return the cells of which the stored value is another one."""
    stored = values(file)
    return [
        (cell, formula, stored.get(cell), found.get(cell))
        for cell, formula in formulas(file).items()
        if not _agree(stored.get(cell), found.get(cell))
    ]


def _agree(stored: Any, found: Any) -> bool:
    if isinstance(stored, bool | str) or stored is None:
        return (stored or "") == (_with_15_digits(found) if isinstance(found, str) else found or "")
    return isinstance(found, int | float) and abs(stored - found) <= 1e-12 * max(abs(stored), abs(found))


def _with_15_digits(text: str) -> str:
    """Return a text in which numbers have as many digits as Excel gives those that it joins to text; JavaScript gives 17."""
    return re.sub(r"[0-9]+\.[0-9]{10,}", lambda match: format(float(match[0]), ".15g"), text)


@needs_hyperformula
@pytest.mark.parametrize("name", [name if name == "bert" else pytest.param(name, marks=pytest.mark.exhaustive) for name in SPECS])
def test_stored_values_are_what_a_second_engine_calculates(name: str) -> None:
    file = book(name).file
    found = calculated(file)
    assert len(found) > 500
    assert wrong(file, found) == []


@needs_hyperformula
def test_totals_at_other_sizes_are_ours_in_a_second_engine() -> None:
    one = book("bert")
    rows = one.plan.size_rows
    given = {"b": 3, "n": 300, "L": 7, "h": 8, "d": 96}
    typed: dict[Cell, Any] = {("Summary", f"C{rows[name]}"): value for name, value in given.items()}
    typed |= {("Summary", "B2"): "bert-large", (LOAD, f"B{choice_row('weights')}"): "q4_k", (LOAD, f"B{choice_row('price')}"): 2}
    found = calculated(one.file, typed)
    published = next(preset.sizes for preset in one.spec.sheet.presets if preset.name == "bert-large")
    sizes = complete(one.spec.sheet.sizes, {**{key: value for key, value in published.items() if key != "f"}, **given})
    for quantity in QUANTITIES:
        expected = evaluate(one.spec.sheet.totals[quantity.key], sizes)
        assert found["Summary", f"D{one.plan.total_rows[quantity.key]}"] == expected, quantity.key
    assert not [cell for cell, value in found.items() if isinstance(value, str) and value.startswith("#")]


@needs_hyperformula
def test_a_second_engine_catches_a_formula_that_was_changed(tmp_path: Path) -> None:
    one = book("bert")
    cell = "Summary", f"D{one.plan.total_rows['params']}"
    found = calculated(edited(one.file, tmp_path / "changed.xlsx", {cell: "=4*d^2*L"}))
    assert cell in {at for at, *_ in wrong(one.file, found)}


def test_texts_inside_formulas_are_handed_on_as_they_are() -> None:
    assert spelled_out('=IF(A1>=1E3,"1E3 or TRUE",TRUE)') == '=IF(A1>=1000,"1E3 or TRUE",TRUE())'
    assert (
        spelled_out("=INDEX(Presets!$C$4:$H$4,$B$6)+SUMPRODUCT(ROW($A$2:$A$4))") == "=INDEX(Presets!$C$4:$H$4,1,$B$6)+SUMPRODUCT({2;3;4})"
    )
