"""The sheet of scaling: what becomes of the costs as one size, chosen from a list, grows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from openpyxl.formatting.rule import Rule
from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from sympy import Expr

import generator.render.workbook.sheet_plan as places
from generator.formulas.evaluate import EvaluationError, evaluate
from generator.quantities import BY_KEY, QUANTITIES
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.conditions import broken_conditions, broken_value
from generator.render.workbook.invalid_sizes import FITS, write_note
from generator.render.workbook.large_numbers import kind_of, name_large
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import FAINT_LOOK, WARNING_LOOK
from generator.render.workbook.typed import is_size, unless_given
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Size
from generator.sheet.showable import GREATEST

WIDTHS = (22, 30)
NUMBER_WIDTH = 15
SIZE_WIDTH = 10
FACTOR, LEAST_FACTOR, LARGEST_FACTOR = 2, "1.01", "1000"


FIRST_CHART_ROW = places.FIRST_STEP_ROW + places.STEPS + 1
CHART_ROWS = 20  # of each
CHART_COLUMN = "G"  # as far as charts go


@dataclass(frozen=True)
class ScalingStep:
    """One line of the table: where it stands, the value of the varied size, and all sizes then."""

    row: int
    value: int
    sizes: Mapping[str, Any]
    state: str  # "" or what is wrong with these sizes

    @property
    def is_whole(self) -> bool:
        """Whether all sizes are sizes."""
        return all(isinstance(value, int) and value >= 1 for value in self.sizes.values())


@dataclass(frozen=True)
class Scaling:
    """What the sheet holds when the file is written: the lines of the table, and the value of each cell by line and column key."""

    steps: tuple[ScalingStep, ...]
    values: Mapping[tuple[int, str], Value]

    def ratio(self, key: str) -> Value:
        """Return by what a column is multiplied when the size in use doubles; an empty text where it has no value."""
        before, after = (self.values[places.DOUBLING_ROW + i, key] for i in range(2))
        if isinstance(before, str) or isinstance(after, str) or not before:
            return ""
        return Fraction(after) / Fraction(before)


def first_value(in_use: int) -> int:
    """Return the first value of the table where the user gives none."""
    return max(1, in_use // places.STEPS_BEFORE)


def scaling_of(plan: Plan) -> Scaling | None:
    """Return what the sheet holds when the file is written; None where there is no size to vary."""
    if plan.sweep is None:
        return None
    sweep, in_use = plan.sweep, plan.in_use[plan.sweep]
    swept = [(places.DOUBLING_ROW, in_use), (places.DOUBLING_ROW + 1, 2 * in_use)]
    swept += [(places.FIRST_STEP_ROW + i, first_value(in_use) * 2**i) for i in range(places.STEPS)]
    steps = tuple(_step(plan, sweep, row, value) for row, value in swept)
    values: dict[tuple[int, str], Value] = {}
    for step in steps:
        for key, expr in _costs(plan).items():
            values[step.row, key] = _shown(_value(expr, step))
    return Scaling(steps, values)


def _unit(plan: Plan, key: str) -> str:
    """Return what a column of costs is counted in: a quantity, or a part of the one that says most."""
    return BY_KEY[key].unit if key in BY_KEY else plan.main.unit


def _costs(plan: Plan) -> dict[str, Expr]:
    """Return the formula of each column that is a cost."""
    totals = {quantity.key: plan.sheet.totals[quantity.key] for quantity in QUANTITIES}
    return totals | {f"part {i}": part.cost(plan.sheet, plan.main.key) for i, part in enumerate(plan.parts)}


def _step(plan: Plan, sweep: str, row: int, value: int) -> ScalingStep:
    first = plan.columns[0]
    given = {**first.published, **first.examples, sweep: value}
    sizes = {name: found for name, found in complete(plan.sheet.sizes, given).items() if found is not None}
    step = ScalingStep(row, value, sizes, "")
    if not step.is_whole:
        return ScalingStep(row, value, sizes, plan.words("scaling.not_whole"))
    return ScalingStep(row, value, sizes, broken_value(plan, sizes))


def _shown(value: Value) -> Value:
    """Return a value as its cell shows it: empty where it is beyond the numbers of a spreadsheet, in which the formula fails there."""
    return "" if isinstance(value, int | float | Fraction) and not -GREATEST < value < GREATEST else value


def _value(expr: Expr, step: ScalingStep) -> Value:
    if not step.is_whole:
        return ""
    try:
        found: Value = evaluate(expr, step.sizes)
    except EvaluationError:
        return ""
    return found


def write_scaling(page: Page, plan: Plan, formulas: CellFormulas, scaling: Scaling | None) -> None:
    """Write the sheet."""
    words = plan.words
    sizes = len(plan.order)
    page.widths([*WIDTHS, *[NUMBER_WIDTH] * (len(plan.scaled_columns) - sizes), *[SIZE_WIDTH] * sizes])
    page.text(f"{page.first_page_start()}1", words("scaling.title", title=plan.sheet_title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    note = words("scaling.note") if scaling else words("scaling.nothing")
    write_note(page, plan, f"{page.first_page_start()}2:{page.first_page_end()}2", note)
    page.height(2, [(note, page.first_page_room())])
    if scaling is None or plan.sweep is None:
        return
    _write_inputs(page, plan, plan.sweep)
    _write_head(page, plan, places.DOUBLING_ROW - 1, words("scaling.doubling"))
    _write_head(page, plan, places.FIRST_STEP_ROW - 1, words("scaling.table"))
    writer = _Lines(page, plan, formulas, scaling)
    for step in scaling.steps:
        writer.write(step)
    writer.write_ratio()
    last_step = places.FIRST_STEP_ROW + places.STEPS - 1
    for key in _costs(plan):
        column = plan.scaled_columns[key]
        name_large(page, f"{column}{places.DOUBLING_ROW}:{column}{last_step}", words, _unit(plan, key))
    _mark(page, plan)
    charts = f"A{FIRST_CHART_ROW}:{CHART_COLUMN}{FIRST_CHART_ROW + 2 * CHART_ROWS}"  # on a page of their own
    page.sheet.print_area = f"A1:{_last_printed(plan)}{last_step},{charts}"
    page.sheet.freeze_panes = "C4"


def _last_printed(plan: Plan) -> str:
    """Return the last column of costs; those of the sizes behind it are on the screen only."""
    return get_column_letter(places.FIRST_SCALED_COLUMN - 1 + len(plan.scaled_columns) - len(plan.order))


def _write_inputs(page: Page, plan: Plan, sweep: str) -> None:
    words = plan.words
    in_use = plan.in_use[sweep]
    for row, key in ((4, "size"), (5, "start"), (6, "factor")):
        page.text(f"A{row}", words(f"scaling.{key}"), "Label, free")
        page.sheet.row_dimensions[row].height = 20
    page.text("B4", sweep, "Input choice")
    page.blank("B5", "Input number")
    page.number("B6", FACTOR, "Input number")
    for row, key in ((4, "meaning"), (5, "first"), (6, "times"), (7, "last")):
        page.text(page.merged(f"C{row}:D{row}", "Muted, free"), words(f"scaling.{key}"), "Muted, free")
    first_size, last_size = min(plan.published_rows.values()), max(plan.published_rows.values())
    meanings = _chosen(plan, "presets", "AB", (first_size, last_size))
    known = f"IFERROR(EXACT({places.SWEEP_INPUT},{places.SWEEP_CELL}),FALSE)"
    meaning = next(plan.meaning(size) for size in plan.settable if size.name == sweep)
    page.formula(page.merged("E4:K4", "Message"), f"IF({known},{meanings},{quoted(words('scaling.size_error'))})", meaning, "Message")
    used = _in_use(plan)
    start, factor = places.START_INPUT, places.FACTOR_INPUT
    page.formula("E5", f"IF({is_size(start)},{start},MAX(1,INT({used}/{places.STEPS_BEFORE})))", first_value(in_use), "Calculation")
    is_factor = f"IFERROR(AND(ISNUMBER({factor}),{factor}>={LEAST_FACTOR},{factor}<={LARGEST_FACTOR}),FALSE)"
    page.formula("E6", f"IF({is_factor},{factor},{FACTOR})", FACTOR, "Calculation")
    last = places.FIRST_STEP_ROW + places.STEPS - 1
    page.formula("E7", f"$A${last}", first_value(in_use) * FACTOR ** (places.STEPS - 1), "Calculation")
    taken = {"start": f'IFERROR(OR({start}="",{start}=$E$5),FALSE)', "factor": is_factor}
    for row, (key, condition) in zip((5, 6), taken.items(), strict=True):
        page.formula(page.merged(f"F{row}:K{row}", "Message"), f'IF({condition},"",{quoted(words(f"scaling.{key}_error"))})', "", "Message")
        page.sheet.conditional_formatting.add(f"F{row}", Rule(type="expression", formula=[f'$F${row}<>""'], dxf=WARNING_LOOK))
    page.sheet.conditional_formatting.add("E4", Rule(type="expression", formula=[f"NOT({known})"], dxf=WARNING_LOOK))
    _validate(page, plan)


def _chosen(plan: Plan, key: str, columns: str, rows: tuple[int, int]) -> str:
    """Return the formula that takes from a sheet's second column what stands beside the size to vary in its first; n is not N.

    No nested choices: Excel ends at 64 levels, and specs have more sizes.
    """
    names, values = (plan.at(key, f"${column}${rows[0]}:${column}${rows[1]}") for column in columns)
    return f"INDEX({values},SUMPRODUCT(EXACT({places.SWEEP_CELL},{names})*ROW({names}))-{rows[0] - 1})"


def _in_use(plan: Plan) -> str:
    """Return the formula of the value in use of the size to vary."""
    first, last = min(plan.size_rows.values()), max(plan.size_rows.values())
    return _chosen(plan, "summary", "AD", (first, last))


def _names(plan: Plan) -> str:
    """Return the range that holds the names of the sizes that can be varied: heads of the table."""
    columns = [plan.scaled_columns[f"size {size.name}"] for size in plan.settable]
    return f"${columns[0]}${places.FIRST_STEP_ROW - 1}:${columns[-1]}${places.FIRST_STEP_ROW - 1}"


def _validate(page: Page, plan: Plan) -> None:
    words = plan.words
    names = _names(plan)
    rules = {
        "B4": DataValidation("list", formula1=names, allow_blank=False),
        "B5": DataValidation("whole", operator="between", formula1="1", formula2=str(places.LARGEST_SIZE), allow_blank=True),
        "B6": DataValidation("decimal", operator="between", formula1=LEAST_FACTOR, formula2=LARGEST_FACTOR, allow_blank=False),
    }
    for (cell, rule), key in zip(rules.items(), ("size", "start", "factor"), strict=True):
        rule.showErrorMessage = rule.showInputMessage = True
        rule.promptTitle = rule.errorTitle = words(f"scaling.{key}")[:32]
        rule.prompt, rule.error = words(f"scaling.{key}_prompt")[:255], words(f"scaling.{key}_error")[:225]
        rule.add(cell)
        page.sheet.add_data_validation(rule)


def _write_head(page: Page, plan: Plan, row: int, title: str) -> None:
    """Write a section's title and the heads of its columns."""
    words, columns = plan.words, plan.scaled_columns
    printed, last = _last_printed(plan), [*columns.values()][-1]
    page.text(page.merged(f"A{row - 1}:{printed}{row - 1}", "Section"), title, "Section")
    page.merged(f"{get_column_letter(column_index_from_string(printed) + 1)}{row - 1}:{last}{row - 1}", "Section")
    sweep = quoted(plan.sweep or "")
    known = f"IFERROR(SUMPRODUCT(--EXACT({places.SWEEP_INPUT},{_names(plan)}))>0,FALSE)"
    chosen = f"IF({known},{places.SWEEP_INPUT},{sweep})" if row == places.DOUBLING_ROW - 1 else places.SWEEP_CELL
    page.formula(f"A{row}", chosen, plan.sweep or "", "Column head, number")
    page.text(f"B{row}", words("scaling.state"), "Column head")
    heads = {quantity.key: plan.short(quantity) for quantity in QUANTITIES}
    heads |= {f"part {i}": plan.part_name(part) for i, part in enumerate(plan.parts)}
    heads |= {f"size {size.name}": size.name for size in plan.sheet.sizes}
    for key, column in columns.items():
        page.text(f"{column}{row}", heads[key], "Column head, number")
    _link_heads(page, plan, row)
    page.height(row, [(head, NUMBER_WIDTH - 3) for head in heads.values()], least=2)


def _link_heads(page: Page, plan: Plan, row: int) -> None:
    """Let sizes lead to those in use; quantities have heads of two lines, and LibreOffice breaks no lines of a link."""
    for size in plan.sheet.sizes:
        in_use = plan.at("summary", f"$D${plan.size_rows[size.name]}")
        page.link(f"{plan.scaled_columns[f'size {size.name}']}{row}", in_use, plan.words("notes.to_sizes", meaning=plan.meaning(size)))


class _Lines:
    """Writes the lines of both tables: the same formulas, each in the cells of its own line."""

    def __init__(self, page: Page, plan: Plan, formulas: CellFormulas, scaling: Scaling) -> None:
        self.page, self.plan, self.formulas, self.scaling = page, plan, formulas, scaling
        self.cells = {size.name: f"${plan.scaled_columns[f'size {size.name}']}\0" for size in plan.sheet.sizes}
        self.costs = {key: (expr, formulas.text(expr, self.cells)) for key, expr in _costs(plan).items()}
        self.sizes = {size.name: self._size(size) for size in plan.sheet.sizes}
        self.state = self._state()

    def _size(self, size: Size) -> str:
        """Return the formula of a size: the one varied, or as in use; what follows from others follows here too."""
        own = self.formulas.text(size.value, self.cells) if size.value is not None else ""
        if size.kind == "derived":
            return own
        used = unless_given(self.plan, size, own) if size.kind == "default" else self.plan.names[size.name]
        return f"IF(EXACT({places.SWEEP_CELL},{quoted(size.name)}),$A\0,{used})"

    def _state(self) -> str:
        """Return the formula that says what is wrong with a line's sizes."""
        columns = self.plan.scaled_columns
        sizes = [columns[f"size {size.name}"] for size in self.plan.sheet.sizes]
        cells = f"${min(sizes, key=column_index_from_string)}\0:${max(sizes, key=column_index_from_string)}\0"
        return broken_conditions(self.plan, self.formulas, self.cells, f"SUMPRODUCT(({cells}>=1)*({cells}=INT({cells})))=COLUMNS({cells})")

    def write(self, step: ScalingStep) -> None:
        """Write a line."""
        page, plan, row, columns = self.page, self.plan, str(step.row), self.plan.scaled_columns
        page.formula(f"A{row}", self._swept(step.row), step.value, "Swept value")
        page.formula(f"B{row}", self.state.replace("\0", row), step.state, "Muted words")
        for name, text in self.sizes.items():
            page.formula(f"{columns[f'size {name}']}{row}", text.replace("\0", row), step.sizes[name], "Muted calculation")
        for key, (expr, text) in self.costs.items():
            at = f"{columns[key]}{row}"
            cost = text.replace("\0", row)
            if len(cost) > places.LONGEST_GUARDED:
                cells = {name: plan.elsewhere(page.title, cell.replace("\0", row)) for name, cell in self.cells.items()}
                cost = self.formulas.split(expr, cells, step.sizes)
            whole = f"$B{row}<>{quoted(plan.words('scaling.not_whole'))}"
            guarded = f'IF(AND({FITS},{whole}),IFERROR({cost},""),"")'
            page.formula(at, guarded, self.scaling.values[step.row, key], f"Scaled number, {kind_of(_unit(plan, key))}")

    def _swept(self, row: int) -> str:
        """Return the formula of the varied size's value."""
        if row == places.DOUBLING_ROW:
            return _in_use(self.plan)
        if row == places.DOUBLING_ROW + 1:
            return f"2*$A{row - 1}"
        if row == places.FIRST_STEP_ROW:
            return places.FIRST_VALUE_CELL
        return f"ROUND($A{row - 1}*{places.FACTOR_CELL},0)"

    def write_ratio(self) -> None:
        """Write by what each cost is multiplied."""
        row = places.DOUBLING_ROW + 2
        self.page.text(f"A{row}", self.plan.words("scaling.ratio"), "Label")
        self.page.blank(f"B{row}", "Muted words")
        for key in self.costs:
            column = self.plan.scaled_columns[key]
            self.page.formula(f"{column}{row}", f'IFERROR({column}{row - 1}/{column}{row - 2},"")', self.scaling.ratio(key), "Ratio")
        for name in self.sizes:
            self.page.blank(f"{self.plan.scaled_columns[f'size {name}']}{row}", "Muted calculation")


def _mark(page: Page, plan: Plan) -> None:
    """Make lines of which the sizes break a condition faint, and what is broken plain to see."""
    first, last = places.FIRST_STEP_ROW, places.FIRST_STEP_ROW + places.STEPS - 1
    end = [*plan.scaled_columns.values()][-1]
    for top, bottom in ((places.DOUBLING_ROW, places.DOUBLING_ROW + 1), (first, last)):
        broken = Rule(type="expression", formula=[f'$B{top}<>""'], dxf=FAINT_LOOK)
        page.sheet.conditional_formatting.add(f"C{top}:{end}{bottom}", broken)
        warned = Rule(type="expression", formula=[f'$B{top}<>""'], dxf=WARNING_LOOK)
        page.sheet.conditional_formatting.add(f"B{top}:B{bottom}", warned)
