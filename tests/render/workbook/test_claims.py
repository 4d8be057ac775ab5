"""Published formulas against the rows: the check can fail, and claims nothing where the source does not."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from generator import load
from generator.quantities import QUANTITIES
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, Plan, make_plan
from generator.sheet.sheet import Sheet

from .calculator import Answer, Job, calculated, needs_uno, stored

FIRST = "The published formula equals ours: Matmul FLOPs of blocks = L*(8*b*n*d^2"
NARROW = "The published formula equals ours: Matmul FLOPs of blocks = L*(24*b*n*d^2"  # where f = 4*d
PARAMS = "The published formula equals ours: Parameters = L*(12*d^2) + d*V"  # where f = 4*d, without biases and norms
NOT_APPLICABLE = ("not applicable at these sizes", "n/a")

Line = tuple[Any, Any, Any]  # what is published, ours, and the verdict


def bert() -> Sheet:
    return load("bert").sheet


def with_wrong_formula(sheet: Sheet) -> Sheet:
    """Return a sheet of which the first published formula says one more, though it is said to be equal."""
    first, *rest = sheet.claims
    assert first.check is not None
    return replace(sheet, claims=(replace(first, check=replace(first.check, printed=first.check.printed + 1)), *rest))


def line(cells: Callable[[str], Any], beginning: str) -> Line:
    """Return what the check says of which the text begins so."""
    row = next(row for row in range(5, 200) if str(cells(f"B{row}")).startswith(beginning))
    return cells(f"C{row}"), cells(f"D{row}"), cells(f"E{row}")


def of_file(file: bytes, *, values: bool) -> Callable[[str], Any]:
    checks = load_workbook(io.BytesIO(file), data_only=values)["Checks"]
    return lambda at: checks[at].value


def of_answer(answer: Answer) -> Callable[[str], Any]:
    return lambda at: answer.values["Checks", at]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "said"), [("en", "equal (significant digits: 2)"), ("zh", "相等（2 位有效数字）")])
def test_a_number_that_is_printed_in_two_digits_is_equal_in_two_digits(language: str, said: str) -> None:
    formulas = load_workbook(io.BytesIO(build_workbook(bert(), language)), data_only=True).worksheets[2]
    verdicts = {str(row[1]).partition(",")[0].partition("，")[0]: row[3] for row in formulas.iter_rows(values_only=True)}
    assert verdicts["110M"] == said
    assert (
        verdicts["L*(8*b*n*d^2 + 4*b*n*d*f + 4*b*n^2*d)\nwith f = 4d this is L*(24*b*n*d^2 + 4*b*n^2*d)"]
        == said[: said.index("(" if language == "en" else "（")].strip()
    )


@pytest.mark.slow
def test_the_two_sides_are_worked_out_from_different_things() -> None:
    published, ours, _ = line(of_file(build_workbook(bert()), values=False), FIRST)
    assert published == "=8*b*n*d^2*L+4*b*n^2*d*L+4*b*n*d*L*f"
    assert ours == "=SUM(Layers!$K$12:$K$25,Layers!$K$27:$K$31)"


@pytest.mark.slow
def test_a_wrong_published_formula_fails_when_the_file_is_written() -> None:
    file = build_workbook(with_wrong_formula(bert()))
    assert line(of_file(file, values=True), FIRST) == (22347251713, 22347251712, "CHECK")
    assert load_workbook(io.BytesIO(file), data_only=True)["Summary"]["E2"].value == "CHECK"


def with_wrong_row(source: Path, target: Path, plan: Plan) -> Path:
    """Copy a workbook in which one layer costs one FLOP more than its formula says."""
    flops = next(quantity for quantity in QUANTITIES if quantity.key == "matmul_flops")
    row = next(i for i, row in enumerate(plan.sheet.rows) if row.path == "blocks.attention.q") + FIRST_LAYER_ROW
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            text = before.read(name).decode("utf-8")
            if name == "xl/worksheets/sheet2.xml":
                end = text.index("</f>", text.index(f'r="{plan.quantity_column(flops)}{row}"'))
                text = f"{text[:end]}+1{text[end:]}"
            after.writestr(name, text)
    return target


@pytest.mark.slow
@needs_uno
def test_what_is_wrong_is_found_when_everything_is_calculated_anew(tmp_path: Path) -> None:
    plan = make_plan(bert(), texts("en"))
    good, other = tmp_path / "good.xlsx", tmp_path / "formula.xlsx"
    good.write_bytes(build_workbook(plan.sheet))
    other.write_bytes(build_workbook(with_wrong_formula(plan.sheet)))
    reads = [("Checks", stored(good).extents["Checks"]), ("Summary", "E2:E2")]
    f = ("Summary", f"C{plan.size_rows['f']}")
    jobs = [Job(good, [{}, {f: 1000}], reads), Job(other, [{}], reads), Job(with_wrong_row(good, tmp_path / "row.xlsx", plan), [{}], reads)]
    (as_built, typed), (formula,), (row,) = calculated(jobs, tmp_path)

    assert line(of_answer(as_built), FIRST) == line(of_answer(as_built), NARROW) == (22347251712, 22347251712, "OK")
    flops = 12 * (8 * 128 * 768**2 + 4 * 128 * 768 * 1000 + 4 * 128**2 * 768)  # 12 layers, n = 128, d = 768, f = 1000
    assert line(of_answer(typed), FIRST) == (flops, flops, "OK")
    assert line(of_answer(typed), NARROW) == (NOT_APPLICABLE[0], flops, NOT_APPLICABLE[1])
    assert line(of_answer(typed), PARAMS)[2] == NOT_APPLICABLE[1]
    assert typed.values["Summary", "E2"] == "OK"
    assert line(of_answer(formula), FIRST) == (22347251713, 22347251712, "CHECK")
    assert formula.values["Summary", "E2"] == "CHECK"
    assert line(of_answer(row), FIRST) == (22347251712, 22347251713, "CHECK")
    assert line(of_answer(row), PARAMS)[2] == "OK"
