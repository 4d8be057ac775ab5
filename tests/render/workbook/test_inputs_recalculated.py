"""What a user can do in a workbook, done in LibreOffice: own presets, sweeps, number formats, and sizes that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator import load
from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook import sheet_plan as places
from generator.render.workbook.sheet_plan import Plan, make_plan
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet

from .calculator import Answer, Job, calculated, needs_uno, same, stored
from .libreoffice import Cell
from .sheets import encoder

pytestmark = [pytest.mark.slow, needs_uno]


def asked(
    sheet: Sheet, cases: list[dict[Cell, Any]], folder: Path, titles: tuple[str, ...] = ("Summary", "Scaling", "Formulas")
) -> list[Answer]:
    file = folder / f"{sheet.name}.xlsx"
    file.write_bytes(build_workbook(sheet))
    extents = stored(file).extents
    (answers,) = calculated([Job(file, cases, [(title, extents[title]) for title in titles])], folder)
    assert all(answer.errors == {} for answer in answers)
    return answers


def planned(sheet: Sheet) -> Plan:
    return make_plan(sheet, texts("en"))


def override(plan: Plan, **sizes: Any) -> dict[Cell, Any]:
    return {("Summary", f"C{plan.size_rows[name]}"): value for name, value in sizes.items()}


def test_every_size_can_be_swept_and_those_that_follow_from_it_follow(tmp_path: Path) -> None:
    sheet = encoder()
    plan = planned(sheet)
    names = [size.name for size in plan.settable]  # n and N, d and d1 among them
    cases: list[dict[Cell, Any]] = [{("Scaling", "B4"): name, ("Scaling", "B5"): 5, ("Scaling", "B6"): 3} for name in names]
    given = {**plan.columns[0].published, **plan.columns[0].examples}
    checked = 0
    for name, answer in zip(names, asked(sheet, cases, tmp_path), strict=True):
        for i in range(places.STEPS):
            row, value = places.FIRST_STEP_ROW + i, 5 * 3**i
            sizes = complete(sheet.sizes, {**given, name: value})
            assert answer.values["Scaling", f"A{row}"] == value
            found = {key: answer.values["Scaling", f"{column}{row}"] for key, column in plan.scaled_columns.items()}
            assert all(same(float(size), found[f"size {key}"]) for key, size in sizes.items() if size is not None)
            whole = all(isinstance(size, int) for size in sizes.values())
            fits = whole and all(evaluate(constraint.condition, sizes) for constraint in sheet.constraints)
            assert (answer.values["Scaling", f"B{row}"] == "") == fits
            for quantity in QUANTITIES:
                expected = evaluate(sheet.totals[quantity.key], sizes) if whole else ""
                assert same(expected if isinstance(expected, str) else float(expected), found[quantity.key]), (name, value, quantity.key)
                checked += whole
    assert checked > 500


def test_an_own_preset_can_be_chosen_and_takes_the_rest_from_the_first(tmp_path: Path) -> None:
    sheet = encoder()
    plan = planned(sheet)
    letter = plan.own_columns[1].letter
    typed: dict[Cell, Any] = {("Presets", f"{letter}4"): "mine", ("Summary", "B2"): "mine"}
    typed |= {("Presets", f"{letter}{plan.published_rows[name]}"): value for name, value in {"d": 80, "h": 5, "b": 3}.items()}
    (answer,) = asked(sheet, [typed], tmp_path)
    sizes = complete(sheet.sizes, {**plan.columns[0].published, "d": 80, "h": 5, "b": 3})
    assert {name: answer.values["Summary", f"D{row}"] for name, row in plan.size_rows.items()} == sizes
    origins = {name: answer.values["Summary", f"E{row}"] for name, row in plan.size_rows.items()}
    assert (origins["d"], origins["n"], origins["f"]) == ("preset", "left open, as small", "default: 4*d")
    for quantity in QUANTITIES:
        expected = evaluate(sheet.totals[quantity.key], sizes)
        assert same(float(expected), answer.values["Summary", f"D{plan.total_rows[quantity.key]}"])
    assert answer.values["Summary", "E2"] == "OK"


def test_the_bert_workbook_answers_what_people_ask(tmp_path: Path) -> None:
    sheet = load("bert").sheet
    plan = planned(sheet)
    cases = [
        {("Summary", "B2"): "bert-large"},
        override(plan, n=512),
        override(plan, n=2048, P=2048),
        override(plan, d=1000, h=16),
        {("Scaling", "B4"): "L"},
        override(plan, n=4096, P=4096),
        override(plan, f=768),
        override(plan, f=768 + 1),
    ]
    large, usual, long, misfit, deeper, *ties = (answer.values for answer in asked(sheet, cases, tmp_path))
    assert large["Summary", "A3"].startswith("335.1 million parameters")
    assert usual["Summary", "A4"] == (
        "At these sizes multi head attention is 40% of the matmul FLOPs and mlp 60%; multi head attention overtakes mlp beyond n = 1536 "
        "(excluded by the condition that n is at most P)."
    )
    assert usual["Summary", "A5"] == "Doubling n multiplies the matmul FLOPs by 2.2 and the activation memory by 2.66."
    assert long["Summary", "A4"].startswith("At these sizes multi head attention is 54% of the matmul FLOPs")
    assert long["Summary", "A6"] == "The most expensive layers are up and down (mlp): 23% of the matmul FLOPs each."
    assert misfit["Summary", "E2"] == "CHECK"
    assert misfit["Summary", "F2"] == "d = 1000 is not divisible by h = 16 (992 and 1008 are)."
    assert misfit["Summary", "A3"] == "No answer at these sizes: d = 1000 is not divisible by h = 16 (992 and 1008 are)."
    # q, k, v, out, up and down are 2 b n d^2 L each where f is d; scores and context are b n^2 d L each.
    assert [one["Summary", "A6"] for one in ties] == [
        "The most expensive layers are scores and context (multi head attention): 24% of the matmul FLOPs each.",
        "The most expensive layers are q, k, v, out and 2 more: 16% of the matmul FLOPs each.",
        "The most expensive layers are up and down (mlp): 16% of the matmul FLOPs each.",
    ]
    assert deeper["Summary", "A4"].endswith("and mlp 65%.")
    assert deeper["Summary", "A5"].startswith("Doubling L multiplies the matmul FLOPs by 2 ")


def test_bytes_follow_the_number_format(tmp_path: Path) -> None:
    spec = load("bert")
    plan = planned(spec.sheet)
    formats = ["float64", "float32", "bfloat16", "float16"]
    answers = asked(spec.sheet, [{("Summary", f"B{plan.format_row}"): name} for name in formats], tmp_path)
    for name, answer in zip(formats, answers, strict=True):
        cost = spec.cost("bert-base", b=1, n=128, dtype=name)
        assert answer.values["Summary", f"D{plan.memory_rows['saved_bytes']}"] == cost.saved_bytes
        size = {"float64": 8, "float32": 4}.get(name, 2)
        assert answer.values["Summary", f"D{plan.memory_rows['param_bytes']}"] == size * 109_482_240
