"""The workbook of all architectures: one line for each preset with what it comes to, and one for each spec with its formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from openpyxl import Workbook
from openpyxl.utils import get_column_letter, quote_sheetname
from openpyxl.worksheet.hyperlink import Hyperlink

from generator.quantities import QUANTITIES, UNITS, Quantity, Shown, keys_in, shown_in
from generator.render.texts import Texts, texts
from generator.render.workbook.cell_formulas import closed_form
from generator.render.workbook.cells import Page
from generator.render.workbook.finish import Properties, finished, set_up_print
from generator.render.workbook.large_numbers import kind_of, name_large
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import add_styles
from generator.sheet.counted import CountedPreset, counted_at
from generator.sheet.example import ExampleView
from generator.sheet.sheet import Sheet
from generator.text.spec_values import as_written

FIRST_ROW = 5
WORDS_WIDTHS = (50, 32, 26, 28, 46, 34)  # title, spec, kind, preset, sizes, source
NUMBER_WIDTH = 16
FORMULA_WIDTH = 52
LONGEST_FORM = 300


@dataclass(frozen=True)
class CatalogueLine:
    """A spec of the catalogue.

    Args:
        sheet: the spec; its rows and conditions are not looked at.
        views: the sizes at which it is shown, which are those of its own workbook: they are chosen where rows and conditions are known.
        others: its presets with options or blocks of their own.
    """

    sheet: Sheet
    views: tuple[ExampleView, ...]
    others: tuple[CountedPreset, ...] = ()


@dataclass(frozen=True)
class Line:
    """One line of the catalogue with its spec."""

    sheet: Sheet
    at: CountedPreset


def build_catalogue(entries: Sequence[CatalogueLine], language: str = "en", suffix: str = ".xlsx") -> bytes:
    """Return the .xlsx file that lists architectures, each linked to its own workbook in the same folder.

    Its numbers are those of the day it was built; in the workbooks they are live. The same entries give the same bytes.

    Args:
        entries: the architectures.
        language: of the texts.
        suffix: of the workbooks' names.
    """
    words = texts(language)
    book = Workbook()
    book.remove(book.worksheets[0])
    add_styles(book, words)
    values: dict[tuple[str, str], Value] = {}
    listed, forms = (Page(book, words(f"catalogue.{key}"), values) for key in ("sheet", "formulas"))
    ordered = sorted(entries, key=lambda entry: (not entry.sheet.source.startswith("models/"), entry.sheet.source))
    lines = [
        Line(entry.sheet, one) for entry in ordered for one in (*(counted_at(entry.sheet, view) for view in entry.views), *entry.others)
    ]
    first_rows: dict[str, int] = {}
    _write_head(listed, words)
    for row, line in enumerate(lines, start=FIRST_ROW):
        first_rows.setdefault(line.sheet.name, row)
        _write_line(listed, words, row, line, suffix)
    last = get_column_letter(len(WORDS_WIDTHS) + len(QUANTITIES))
    listed.sheet.auto_filter.ref = f"A{FIRST_ROW - 1}:{last}{max(FIRST_ROW, FIRST_ROW + len(lines) - 1)}"
    for i, quantity in enumerate(QUANTITIES, start=len(WORDS_WIDTHS) + 1):
        column = get_column_letter(i)
        name_large(listed, f"{column}{FIRST_ROW}:{column}{FIRST_ROW + max(1, len(lines)) - 1}", words, quantity.unit)
    listed.sheet.freeze_panes = f"B{FIRST_ROW}"
    _write_formulas(forms, words, [entry.sheet for entry in ordered], first_rows)
    for page in (listed, forms):
        set_up_print(page.sheet, title=words("catalogue.title"), repeated="1:4")
    return finished(book, values, [listed, forms], Properties(words("catalogue.title"), "specs", language))


def _write_head(page: Page, words: Texts) -> None:
    page.widths([*WORDS_WIDTHS, *[NUMBER_WIDTH] * len(QUANTITIES)])
    page.headed(words("catalogue.title"), words("catalogue.note"))
    heads = ("architecture", "spec", "kind", "preset", "sizes", "source")
    page.row(FIRST_ROW - 1, [words(f"catalogue.{key}") for key in heads], "Column head")
    titles = [_with_unit(quantity, words) for quantity in QUANTITIES]
    for i, title in enumerate(titles, start=len(heads) + 1):
        page.text(f"{get_column_letter(i)}{FIRST_ROW - 1}", title, "Column head, number")
    page.height(FIRST_ROW - 1, [(title, NUMBER_WIDTH - 4) for title in titles])


def _with_unit(quantity: Quantity, words: Texts) -> str:
    """Return what a quantity is called, with its unit where the name does not say it."""
    title = quantity.words(words.language).title
    return words("comparison.measure", title=title, unit=UNITS[quantity.unit][words.language]) if quantity.unit == "elements" else title


def _write_line(page: Page, words: Texts, row: int, line: Line, suffix: str) -> None:
    sheet, at_sizes = line.sheet, line.at
    page.text(f"A{row}", words.said(sheet.title), "Hyperlink, cell")
    page.sheet[f"A{row}"].hyperlink = f"{sheet.name}{suffix}"
    page.sheet[f"A{row}"].style = "Hyperlink, cell"  # openpyxl puts its own in the way
    page.text(f"B{row}", sheet.name, "Muted words")
    kind = words.said(sheet.family) if sheet.family else words.block(" / ".join(PurePosixPath(sheet.source).parent.parts))
    page.text(f"C{row}", kind, "Muted words")
    page.text(f"D{row}", at_sizes.preset or words("catalogue.example"), "Words" if at_sizes.preset else "Muted words")
    sizes = ", ".join(f"{name}={as_written(value)}{'*' if name in at_sizes.examples else ''}" for name, value in at_sizes.sizes.items())
    page.text(f"E{row}", sizes, "Muted words")
    source = "; ".join(sheet.references[key].label if key in sheet.references else key for key in at_sizes.cite.split())
    page.text(f"F{row}", source, "Muted words")
    shown = zip((words.said(sheet.title), sheet.name, at_sizes.preset, sizes, source), (0, 1, 3, 4, 5), strict=True)
    page.height(row, [(text, WORDS_WIDTHS[column] - 7) for text, column in shown])
    for i, quantity in enumerate(QUANTITIES):
        at = f"{get_column_letter(len(WORDS_WIDTHS) + 1 + i)}{row}"
        value = at_sizes.counts[quantity.key]
        if value is None:
            page.text(at, words("result.none"), "Muted number")
        else:
            page.number(at, value, f"Layer, {kind_of(quantity.unit)}")


def _write_formulas(page: Page, words: Texts, sheets: Sequence[Sheet], first_rows: Mapping[str, int]) -> None:
    """Write the closed forms of each spec, linked back to its first line in the list."""
    page.widths([WORDS_WIDTHS[0], *[FORMULA_WIDTH] * len(shown_in(Shown.CATALOGUE)), 70])
    page.text(f"{page.first_page_start()}1", words("catalogue.formulas_title"), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.text(page.merged("A2:C2", "Remark"), words("catalogue.formulas_note"), "Remark")
    heads = [
        words("catalogue.architecture"),
        *(one.words(words.language).title for one in shown_in(Shown.CATALOGUE)),
        words("catalogue.meanings"),
    ]
    page.row(FIRST_ROW - 1, heads, "Column head")
    title, last = quote_sheetname(words("catalogue.sheet")), get_column_letter(len(heads))
    for row, sheet in enumerate(sheets, start=FIRST_ROW):
        at = f"A{row}"
        page.text(at, words.said(sheet.title), "Hyperlink, cell")
        page.sheet[at].hyperlink = Hyperlink(ref=at, location=f"{title}!A{first_rows[sheet.name]}")
        page.sheet[at].style = "Hyperlink, cell"
        order = [size.name for size in sheet.sizes]
        shown = [_form(closed_form(sheet.totals[key], order)) for key in keys_in(Shown.CATALOGUE)]
        for column, text in enumerate(shown, start=2):
            page.text(f"{get_column_letter(column)}{row}", text)
        meanings = words("catalogue.between").join(
            words("catalogue.size", name=size.name, meaning=words.said(size.meaning)) for size in sheet.sizes
        )
        page.text(f"{last}{row}", meanings, "Muted words")
        page.height(row, [(words.said(sheet.title), WORDS_WIDTHS[0]), (meanings, 68), *((text, FORMULA_WIDTH - 6) for text in shown)])
    page.sheet.auto_filter.ref = f"A{FIRST_ROW - 1}:{last}{max(FIRST_ROW, FIRST_ROW + len(sheets) - 1)}"
    page.sheet.freeze_panes = f"B{FIRST_ROW}"


def _form(text: str) -> str:
    return text if len(text) <= LONGEST_FORM else text[:LONGEST_FORM] + " …"
