"""The inputs: each size with its preset value, the user's override and the value in use."""

from __future__ import annotations

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation

from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.formulas import Formulas, closed_form
from generator.render.workbook.plan import FIRST_SIZE_ROW, Plan
from generator.render.workbook.styles import EXAMPLE_LOOK
from generator.sheet import Size

WIDTHS = (25, 17, 17, 24, 25, 62)  # of the summary's columns
ALL = sum(WIDTHS)


def write_sizes(page: Page, plan: Plan, formulas: Formulas) -> None:
    """Write the table of sizes: preset, override, in use, and where the value comes from."""
    words = plan.words
    page.text(page.merged("A7:F7", "Section"), words("summary.sizes"), "Section")
    how = words("summary.how")
    page.text(page.merged("A8:F8", "Remark"), how, "Remark")
    page.height(8, [(how, ALL)])
    heads = [words(f"summary.{key}") for key in ("size", "preset_value", "override", "in_use", "set_by", "meaning")]
    page.row(9, heads, "Column head")
    for column in "BCD":
        page.text(f"{column}9", heads["ABCD".index(column)], "Column head, number")
    for size in plan.sheet.sizes:
        _write_size(page, plan, formulas, size)
    _mark_examples(page, plan)
    if plan.open_sizes:
        note = words("summary.no_presets") if not plan.has_presets else _open_note(plan)
        row = plan.open_note_row
        page.text(page.merged(f"A{row}:F{row}", "Remark"), note, "Remark")
        page.height(row, [(note, ALL)])


def _mark_examples(page: Page, plan: Plan) -> None:
    """Colour the values that are ours, whichever preset is in use."""
    if plan.open_sizes:
        first, last = FIRST_SIZE_ROW, FIRST_SIZE_ROW + len(plan.order) - 1
        condition = f"$E{first}={quoted(plan.words('summary.by_example'))}"
        page.sheet.conditional_formatting.add(f"B{first}:E{last}", Rule(type="expression", formula=[condition], dxf=EXAMPLE_LOOK))


def _open_note(plan: Plan) -> str:
    names = [size.name for size in plan.open_sizes]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return plan.words("summary.open_size" if len(names) == 1 else "summary.open_sizes", sizes=listed)


def _write_size(page: Page, plan: Plan, formulas: Formulas, size: Size) -> None:
    row, name = plan.size_rows[size.name], plan.names[size.name]
    page.text(f"A{row}", size.name, "Label")
    meaning = size.meaning if name == size.name else plan.words("summary.written", meaning=size.meaning, name=name)
    page.text(f"F{row}", meaning)
    page.height(row, [(meaning, WIDTHS[5])])
    if size.kind == "derived":
        _write_derived(page, plan, formulas, size, row)
        return
    page.blank(f"C{row}", "Input number")
    _validate(page, plan, size)
    if size.kind == "default":
        _write_default(page, plan, formulas, size, row)
    else:
        _write_free(page, plan, size, row)


def _write_derived(page: Page, plan: Plan, formulas: Formulas, size: Size, row: int) -> None:
    """A size that always follows from others."""
    assert size.value is not None
    page.blank(f"B{row}", "Link")
    page.blank(f"C{row}", "Calculation")
    formulas.write(page, f"D{row}", size.value, "Size in use")
    page.text(f"E{row}", plan.words("summary.always", formula=closed_form(size.value, plan.order)))


def _write_default(page: Page, plan: Plan, formulas: Formulas, size: Size, row: int) -> None:
    """A size that follows from others where neither the user nor the preset sets it."""
    assert size.value is not None
    words, value, by_preset = plan.words, plan.in_use[size.name], size.name in plan.columns[0].published
    published = plan.preset_value(plan.published_rows[size.name])
    fallback = words("summary.by_default", formula=closed_form(size.value, plan.order))
    page.formula(f"B{row}", f'IF(ISNUMBER({published}),{published},"")', value if by_preset else "", "Link")
    page.formula(f"D{row}", f'IF(C{row}<>"",C{row},IF(B{row}<>"",B{row},{formulas.text(size.value)}))', value, "Size in use")
    origin = f'IF(B{row}<>"",{quoted(words("summary.by_preset"))},{quoted(fallback)})'
    _write_origin(page, plan, row, origin, words("summary.by_preset") if by_preset else fallback)


def _write_free(page: Page, plan: Plan, size: Size, row: int) -> None:
    """A size that the user or the preset sets; an example of ours stands in where neither does."""
    words, value, by_preset = plan.words, plan.in_use[size.name], size.name in plan.columns[0].published
    published = plan.preset_value(plan.published_rows[size.name])
    origin = quoted(words("summary.by_preset"))
    if size.name in plan.example_rows:
        example = plan.preset_value(plan.example_rows[size.name])
        page.formula(f"B{row}", f"IF(ISNUMBER({published}),{published},{example})", value, "Link")
        origin = f"IF(ISNUMBER({published}),{origin},{quoted(words('summary.by_example'))})"
    else:
        page.formula(f"B{row}", published, value, "Link")
    page.formula(f"D{row}", f'IF(C{row}<>"",C{row},B{row})', value, "Size in use")
    _write_origin(page, plan, row, origin, words("summary.by_preset" if by_preset else "summary.by_example"))


def _write_origin(page: Page, plan: Plan, row: int, otherwise: str, shown: str) -> None:
    """Say where the value in use comes from."""
    page.formula(f"E{row}", f'IF(C{row}<>"",{quoted(plan.words("summary.by_override"))},{otherwise})', shown, "Words")


def _validate(page: Page, plan: Plan, size: Size) -> None:
    words = plan.words
    rule = DataValidation("whole", operator="greaterThanOrEqual", formula1="1", allow_blank=True)
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle = rule.errorTitle = words("summary.validation_title", name=size.name)[:32]
    rule.prompt = words("summary.validation_prompt", meaning=size.meaning[:100].capitalize())[:255]
    rule.error = words("summary.validation_error", name=size.name)[:225]
    rule.add(f"C{plan.size_rows[size.name]}")
    page.sheet.add_data_validation(rule)
