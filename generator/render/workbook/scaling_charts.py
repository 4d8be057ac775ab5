"""The charts of the sheet of scaling."""

from __future__ import annotations

import generator.render.workbook.sheet_plan as places
from generator.render.workbook.cells import Page
from generator.render.workbook.charts import stacked
from generator.render.workbook.cost_shares import growth_chart
from generator.render.workbook.scaling import CHART_ROWS, FIRST_CHART_ROW, Scaling
from generator.render.workbook.sheet_plan import Plan

ROW_POINTS = 15


def write_scaling_charts(page: Page, plan: Plan, scaling: Scaling | None) -> None:
    """Place the charts below the table, one below the other, so that they are on one page: the totals, and the shares of the parts."""
    if scaling is None:
        return
    for row in range(FIRST_CHART_ROW, FIRST_CHART_ROW + 2 * CHART_ROWS):
        page.sheet.row_dimensions[row].height = ROW_POINTS
    words = plan.words
    chart = growth_chart(plan)
    if chart.series:
        page.chart(f"A{FIRST_CHART_ROW}", chart, words("charts.growth_text", title=plan.sheet_title))
    costly = [i for i, part in enumerate(plan.parts) if part.cost(plan.sheet, plan.main.key) != 0]
    if not costly:
        return
    first, last = places.FIRST_STEP_ROW, places.FIRST_STEP_ROW + places.STEPS - 1
    columns = [plan.scaled_columns[f"part {i}"] for i in costly]
    series = [(plan.at("scaling", f"${c}${first - 1}"), plan.at("scaling", f"${c}${first}:${c}${last}")) for c in columns]
    chart = stacked(
        words("charts.shares", quantity=plan.title(plan.main)),
        plan.at("scaling", f"$A${first}:$A${last}"),
        series,
        (words("charts.size_axis"), words("charts.share_axis")),
        words("look.font"),
    )
    page.chart(f"A{FIRST_CHART_ROW + CHART_ROWS}", chart, words("charts.shares_text", title=plan.sheet_title))
