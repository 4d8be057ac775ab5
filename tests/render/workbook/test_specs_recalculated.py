"""The workbook of every built-in spec, recalculated, against the numbers that the Python API (and `gen cost`) gives."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from generator.api import load_from
from generator.errors import SizeError
from generator.formulas.evaluate import evaluate
from generator.quantities import MACS, PEAK_BYTES, QUANTITIES
from generator.render.workbook.plan import FIRST_LAYER_ROW, Plan
from generator.sheet.sizing import sized
from tests.support.builtin import builtin_in_inference

from .calculator import Answer, Job, calculated, needs_uno, same
from .crossing_truth import wrong_sentences
from .every import SPECS, Book, book, has_peak
from .libreoffice import Cell

pytestmark = [pytest.mark.slow, needs_uno]

SHARES = 2  # of the specs, so that two processes can work on them
OVERRIDE_SETS = 1
MANY_OVERRIDE_SETS = 20
FACTORS = (1, 2, 3, 4, 8)


@dataclass(frozen=True)
class Case:
    preset: str | None
    overrides: dict[str, int]
    dtype: str


@dataclass(frozen=True)
class Typed:
    """A workbook, and what is typed into it."""

    book: Book
    cases: list[Case]


ALL_BOOKS = [
    *((share, 1, OVERRIDE_SETS) for share in range(SHARES)),
    *(pytest.param((share, None, MANY_OVERRIDE_SETS), marks=pytest.mark.exhaustive) for share in range(SHARES)),
]


@pytest.fixture(scope="module", params=ALL_BOOKS)
def typed_into(request: pytest.FixtureRequest) -> list[Typed]:
    share, chosen, sets = request.param
    return drawn(SPECS[share::SHARES], chosen, sets)


def drawn(names: list[str], chosen: int | None = 1, sets: int = OVERRIDE_SETS) -> list[Typed]:
    """Draw what is typed into each workbook: so many of its presets as they are (the last ones, or all), and sizes beside presets."""
    rng, found = random.Random(11), []
    for one in map(book, names):
        presets = [column.name for column in one.plan.columns if column.name in one.spec.presets] or [None]
        cases = [Case(preset, {}, "float32") for preset in (presets if chosen is None else presets[-chosen:])]
        for i in range(sets):
            preset = presets[i % len(presets)]
            cases.append(Case(preset, overrides(one.plan, preset, rng), rng.choice(["float64", "float32", "bfloat16", "float16"])))
        found.append(Typed(one, cases))
    return found


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


def test_every_formula_presets_and_random_overrides_come_to_the_numbers_of_the_api(typed_into: list[Typed], tmp_path: Path) -> None:
    first = [Job(one.book.file, [{}], [*one.book.stored.extents.items()]) for one in typed_into]
    read = ("Summary", "Layers", "Formulas")
    later = [
        Job(one.book.file, [typed(one.book, case) for case in one.cases], [(title, one.book.stored.extents[title]) for title in read])
        for one in typed_into
    ]
    answers = calculated([*first, *later], tmp_path)
    for one, (answer,) in zip(typed_into, answers, strict=False):
        values = one.book.stored.values
        differing = {
            cell: (formula, values.get(cell, ""), answer.values[cell])
            for cell, formula in one.book.stored.formulas.items()
            if not same(values.get(cell, ""), answer.values[cell])
        }
        assert differing == {}, one.book.name
    for one, found in zip(typed_into, answers[len(typed_into) :], strict=True):
        plan = one.book.plan
        for case, answer in zip(one.cases, found, strict=True):
            assert wrong(one.book, case, answer) == {}, (one.book.name, case)
            dims = sized(plan.sheet, None, {**given(plan, case.preset), **case.overrides})
            assert wrong_sentences(plan, answer.values, dims) == [], (one.book.name, case)


def test_the_check_sees_a_wrong_number_and_an_error(tmp_path: Path) -> None:
    """Formulas that are planted in the file: the comparison must notice."""
    (one,) = drawn(["bert"])
    bert, case = one.book, one.cases[0]
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
