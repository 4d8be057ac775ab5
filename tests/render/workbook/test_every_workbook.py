"""The workbook of every built-in spec: recalculated, what it says of crossings, how deep its formulas go, and its lines in the catalogue.

Some specs at a time go through all tests, so that one process builds and plans them once.
"""

from __future__ import annotations

import io
import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from generator.api import load_from
from generator.build.catalogue_output import catalogue_of
from generator.build.spec_summary import summarise
from generator.files.resources import builtin_specs_dir
from generator.formulas.evaluate import evaluate
from generator.in_bytes import PEAK_BYTES
from generator.quantities import MACS, QUANTITIES
from generator.questions.growth.growth_summary import first_of_pairs, inside
from generator.render.formats import EXCEL
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, Plan
from generator.sheet.sizing import sized
from generator.spec.library import Library
from generator.text.errors import SizeError
from tests.support.builtin import builtin_in_inference

from .calculator import Answer, Job, calculated, needs_uno, same
from .crossing_truth import sentences, wrong_sentences
from .every import SPECS, Book, book, has_peak
from .libreoffice import Cell
from .nesting import too_deep

pytestmark = [pytest.mark.slow, pytest.mark.proof]

SHARES = 8  # of the specs
MANY_OVERRIDE_SETS = 20
FACTORS = (1, 2, 3, 4, 8)


@dataclass(frozen=True)
class Case:
    preset: str | None
    overrides: dict[str, int]
    dtype: str


@pytest.fixture(scope="module", params=range(SHARES))
def shelf(request: pytest.FixtureRequest) -> Iterator[list[Book]]:
    yield [*map(book, SPECS[request.param :: SHARES])]
    book.cache_clear()  # a process may come to all of them


def drawn(one: Book, chosen: int | None = 1, sets: int = 1) -> list[Case]:
    """Draw what is typed into a workbook: so many of its presets as they are (the last ones, or all), and sizes beside presets."""
    rng = random.Random(one.name)
    presets = [column.name for column in one.plan.columns if column.name in one.spec.presets] or [None]
    cases = [Case(preset, {}, "float32") for preset in (presets if chosen is None else presets[-chosen:])]
    for i in range(sets):
        preset = presets[i % len(presets)]
        cases.append(Case(preset, overrides(one.plan, preset, rng), rng.choice(["float64", "float32", "bfloat16", "float16"])))
    return cases


def given(plan: Plan, preset: str | None) -> dict[str, int]:
    column = next(column for column in plan.columns if preset in (None, column.name))
    return {**column.published, **column.examples}


def overrides(plan: Plan, preset: str | None, rng: random.Random) -> dict[str, int]:
    """Return sizes that a user might type, some at a time, which satisfy the conditions."""
    base = given(plan, preset)
    in_use = sized(plan.sheet, None, base)
    settable = [size.name for size in plan.settable]
    for attempt in range(300):
        chosen = rng.sample(settable, min(len(settable), 1 + rng.randrange(3 if attempt < 150 else 1)))
        typed = {name: rng.choice([rng.randint(1, 64), in_use[name] * rng.choice(FACTORS), 2 ** rng.randint(0, 12)]) for name in chosen}
        try:
            sized(plan.sheet, None, base | typed)
        except SizeError:
            continue
        return typed
    return {}


def typed(book: Book, case: Case) -> dict[Cell, Any]:
    cells: dict[Cell, Any] = {("Summary", f"C{book.plan.size_rows[name]}"): value for name, value in case.overrides.items()}
    cells["Summary", f"B{book.plan.format_row}"] = case.dtype
    return cells | ({("Summary", "B2"): case.preset} if case.preset else {})


def expected(book: Book, case: Case) -> dict[Cell, Any]:
    """Return what every row and total must come to, by the API."""
    plan, spec = book.plan, book.spec
    sizes: Mapping[str, Any] = {**given(plan, case.preset), **case.overrides}
    cost = spec.cost(**sizes, dtype=case.dtype)
    leaves = {row.name: row for row in cost.rows}
    found: dict[Cell, Any] = {}
    for quantity in QUANTITIES:
        column = plan.quantity_column(quantity)
        for i, row in enumerate(spec.sheet.rows):
            value = leaves[row.path].value(quantity.key) if row.path in leaves else evaluate(row.costs[quantity.key], cost.dims)
            found["Layers", f"{column}{FIRST_LAYER_ROW + i}"] = value
        found["Layers", f"{column}{plan.layers_total_row}"] = cost.value(quantity.key)
        found["Summary", f"D{plan.total_rows[quantity.key]}"] = cost.value(quantity.key)
    for name, row in plan.size_rows.items():
        found["Summary", f"D{row}"] = cost.dims[name]
    found["Summary", f"D{plan.memory_rows['saved_bytes']}"] = cost.saved_bytes
    found["Summary", f"D{plan.memory_rows['peak_bytes']}"] = cost.peak_bytes if has_peak(spec.sheet, cost.dims, case.dtype) else "–"
    found["Summary", "E2"] = "OK"
    return found | in_inference(book, sizes, case)


def in_inference(book: Book, sizes: Mapping[str, Any], case: Case) -> dict[Cell, Any]:
    """Return what stands below the memory where the module does not train: what the API says in that mode."""
    rows = book.plan.inference_rows
    if not rows:
        return {}
    used = load_from(builtin_in_inference(), book.name, {})
    cost = used.cost(**sizes, dtype=case.dtype)
    found: dict[Cell, Any] = {("Summary", f"D{row}"): cost.value(key) for key, row in rows.items() if key != PEAK_BYTES.key}
    if PEAK_BYTES.key in rows:
        has_formula = has_peak(used.sheet, cost.dims, case.dtype)
        found["Summary", f"D{rows[PEAK_BYTES.key]}"] = cost.peak_bytes if has_formula else "–"
    return found


def wrong(book: Book, case: Case, answer: Answer) -> dict[Cell, Any]:
    assert answer.errors == {}, (book.name, case)
    return {cell: (value, answer.values[cell]) for cell, value in expected(book, case).items() if not same(value, answer.values[cell])}


@needs_uno
@pytest.mark.parametrize(("presets", "sets"), [(1, 1), pytest.param(None, MANY_OVERRIDE_SETS, marks=pytest.mark.exhaustive)])
def test_every_formula_presets_and_random_overrides_come_to_the_numbers_of_the_api(
    shelf: list[Book], presets: int | None, sets: int, tmp_path: Path
) -> None:
    cases = [drawn(one, presets, sets) for one in shelf]
    read, jobs = ("Summary", "Layers", "Formulas"), []
    for one, own in zip(shelf, cases, strict=True):
        extents = one.stored.extents
        jobs.append(Job(one.file, [{}], [*extents.items()]))
        jobs.append(Job(one.file, [typed(one, case) for case in own], [(title, extents[title]) for title in read]))
    answers = calculated(jobs, tmp_path)
    for one, own, (fresh,), found in zip(shelf, cases, answers[::2], answers[1::2], strict=True):
        assert fresh.errors == {}, one.name
        values = one.stored.values
        differing = {
            cell: (formula, values.get(cell, ""), fresh.values[cell])
            for cell, formula in one.stored.formulas.items()
            if not same(values.get(cell, ""), fresh.values[cell])
        }
        assert differing == {}, one.name
        for case, answer in zip(own, found, strict=True):
            assert wrong(one, case, answer) == {}, (one.name, case)
            dims = sized(one.plan.sheet, None, {**given(one.plan, case.preset), **case.overrides})
            assert wrong_sentences(one.plan, answer.values, dims) == [], (one.name, case)


@needs_uno
def test_the_check_sees_a_wrong_number_and_an_error(tmp_path: Path) -> None:
    """Formulas that are planted in the file: the comparison must notice."""
    bert = book("bert")
    case = drawn(bert)[0]
    cell = ("Layers", f"{bert.plan.quantity_column(MACS)}{FIRST_LAYER_ROW + 7}")
    reads = [(title, bert.stored.extents[title]) for title in ("Summary", "Layers")]
    tampered = Job(tampered_copy(bert.file, tmp_path / "tampered.xlsx", cell[1], "+1"), [typed(bert, case)], reads)
    broken = Job(tampered_copy(bert.file, tmp_path / "broken.xlsx", cell[1], "/0"), [typed(bert, case)], reads)
    (changed,), (failed,) = calculated([tampered, broken], tmp_path)
    assert cell in wrong(bert, case, changed)
    assert changed.values["Summary", "E2"] == "CHECK"
    assert set(failed.errors) >= {"Layers", "Summary"}


def tampered_copy(source: Path, target: Path, cell: str, tail: str) -> Path:
    import zipfile

    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            text = before.read(name).decode("utf-8")
            if name == "xl/worksheets/sheet2.xml":
                assert "<f>b*n*d^2*L</f>" in text
                at = text.index("<f>b*n*d^2*L</f>", text.index(f'r="{cell}"')) + len("<f>b*n*d^2*L")
                text = text[:at] + tail + text[at:]
            after.writestr(name, text)
    return target


def test_who_overtakes_whom_is_so_at_the_whole_sizes_on_both_sides(shelf: list[Book]) -> None:
    found = {one.name: wrong_sentences(one.plan, one.stored.values, one.plan.in_use) for one in shelf}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    said = [text for one in shelf for text in sentences(one.plan, one.stored.values)]
    assert sum(" overtakes " in text for text in said) > 5


def test_pages_and_workbooks_show_the_same_crossings(shelf: list[Book]) -> None:
    for one in shelf:
        key = "total_flops" if one.plan.main.key == "vector_flops" else "macs"
        shown = [each for each in inside(one.plan.sheet) if each.measure == key]
        pairs = {frozenset((each.crossing.first.words, each.crossing.second.words)) for each in first_of_pairs(shown)}
        assert pairs == {frozenset((each.first.words, each.second.words)) for each in one.plan.crossings}, one.name
        assert {(each.crossing.size, each.crossing.root) for each in shown} == {(each.size, each.root) for each in one.plan.crossings}


def test_a_crossing_that_the_conditions_exclude_is_said_to_be_so() -> None:
    """BERT has 512 positions; attention would pass the feed-forward network at 2 * 768 = 1536."""
    bert = book("bert")
    assert (
        next(sentences(bert.plan, bert.stored.values))
        == "multi head attention overtakes mlp (excluded by the condition that n is at most P)"
    )
    said = bert.stored.values["Summary", "A4"]
    assert said.endswith("; multi head attention overtakes mlp beyond n = 1536 (excluded by the condition that n is at most P).")


def test_every_excel_can_read_the_formulas(shelf: list[Book]) -> None:
    found = {one.name: too_deep(one.stored.formulas) for one in shelf}
    assert {name: cells for name, cells in found.items() if cells} == {}


# ---- the catalogue ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lines(shelf: list[Book]) -> list[tuple[Book, dict[str, Any]]]:
    """Return the lines of the catalogue as `gen build` writes it: from summaries, which hold neither rows nor conditions."""
    books = {one.name: one for one in shelf}
    summaries = {one.name: summarise(one.plan.sheet, {}) for one in shelf}
    file = catalogue_of(Library([builtin_specs_dir()]), summaries, EXCEL)
    sheet = load_workbook(io.BytesIO(file))["Catalogue"]
    assert isinstance(sheet, Worksheet)
    head, *rows = sheet.iter_rows(min_row=4, values_only=True)
    found = [dict(zip(map(str, head), row, strict=True)) for row in rows]
    return [(books[str(line["Spec"])], line) for line in found]


def sizes_of(line: dict[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", str(line["Sizes"]))}


def column_of(one: Book, line: dict[str, Any]) -> str:
    """Return the column of the sheet Presets that a line speaks of."""
    if str(line["Preset"]) == "example (ours)":
        assert not one.plan.has_presets
        return one.plan.first_column
    return next(column.letter for column in one.plan.filled_columns if column.name == line["Preset"])


def test_the_sizes_of_every_line_satisfy_the_conditions_as_the_spec_writes_them(lines: list[tuple[Book, dict[str, Any]]]) -> None:
    functions = {"__builtins__": {}, "min": min, "max": max, "floor": math.floor, "ceil": math.ceil}
    broken = []
    for one, line in lines:
        sizes = sizes_of(line)
        for constraint in one.plan.sheet.constraints:
            if not eval(constraint.text, functions, sizes):  # noqa: S307 - of the built-in specs
                broken.append((one.name, line["Preset"], constraint.text))  # noqa: PERF401 - clearer
    assert broken == []


def test_the_numbers_of_every_line_are_those_of_its_workbook(lines: list[tuple[Book, dict[str, Any]]]) -> None:
    for one, line in lines:
        column, values = column_of(one, line), one.stored.values
        there = {size: values["Presets", f"{column}{row}"] for size, row in one.plan.all_size_rows.items()}
        assert sizes_of(line) == there, (one.name, line["Preset"])
        for i, quantity in enumerate(QUANTITIES):
            shown, which = [*line.values()][6 + i], (one.name, line["Preset"], quantity.key)
            assert shown == values["Presets", f"{column}{one.plan.preset_total_rows[quantity.key]}"], which
            if column == one.plan.first_column:
                assert shown == values["Summary", f"D{one.plan.total_rows[quantity.key]}"], which


def test_every_preset_of_every_spec_has_a_line(shelf: list[Book], lines: list[tuple[Book, dict[str, Any]]]) -> None:
    expected = []
    for one in shelf:
        expected += [(one.name, column.name if one.plan.has_presets else "example (ours)") for column in one.plan.filled_columns]
    assert len(expected) >= len(shelf) > 0
    assert sorted((one.name, str(line["Preset"])) for one, line in lines) == sorted(expected)
