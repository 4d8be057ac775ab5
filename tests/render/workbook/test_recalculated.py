"""LibreOffice calculates every formula anew: with stored values, for each preset, and for overrides at random."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils import get_column_letter

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES
from generator.render.workbook import build_workbook
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet

from .libreoffice import Cell, agree, differences, edited, needs_libreoffice, recalculated, values
from .sheets import encoder, many_terms, without_presets

pytestmark = [pytest.mark.slow, needs_libreoffice]

COLUMNS = {quantity.key: get_column_letter(column) for column, quantity in enumerate(QUANTITIES, 7)}  # of the layers
FIRST_SIZE, FIRST_LAYER = 13, 5


def written(folder: Path, sheet: Sheet) -> Path:
    path = folder / f"{sheet.name}.xlsx"
    path.write_bytes(build_workbook(sheet))
    return path


def override(sheet: Sheet, given: Mapping[str, int]) -> dict[Cell, Any]:
    """Return the cells that a user would fill in on the summary."""
    rows = {size.name: FIRST_SIZE + i for i, size in enumerate(sheet.sizes)}
    return {("Summary", f"C{rows[name]}"): value for name, value in given.items()}


def wrong_cells(sheet: Sheet, found: Mapping[Cell, Any], sizes: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Compare every size, layer, shape and total of a recalculated workbook with our own evaluation."""
    expected: dict[Cell, Any] = {("Summary", f"D{FIRST_SIZE + i}"): sizes[size.name] for i, size in enumerate(sheet.sizes)}
    for i, row in enumerate(sheet.rows):
        at = FIRST_LAYER + i
        expected |= {("Layers", f"{column}{at}"): evaluate(row.costs[key], sizes) for key, column in COLUMNS.items()}
        expected["Layers", f"D{at}"] = evaluate(row.repeat, sizes)
        shapes = [f"{name} [{', '.join(str(evaluate(axis, sizes)) for axis in axes)}]".strip() for name, axes in row.shapes]
        expected["Layers", f"F{at}"] = "; ".join(shapes)
    first_total = FIRST_SIZE + len(sheet.sizes) + 4
    for i, quantity in enumerate(QUANTITIES):
        total = evaluate(sheet.totals[quantity.key], sizes)
        expected["Summary", f"D{first_total + i}"] = total
        expected["Layers", f"{COLUMNS[quantity.key]}{FIRST_LAYER + len(sheet.rows)}"] = total
    assert len(expected) > 100
    return [("!".join(cell), found.get(cell), value) for cell, value in expected.items() if not agree(_plain(value), found.get(cell))]


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | str) else float(value)


def random_sizes(sheet: Sheet, rng: random.Random) -> dict[str, int]:
    """Return overrides that satisfy the conditions: some sizes at random, the width a multiple of the heads."""
    heads = rng.randint(1, 9)
    given = {"h": heads, "d": heads * rng.randint(1, 40), "n": rng.randint(1, 300), "N": rng.randint(300, 900)}
    others = {size.name: rng.randint(1, 97) for size in sheet.sizes if size.kind != "derived" and size.name not in given}
    return given | {name: value for name, value in others.items() if rng.random() < 0.5}


def test_stored_values_are_what_the_formulas_come_to(tmp_path: Path) -> None:
    files = [written(tmp_path, sheet) for sheet in (encoder(), without_presets(), many_terms(25))]
    for file, fresh in zip(files, recalculated(files, tmp_path), strict=True):
        assert differences(file, fresh) == []


def test_a_planted_wrong_value_and_a_planted_wrong_formula_are_caught(tmp_path: Path) -> None:
    good = written(tmp_path, encoder())
    tampered = {
        "value": ("<f>b*n*m*d*L</f><v>1280000</v>", "<f>b*n*m*d*L</f><v>1280001</v>"),
        "formula": ("<f>b*n*m*d*L</f>", "<f>b*n*m*d*L+1</f>"),
        "error": ("<f>b*n*m*d*L</f>", "<f>b*n*m*d*L/0</f>"),
        "text": ('<f>"["&amp;b&amp;", "&amp;n&amp;", "&amp;d1_&amp;"]"</f>', '<f>"("&amp;b&amp;", "&amp;n&amp;", "&amp;d1_&amp;"]"</f>'),
    }
    files = [replaced(good, tmp_path / f"{name}.xlsx", *change) for name, change in tampered.items()]
    for file, fresh in zip(files, recalculated(files, tmp_path), strict=True):
        assert any(difference.cell[0] == "Layers" for difference in differences(file, fresh)), file.stem


def replaced(source: Path, target: Path, old: str, new: str) -> Path:
    """Copy a workbook with one text of its layers replaced."""
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            text = before.read(name).decode("utf-8")
            if name == "xl/worksheets/sheet2.xml":
                assert old in text
                text = text.replace(old, new, 1)
            after.writestr(name, text)
    return target


def test_every_preset_and_random_overrides_come_to_our_own_numbers(tmp_path: Path) -> None:
    sheet, rng = encoder(), random.Random(7)
    good = written(tmp_path, sheet)
    cases: list[tuple[str, dict[str, int]]] = [(preset.name, {}) for preset in sheet.presets]
    cases += [(rng.choice(sheet.presets).name, random_sizes(sheet, rng)) for _ in range(6)]
    files = [
        edited(good, tmp_path / f"case-{i}.xlsx", {("Summary", "B2"): preset, **override(sheet, given)})
        for i, (preset, given) in enumerate(cases)
    ]
    for (name, given), fresh in zip(cases, recalculated(files, tmp_path), strict=True):
        published = next(preset.sizes for preset in sheet.presets if preset.name == name)
        found = values(fresh)
        assert wrong_cells(sheet, found, complete(sheet.sizes, {"b": 1, **published, **given})) == [], (name, given)
        assert found["Summary", "E2"] == "OK", (name, given)
        assert not [cell for cell, value in found.items() if str(value).startswith(("#", "Err:"))]


def test_the_summary_says_what_is_wrong(tmp_path: Path) -> None:
    sheet = encoder()
    good = written(tmp_path, sheet)
    cases = {
        "heads": override(sheet, {"d": 1000, "h": 16}),
        "length": override(sheet, {"n": 129}),
        "fine": override(sheet, {"n": 5, "m": 3}),
        "preset": {("Summary", "B2"): "huge"},
        "empty": {("Summary", "B2"): None},
    }
    files = [edited(good, tmp_path / f"{name}.xlsx", cells) for name, cells in cases.items()]
    found = {file.stem: values(file) for file in recalculated(files, tmp_path)}
    assert {name: (cells["Summary", "E2"], cells["Summary", "F2"]) for name, cells in found.items()} == {
        "heads": ("CHECK", "d = 1000 is not divisible by h = 16 (992 and 1008 are)."),
        "length": ("CHECK", "n = 129 is greater than N = 128."),
        "fine": ("OK", "Sizes overridden: 2. Expected totals do not apply to them."),
        "preset": ("CHECK", "Choose a preset from the list in the tinted cell."),
        "empty": ("CHECK", "Choose a preset from the list in the tinted cell."),
    }
    checks = {
        value: found["heads"].get(("Checks", f"E{cell[1][1:]}"))
        for cell, value in found["heads"].items()
        if cell[0] == "Checks" and cell[1][0] == "B"
    }
    assert checks["The sizes fit: d is a multiple of h"] == "CHECK"
    assert checks["The preset in use comes to the expected total: Parameters"] == "n/a"


def test_where_a_size_comes_from_follows_the_inputs(tmp_path: Path) -> None:
    sheet = encoder()
    (fresh,) = recalculated(
        [edited(written(tmp_path, sheet), tmp_path / "a.xlsx", {("Summary", "B2"): "large", **override(sheet, {"L": 3})})], tmp_path
    )
    found = values(fresh)
    origins = {size.name: found["Summary", f"E{FIRST_SIZE + i}"] for i, size in enumerate(sheet.sizes)}
    assert {name: origins[name] for name in ("b", "m", "e", "f", "L", "N")} == {
        "b": "example value (ours)", "m": "preset", "e": "always d/h", "f": "preset", "L": "override", "N": "preset",
    }  # fmt: skip
