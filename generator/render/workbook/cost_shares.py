"""Where the cost goes and how it grows, on the summary: the parts with their shares, and two charts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from openpyxl.formatting.rule import DataBarRule

import generator.render.workbook.sheet_plan as places
from generator.formulas.evaluate import evaluate
from generator.quantities import Quantity, Shown, keys_in, shown_in
from generator.render.workbook.cells import Page
from generator.render.workbook.charts import bars, lines
from generator.render.workbook.glossary_sheet import Terms
from generator.render.workbook.invalid_sizes import dash
from generator.render.workbook.scaling import Scaling
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.stamp import Value

CHART_ROWS = 20  # that two charts side by side stand on
ROW_POINTS = 15


def shared(plan: Plan) -> dict[str, Quantity]:
    """Return the quantity of which each column of the table of parts shows shares."""
    return dict(zip("BCDE", (plan.main if Shown.WORK in one.shown else one for one in shown_in(Shown.PARTS)), strict=True))


def write_parts(page: Page, plan: Plan, terms: Terms) -> None:
    """Write the table of parts."""
    words, first = plan.words, plan.first_part_row
    if not plan.parts:
        return
    page.text(page.merged(f"A{first - 2}:G{first - 2}", "Section"), words("parts.section"), "Section")
    page.text(f"A{first - 1}", words("parts.part"), "Column head")
    for column, quantity in shared(plan).items():
        page.text(f"{column}{first - 1}", plan.short(quantity), "Column head, number")
        page.link(f"{column}{first - 1}", terms.at_quantity(quantity), quantity.words(words.language).meaning)
    page.text(page.merged(f"F{first - 1}:G{first - 1}", "Column head"), words("parts.rows"), "Column head")
    page.sheet.row_dimensions[first - 1].height = 28
    for i, part in enumerate(plan.parts):
        row = first + i
        page.text(f"A{row}", plan.part_name(part), "Label")
        if part.rows:
            first_row = plan.at("layers", f"$A${places.FIRST_LAYER_ROW + min(part.rows)}")
            page.link(f"A{row}", first_row, words("notes.to_layers"))
        for column, quantity in shared(plan).items():
            _write_share(page, plan, f"{column}{row}", i, quantity)
        names = list(dict.fromkeys(plan.sheet.rows[index].name for index in part.rows))
        text = ", ".join(names)
        page.text(page.merged(f"F{row}:G{row}", "Muted words"), text, "Muted words")
        page.height(row, [(text, 100)])
    rule: Any = DataBarRule
    last = first + len(plan.parts) - 1
    page.sheet.conditional_formatting.add(
        f"B{first}:E{last}", rule("num", 0, "num", 1, color="9DB7E4", showValue=True, minLength=0, maxLength=100)
    )


def _write_share(page: Page, plan: Plan, at: str, index: int, quantity: Quantity) -> None:
    """Write the share that a part has in a quantity: the sum of its layers, by the total."""
    first, last = plan.layer_rows
    column = plan.quantity_column(quantity)
    names, costs = (plan.at("layers", f"${c}${first}:${c}${last}") for c in (places.PART_COLUMN, column))
    whole = evaluate(plan.sheet.totals[quantity.key], plan.in_use)
    part = evaluate(plan.parts[index].cost(plan.sheet, quantity.key), plan.in_use)
    value: Value = Fraction(part) / Fraction(whole) if whole else 0
    total = f"$D${plan.total_rows[quantity.key]}"
    page.formula(at, f"IF(ISNUMBER({total}),IF({total}=0,0,SUMIF({names},$A{at[1:]},{costs})/{total}),{dash(plan)})", value, "Share")


def write_charts(page: Page, plan: Plan, scaling: Scaling | None) -> None:
    """Place the charts below the parts, side by side."""
    row = plan.charts_row
    for line in range(row, row + CHART_ROWS):
        page.sheet.row_dimensions[line].height = ROW_POINTS
    words, font = plan.words, plan.words("look.font")
    if plan.parts:
        first, last = plan.first_part_row, plan.first_part_row + len(plan.parts) - 1
        head = first - 1
        drawn = (item for item in shared(plan).items() if item[1] is plan.main or Shown.PARTS_CHART in item[1].shown)
        columns = [column for column, quantity in drawn if plan.sheet.totals[quantity.key] != 0]
        series = [(plan.at("summary", f"${c}${head}"), plan.at("summary", f"${c}${first}:${c}${last}")) for c in columns]
        names = plan.at("summary", f"$A${first}:$A${last}")
        if series:
            chart = bars(words("charts.where"), names, series, "0%", font)
            page.chart(f"A{row}", chart, words("charts.where_text", title=plan.sheet_title))
    if scaling is not None:
        chart = growth_chart(plan)
        page.chart(f"E{row}", chart, words("charts.growth_text", title=plan.sheet_title))


def growth_chart(plan: Plan) -> Any:
    """Return the chart of the totals over the size that is varied."""
    first, last, head = places.FIRST_STEP_ROW, places.FIRST_STEP_ROW + places.STEPS - 1, places.FIRST_STEP_ROW - 1
    series = []
    for key in keys_in(Shown.GROWTH, plan.sheet.totals):
        if plan.sheet.totals[key] != 0:
            column = plan.scaled_columns[key]
            cells = f"${column}${first}:${column}${last}"
            series.append((plan.at("scaling", f"${column}${head}"), plan.at("scaling", cells)))
    axis_titles = (plan.words("charts.size_axis"), plan.words("charts.count_axis"))
    x = plan.at("scaling", f"$A${first}:$A${last}")
    return lines(plan.words("charts.growth"), x, series, axis_titles, plan.words("look.font"))
