"""The tables of a page: sizes, rows, totals."""

from __future__ import annotations

from collections.abc import Iterator

from generator.formulas.latex import latex_name
from generator.quantities import BYTES, INTENSITY, PEAK_BYTES, QUANTITIES, InBytes, Shown, shown_in
from generator.render.markdown.escape import code, text
from generator.render.markdown.formula import PageFormulas, inline
from generator.render.markdown.links import Links, op_cell
from generator.render.markdown.shapes import row_shapes, size_values
from generator.render.markdown.table import MarkdownTable, table, without_empty_columns
from generator.sheet.memory import ITEM
from generator.sheet.sheet import Sheet, SheetRow

ROW_FORMULA_WIDTH = 60  # four columns of formulas stand side by side
HOW_SAVED = (
    f"what is kept for the backward pass, where a number of the model has {code(ITEM.name)} bytes (4 in float32, 2 in bfloat16); "
    "masks have 1, indices 8, and statistics of normalisations at least 4"
)


def sizes_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the dims: name, symbol, meaning, kind and value."""
    rows = []
    for size in sheet.sizes:
        value = "" if size.value is None else formulas.cell(size.value, code(size.name), ROW_FORMULA_WIDTH)
        rows.append((code(size.name), inline(latex_name(size.name)), text(size.meaning), size.kind, value))
    return table(("Name", "Symbol", "Meaning", "Kind", "Value"), rows)


def options_table(sheet: Sheet) -> MarkdownTable:
    """Return the options in force."""
    return table(("Option", "In force"), ((code(name), code(option_value(value))) for name, value in sheet.options.items()))


def option_value(value: object) -> str:
    """Return an option's value as a spec writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def constraint_lines(sheet: Sheet) -> tuple[str, ...]:
    """Return each condition on the sizes."""
    trained = (f"{code(constraint.text)} (in training)" for constraint in sheet.trained)
    return (*(code(constraint.text) for constraint in sheet.constraints), *trained)


def rows_table(sheet: Sheet, formulas: PageFormulas, links: Links) -> MarkdownTable:
    """Return the rows in order of computation, parts of a block indented below it."""
    quantities = shown_in(Shown.ROWS, sheet.totals)
    head = ["Row", "Op", "Inputs", "Shape", "Times", *(one.short for one in quantities), "Note"]
    sizes = size_values(sheet)
    rows = []
    for row in sheet.rows:
        costs = [formulas.cell(row.costs[one.key], f"{one.short} of {code(row.path)}", ROW_FORMULA_WIDTH) for one in quantities]
        rows.append(
            [
                row_name(row),
                op_cell(row.op, links.pages),
                ", ".join(code(name) for name in row.inputs),
                "<br>".join(code(shape) for shape in row_shapes(row, sizes)),
                "" if row.repeat == 1 else formulas.cell(row.repeat, f"times that {code(row.path)} is computed", ROW_FORMULA_WIDTH),
                *costs,
                text(row.note),
            ]
        )
    return table(*without_empty_columns(head, rows, ("Times", "Note")))


def row_name(row: SheetRow) -> str:
    """Return a row's name behind an arrow that is indented by its depth; blocks are bold."""
    name = f"**{code(row.name)}**" if row.is_group else code(row.name)
    return f"{'&nbsp;' * 4 * (row.depth - 1)}↳&nbsp;{name}" if row.depth else name


def totals_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the closed form of every quantity and what it counts."""
    rows = [
        (text(q.title), code(q.key), formulas.cell(sheet.totals[q.key], text(q.title)), text(q.unit), text(q.meaning)) for q in QUANTITIES
    ]
    for amount in BYTES:
        rows += [(text(title), code(amount.key), cell, "bytes", how) for title, cell, how in _in_bytes(sheet, formulas, amount)]
    for dtype in ("float32", "bfloat16"):
        if sheet.peak is None:
            continue
        title = text(f"{PEAK_BYTES.en.title}, {dtype}")
        formula = sheet.peak_bytes(dtype)
        cell = text("at given sizes, by gen cost") if formula is None else formulas.cell(formula, title)
        rows.append((title, code(PEAK_BYTES.key), cell, "bytes", text(PEAK_BYTES.en.meaning)))
    if sheet.totals[INTENSITY.per.of.key] != 0:
        ratio = code(f"({' + '.join(INTENSITY.of.sum_of)}) / {INTENSITY.per.key}")
        title, meaning = text(INTENSITY.en.title), text(INTENSITY.en.meaning)
        rows.append((title, code(INTENSITY.key), ratio, text(INTENSITY.unit["en"]), meaning))
    return table(("Quantity", "Key", "Formula", "Unit", "Meaning"), rows)


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
        for formats, formula in sheet.saved.formulas().items() if sheet.saved.full else ():
            yield f"{title}, {formats}", formulas.cell(formula, text(f"{title}, {formats}")), HOW_SAVED
    elif sheet.totals[amount.of.key] != 0:
        yield title, code(f"{ITEM.name}*{amount.of.key}"), text(amount.en)
