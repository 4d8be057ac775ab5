"""The workings behind the sheet of memory and time: one column a setting, one quantity a row, one moment of a pass a row.

Each column has sizes of its own, so that two scenarios and each length of the grid have their own answer. What is linear in the batch
stands in two rows, what there is without it and what each sample adds: so totals at any batch, and the largest batch that fits, are short
formulas. Settings that all lengths of the grid share are those of the first scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from openpyxl.utils import get_column_letter

from generator.questions.memory.optimisers import COPIES
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.questions.workload.workload_formulas import Workload
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page
from generator.render.workbook.load_choices import DEVICES, GRID, GRID_ROW, OPTIMISERS, SCENARIOS, STEP, first_task
from generator.render.workbook.load_line import FIRST_GRID, FIRST_ROW, HEAD_ROW, TABLES, TWICE, Setting, Values, WorkingLine, Workings, ref
from generator.render.workbook.load_memory_lines import MemoryLines
from generator.render.workbook.load_setting_lines import SettingLines
from generator.render.workbook.load_time_lines import TimeLines
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.typed import is_size
from generator.sheet.preset_totals import complete

LABEL_WIDTH, TWICE_WIDTH = 44, 22
_MARK = re.compile("\x01([^\x02]*)\x02")


def has_grid(workload: Workload) -> bool:
    """Say whether there is a batch and a length to make a table of."""
    return bool(workload.batch and workload.length)


def grid_lengths(plan: Plan, workload: Workload) -> list[int]:
    """Return the lengths of the grid as the file is written: doubling, the one in use among them; none where there is no grid."""
    if not has_grid(workload):
        return []
    first = max(1, plan.in_use[workload.length] // 8)
    return [first * 2**i for i in range(GRID)]


def write_workings(page: Page, plan: Plan, formulas: CellFormulas, workload: Workload) -> Workings:
    """Write the sheet, and return what stands where."""
    words = plan.words
    workings = Workings(workload, letters=tuple(get_column_letter(FIRST_GRID + i) for i in range(GRID)) if has_grid(workload) else ())
    lines = [line for kind in (SettingLines, MemoryLines, TimeLines) for line in kind(plan, formulas, workings).all()]
    workings.rows |= {line.key: FIRST_ROW + i for i, line in enumerate(lines)}
    page.widths([LABEL_WIDTH, 22, 22, *[16] * GRID, TWICE_WIDTH, TWICE_WIDTH, 4, 4, 14, 10, 4, 14, 10])
    page.headed(words("load.workings_title", title=plan.sheet_title), words("load.workings_note"))
    heads = [words("load.what"), *(words("load.scenario", name=name) for name in "AB")]
    page.row(HEAD_ROW, [*heads, *(words("load.length_number", number=i + 1) for i in range(len(workings.letters)))], "Column head")
    if workload.length:
        for letter, name in zip(TWICE.values(), "AB", strict=True):
            page.text(f"{letter}{HEAD_ROW}", words("load.twice", name=name), "Column head")
        page.height(HEAD_ROW, [(words("load.twice", name="A"), TWICE_WIDTH - 6)])
    for line in lines:
        page.text(f"A{workings.rows[line.key]}", line.label, "Words")
        page.height(workings.rows[line.key], [(line.label, LABEL_WIDTH - 4)])
    lengths = [plan.at("load", f"${get_column_letter(2 + i)}${GRID_ROW}") for i in range(GRID)]
    for setting in _settings(plan, workings):
        _write_column(page, lines, setting, workings, lengths)
    _write_tables(page, plan)
    page.sheet.freeze_panes = f"B{FIRST_ROW}"
    page.sheet.print_area = f"A1:{TWICE[SCENARIOS[-1]]}{FIRST_ROW + len(lines) - 1}"
    return workings


def _write_column(page: Page, lines: Sequence[WorkingLine], setting: Setting, workings: Workings, lengths: Sequence[str]) -> None:
    values: Values = {}
    shared = {key: value for (letter, key), value in workings.values.items() if letter == setting.scenario}
    own = {line.key for line in lines if line.is_in(setting)}

    def cell(match: re.Match[str]) -> str:
        column = setting.letter if match[1] in own else setting.scenario
        return f"${column}${workings.rows[match[1]]}"

    for line in lines:
        if line.key not in own:
            values[line.key] = shared[line.key]
            continue
        values[line.key] = 0 if line.guarded and values["wrong"] else line.value(setting, values)
        text = f'IF({ref("wrong")}="",{line.text},0)' if line.guarded else line.text.replace("\x03", setting.letter)
        if line.key == "length" and setting.grid is not None:
            text = f"IF({is_size(lengths[setting.grid])},{lengths[setting.grid]},0)"
        elif line.key == "length" and setting.scenario:
            text = f"2*${setting.scenario}${workings.rows[line.key]}"
        workings.values[setting.letter, line.key] = values[line.key]
        style = "Words" if isinstance(values[line.key], str) else "Calculation"
        page.formula(f"{setting.letter}{workings.rows[line.key]}", _MARK.sub(cell, text), values[line.key], style)


def _settings(plan: Plan, workings: Workings) -> Iterator[Setting]:
    workload = workings.workload
    in_use = plan.in_use.get(workload.length, 1) if workload.length else 1
    for i, letter in enumerate(SCENARIOS):
        task = first_task(workload, i)
        yield Setting(letter, task, _sizes(plan, workload, task, in_use), in_use, DEVICES[i])
    for i, (letter, length) in enumerate(zip(workings.letters, grid_lengths(plan, workload), strict=True)):
        task = first_task(workload, 0)
        yield Setting(letter, task, _sizes(plan, workload, task, length), length, DEVICES[0], i, SCENARIOS[0])
    for i, (scenario, letter) in enumerate(TWICE.items() if workload.length else ()):
        task = first_task(workload, i)
        sizes = _sizes(plan, workload, task, 2 * in_use)
        yield Setting(letter, task, sizes, 2 * in_use, DEVICES[i], scenario=scenario)


def _sizes(plan: Plan, workload: Workload, task: int, length: int) -> dict[str, int]:
    """Return all sizes of a column as the file is written."""
    first = plan.columns[0]
    given: dict[str, Any] = {**first.published, **first.examples}
    if workload.length:
        given[workload.length] = 1 if task == STEP else length
    for growth in plan.sheet.growths:
        start = length - 1 if task == STEP else 0
        given |= growth.at(start, given[growth.new.name])
    return {name: value for name, value in complete(plan.sheet.sizes, given).items() if value is not None}


def _write_tables(page: Page, plan: Plan) -> None:
    """Write what the formats and optimisers of the lists come to."""
    heads = {key: plan.words(f"load.{key}") for key in TABLES}
    for key, letter in TABLES.items():
        page.text(f"{letter}{HEAD_ROW}", heads[key], "Column head")
    for row, stored in enumerate(STORED_FORMATS.values(), start=FIRST_ROW):
        page.text(f"{TABLES['format']}{row}", stored.key, "Words")
        page.number(f"{TABLES['format_bytes']}{row}", float(stored.bytes_each), "Calculation")
    for row, name in enumerate(OPTIMISERS, start=FIRST_ROW):
        page.text(f"{TABLES['optimiser']}{row}", name, "Words")
        if name in COPIES:
            page.number(f"{TABLES['copies']}{row}", COPIES[name], "Calculation")
        else:
            page.text(f"{TABLES['copies']}{row}", plan.words("load.by_shape"), "Words")
