"""What the sizes in use come to, on the summary: counts, and bytes in a number format that the user chooses."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate

from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.datavalidation import DataValidation
from sympy import Add, Expr, Integer, Max

from generator.formulas.evaluate import evaluate, reach
from generator.formulas.order import in_size_order, ordered_terms
from generator.in_bytes import BYTES, INTENSITY, PEAK_BYTES, InBytes, Ratio
from generator.quantities import QUANTITIES, Quantity
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.glossary_sheet import Terms
from generator.render.workbook.invalid_sizes import FITS, dash, dash_if_invalid
from generator.render.workbook.large_numbers import mark_inexact
from generator.render.workbook.live import choice, fixed
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.size_inputs import WIDTHS
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK, EXACT_LOOK
from generator.render.workbook.unit_scale import BINARY, UnitScale, of_counts
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.pass_peak import PeakMemory
from generator.sheet.saved_bytes import ITEM

LONGEST_CLOSED_FORM = 700
BOLD = 4  # characters by which bold letters make a column narrower
LONGEST_BRANCH = 3900  # characters of each of two formulas in one cell
FIRST_FORMAT = "float32"  # when the file is written


def write_results(page: Page, plan: Plan, formulas: CellFormulas, terms: Terms) -> dict[str, Value]:
    """Write the totals, and return them by quantity."""
    words = plan.words
    _write_heads(page, plan, plan.open_note_row + 3, words("summary.results"))
    first, last = plan.total_rows[QUANTITIES[0].key], plan.total_rows[QUANTITIES[-1].key]
    exact = Rule(type="expression", formula=[f"$D{first}<{of_counts(words).base}"], dxf=EXACT_LOOK)
    page.sheet.conditional_formatting.add(f"B{first}:B{last}", exact)
    mark_inexact(page, f"D{first}:D{last}")
    totals, rows = plan.sheet.totals, plan.total_rows
    found = {one.key: _write_result(page, plan, formulas, one, rows[one.key], totals[one.key]) for one in QUANTITIES}
    for one in QUANTITIES:  # not from its name, which takes two lines: LibreOffice breaks no lines of a link
        page.link(f"E{rows[one.key]}", terms.at_quantity(one), one.words(words.language).meaning)
    return found


def _write_heads(page: Page, plan: Plan, head: int, section: str) -> None:
    """Write what a table of counts is called, and the heads of its columns."""
    page.text(page.merged(f"A{head - 1}:G{head - 1}", "Section"), section, "Section")
    heads = [plan.words(f"summary.{key}") for key in ("quantity", "rounded", "rounded_unit", "exact", "exact_unit", "closed_form")]
    page.row(head, heads, "Column head")
    page.merged(f"F{head}:G{head}", "Column head")
    for column in "BD":
        page.text(f"{column}{head}", heads["ABCD".index(column)], "Column head, number")


def shortened_form(plan: Plan, total: Expr) -> str:
    """Return a total as text; of a very long one the first terms."""
    text = closed_form(total, plan.order)
    if len(text) <= LONGEST_CLOSED_FORM:
        return text
    terms = [term.expr for term in ordered_terms(total, plan.order)]
    ends = list(accumulate(len(closed_form(term, plan.order)) + 3 for term in terms))
    shown = max(1, bisect(ends, LONGEST_CLOSED_FORM))
    return plan.words("summary.cut", beginning=closed_form(Add(*terms[:shown]), plan.order), count=len(terms))


def _write_result(page: Page, plan: Plan, formulas: CellFormulas, quantity: Quantity, row: int, total: Expr) -> Value:
    page.text(f"A{row}", plan.title(quantity), "Label")
    value = formulas.write(page, f"D{row}", total, "Whole number", guard=lambda text: dash_if_invalid(plan, text))
    scale = of_counts(plan.words)
    amount, step = scale.scaled(value)
    _write_rounded(page, plan, row, scale, plan.words.scale(quantity.unit), (amount, step))
    page.text(f"E{row}", plan.unit(quantity), "Muted words")
    closed = shortened_form(plan, total)
    page.text(page.merged(f"F{row}:G{row}", "Words"), closed)
    _fit(page, row, plan.title(quantity), closed)
    return value


def _fit(page: Page, row: int, title: str, words: str) -> None:
    """Make a row high enough for its bold title, and for the words at its end."""
    page.height(row, [(title, WIDTHS[0] - BOLD), (words, WIDTHS[5] + WIDTHS[6])])


def _write_rounded(page: Page, plan: Plan, row: int, scale: UnitScale, names: Sequence[str], shown: tuple[Value, int] | None) -> None:
    """Write a result in the unit that people say, and that unit; nothing where the sizes have no answer (`shown`: None)."""
    amount, unit = (plan.words("result.dash"), "") if shown is None else (shown[0], names[shown[1]])
    page.formula(f"B{row}", f"IF(ISNUMBER(D{row}),{scale.scaled_formula(f'D{row}')},{dash(plan)})", amount, "Rounded number")
    page.formula(f"C{row}", f'IF(ISNUMBER(D{row}),{scale.unit_formula(f"D{row}", names)},"")', unit, "Words")


def write_memory(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write what parameters, saved tensors, state and traffic come to in bytes."""
    words, row = plan.words, plan.format_row
    page.text(page.merged(f"A{row - 1}:G{row - 1}", "Section"), words("memory.section"), "Section")
    page.text(f"A{row}", words("memory.format"), "Label, free")
    page.text(page.merged(f"B{row}:C{row}", "Input choice"), FIRST_FORMAT, "Input choice")
    choices = "".join(f"IF($B${row}={quoted(name)},{size}," for name, size in ITEM_BYTES.items())
    page.formula(f"D{row}", f'{choices}""{")" * len(ITEM_BYTES)}', ITEM_BYTES[FIRST_FORMAT], "Size in use")
    what = choice(f'D{row}=""', False, fixed(words("memory.format_error")), fixed(words("memory.per_element")))
    page.formula(page.merged(f"E{row}:G{row}", "Words"), what.formula, what.shown, "Words")
    unknown = Rule(type="expression", formula=[f'$D${row}=""'], dxf=BAD_LOOK)
    page.sheet.conditional_formatting.add(f"E{row}:G{row}", unknown)
    page.sheet.row_dimensions[row].height = 22
    _offer_formats(page, plan)
    page.row(row + 1, [words(f"memory.{key}") for key in ("what", "rounded", "rounded_unit", "bytes", "counted", "how")], "Column head")
    page.merged(f"F{row + 1}:G{row + 1}", "Column head")
    for column, key in (("B", "rounded"), ("D", "bytes")):
        page.text(f"{column}{row + 1}", words(f"memory.{key}"), "Column head, number")
    first, last = plan.memory_rows[BYTES[0].key], plan.memory_rows[PEAK_BYTES.key]
    exact = Rule(type="expression", formula=[f"$D{first}<1024"], dxf=EXACT_LOOK)
    page.sheet.conditional_formatting.add(f"B{first}:B{last}", exact)
    for amount in BYTES:
        _write_amount(page, plan, formulas, amount)
    _write_peak(page, plan, formulas, plan.memory_rows[PEAK_BYTES.key], plan.sheet.peak)
    _write_ratio(page, plan, INTENSITY)


def _offer_formats(page: Page, plan: Plan) -> None:
    words = plan.words
    rule = DataValidation("list", formula1=quoted(",".join(ITEM_BYTES)), allow_blank=False, showErrorMessage=True, showInputMessage=True)
    rule.promptTitle = rule.errorTitle = words("memory.format")[:32]
    rule.prompt, rule.error = words("memory.format_prompt"), words("memory.format_error")
    rule.add(f"B{plan.format_row}")
    page.sheet.add_data_validation(rule)


def _write_amount(page: Page, plan: Plan, formulas: CellFormulas, amount: InBytes) -> None:
    counted = f"$D${plan.total_rows[amount.of.key]}"
    text = _by_kind(plan, formulas) if amount.is_by_kind and plan.sheet.saved.full else f"{counted}*{plan.item_bytes_cell}"
    value: Value = evaluate(plan.sheet.in_bytes(amount, FIRST_FORMAT), plan.in_use)
    said = (plan.short(amount.of), amount.how(plan.words.language))
    _write_bytes(page, plan, plan.memory_rows[amount.key], said, text, value)


def _write_bytes(page: Page, plan: Plan, row: int, said: tuple[str, str], formula: str, value: Value) -> None:
    """Write a number of bytes, what it is called and how it is counted."""
    words, (title, how) = plan.words, said
    page.text(f"A{row}", title, "Label")
    page.formula(f"D{row}", f'IF(AND({FITS},{plan.item_bytes_cell}<>""),{formula},{dash(plan)})', value, "Whole number")
    _write_rounded(page, plan, row, BINARY, words.lines("memory.units"), None if isinstance(value, str) else BINARY.scaled(value))
    page.text(f"E{row}", words("memory.byte"), "Muted words")
    page.text(page.merged(f"F{row}:G{row}", "Words"), how)
    _fit(page, row, title, how)


def write_inference(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write what is another number where the module does not train; nothing where nothing is."""
    rows, totals = plan.inference_rows, plan.sheet.inference
    if not rows:
        return
    _write_heads(page, plan, min(rows.values()) - 1, plan.words("summary.inference"))
    for quantity in (one for one in QUANTITIES if one.key in rows):
        _write_result(page, plan, formulas, quantity, rows[quantity.key], totals[quantity.key])
    if PEAK_BYTES.key in rows:
        _write_peak(page, plan, formulas, rows[PEAK_BYTES.key], plan.sheet.inference_peak)
    for key, row in rows.items():
        least = BINARY.base if key == PEAK_BYTES.key else of_counts(plan.words).base
        page.sheet.conditional_formatting.add(f"B{row}", Rule(type="expression", formula=[f"$D{row}<{least}"], dxf=EXACT_LOOK))


def _write_peak(page: Page, plan: Plan, formulas: CellFormulas, row: int, peak: PeakMemory | None) -> None:
    """Write a peak of memory. Which moment is the highest may depend on the size of a number, so each size has a formula of its own."""
    said = PEAK_BYTES.words(plan.words.language)
    by_size = {size: found for dtype, size in ITEM_BYTES.items() if peak is not None and (found := peak.bytes(dtype)) is not None}
    if peak is not None and by_size:
        limits = peak.limits(FIRST_FORMAT)
        is_held = reach(limits, plan.in_use)
        value: Value = evaluate(by_size[ITEM_BYTES[FIRST_FORMAT]], plan.in_use) if is_held else plan.words("result.dash")
        _write_bytes(page, plan, row, (said.title, said.meaning), _highest(plan, formulas, by_size, limits), value)
        return
    page.text(f"A{row}", said.title, "Label")
    for column, style in (("B", "Rounded number"), ("D", "Whole number")):
        page.text(f"{column}{row}", plan.words("result.dash"), style)
    page.blank(f"C{row}", "Muted words")
    page.text(f"E{row}", plan.words("memory.byte"), "Muted words")
    page.text(page.merged(f"F{row}:G{row}", "Words"), plan.words("memory.no_peak"))
    _fit(page, row, said.title, plan.words("memory.no_peak"))


def _highest(plan: Plan, formulas: CellFormulas, by_size: Mapping[int, Expr], limits: Sequence[tuple[Expr, int]]) -> str:
    texts = {size: formulas.text(expr, plan.names) for size, expr in by_size.items()}
    if sum(map(len, texts.values())) > 2 * LONGEST_BRANCH:
        for size, expr in by_size.items():
            common, moments = (expr.as_independent(Max)) if expr.is_Add else (Integer(0), expr)
            in_order = in_size_order(Max.make_args(moments), plan.order)  # which are a set, in an order of hashes
            parts = [formulas.split(part, plan.names, plan.in_use) for part in in_order]
            texts[size] = "+".join([*([formulas.split(common, plan.names, plan.in_use)] if common != 0 else []), f"MAX({','.join(parts)})"])
    found = "".join(f"IF({plan.item_bytes_cell}={size},{text}," for size, text in texts.items()) + dash(plan) + ")" * len(texts)
    if not limits:
        return found
    holds = ",".join(f"{formulas.text(count, plan.names)}>={least}" for count, least in limits)
    return f"IF(AND({holds}),{found},{dash(plan)})"


def _by_kind(plan: Plan, formulas: CellFormulas) -> str:
    """Return the bytes kept for the backward pass: masks, indices and statistics have sizes of their own, whatever the format."""
    item = plan.item_bytes_cell
    texts = []
    for dtype, expr in zip((FIRST_FORMAT, "float16"), plan.sheet.saved.formulas().values(), strict=False):
        text = formulas.text(expr, {**plan.names, ITEM.name: item})
        if len(text) > LONGEST_BRANCH:
            there = {**plan.names, ITEM.name: plan.at("summary", item)}
            text = formulas.split(expr, there, {**plan.in_use, ITEM.name: ITEM_BYTES[dtype]})
        texts.append(text)
    return texts[0] if len(texts) == 1 else f"IF({item}>=4,{texts[0]},{texts[1]})"


def _write_ratio(page: Page, plan: Plan, ratio: Ratio) -> None:
    row, said = plan.memory_rows[ratio.key], ratio.words(plan.words.language)
    page.text(f"A{row}", said.title, "Label")
    formula = plan.sheet.ratio(ratio, FIRST_FORMAT)
    shown: Value = plan.words("result.dash") if formula is None else evaluate(formula, plan.in_use)
    above = "+".join(f"$D${plan.total_rows[key]}" for key in ratio.of.sum_of or (ratio.of.key,))
    page.formula(f"B{row}", f"IFERROR(({above})/$D${plan.memory_rows[ratio.per.key]},{dash(plan)})", shown, "Rounded number")
    page.text(f"C{row}", ratio.unit[plan.words.language], "Words")
    page.blank(f"D{row}", "Whole number")
    page.blank(f"E{row}", "Muted words")
    page.text(page.merged(f"F{row}:G{row}", "Words"), said.meaning)
    _fit(page, row, said.title, said.meaning)
