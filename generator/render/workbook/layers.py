"""The sheet of layers: one row for each row of the sheet, with live shapes and costs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from openpyxl.formatting.rule import DataBarRule, Rule
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.properties import Outline
from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES, Quantity
from generator.questions.growth.parts import children_of
from generator.render.workbook.cell_formulas import CellFormulas, closed_form, shape_text
from generator.render.workbook.cells import REMARKS_WIDTH, Page, quoted, width_of
from generator.render.workbook.glossary_sheet import Terms
from generator.render.workbook.in_words import cost_in_words
from generator.render.workbook.invalid_sizes import hide, write_note
from generator.render.workbook.large_numbers import kind_of, name_large
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, FIRST_QUANTITY_COLUMN, PART_COLUMN, Plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import FAINT_LOOK
from generator.sheet.sheet import SheetRow

REPEAT_WIDTH = 10
NARROWEST, WIDEST = 20, 60  # of the columns of text
NOTE_WIDTH = 32
LEAST_WORDS, MOST_WORDS = 74.0, 110.0  # characters of the column that says costs in words
QUANTITY_WIDTH = 15
MAX_ARGUMENTS = 200  # of SUM; Excel allows 255
DEEPEST_OUTLINE = 7
MOST_OPEN = 80  # layers that are unfolded when a workbook is opened or printed; of more, the innermost are folded


def write_layers(page: Page, plan: Plan, formulas: CellFormulas, terms: Terms) -> dict[str, Value]:
    """Write the layers and return what they add up to, by quantity."""
    _write_head(page, plan)
    children = children_of(plan.sheet.rows)
    for index, row in enumerate(plan.sheet.rows):
        _write_row(page, plan, formulas, index, row, is_sum=bool(children[index]))
    roots = [index for index, row in enumerate(plan.sheet.rows) if not any(index in below for below in children)]
    totals = {quantity.key: _write_quantity(page, plan, formulas, quantity, children, roots) for quantity in QUANTITIES}
    _write_shares(page, plan, totals)
    _finish(page, plan)
    _write_links(page, plan, terms)
    _fold(page, plan, children)
    page.is_locked = False  # Excel folds no groups of a sheet that is
    return totals


def _write_head(page: Page, plan: Plan) -> None:
    words, sheet = plan.words, plan.sheet
    share, note = _share_column(), _note_column()
    widths = _text_widths(plan)
    page.widths([*widths, *[QUANTITY_WIDTH] * len(QUANTITIES), 18, _words_width(widths[0]), NOTE_WIDTH])
    start = page.first_page_start()
    page.text(f"{start}1", words("layers.title", title=plan.sheet_title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    flow = " ".join(
        words(f"layers.{key}", shapes=", ".join(f"{name} {_symbolic(axes, plan)}" for name, axes in shapes.items()))
        for key, shapes in (("input", sheet.inputs), ("output", sheet.outputs))
        if shapes
    )
    text = words("layers.note", flow=flow)
    end = page.first_page_end()
    write_note(page, plan, f"{start}2:{end}2", text)
    room = page.first_page_room()
    page.height(2, [(text, room)])
    page.text(page.merged(f"{start}3:{end}3", "Remark"), words("layers.fold"), "Remark")
    page.height(3, [(words("layers.fold"), room)])
    head = FIRST_LAYER_ROW - 1
    page.row(head, [words(f"layers.{key}") for key in ("layer", "op", "part", "repeat", "shape", "live_shape")], "Column head")
    page.text(f"D{head}", words("layers.repeat"), "Column head, number")
    for quantity in QUANTITIES:
        page.text(f"{plan.quantity_column(quantity)}{head}", plan.short(quantity), "Column head, number")
    page.text(f"{share}{head}", words("layers.share", quantity=plan.title(plan.main)), "Column head, number")
    page.text(f"{_words_column()}{head}", words("layers.in_words"), "Column head")
    page.text(f"{note}{head}", words("layers.note_column"), "Column head")
    page.height(head, [(plan.short(quantity), QUANTITY_WIDTH - 3) for quantity in QUANTITIES], least=2)


def _text_widths(plan: Plan) -> list[float]:
    """Return widths that fit the longest name, operation and shape."""
    rows = plan.sheet.rows
    longest = [
        max((width_of(text) for text in texts), default=0) + 4
        for texts in (
            [" " * 2 * row.depth + plan.layer_name(row) for row in rows],
            [_operation(row, plan) for row in rows],
            [plan.part_name(part) for part in plan.parts],
            [_shapes(row, plan) for row in rows],
            [_shapes_in_use(row, plan) for row in rows],
        )
    ]
    name, op, part, shape, live = (float(min(WIDEST, max(NARROWEST, length))) for length in longest)
    return [name, op, part, REPEAT_WIDTH, shape, max(live, 27.0)]


def _words_width(name: float) -> float:
    """Return the width that costs in words have, with names of this width and remarks on one page."""
    return max(LEAST_WORDS, min(MOST_WORDS, REMARKS_WIDTH - name - NOTE_WIDTH))


def _operation(row: SheetRow, plan: Plan) -> str:
    used = row.op.removeprefix("use ")
    return row.op if used == row.op else plan.words("layers.uses", name=used)


def _shapes(row: SheetRow, plan: Plan) -> str:
    return "; ".join(f"{name} {_symbolic(axes, plan)}".strip() for name, axes in row.shapes)


def _shapes_in_use(row: SheetRow, plan: Plan) -> str:
    return "; ".join(f"{name} {shape_text(axes, plan.in_use)}".strip() for name, axes in row.shapes)


def _share_column() -> str:
    return get_column_letter(FIRST_QUANTITY_COLUMN + len(QUANTITIES))


def _words_column() -> str:
    return get_column_letter(FIRST_QUANTITY_COLUMN + len(QUANTITIES) + 1)


def _note_column() -> str:
    return get_column_letter(FIRST_QUANTITY_COLUMN + len(QUANTITIES) + 2)


def _write_row(page: Page, plan: Plan, formulas: CellFormulas, index: int, row: SheetRow, *, is_sum: bool) -> None:
    """Write everything of a row but its costs."""
    at, style = FIRST_LAYER_ROW + index, "Group" if is_sum else "Layer"
    page.text(f"A{at}", plan.layer_name(row), style, indent=row.depth)
    page.text(f"B{at}", _operation(row, plan), style)
    page.text(f"{PART_COLUMN}{at}", next((plan.part_name(part) for part in plan.parts if index in part.rows), ""), style)
    formulas.write(page, f"D{at}", row.repeat, f"{style}, repeat")
    page.text(f"E{at}", _shapes(row, plan), style)
    _write_live_shape(page, plan, formulas, f"F{at}", row, style)
    in_words = plan.words("layers.sum") if is_sum else cost_in_words(row, plan)
    page.text(f"{_words_column()}{at}", in_words, f"{style}, note")
    note = "; ".join(plan.words.said(text) for text in (row.meaning, row.note) if text)
    page.text(f"{_note_column()}{at}", note, f"{style}, note")
    page.height(at, [(note, NOTE_WIDTH), (in_words, page.sheet.column_dimensions[_words_column()].width)])
    page.sheet.row_dimensions[at].outlineLevel = min(row.depth, DEEPEST_OUTLINE)


def _symbolic(axes: Sequence[Expr], plan: Plan) -> str:
    return f"[{', '.join(closed_form(axis, plan.order) for axis in axes)}]"


def _write_live_shape(page: Page, plan: Plan, formulas: CellFormulas, at: str, row: SheetRow, style: str) -> None:
    """Join the axes as numbers, `="["&b&", "&n&"]"`; a shape of numbers only is plain text."""
    shown = _shapes_in_use(row, plan)
    parts: list[tuple[bool, str]] = []  # whether it is a formula, and the text
    for i, (name, axes) in enumerate(row.shapes):
        parts.append((False, f"{'; ' if i else ''}{name}{' ' if name else ''}["))
        for k, axis in enumerate(axes):
            parts.append((False, ", " if k else ""))
            parts.append((False, str(axis)) if axis.is_Integer else (True, _joined(formulas.text(axis))))
        parts.append((False, "]"))
    if not any(is_formula for is_formula, _ in parts):
        page.text(at, shown, style)
        return
    page.formula(at, "&".join(_merged_literals(parts)), shown, style)


def _joined(formula: str) -> str:
    """Put a formula in parentheses where the eye needs them beside `&`."""
    return formula if formula.replace("_", "").replace(".", "").isalnum() else f"({formula})"


def _merged_literals(parts: Sequence[tuple[bool, str]]) -> list[str]:
    merged: list[str] = []
    literal = ""
    for is_formula, text in [*parts, (True, "")]:
        if not is_formula:
            literal += text
            continue
        if literal:
            merged.append(quoted(literal))
        literal = ""
        if text:
            merged.append(text)
    return merged


def _write_quantity(
    page: Page, plan: Plan, formulas: CellFormulas, quantity: Quantity, children: Sequence[Sequence[int]], roots: Sequence[int]
) -> Value:
    """Write one column: formulas for leaves, sums for groups from the bottom up, and the total."""
    column = plan.quantity_column(quantity)
    kind = kind_of(quantity.unit)
    values: dict[int, Value] = {}
    for index in range(len(plan.sheet.rows) - 1, -1, -1):
        at = f"{column}{FIRST_LAYER_ROW + index}"
        if children[index]:
            values[index] = _total(values, children[index])
            page.formula(at, _sum(column, children[index]), values[index], f"Group, {kind}")
        else:
            values[index] = formulas.write(page, at, plan.sheet.rows[index].costs[quantity.key], f"Layer, {kind}")
    total = _total(values, roots)
    at = f"{column}{plan.layers_total_row}"
    if roots:
        page.formula(at, _sum(column, roots), total, f"Total, {kind}")
    else:
        page.number(at, 0, f"Total, {kind}")
    return total


def _total(values: dict[int, Value], rows: Sequence[int]) -> Value:
    total: int | float | Fraction = 0
    for row in rows:
        value = values[row]
        assert not isinstance(value, str)
        total += value
    return total


def _sum(column: str, rows: Sequence[int]) -> str:
    """Return the sum over some rows of a column; neighbours become ranges."""
    ranges: list[list[int]] = []
    for row in rows:
        if ranges and ranges[-1][1] == row - 1:
            ranges[-1][1] = row
        else:
            ranges.append([row, row])
    cells = [
        f"{column}{FIRST_LAYER_ROW + first}" + (f":{column}{FIRST_LAYER_ROW + last}" if last > first else "") for first, last in ranges
    ]
    sums = [f"SUM({','.join(cells[start : start + MAX_ARGUMENTS])})" for start in range(0, len(cells), MAX_ARGUMENTS)]
    return "+".join(sums)


def _write_shares(page: Page, plan: Plan, totals: dict[str, Value]) -> None:
    """Write each row's share of the contractions' work."""
    quantity = plan.main
    column, share = plan.quantity_column(quantity), _share_column()
    children = children_of(plan.sheet.rows)
    total = f"{column}${plan.layers_total_row}"
    whole = totals[quantity.key]
    assert not isinstance(whole, str)
    for index, row in enumerate(plan.sheet.rows):
        at = FIRST_LAYER_ROW + index
        part = evaluate(row.costs[quantity.key], plan.in_use)
        value = Fraction(part) / Fraction(whole) if whole else 0
        page.formula(f"{share}{at}", f"IF({total}=0,0,{column}{at}/{total})", value, f"{'Group' if children[index] else 'Layer'}, share")
    last = plan.layers_total_row
    page.formula(f"{share}{last}", f"IF({total}=0,0,{column}{last}/{total})", 1 if whole else 0, "Total, share")


def _fold(page: Page, plan: Plan, children: Sequence[Sequence[int]]) -> None:
    """Fold the innermost groups of many layers, so that few pages show the whole; sums do not change by that."""
    rows = plan.sheet.rows
    depth = deepest_open([row.depth for row in rows])
    for index, row in enumerate(rows):
        here = page.sheet.row_dimensions[FIRST_LAYER_ROW + index]
        here.hidden = row.depth > depth
        here.collapsed = row.depth >= depth and bool(children[index])


def deepest_open(depths: Sequence[int]) -> int:
    """Return down to which depth at most `MOST_OPEN` layers stand; the first level is always open."""
    levels = range(1, max(depths, default=0) + 1)
    return max((level for level in levels if sum(depth <= level for depth in depths) <= MOST_OPEN), default=0)


def _write_links(page: Page, plan: Plan, terms: Terms) -> None:
    """Let operations lead to what they are; heads of two lines do not, because LibreOffice breaks no lines of a link."""
    for index, row in enumerate(plan.sheet.rows):
        if at := terms.at_operation(row):
            page.link(f"B{FIRST_LAYER_ROW + index}", at, terms.glossary.operation(row.op))


def _finish(page: Page, plan: Plan) -> None:
    """Write the total's label, freeze the head, and let the reader filter and fold."""
    last, first = plan.layers_total_row, FIRST_LAYER_ROW
    page.text(f"A{last}", plan.words("layers.total"), "Total")
    for column in ("B", "C", "D", "E", "F", _words_column(), _note_column()):
        page.blank(f"{column}{last}", "Total")
    sheet = page.sheet
    if not any(row.note or row.meaning for row in plan.sheet.rows):
        sheet.print_area = f"A1:{_words_column()}{last}"  # no page of empty remarks
    sheet.freeze_panes = f"B{first}"
    sheet.sheet_properties.outlinePr = Outline(summaryBelow=False)
    if last == first:
        return
    sheet.auto_filter.ref = f"A{first - 1}:{_note_column()}{last - 1}"
    hide(page, f"D{first}:D{last}")
    hide(page, f"F{first}:{_share_column()}{last}")
    for quantity in QUANTITIES:
        column = plan.quantity_column(quantity)
        name_large(page, f"{column}{first}:{column}{last}", plan.words, quantity.unit)
    numbers = f"{get_column_letter(FIRST_QUANTITY_COLUMN)}{first}:{_share_column()}{last - 1}"
    sheet.conditional_formatting.add(numbers, Rule(type="cellIs", operator="equal", formula=["0"], dxf=FAINT_LOOK))
    shares = f"{_share_column()}{first}:{_share_column()}{last - 1}"
    bars: Any = DataBarRule  # the published types leave its arguments out
    sheet.conditional_formatting.add(shares, bars("num", 0, "num", 1, color="9DB7E4", showValue=True, minLength=0, maxLength=100))
