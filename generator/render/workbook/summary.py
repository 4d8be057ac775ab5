"""The first sheet: preset and master check, sizes, results."""

from __future__ import annotations

import re
from fractions import Fraction

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation
from sympy import Expr

from generator.printing.order import ordered_terms
from generator.render.workbook import plan as places
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.checks import Check
from generator.render.workbook.formulas import Formulas, closed_form
from generator.render.workbook.plan import Plan
from generator.render.workbook.scale import scaled, scaled_formula, unit_formula, unit_text
from generator.render.workbook.sizes import ALL, WIDTHS, write_sizes
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, EXACT_LOOK, GOOD_LOOK
from generator.sheet import QUANTITIES, Quantity

LONGEST_CLOSED_FORM = 700


def write_summary(page: Page, plan: Plan, formulas: Formulas, checks: tuple[Check, ...]) -> None:
    """Write the summary."""
    page.widths(WIDTHS)
    _write_head(page, plan)
    write_sizes(page, plan, formulas)
    totals = _write_results(page, plan, formulas)
    _write_verdict(page, plan, checks, totals)
    page.sheet.freeze_panes = "A4"


def _write_head(page: Page, plan: Plan) -> None:
    sheet = plan.sheet
    page.text(page.merged("A1:F1", "Sheet title"), sheet.title, "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    description = " ".join(sheet.description.split())
    page.text(page.merged("A4:F4", "Prose"), description, "Prose")
    page.height(4, [(description, ALL * 0.95)], points=15)
    sources = plan.words("summary.source", label="; ".join(sheet.references[key].text for key in sheet.cite if key in sheet.references))
    if sheet.cite:
        page.text(page.merged("A5:F5", "Remark"), sources, "Remark")
        page.height(5, [(sources, ALL)])
    for row, height in ((1, 28), (2, 42), (3, 26), (6, 6)):
        page.sheet.row_dimensions[row].height = height


def _write_verdict(page: Page, plan: Plan, checks: tuple[Check, ...], totals: dict[str, Value]) -> None:
    words = plan.words
    title = words("sheets.checks")
    last = places.FIRST_CHECK_ROW + len(checks) - 1
    results, texts = (f"{title}!${column}${places.FIRST_CHECK_ROW}:${column}${last}" for column in "EB")
    ok, wrong = words("result.ok"), words("result.wrong")
    failing = next((check for check in checks if check.verdict == wrong), None)
    page.text("A2", words("summary.preset"), "Label, free")
    page.text(page.merged("B2:C2", "Input choice"), plan.columns[0].name, "Input choice")
    page.text("D2", words("summary.checks"), "Label, free")
    page.formula("E2", f'IF(COUNTIF({results},"{wrong}")=0,"{ok}","{wrong}")', wrong if failing else ok, "Verdict, large")
    _color_verdicts(page, "E2", ok, wrong)
    _write_headline(page, plan, totals)
    settable = [plan.size_rows[size.name] for size in plan.settable]
    overrides = f"COUNTA($C${min(settable)}:$C${max(settable)})" if settable else "0"
    first_failing = f'INDEX({texts},MATCH("{wrong}",{results},0))'
    message = (
        f"IF(ISNA({words('sheets.presets')}!{places.COLUMN_IN_USE_CELL}),{quoted(words('summary.unknown_preset'))},"
        f'IF($E$2="{wrong}",{quoted(words("summary.failing"))}&{first_failing},'
        f"IF({overrides}=0,{quoted(words('summary.as_preset'))},{_overridden(plan, overrides)})))"
    )
    shown = words("summary.failing") + failing.text if failing else words("summary.as_preset")
    page.formula("F2", message, shown, "Message")
    _offer_presets(page, plan)


def _overridden(plan: Plan, overrides: str) -> str:
    before, after = plan.words("summary.overridden", count="\0").split("\0")
    return "&".join([*([quoted(before)] if before else []), overrides, quoted(after)])


def _write_headline(page: Page, plan: Plan, totals: dict[str, Value]) -> None:
    """The two numbers that most readers came for, in one line below the preset."""
    rows = plan.total_rows
    parts, shown = [], []
    for key, unit, spoken in (("params", "", True), ("matmul_flops", "FLOP", False)):
        label = plan.words(f"summary.headline_{key}")
        parts.append(f'ROUND($B${rows[key]},1)&" "&{unit_formula(f"$D${rows[key]}", unit, spoken=spoken)}&{quoted(label)}')
        amount, step = scaled(totals[key])
        shown.append(f"{rounded_text(amount)} {unit_text(step, unit, spoken=spoken)}{label}")
    page.formula(page.merged("A3:F3", "Headline"), '&", "&'.join(parts), ", ".join(shown), "Headline")


def rounded_text(value: Fraction) -> str:
    """Return ROUND(value, 1) as a spreadsheet joins it to text: halves up, no trailing zero."""
    tenths = int(value * 10 + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)


def _offer_presets(page: Page, plan: Plan) -> None:
    words = plan.words
    choice = DataValidation(
        "list", formula1=plan.preset_range(places.PRESET_NAMES_ROW), allow_blank=False, showErrorMessage=True, showInputMessage=True
    )
    choice.promptTitle, choice.prompt = words("summary.preset_title"), words("summary.preset_prompt")
    choice.errorTitle, choice.error = words("summary.preset_title"), words("summary.preset_error")
    choice.add("B2")
    page.sheet.add_data_validation(choice)


def _color_verdicts(page: Page, cells: str, ok: str, wrong: str) -> None:
    for word, look in ((ok, GOOD_LOOK), (wrong, BAD_LOOK)):
        page.sheet.conditional_formatting.add(cells, Rule(type="cellIs", operator="equal", formula=[quoted(word)], dxf=look))


def _write_results(page: Page, plan: Plan, formulas: Formulas) -> dict[str, Value]:
    words = plan.words
    head = plan.open_note_row + 3
    page.text(page.merged(f"A{head - 1}:F{head - 1}", "Section"), words("summary.results"), "Section")
    heads = [words(f"summary.{key}") for key in ("quantity", "rounded", "rounded_unit", "exact", "exact_unit", "closed_form")]
    page.row(head, heads, "Column head")
    for column in "BD":
        page.text(f"{column}{head}", heads["ABCD".index(column)], "Column head, number")
    first, last = plan.total_rows[QUANTITIES[0].key], plan.total_rows[QUANTITIES[-1].key]
    exact = Rule(type="expression", formula=[f"$D{first}<1000"], dxf=EXACT_LOOK)
    page.sheet.conditional_formatting.add(f"B{first}:B{last}", exact)
    return {quantity.key: _write_result(page, plan, formulas, quantity) for quantity in QUANTITIES}


def _closed_form(plan: Plan, total: Expr) -> str:
    """Return a total as text; of a very long one the beginning, up to a whole term."""
    text = closed_form(total, plan.order)
    if len(text) <= LONGEST_CLOSED_FORM:
        return text
    beginning = re.split(r" [+-] \S*$", text[:LONGEST_CLOSED_FORM])[0]
    return plan.words("summary.cut", beginning=beginning, count=len(ordered_terms(total, plan.order)))


def _write_result(page: Page, plan: Plan, formulas: Formulas, quantity: Quantity) -> Value:
    row, total = plan.total_rows[quantity.key], plan.sheet.totals[quantity.key]
    page.text(f"A{row}", quantity.title, "Label")
    value = formulas.write(page, f"D{row}", total, "Whole number")
    amount, step = scaled(value)
    page.formula(f"B{row}", scaled_formula(f"D{row}"), amount, "Rounded number")
    page.formula(f"C{row}", unit_formula(f"D{row}", quantity.unit), unit_text(step, quantity.unit), "Words")
    page.text(f"E{row}", quantity.unit, "Muted words")
    closed = _closed_form(plan, total)
    page.text(f"F{row}", closed)
    page.height(row, [(closed, WIDTHS[5])])
    return value
