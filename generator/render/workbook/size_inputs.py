"""The inputs: each size with its preset value, the user's override and the value in use."""

from __future__ import annotations

from collections.abc import Iterator

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation
from sympy import Expr, Ge, Le, Symbol

from generator.formulas.symbols import symbol
from generator.questions.growth.at_sizes import divisibility
from generator.render.texts import Texts
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.live import Live, fixed, sentence
from generator.render.workbook.sheet_plan import COLUMN_IN_USE_CELL, FIRST_SIZE_ROW, LARGEST_SIZE, Plan
from generator.render.workbook.styles import BAD_LOOK, EXAMPLE_LOOK
from generator.render.workbook.typed import is_equal, is_size
from generator.sheet.sheet import Size

WIDTHS = (26, 17, 17, 25, 24, 36, 41)  # of the summary's columns
ALL = sum(WIDTHS)


def write_sizes(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write the table of sizes: preset, override, in use, and where the value comes from."""
    words = plan.words
    page.text(page.merged(f"A{FIRST_SIZE_ROW - 3}:G{FIRST_SIZE_ROW - 3}", "Section"), words("summary.sizes"), "Section")
    how = words("summary.how")
    page.text(page.merged(f"A{FIRST_SIZE_ROW - 2}:G{FIRST_SIZE_ROW - 2}", "Remark"), how, "Remark")
    page.height(FIRST_SIZE_ROW - 2, [(how, ALL)])
    heads = [words(f"summary.{key}") for key in ("size", "preset_value", "override", "in_use", "set_by", "allowed", "meaning")]
    page.row(FIRST_SIZE_ROW - 1, heads, "Column head")
    for column in "BCD":
        page.text(f"{column}{FIRST_SIZE_ROW - 1}", heads["ABCD".index(column)], "Column head, number")
    for size in plan.sheet.sizes:
        _write_size(page, plan, formulas, size)
    _mark_mistakes(page, plan)
    _mark_examples(page, plan)
    if plan.open_sizes:
        note = words("summary.no_presets") if not plan.has_presets else _open_note(plan)
        row = plan.open_note_row
        page.text(page.merged(f"A{row}:G{row}", "Remark"), note, "Remark")
        page.height(row, [(note, ALL)])


def _mark_mistakes(page: Page, plan: Plan) -> None:
    """Colour what was typed and is not used, and values in use that are no sizes."""
    if not plan.order:
        return
    first, last = FIRST_SIZE_ROW, FIRST_SIZE_ROW + len(plan.order) - 1
    unused = f"$E{first}={quoted(plan.words('summary.not_used'))}"
    no_size = f"OR($D{first}<1,$D{first}<>INT($D{first}))"
    for cells, condition in ((f"C{first}:C{last}", unused), (f"E{first}:E{last}", unused), (f"D{first}:D{last}", no_size)):
        page.sheet.conditional_formatting.add(cells, Rule(type="expression", formula=[condition], dxf=BAD_LOOK))


def _mark_examples(page: Page, plan: Plan) -> None:
    """Colour the values that are ours, whichever preset is in use."""
    if plan.open_sizes:
        first, last = FIRST_SIZE_ROW, FIRST_SIZE_ROW + len(plan.order) - 1
        condition = f"$E{first}={quoted(plan.words('summary.by_example'))}"
        page.sheet.conditional_formatting.add(f"B{first}:E{last}", Rule(type="expression", formula=[condition], dxf=EXAMPLE_LOOK))


def _open_note(plan: Plan) -> str:
    names = [size.name for size in plan.open_sizes]
    listed = plan.words("summary.and").join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return plan.words("summary.open_size" if len(names) == 1 else "summary.open_sizes", sizes=listed)


def _write_size(page: Page, plan: Plan, formulas: CellFormulas, size: Size) -> None:
    row, name = plan.size_rows[size.name], plan.names[size.name]
    page.text(f"A{row}", size.name, "Label")
    published = plan.at("presets", f"$A${plan.published_rows.get(size.name, plan.all_size_rows[size.name])}")
    page.link(f"A{row}", published, plan.words("notes.to_presets", meaning=plan.meaning(size)))
    meaning = plan.meaning(size) if name == size.name else plan.words("summary.written", meaning=plan.meaning(size), name=name)
    page.text(f"G{row}", meaning)
    allowed = _write_allowed(page, plan, size, row)
    page.height(row, [(meaning, WIDTHS[6]), (allowed, WIDTHS[5])])
    if size.value is not None and size.kind == "derived":
        _write_derived(page, plan, formulas, size.value, row)
        return
    page.blank(f"C{row}", "Input number")
    page.sheet.add_data_validation(size_rule(plan.words, size.name, plan.meaning(size), f"C{row}"))
    if size.value is not None:
        _write_default(page, plan, formulas, size, size.value)
    else:
        _write_free(page, plan, size, row)


def _write_allowed(page: Page, plan: Plan, size: Size, row: int) -> str:
    """Say in which range a size may be, and what else it must satisfy; return the text at the sizes in use."""
    words = plan.words
    if size.kind == "derived":
        page.text(f"F{row}", words("summary.whole"), "Muted words")
        return words("summary.whole")
    lives = [fixed(words("summary.range_from_one")), *_limits(plan, symbol(size.name))]
    text = Live("&".join(live.formula for live in lives), "".join(live.shown for live in lives))
    if len(lives) == 1:
        page.text(f"F{row}", text.shown, "Muted words")
    else:
        page.formula(f"F{row}", text.formula, text.shown, "Muted words")
    return text.shown


def _limits(plan: Plan, own: Symbol) -> Iterator[Live]:
    """Yield what the conditions say of a size and one other, with the value of the other."""
    for constraint in plan.sheet.constraints:
        condition = constraint.condition
        division = divisibility(condition)
        if isinstance(condition, Le | Ge) and own in (condition.lhs, condition.rhs):
            small, large = (condition.lhs, condition.rhs) if isinstance(condition, Le) else (condition.rhs, condition.lhs)
            key, other = ("summary.at_most", large) if own == small else ("summary.at_least", small)
        elif division is not None and own in division:
            key, other = ("summary.multiple", division[1]) if own == division[0] else ("summary.divides", division[0])
        else:
            continue
        if isinstance(other, Symbol):
            yield sentence(plan.words(key), other=other.name, value=Live(plan.names[other.name], str(plan.in_use[other.name])))


def _write_derived(page: Page, plan: Plan, formulas: CellFormulas, value: Expr, row: int) -> None:
    """A size that always follows from others."""
    page.blank(f"B{row}", "Link")
    page.blank(f"C{row}", "Calculation")
    formulas.write(page, f"D{row}", value, "Size in use")
    page.text(f"E{row}", plan.words("summary.always", formula=closed_form(value, plan.order)))


def _write_default(page: Page, plan: Plan, formulas: CellFormulas, size: Size, formula: Expr) -> None:
    """A size that follows from others where neither the user nor the preset sets it."""
    row = plan.size_rows[size.name]
    words, value, by_preset = plan.words, plan.in_use[size.name], size.name in plan.columns[0].published
    published, used = (plan.preset_value(rows[size.name]) for rows in (plan.published_rows, plan.all_size_rows))
    fallback = words("summary.by_default", formula=closed_form(formula, plan.order))
    page.formula(f"B{row}", f'IF({is_equal(published, used)},{published},"")', value if by_preset else "", "Link")
    page.formula(f"D{row}", f'IF({is_size(f"C{row}")},C{row},IF(B{row}<>"",B{row},{formulas.text(formula)}))', value, "Size in use")
    origin = f'IF(B{row}<>"",{quoted(words("summary.by_preset"))},{quoted(fallback)})'
    _write_origin(page, plan, size, origin, words("summary.by_preset") if by_preset else fallback)


def _write_free(page: Page, plan: Plan, size: Size, row: int) -> None:
    """A size that the user or the preset sets; an example of ours, or the first preset's value, stands in where neither does."""
    words, value, by_preset = plan.words, plan.in_use[size.name], size.name in plan.columns[0].published
    published, used = (plan.preset_value(rows[size.name]) for rows in (plan.published_rows, plan.all_size_rows))
    page.formula(f"B{row}", used, value, "Link")
    page.formula(f"D{row}", f"IF({is_size(f'C{row}')},C{row},B{row})", value, "Size in use")
    otherwise = quoted(words("summary.by_example"))
    if by_preset:
        own = f"{plan.at('presets', COLUMN_IN_USE_CELL)}>{len(plan.columns)}"
        otherwise = f"IF({own},{quoted(words('summary.by_first', name=plan.columns[0].name))},{otherwise})"
    origin = f"IF({is_equal(published, used)},{quoted(words('summary.by_preset'))},{otherwise})"
    _write_origin(page, plan, size, origin, words("summary.by_preset" if by_preset else "summary.by_example"))


def _write_origin(page: Page, plan: Plan, size: Size, otherwise: str, shown: str) -> None:
    """Say where the value in use comes from, or that what was typed, here or into an own preset, is not used."""
    row, words = plan.size_rows[size.name], plan.words
    published, used = (plan.preset_value(rows[size.name]) for rows in (plan.published_rows, plan.all_size_rows))
    unused = quoted(words("summary.not_used"))
    is_own = f"{plan.at('presets', COLUMN_IN_USE_CELL)}>{len(plan.columns)}"
    by_preset = f'IF(AND({is_own},{published}<>"",{published}<>{used}),{unused},{otherwise})'
    chosen = f'IF(C{row}="",{by_preset},IF(C{row}=D{row},{quoted(words("summary.by_override"))},{unused}))'
    page.formula(f"E{row}", f"IFERROR({chosen},{unused})", shown, "Words")


def size_rule(words: Texts, name: str, meaning: str, cells: str) -> DataValidation:
    """Return the rule for cells into which a size is typed, with a message for what is none."""
    rule = DataValidation("whole", operator="between", formula1="1", formula2=str(LARGEST_SIZE), allow_blank=True)
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle = rule.errorTitle = words("summary.validation_title", name=name)[:32]
    rule.prompt = words("summary.validation_prompt", meaning=meaning[:100].capitalize())[:255]
    rule.error = words("summary.validation_error", name=name)[:225]
    rule.add(cells)
    return rule
