"""The first sheet: preset and master check, sizes, results."""

from __future__ import annotations

from fractions import Fraction

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation

from generator.printing.text import to_text
from generator.render.workbook import plan as places
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.checks import Check
from generator.render.workbook.formulas import Formulas
from generator.render.workbook.plan import Plan
from generator.render.workbook.scale import scaled, scaled_formula, unit_formula, unit_text
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, GOOD_LOOK
from generator.sheet import QUANTITIES, Quantity, Size

WIDTHS = (25, 17, 17, 24, 25, 62)
ALL = sum(WIDTHS)


def write_summary(page: Page, plan: Plan, formulas: Formulas, checks: tuple[Check, ...]) -> None:
    """Write the summary."""
    page.widths(WIDTHS)
    _write_head(page, plan)
    _write_sizes(page, plan, formulas)
    totals = _write_results(page, plan, formulas)
    _write_verdict(page, plan, checks, totals)
    page.sheet.freeze_panes = "A7"


def _write_head(page: Page, plan: Plan) -> None:
    sheet = plan.sheet
    page.text(page.merged("A1:F1", "Sheet title"), sheet.title, "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    description = " ".join(sheet.description.split())
    page.text(page.merged("A2:F2", "Prose"), description, "Prose")
    page.height(2, [(description, ALL * 0.95)], points=15)
    sources = plan.words("summary.source", label="; ".join(sheet.references[key].text for key in sheet.cite if key in sheet.references))
    if sheet.cite:
        page.text(page.merged("A3:F3", "Remark"), sources, "Remark")
        page.height(3, [(sources, ALL)])
    page.sheet.row_dimensions[4].height = 6
    page.sheet.row_dimensions[5].height = 24
    page.sheet.row_dimensions[7].height = 6


def _write_verdict(page: Page, plan: Plan, checks: tuple[Check, ...], totals: dict[str, Value]) -> None:
    words = plan.words
    title = words("sheets.checks")
    last = places.FIRST_CHECK_ROW + len(checks) - 1
    results, texts = (f"{title}!${column}${places.FIRST_CHECK_ROW}:${column}${last}" for column in "EB")
    ok, wrong = words("result.ok"), words("result.wrong")
    failing = next((check for check in checks if check.verdict == wrong), None)
    page.text("A5", words("summary.preset"), "Label, free")
    page.text(page.merged("B5:C5", "Input choice"), plan.columns[0].name, "Input choice")
    page.text("D5", words("summary.checks"), "Label, free")
    page.formula("E5", f'IF(COUNTIF({results},"{wrong}")=0,"{ok}","{wrong}")', wrong if failing else ok, "Verdict, large")
    _color_verdicts(page, "E5", ok, wrong)
    _write_headline(page, plan, totals)
    settable = [plan.size_rows[size.name] for size in plan.settable]
    overrides = f"COUNTA($C${min(settable)}:$C${max(settable)})" if settable else "0"
    first_failing = f'INDEX({texts},MATCH("{wrong}",{results},0))'
    message = (
        f"IF(ISNA({words('sheets.presets')}!{places.COLUMN_IN_USE_CELL}),{quoted(words('summary.unknown_preset'))},"
        f'IF($E$5="{wrong}",{quoted(words("summary.failing"))}&{first_failing},'
        f"IF({overrides}=0,{quoted(words('summary.as_preset'))},{_overridden(plan, overrides)})))"
    )
    shown = words("summary.failing") + failing.text if failing else words("summary.as_preset")
    page.formula(page.merged("A6:F6", "Message"), message, shown, "Message")
    page.sheet.row_dimensions[6].height = 18
    _offer_presets(page, plan)


def _overridden(plan: Plan, overrides: str) -> str:
    before, after = plan.words("summary.overridden", count="\0").split("\0")
    return "&".join([*([quoted(before)] if before else []), overrides, quoted(after)])


def _write_headline(page: Page, plan: Plan, totals: dict[str, Value]) -> None:
    """The two numbers that most readers came for, in one line beside the check."""
    rows = plan.total_rows
    parts, shown = [], []
    for key, word in (("params", "headline_params"), ("matmul_flops", "headline_flops")):
        quantity = next(quantity for quantity in QUANTITIES if quantity.key == key)
        label = plan.words(f"summary.{word}")
        unit = quantity.unit == "FLOP"
        parts.append(f'ROUND($B${rows[key]},1)&" "&{"$C$" + str(rows[key]) if unit else unit_formula(f"$D${rows[key]}", "", spoken=True)}&{quoted(label)}')
        amount, step = scaled(totals[key])
        shown.append(f"{rounded_text(amount)} {unit_text(step, quantity.unit) if unit else unit_text(step, '', spoken=True)}{label}")
    page.formula("F5", '&", "&'.join(parts), ", ".join(shown), "Headline")


def rounded_text(value: Fraction) -> str:
    """Return ROUND(value, 1) as a spreadsheet joins it to text: halves up, no trailing zero."""
    tenths = int(value * 10 + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)


def _offer_presets(page: Page, plan: Plan) -> None:
    words = plan.words
    choice = DataValidation("list", formula1=plan.preset_range(places.PRESET_NAMES_ROW), allow_blank=False, showErrorMessage=True, showInputMessage=True)
    choice.promptTitle, choice.prompt = words("summary.preset_title"), words("summary.preset_prompt")
    choice.errorTitle, choice.error = words("summary.preset_title"), words("summary.preset_error")
    choice.add("B5")
    page.sheet.add_data_validation(choice)


def _color_verdicts(page: Page, cells: str, ok: str, wrong: str) -> None:
    for word, look in ((ok, GOOD_LOOK), (wrong, BAD_LOOK)):
        page.sheet.conditional_formatting.add(cells, Rule(type="cellIs", operator="equal", formula=[quoted(word)], dxf=look))


def _write_sizes(page: Page, plan: Plan, formulas: Formulas) -> None:
    words = plan.words
    page.text(page.merged("A8:F8", "Section"), words("summary.sizes"), "Section")
    how = words("summary.how")
    page.text(page.merged("A9:F9", "Remark"), how, "Remark")
    page.height(9, [(how, ALL)])
    heads = [words(f"summary.{key}") for key in ("size", "preset_value", "override", "in_use", "set_by", "meaning")]
    page.row(10, heads, "Column head")
    for column in "BCD":
        page.text(f"{column}10", heads["ABCD".index(column)], "Column head, number")
    for size in plan.sheet.sizes:
        _write_size(page, plan, formulas, size)
    if plan.open_sizes:
        note = words("summary.no_presets") if not plan.has_presets else _open_note(plan)
        row = plan.open_note_row
        page.text(page.merged(f"A{row}:F{row}", "Remark"), note, "Remark")
        page.height(row, [(note, ALL)])


def _open_note(plan: Plan) -> str:
    names = [size.name for size in plan.open_sizes]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return plan.words("summary.open_sizes", sizes=listed, them="it" if len(names) == 1 else "them")


def _write_size(page: Page, plan: Plan, formulas: Formulas, size: Size) -> None:
    words, row, column = plan.words, plan.size_rows[size.name], plan.columns[0]
    name = plan.names[size.name]
    page.text(f"A{row}", size.name, "Label")
    meaning = size.meaning if name == size.name else words("summary.written", meaning=size.meaning, name=name)
    page.text(f"F{row}", meaning)
    page.height(row, [(meaning, WIDTHS[5])])
    if size.kind == "derived":
        assert size.value is not None
        page.blank(f"B{row}", "Link")
        page.blank(f"C{row}", "Calculation")
        formulas.write(page, f"D{row}", size.value, "Size in use")
        page.text(f"E{row}", words("summary.always", formula=to_text(size.value, plan.order)))
        return
    page.blank(f"C{row}", "Input number")
    _validate(page, plan, size)
    published = plan.preset_value(plan.published_rows[size.name])
    value = plan.in_use[size.name]
    by_preset = size.name in column.published
    override = f"IF(C{row}<>\"\",{quoted(words('summary.by_override'))},"
    if size.kind == "default":
        assert size.value is not None
        fallback = words("summary.by_default", formula=to_text(size.value, plan.order))
        page.formula(f"B{row}", f'IF(ISNUMBER({published}),{published},"")', value if by_preset else "", "Link")
        default = formulas.text(size.value)
        page.formula(f"D{row}", f'IF(C{row}<>"",C{row},IF(B{row}<>"",B{row},{default}))', value, "Size in use")
        set_by = f'{override}IF(B{row}<>"",{quoted(words("summary.by_preset"))},{quoted(fallback)}))'
        page.formula(f"E{row}", set_by, words("summary.by_preset") if by_preset else fallback, "Words")
        return
    if size.name in plan.example_rows:
        example = plan.preset_value(plan.example_rows[size.name])
        page.formula(f"B{row}", f"IF(ISNUMBER({published}),{published},{example})", value, "Link")
        origin = f"IF(ISNUMBER({published}),{quoted(words('summary.by_preset'))},{quoted(words('summary.by_example'))})"
    else:
        page.formula(f"B{row}", published, value, "Link")
        origin = quoted(words("summary.by_preset"))
    page.formula(f"D{row}", f'IF(C{row}<>"",C{row},B{row})', value, "Size in use")
    page.formula(f"E{row}", f"{override}{origin})", words("summary.by_preset" if by_preset else "summary.by_example"), "Words")


def _validate(page: Page, plan: Plan, size: Size) -> None:
    words = plan.words
    rule = DataValidation("whole", "greaterThanOrEqual", formula1="1", allow_blank=True, showErrorMessage=True, showInputMessage=True)
    rule.promptTitle = rule.errorTitle = words("summary.validation_title", name=size.name)[:32]
    rule.prompt = words("summary.validation_prompt", meaning=size.meaning[:100].capitalize())[:255]
    rule.error = words("summary.validation_error", name=size.name)[:225]
    rule.add(f"C{plan.size_rows[size.name]}")
    page.sheet.add_data_validation(rule)


def _write_results(page: Page, plan: Plan, formulas: Formulas) -> dict[str, Value]:
    words = plan.words
    head = plan.open_note_row + 3
    page.text(page.merged(f"A{head - 1}:F{head - 1}", "Section"), words("summary.results"), "Section")
    heads = [words(f"summary.{key}") for key in ("quantity", "rounded", "rounded_unit", "exact", "exact_unit", "closed_form")]
    page.row(head, heads, "Column head")
    for column in "BD":
        page.text(f"{column}{head}", heads["ABCD".index(column)], "Column head, number")
    return {quantity.key: _write_result(page, plan, formulas, quantity) for quantity in QUANTITIES}


def _write_result(page: Page, plan: Plan, formulas: Formulas, quantity: Quantity) -> Value:
    row, total = plan.total_rows[quantity.key], plan.sheet.totals[quantity.key]
    page.text(f"A{row}", quantity.title, "Label")
    value = formulas.write(page, f"D{row}", total, "Whole number")
    amount, step = scaled(value)
    page.formula(f"B{row}", scaled_formula(f"D{row}"), amount, "Rounded number")
    page.formula(f"C{row}", unit_formula(f"D{row}", quantity.unit), unit_text(step, quantity.unit), "Words")
    page.text(f"E{row}", quantity.unit, "Muted words")
    closed = to_text(total, plan.order)
    page.text(f"F{row}", closed)
    page.height(row, [(closed, WIDTHS[5])])
    return value
