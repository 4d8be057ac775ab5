"""The tables of a page: sizes, options, totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sympy import Add, Expr, expand

from generator.formulas.latex import latex_name, to_latex
from generator.in_bytes import BYTES, INTENSITY, InBytes
from generator.quantities import QUANTITIES, VECTOR_FLOPS, Quantity
from generator.render.markdown.escape_markdown import code, link, text
from generator.render.markdown.formula import PageFormulas, Parts, fitting, inline, multiplied, part_lines
from generator.render.markdown.links import OPERATIONS
from generator.render.markdown.row_tables import ROW_FORMULA_WIDTH
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.sheet.saved_bytes import ITEM
from generator.sheet.sheet import Sheet
from generator.text.spec_values import as_written

HOW_SAVED = (
    f"what is kept for the backward pass, where a number of the model has {code(ITEM.name)} bytes (4 in float32, 2 in bfloat16); "
    "masks have 1, indices 8, and statistics of normalisations at least 4"
)


_KINDS = {"float": "numbers", "stat": "statistics", "index": "indices", "bool": "masks"}


def sizes_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the dims: name, symbol, meaning, kind and value."""
    rows = []
    for size in sheet.sizes:
        value = "" if size.value is None else formulas.cell(size.value, code(size.name), ROW_FORMULA_WIDTH)
        rows.append((code(size.name), inline(latex_name(size.name)), text(size.meaning), size.kind, value))
    return table(("Name", "Symbol", "Meaning", "Kind", "Value"), rows)


def options_table(sheet: Sheet) -> MarkdownTable:
    """Return the options in force."""
    return table(("Option", "In force"), ((code(name), code(as_written(value))) for name, value in sheet.options.items()))


def constraint_lines(sheet: Sheet) -> tuple[str, ...]:
    """Return each condition on the sizes."""
    trained = (f"{code(constraint.text)} (in training)" for constraint in sheet.trained)
    return (*(code(constraint.text) for constraint in sheet.constraints), *trained)


def totals_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the closed form of every quantity and what it counts; long ones are given as the sum of what the rows cost."""
    rows = [
        (
            text(q.title),
            code(q.key),
            formulas.cell(sheet.totals[q.key], text(q.title), parts=parts_of(sheet, q.key)),
            text(q.unit),
            text(q.meaning) + _explained(q),
        )
        for q in QUANTITIES
    ]
    for amount in BYTES:
        rows += [(text(title), code(amount.key), cell, "bytes", how) for title, cell, how in _in_bytes(sheet, formulas, amount)]
    if sheet.totals[INTENSITY.per.of.key] != 0:
        ratio = code(f"({' + '.join(INTENSITY.of.sum_of)}) / {INTENSITY.per.key}")
        title, meaning = text(INTENSITY.en.title), text(INTENSITY.en.meaning)
        rows.append((title, code(INTENSITY.key), ratio, text(INTENSITY.unit["en"]), meaning))
    return table(("Quantity", "Key", "Formula", "Unit", "Meaning"), rows)


def _explained(quantity: Quantity) -> str:
    """Return a link to what each operation costs, where a quantity adds up such costs."""
    return f": {link('what each operation costs', OPERATIONS)}" if quantity.key == VECTOR_FLOPS.key else ""


def parts_of(sheet: Sheet, key: str) -> Parts:
    """Return what the rows of the spec itself cost, by their names, if that adds up to the total."""
    parts = [(row.name, row.costs[key]) for row in sheet.rows if row.depth == 0 and row.costs[key] != 0]
    return parts if expand(Add(*(cost for _, cost in parts)) - sheet.totals[key]) == 0 else ()


def inference_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the totals that differ where the module does not train; an empty table where none does."""
    found = [q for q in QUANTITIES if q.key in sheet.inference]
    rows = [
        (
            text(q.title),
            formulas.cell(sheet.totals[q.key], text(q.title)),
            formulas.cell(sheet.inference[q.key], f"{text(q.title)} in inference"),
        )
        for q in found
    ]
    return table(("Quantity", "In training", "In inference"), rows)


def _in_bytes(sheet: Sheet, formulas: PageFormulas, amount: InBytes) -> Iterator[tuple[str, str, str]]:
    """Yield titles, formulas and meanings; an amount that is an element count in bytes is written with its key."""
    title = f"{amount.of.short} in bytes"
    if amount.is_by_kind:
        elements = sheet.saved.by_formats()
        for formats, formula in sheet.saved.formulas().items() if sheet.saved.full else ():
            caption, short = text(f"{title}, {formats}"), formulas.short(formula)
            yield f"{title}, {formats}", short or formulas.below(caption, _by_kind(elements[formats], formulas.order), caption), HOW_SAVED
    elif sheet.totals[amount.of.key] != 0:
        yield title, code(f"{ITEM.name}*{amount.of.key}"), text(amount.en)


def _by_kind(elements: Mapping[str, Expr], order: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a display with a part for each kind of element, each of which has so many bytes."""
    item = to_latex(ITEM)
    each = {"float": item, "stat": rf"\max\left({item}, 4\right)", "index": "8", "bool": ""}
    parts = [(_KINDS[kind], multiplied(each[kind], fitting(count, order))) for kind, count in elements.items()]
    return part_lines(parts)
