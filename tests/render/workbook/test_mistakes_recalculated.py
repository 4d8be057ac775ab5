"""Sizes that are none, and sizes that do not fit together, typed in LibreOffice: no error, no number, but words that say what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator import load
from generator.files.resources import builtin_specs_dir
from generator.in_bytes import INTENSITY
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook import sheet_plan as places
from generator.render.workbook.sheet_plan import Plan, make_plan

from .calculator import Answer, Job, calculated, needs_uno, stored
from .libreoffice import Cell

pytestmark = [pytest.mark.slow, needs_uno]

SPECS = sorted(path.stem for folder in ("blocks", "models") for path in (builtin_specs_dir() / folder).rglob("*.yaml"))
SHARES = 10
NO_SIZES = ("wide", " ", -3, 0, 2.5, 1e10)  # LibreOffice takes no whole number of more than 32 bits from outside
MISFITS = (7, 1_000_003)  # primes: hardly a condition lets both pass
NOT_USED = "is not used: a size is a whole number from 1 to 1,000,000,000."


def written(folder: Path, name: str, language: str = "en") -> tuple[Plan, Path]:
    sheet, file = load(name).sheet, folder / f"{name}.{language}.xlsx"
    file.write_bytes(build_workbook(sheet, language))
    return make_plan(sheet, texts(language)), file


def asked(file: Path, cases: list[dict[Cell, Any]], folder: Path) -> list[Answer]:
    (answers,) = calculated([Job(file, cases, [*stored(file).extents.items()])], folder)
    assert all(answer.errors == {} for answer in answers)
    return answers


def override(plan: Plan, **sizes: Any) -> dict[Cell, Any]:
    return {(plan.words("sheets.summary"), f"C{plan.size_rows[name]}"): value for name, value in sizes.items()}


def results(plan: Plan, answer: Answer) -> list[Any]:
    """Return what stands for the totals, the bytes and the shares, rounded and exact."""
    title = plan.words("sheets.summary")
    rows = [*plan.total_rows.values(), *(row for key, row in plan.memory_rows.items() if key != INTENSITY.key)]
    cells = [f"{column}{row}" for row in rows for column in "BD"] + [f"B{plan.memory_rows[INTENSITY.key]}"]
    cells += [f"{column}{plan.first_part_row + i}" for i in range(len(plan.parts)) for column in "BCDE"]
    return [answer.values[title, cell] for cell in cells]


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.exhaustive) for first in range(1, SHARES))])
def test_no_input_makes_an_error_in_workbooks(first: int, tmp_path: Path) -> None:
    """Each settable size of each spec gets something that is no size, and something that may not fit; errors anywhere fail."""
    jobs, seen = [], 0
    for name in SPECS[first::SHARES]:
        plan, file = written(tmp_path, name)
        cases = [override(plan, **{size.name: NO_SIZES[i % len(NO_SIZES)]}) for i, size in enumerate(plan.settable)]
        cases += [override(plan, **{size.name: MISFITS[i % 2]}) for i, size in enumerate(plan.settable)]
        cases += [override(plan, **dict.fromkeys((size.name for size in plan.settable), value)) for value in ("wide", -3)]
        jobs.append(Job(file, cases, [("Summary", stored(file).extents["Summary"])]))
    for job, answers in zip(jobs, calculated(jobs, tmp_path), strict=True):
        for case, answer in zip(job.cases, answers, strict=True):
            assert answer.errors == {}, (job.file.stem, case)
            assert not [value for value in answer.values.values() if str(value).startswith("#")]
            seen += answer.values["Summary", "E2"] == "CHECK"
    assert seen > 30


@pytest.mark.parametrize("typed", NO_SIZES)
def test_what_is_no_size_is_named_and_not_used(tmp_path: Path, typed: Any) -> None:
    plan, file = written(tmp_path, "bert")
    (answer,) = asked(file, [override(plan, d=typed)], tmp_path)
    summary = {at: value for (title, at), value in answer.values.items() if title == "Summary"}
    said = f"d = {typed if isinstance(typed, str) else format(typed, '.15g')} {NOT_USED}"
    assert (summary["E2"], summary["F2"], summary["A3"]) == ("CHECK", said, f"No answer at these sizes: {said}")
    row = plan.size_rows["d"]
    assert (summary[f"D{row}"], summary[f"E{row}"]) == (768, "not used")
    assert set(results(plan, answer)) == {"–"}
    assert (summary["A5"], summary["A6"]) == ("", "")
    for title, at in (("Layers", "B2"), ("Formulas", "A2"), ("Scaling", "B2")):
        assert answer.values[title, at] == f"No answer at these sizes: {said}"


def test_a_formula_that_comes_to_nothing_is_no_override_and_one_that_fails_is_not_used(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "bert")
    cases = [override(plan, d='=""'), override(plan, d="=1/0")]
    (answers,) = calculated([Job(file, cases, [*stored(file).extents.items()])], tmp_path)
    empty, failed = answers
    assert (empty.values["Summary", "E2"], empty.values["Summary", "F2"]) == ("OK", "All sizes are those of the preset.")
    assert failed.values["Summary", "F2"] == f"d = ? {NOT_USED}"
    assert set(results(plan, failed)) == {"–"}
    assert failed.errors == {"Summary": f"Summary.C{plan.size_rows['d']}"}  # where it was typed, and nowhere else


def test_sizes_that_break_a_condition_have_no_results_and_a_sentence(tmp_path: Path) -> None:
    sentences = {
        ("bert", (("d", 1000), ("h", 16))): "d = 1000 is not divisible by h = 16 (992 and 1008 are).",
        ("bert", (("d", 5), ("h", 12))): "d = 5 is not divisible by h = 12 (12 is).",
        ("bert", (("n", 600),)): "n = 600 is greater than P = 512.",
        ("longformer", (("n", 4095), ("w", 273), ("g", 4095))): "n = 4095 is not greater than g = 4095.",
        ("vit", (("s", 100), ("p", 16))): "s = 100 is not divisible by p = 16 (96 and 112 are).",
        ("swin_fixed_window", (("s", 225),)): "s = 225 is not divisible by 8*p*M = 224 (224 and 448 are).",
    }
    for (name, sizes), sentence in sentences.items():
        plan, file = written(tmp_path, name)
        (answer,) = asked(file, [override(plan, **dict(sizes))], tmp_path)
        assert answer.values["Summary", "F2"] == sentence
        assert answer.values["Summary", "A3"] == f"No answer at these sizes: {sentence}"
        assert set(results(plan, answer)) == {"–"}


def test_a_default_that_is_not_whole_is_named(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "grouped_query_attention")
    (answer,) = asked(file, [override(plan, d=6, h=7)], tmp_path)
    assert answer.values["Summary", "F2"] == "e = d/h comes to 0.8571, which is no whole number of at least 1."
    assert set(results(plan, answer)) == {"–"}


def test_the_results_come_back_with_the_sizes(tmp_path: Path) -> None:
    """The same file, first with a size that does not fit and then with one that does."""
    plan, file = written(tmp_path, "bert")
    wrong, right = asked(file, [override(plan, d=1000, h=16), override(plan, d=1008, h=16)], tmp_path)
    assert set(results(plan, wrong)) == {"–"}
    assert "–" not in results(plan, right)
    assert right.values["Summary", "E2"] == "OK"
    assert right.values["Summary", "A3"].endswith("in the contractions of one forward pass")


def test_what_is_no_size_in_an_own_preset_is_named(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "bert")
    letter, row = plan.own_columns[1].letter, plan.published_rows["d"]
    own: dict[Cell, Any] = {("Presets", f"{letter}4"): "mine", ("Presets", f"{letter}{row}"): "wide"}
    chosen, other = asked(file, [own | {("Summary", "B2"): "mine"}, own], tmp_path)
    assert chosen.values["Summary", "F2"] == f"d = wide {NOT_USED}"
    assert set(results(plan, chosen)) == {"–"}
    assert other.values["Summary", "E2"] == "OK"  # the preset in use is another
    for answer in (chosen, other):
        assert answer.values["Presets", f"{letter}6"] == "not all are sizes"
        assert answer.values["Presets", f"{letter}{plan.preset_total_rows['params']}"] == "–"


def test_an_own_preset_from_which_no_whole_size_follows_has_no_totals_and_an_empty_one_is_the_first(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "reformer")  # the first preset has heads wider than d/h
    letter = plan.own_columns[0].letter
    empty, odd = asked(file, [{}, {("Presets", f"{letter}{plan.published_rows['d']}"): 130}], tmp_path)
    rows = plan.all_size_rows.values()
    assert [empty.values["Presets", f"{letter}{row}"] for row in rows] == [empty.values["Presets", f"C{row}"] for row in rows]
    assert empty.values["Presets", f"{letter}6"] == ""
    assert odd.values["Presets", f"{letter}6"] == "not all are sizes"
    assert odd.values["Presets", f"{letter}{plan.preset_total_rows['params']}"] == "–"


def test_an_unknown_preset_or_number_format_is_named(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "bert")
    preset, number = asked(file, [{("Summary", "B2"): "huge"}, {("Summary", f"B{plan.format_row}"): "int4"}], tmp_path)
    assert preset.values["Summary", "F2"] == "Choose a preset from the list in the tinted cell."
    assert set(results(plan, preset)) == {"–"}
    assert number.values["Summary", f"E{plan.format_row}"] == "Please choose a format from the list."
    assert [number.values["Summary", f"{column}{plan.memory_rows['param_bytes']}"] for column in "BCD"] == ["–", "", "–"]
    assert number.values["Summary", f"D{plan.total_rows['params']}"] == 109_482_240


def swept(answer: Answer) -> list[Any]:
    rows = range(places.FIRST_STEP_ROW, places.FIRST_STEP_ROW + places.STEPS)
    return [answer.values["Scaling", f"A{row}"] for row in rows]


def test_the_sheet_scaling_says_what_it_cannot_use_and_takes_what_it_held(tmp_path: Path) -> None:
    _, file = written(tmp_path, "bert")
    typed: list[dict[Cell, Any]] = [{("Scaling", at): value} for at in ("B4", "B5", "B6") for value in ("wide", -3, 0)]
    usual, *answers = asked(file, [{}, *typed], tmp_path)
    said = {"B4": ("E4", "Please choose a size"), "B5": ("F5", "The first value must be"), "B6": ("F6", "The factor must be")}
    for case, answer in zip(typed, answers, strict=True):
        ((_, at),) = case
        where, beginning = said[at]
        assert answer.values["Scaling", where].startswith(beginning)
        assert [answer.values["Scaling", f"A{row}"] for row in range(17, 29)] == [
            usual.values["Scaling", f"A{row}"] for row in range(17, 29)
        ]


def test_a_chinese_workbook_says_it_in_chinese(tmp_path: Path) -> None:
    plan, file = written(tmp_path, "bert", "zh")
    wrong, misfit = asked(file, [override(plan, d="wide"), override(plan, d=1000, h=16)], tmp_path)
    assert wrong.values["概览", "F2"].startswith("d = wide 未被采用")
    assert misfit.values["概览", "A3"] == "当前尺寸下没有结果：d = 1000 不能被 h = 16 整除（992 和 1008 可以）。"
    assert set(results(plan, misfit)) == {"–"}
