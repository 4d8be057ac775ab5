"""The sheet of presets: published sizes, all sizes that follow, and what every preset comes to."""

from __future__ import annotations

from collections.abc import Sequence

from openpyxl.formatting.rule import Rule
from sympy import Expr

import generator.render.workbook.sheet_plan as places
from generator.formulas.evaluate import evaluate
from generator.quantities import QUANTITIES, Quantity
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.close import close_formula, is_close
from generator.render.workbook.invalid_sizes import dash
from generator.render.workbook.large_numbers import mark_inexact
from generator.render.workbook.preset_figures import cells_of, write_share_rows, write_weight_rows
from generator.render.workbook.sheet_plan import Plan, PresetColumn
from generator.render.workbook.size_inputs import size_rule
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import BAD_LOOK
from generator.render.workbook.typed import is_size, typed_count
from generator.sheet.sheet import SheetClaim, Size
from generator.text.spec_values import as_written

WIDTHS = (36, 34)
COLUMN_WIDTH = 23


def write_presets(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write the presets."""
    _write_head(page, plan)
    for size in plan.settable:
        _write_published(page, plan, size)
    if plan.example_sizes:
        _section(page, plan, plan.example_rows[plan.example_sizes[0].name] - 1, "presets.open_section")
    for size in plan.example_sizes:
        _write_examples(page, plan, size)
    if plan.order:
        _section(page, plan, plan.all_size_rows[plan.order[0]] - 1, "presets.all_sizes")
    for size in plan.sheet.sizes:
        _write_size(page, plan, formulas, size)
    _section(page, plan, plan.preset_total_rows[QUANTITIES[0].key] - 1, "presets.totals")
    for quantity in QUANTITIES:
        _write_total(page, plan, formulas, quantity)
    _section(page, plan, min(plan.preset_weight_rows.values()) - 1, "presets.weights")
    write_weight_rows(page, plan, formulas)
    if plan.parts:
        row = plan.preset_share_rows[0] - 1
        title = plan.words("presets.shares", quantity=plan.title(plan.main))
        page.text(page.merged(f"A{row}:{plan.rightmost_column}{row}", "Section"), title, "Section")
        write_share_rows(page, plan, formulas)
    if plan.expected:
        _section(page, plan, plan.expected_rows[plan.expected[0].key] - 1, "presets.expected_totals")
        _write_implementations(page, plan)
    for quantity in plan.expected:
        _write_expected(page, plan, quantity)
    if plan.printed:
        _section(page, plan, plan.printed_rows[plan.printed[0].key] - 1, "presets.printed_section")
    for quantity in plan.printed:
        _write_printed(page, plan, quantity)
    _write_notes(page, plan)
    totals = [*plan.preset_total_rows.values(), *plan.expected_rows.values()]
    mark_inexact(page, f"{plan.first_column}{min(totals)}:{plan.rightmost_column}{max(totals)}")
    page.sheet.print_area = _print_area(plan, page.sheet.max_row)
    page.sheet.freeze_panes = "C5"


def _print_area(plan: Plan, last_row: int) -> str:
    """Return the ranges to print: all but the empty columns of the user's own behind the first."""
    areas = [f"A1:{plan.own_columns[0].letter}{last_row}"]
    if plan.other_columns:
        areas.append(f"{plan.other_columns[0].letter}1:{plan.other_columns[-1].letter}{last_row}")
    return ",".join(areas)


def _write_head(page: Page, plan: Plan) -> None:
    words = plan.words
    columns = (*plan.columns, *plan.own_columns, *plan.other_columns)
    page.widths([*WIDTHS, *[COLUMN_WIDTH] * len(columns)])
    note = words("presets.note" if plan.has_presets else "presets.example_note")
    if plan.other_columns:
        name = plan.other_columns[0].name
        note += words("presets.others", columns=_letters(plan.other_columns), name=name)
    page.headed(words("presets.title", title=plan.sheet_title), note)
    page.text("A4", words("presets.column"), "Column head")
    page.text("B4", words("presets.meaning"), "Column head")
    page.text("A5", words("presets.source"), "Label")
    page.text("B5", "", "Muted words")
    for column in plan.filled_columns:
        page.text(f"{column.letter}4", column.name, "Column head, number")
        reference = plan.sheet.references.get(column.cite)
        page.text(f"{column.letter}5", reference.label if reference else "", "Muted number")
    for column in plan.own_columns:
        _write_own_head(page, column)
    page.text("A6", words("presets.in_use"), "Label")
    names = f"${plan.first_column}${places.PRESET_NAMES_ROW}:${plan.last_column}${places.PRESET_NAMES_ROW}"
    # A name that is not there is a failed check; meanwhile the first preset stands in, so that no sheet is full of errors.
    page.formula("B6", f"IFERROR(MATCH({plan.at('summary', places.PRESET_CELL)},{names},0),1)", 1, "Link")
    for column in plan.columns:
        page.blank(f"{column.letter}6", "Calculation")
    for column in plan.own_columns:
        _write_mistakes(page, plan, column)
    _write_choices(page, plan)
    _section(page, plan, places.FIRST_PUBLISHED_ROW - 1, "presets.published_sizes")


def _letters(columns: Sequence[PresetColumn]) -> str:
    first, last = columns[0].letter, columns[-1].letter
    return first if first == last else f"{first}–{last}"


def _write_choices(page: Page, plan: Plan) -> None:
    """Say with which options and blocks a preset goes, where these are others than those of the workbook."""
    texts = []
    for column in plan.other_columns:
        said = plan.words("checks.comma").join(f"{name} = {as_written(value)}" for name, value in column.choices.items())
        texts.append(plan.words("presets.with_choices", choices=said))
        page.text(f"{column.letter}{places.MISTAKES_ROW}", texts[-1], "Muted words")
    page.height(places.MISTAKES_ROW, [(text, COLUMN_WIDTH) for text in texts])


def _write_own_head(page: Page, column: PresetColumn) -> None:
    """The name of a column of the user's own, and where its sizes come from."""
    if column.name:
        page.text(f"{column.letter}{places.PRESET_NAMES_ROW}", column.name, "Input words")
    else:
        page.blank(f"{column.letter}{places.PRESET_NAMES_ROW}", "Input words")
    page.blank(f"{column.letter}{places.PRESET_NAMES_ROW + 1}", "Input word")


def _write_mistakes(page: Page, plan: Plan, column: PresetColumn) -> None:
    """Say in a column of the user's own if what was typed there is no size, or one follows from it that is none."""
    at = f"{column.letter}{places.MISTAKES_ROW}"
    words = quoted(plan.words("presets.not_used"))
    if not plan.settable:
        page.blank(at, "Muted words")
        return
    typed, used = (
        f"{column.letter}${min(rows.values())}:{column.letter}${max(rows.values())}" for rows in (plan.published_rows, plan.all_size_rows)
    )
    # Sums over ranges, because a function has no more than 255 arguments. Text makes an error, which counts as wrong.
    no_size = f'SUMPRODUCT(({typed}<>"")*(({typed}<1)+({typed}>{places.LARGEST_SIZE})+({typed}<>INT({typed}))))'
    no_number = f"{typed_count(typed)}-COUNT({typed})"
    following = f"SUMPRODUCT(({used}<1)+({used}<>INT({used})))"
    wrong = f"{no_size}+{no_number}+{following}>0"
    unnamed = f'{column.letter}{places.PRESET_NAMES_ROW}=""'
    page.formula(at, f'IF({unnamed},"",IF(IFERROR({wrong},TRUE),{words},""))', "", "Muted words")
    page.sheet.conditional_formatting.add(at, Rule(type="expression", formula=[f'{at}<>""'], dxf=BAD_LOOK))


def _section(page: Page, plan: Plan, row: int, key: str) -> None:
    page.text(page.merged(f"A{row}:{plan.rightmost_column}{row}", "Section"), plan.words(key), "Section")


def _label(page: Page, row: int, label: str, meaning: str) -> None:
    page.text(f"A{row}", label, "Label")
    page.text(f"B{row}", meaning, "Muted words")
    page.height(row, [(label, WIDTHS[0]), (meaning, WIDTHS[1])])


def _write_published(page: Page, plan: Plan, size: Size) -> None:
    row = plan.published_rows[size.name]
    _label(page, row, size.name, plan.meaning(size))
    for column in plan.filled_columns:
        at = f"{column.letter}{row}"
        if size.name in column.published:
            page.number(at, column.published[size.name], "Published")
        else:
            value = _size_in(column, size).value
            unset = plan.words("presets.open") if value is None else closed_form(value, plan.order)
            page.text(at, unset, "Muted number")
    for column in plan.own_columns:
        page.blank(f"{column.letter}{row}", "Input number")
    _guide_own(page, plan, size)


def _guide_own(page: Page, plan: Plan, size: Size) -> None:
    """Say what a size in a column of the user's own may be, and colour what is none."""
    row, first = plan.published_rows[size.name], plan.own_columns[0].letter
    cells = f"{first}{row}:{plan.last_column}{row}"
    page.sheet.add_data_validation(size_rule(plan.words, size.name, plan.meaning(size), cells))
    unused = Rule(type="expression", formula=[f'AND({first}{row}<>"",NOT({is_size(f"{first}{row}")}))'], dxf=BAD_LOOK)
    page.sheet.conditional_formatting.add(cells, unused)


def _write_examples(page: Page, plan: Plan, size: Size) -> None:
    row = plan.example_rows[size.name]
    _label(page, row, size.name, plan.meaning(size))
    for column in plan.filled_columns:
        at = f"{column.letter}{row}"
        if size.name in column.examples:
            page.number(at, column.examples[size.name], "Example")
        else:
            page.blank(at, "Example")
    for column in plan.own_columns:
        page.blank(f"{column.letter}{row}", "Example")


def _size_in(column: PresetColumn, size: Size) -> Size:
    """Return a size as it is under the options of a column: what it is by default may be another formula there."""
    return next(one for one in column.sheet.sizes if one.name == size.name)


def _write_size(page: Page, plan: Plan, formulas: CellFormulas, size: Size) -> None:
    row = plan.all_size_rows[size.name]
    _label(page, row, size.name, plan.meaning(size))
    for column in (*plan.filled_columns, *plan.own_columns):
        at, value = f"{column.letter}{row}", column.values[size.name]
        text = _size_formula(plan, formulas, _size_in(column, size), column)
        if column.is_own:
            _write_own(page, column, at, text, value, "Calculation")
        else:
            page.formula(at, text, value, "Calculation")


def _size_formula(plan: Plan, formulas: CellFormulas, size: Size, column: PresetColumn) -> str:
    """Return the formula of a size in a column: what is published, what follows from other sizes, or what stands in.

    A column of the user's own into which nothing is typed yet holds all sizes of the first.
    """
    if size.kind == "derived":
        return formulas.text(size.value, cells_of(plan, column))
    published = f"{column.letter}{plan.published_rows[size.name]}"
    first = f"${plan.first_column}{plan.all_size_rows[size.name]}"
    is_given = is_size(published) if column.is_own else f"ISNUMBER({published})"
    if size.value is not None:
        other = formulas.text(size.value, cells_of(plan, column))
        if column.is_own and size.name in plan.columns[0].published:
            rows = plan.published_rows.values()
            typed = f"{column.letter}${min(rows)}:{column.letter}${max(rows)}"
            other = f"IF(COUNTA({typed})=0,{first},{other})"
    elif column.is_own:
        other = first
    elif size.name in plan.example_rows:
        other = f"{column.letter}{plan.example_rows[size.name]}"
    else:
        return published
    return f"IF({is_given},{published},{other})"


def _write_own(page: Page, column: PresetColumn, at: str, text: str, value: Value, style: str) -> None:
    """Write a formula into a column of the user's own, which stays empty until it has a name."""
    named = f"{column.letter}${places.PRESET_NAMES_ROW}"
    page.formula(at, f'IF({named}="","",{text})', value if column.name else "", style)


def _write_total(page: Page, plan: Plan, formulas: CellFormulas, quantity: Quantity) -> None:
    row = plan.preset_total_rows[quantity.key]
    _label(page, row, plan.title(quantity), plan.unit(quantity))
    for column in plan.filled_columns:
        total = column.sheet.totals[quantity.key]
        formulas.write(page, f"{column.letter}{row}", total, "Whole number", cells=cells_of(plan, column), sizes=column.values)
    for column in plan.own_columns:
        total = column.sheet.totals[quantity.key]
        text = formulas.text(total, cells_of(plan, column))
        if len(text) > places.LONGEST_GUARDED:
            page.text(f"{column.letter}{row}", plan.words("presets.too_long"), "Muted number")
            continue
        guarded = f'IF({column.letter}${places.MISTAKES_ROW}="",{text},{dash(plan)})'
        _write_own(page, column, f"{column.letter}{row}", guarded, evaluate(total, column.values), "Whole number")


def _write_expected(page: Page, plan: Plan, quantity: Quantity) -> None:
    row = plan.expected_rows[quantity.key]
    _label(page, row, plan.words("presets.expected", title=plan.title(quantity)), plan.unit(quantity))
    _label(page, row + 1, plan.words("presets.difference", title=plan.title(quantity)), "")
    for column in plan.filled_columns:
        published, found = f"{column.letter}{row}", f"{column.letter}{plan.preset_total_rows[quantity.key]}"
        expected = column.expect.get(quantity.key)
        if expected is None:
            page.blank(published, "Published, total")
        else:
            page.number(published, expected, "Published, total")
        equal = close_formula(found, published)
        formula = f'IF(ISNUMBER({published}),IF({equal},0,{found}-{published}),"")'
        page.formula(f"{column.letter}{row + 1}", formula, _difference(column.sheet.totals[quantity.key], column, expected), "Whole number")
    for column in plan.own_columns:
        page.blank(f"{column.letter}{row}", "Published, total")
        page.blank(f"{column.letter}{row + 1}", "Whole number")


def _write_implementations(page: Page, plan: Plan) -> None:
    """Say whose totals are expected: those of a public implementation, or arithmetic of our own."""
    row, labels = plan.implementation_row, []
    _label(page, row, plan.words("presets.counted_in"), "")
    presets = {preset.name: preset for preset in plan.sheet.every_preset}
    for column in plan.filled_columns:
        preset = presets.get(column.name)
        if preset is None or not preset.expect:
            page.blank(f"{column.letter}{row}", "Muted words")
            continue
        text = plan.words("presets.own_arithmetic")
        if preset.implementation is not None:
            model, cite = preset.implementation
            text = ", ".join([model, *_labels(plan, cite)])
        labels.append(text)
        page.text(f"{column.letter}{row}", text, "Muted words")
    for column in plan.own_columns:
        page.blank(f"{column.letter}{row}", "Muted words")
    page.height(row, [(text, COLUMN_WIDTH) for text in labels])


def _labels(plan: Plan, cite: str) -> list[str]:
    return [plan.sheet.references[key].label for key in cite.split() if key in plan.sheet.references]


def _write_printed(page: Page, plan: Plan, quantity: Quantity) -> None:
    """Write what sources print of a quantity at each preset, with the verdict."""
    row, texts = plan.printed_rows[quantity.key], []
    _label(page, row, plan.words("presets.printed", title=plan.title(quantity)), plan.words("presets.printed_note"))
    for column in plan.filled_columns:
        claims = [claim for claim in plan.sheet.claims if (claim.of_preset, claim.quantity) == (column.name, quantity.key)]
        texts.append("\n".join(_printed(plan, claim) for claim in claims))
        page.text(f"{column.letter}{row}", texts[-1], "Muted words") if claims else page.blank(f"{column.letter}{row}", "Muted words")
    for column in plan.own_columns:
        page.blank(f"{column.letter}{row}", "Muted words")
    page.height(row, [(text, COLUMN_WIDTH) for text in texts])


def _write_notes(page: Page, plan: Plan) -> None:
    """Write the notes of presets, if any has one."""
    row, notes = plan.notes_row, {preset.name: plan.words.said(preset.note) for preset in plan.sheet.every_preset if preset.note}
    if not notes:
        return
    _label(page, row, plan.words("presets.note_of_preset"), "")
    for column in plan.filled_columns:
        page.text(f"{column.letter}{row}", notes.get(column.name, ""), "Muted words")
    page.height(row, [(notes.get(column.name, ""), COLUMN_WIDTH) for column in plan.filled_columns])


def _printed(plan: Plan, claim: SheetClaim) -> str:
    key = "presets.printed_differs" if claim.verdict == "differs" else "presets.printed_equal"
    left_out = plan.words("checks.comma").join(filter(None, [claim.text, _without(plan, claim)]))
    source = "; ".join(_labels(plan, claim.cite)) or plan.words("checks.no_source")
    return plan.words(key, text=left_out, source=source)


def _without(plan: Plan, claim: SheetClaim) -> str:
    return plan.words("checks.without", ignored=", ".join(claim.ignored)) if claim.ignored else ""


def _difference(total: Expr, column: PresetColumn, expected: int | None) -> int | str:
    if expected is None:
        return ""
    found = evaluate(total, column.values)
    return 0 if is_close(found, expected) else found - expected
