"""The page of a comparison: its chart, where the sides cross, and the values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

from generator.formulas.human import rounded
from generator.formulas.latex import LatexDialect, to_latex
from generator.questions.comparison.result import ComparisonResult, MeasureTable, SidePair, Value
from generator.questions.growth.orders import order_of
from generator.questions.growth.subject import Subject
from generator.render.comparison.wording import axis_title, closed_root, number_text, ratio_text
from generator.render.environment import environment
from generator.render.markdown.escape_markdown import address, code, comment, is_web_address, item, label, link, paragraphs, text
from generator.render.markdown.formula import LINE_WIDTH, inline
from generator.render.markdown.links import workbook_link
from generator.render.markdown.numbers import exact
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.render.terminal.comparison_lines import ratio

MOST_ROWS = 9  # values of the swept size that a table shows
LONGEST = 75  # characters of a closed form in LaTeX


def render_comparison(result: ComparisonResult, *, spec: str = "", pages: Collection[str] = (), workbook: bool = True) -> str:
    """Return the page, the same for the same comparison.

    Args:
        spec: the address of the comparison's file relative to the page; empty where there is none.
        pages: the names of the specs that have a page.
        workbook: whether whoever has the page has the workbook too.
    """
    page = environment().get_template("markdown/comparison.md.jinja").render(_context(result, spec, pages, is_there=workbook))
    return page.rstrip("\n") + "\n"


def digest_of(result: ComparisonResult) -> str:
    """Return a hash over what the page says, for its head."""
    comparison = result.comparison
    parts = [comparison.source, comparison.title, *(subject.sheet.source_hash for subject in comparison.subjects)]
    return sha256("\0".join(parts).encode()).hexdigest()


def _context(result: ComparisonResult, spec: str, pages: Collection[str], *, is_there: bool) -> dict[str, Any]:
    comparison = result.comparison
    source, workbook = code(comparison.source), f"{comparison.name}.xlsx"
    return {
        "source": comment(comparison.source),
        "source_hash": digest_of(result),
        "title": text(comparison.title),
        "question": text(comparison.question),
        "answer": paragraphs(comparison.answer),
        "name": comparison.name,
        "alt": label(f"{comparison.title}, over {axis_title(comparison)}"),
        "files": f"Comparison: {link(source, spec) if spec else source} · {workbook_link(workbook, workbook, is_there=is_there)}",
        "sides": _sides(result, pages),
        "orders": _orders(result),
        "crossings": _crossings(result),
        "is_share": comparison.view == "share",
        "size": code(comparison.axis.size),
        "tables": [(text(one.measure.title), _values(result, one)) for one in result.tables],
        "notes": [item(note) for note in comparison.notes],
        "sources": [_source(one.label, one.text, one.url) for one in comparison.sources],
    }


def _source(label: str, full: str, url: str) -> str:
    return f"{text(label)}: {text(full)}{f' {address(url)}' if is_web_address(url) else ''}"


def _sides(result: ComparisonResult, pages: Collection[str]) -> MarkdownTable:
    rows = []
    for subject in result.comparison.subjects:
        name = code(subject.sheet.name)
        shown = link(name, f"../markdown/{subject.sheet.name}.md") if subject.sheet.name in pages else name
        row = f", row {code(subject.row)}" if subject.row else ""
        sizes = ", ".join(
            f"{code(symbol.name)} = {_size(value)}" for symbol, value in subject.sizes.items() if symbol.name != result.comparison.axis.size
        )
        rows.append((text(subject.label), f"{shown}{row}", sizes))
    return table(("Side", "Spec", "Sizes"), rows)


def _size(value: Any) -> str:
    return exact(int(value)) if value.is_Integer else inline(to_latex(value))


def _orders(result: ComparisonResult) -> MarkdownTable:
    """Return how each side grows in all sizes, before any is put in."""
    heads = [text(one.measure.title) for one in result.tables]
    distinct: dict[str, list[str]] = {}
    for subject in result.comparison.subjects:
        cells = [_order(subject, one.measure.key) for one in result.tables]
        distinct.setdefault("\0".join([subject.sheet.name, subject.row, *cells]), [text(subject.label), *cells])
    rows = list(distinct.values())
    if len(rows) == 1:
        rows[0][0] = "every side"
    return table(("Side", *heads), rows)


def _order(subject: Subject, key: str) -> str:
    bound = order_of(subject.symbolic(key), subject.sheet).bound
    if bound.is_number:
        return "O(1)" if bound != 0 else "none"
    latex = to_latex(bound, [size.name for size in subject.sheet.sizes])
    return inline(f"O({latex})") if len(latex) <= LINE_WIDTH else "many terms"


def _crossings(result: ComparisonResult) -> MarkdownTable:
    """Return one line for each side (and factor), with the crossing in each measure."""
    heads = [text(one.measure.title) for one in result.tables]
    by_line: dict[str, dict[str, str]] = {}
    for pair in result.pairs:
        by_line.setdefault(_line_name(pair), {})[pair.measure.key] = crossing_cell(pair)
    head = "Row" if result.comparison.view == "share" else f"Against {result.comparison.subjects[0].label}"
    return table((text(head), *heads), [[name, *(cells[one.measure.key] for one in result.tables)] for name, cells in by_line.items()])


def _line_name(pair: SidePair) -> str:
    if pair.second is None:
        return text(pair.first.label)
    factor = f", by a factor of {ratio_text(pair.ratio)}" if pair.ratio != 1 else ""
    return f"{text(pair.second.label)}{factor}"


def crossing_cell(pair: SidePair) -> str:
    """Return `from 65 on` with the exact root below, or always, never, equal."""
    found = pair.crossing
    good = -1 if pair.second is None else 1  # the sign with which the second side is the cheaper one; for shares, less than half
    if not found.roots:
        words = (
            {good: "always less", -good: "never less", 0: "equal"}
            if pair.second
            else {good: "always below half", -good: "always above half", 0: "half"}
        )
        return words[found.signs[0]]
    wanted = good if pair.second else -good
    parts = [_stretch(pair, i) for i, sign in enumerate(found.signs) if sign == wanted]
    return f"{', '.join(parts)}<br>{', '.join(_root(pair, i) for i in range(len(found.roots)))}"


def _stretch(pair: SidePair, index: int) -> str:
    """Return a stretch between two roots in words: `up to 66`, `from 67 to 182`, `from 183 on`."""
    found = pair.crossing
    last = found.roots[index] if index < len(found.roots) else None
    end = f"{last.low - (1 if last.is_whole else 0):,}" if last is not None else ""
    if index == 0:
        return f"up to {end}"
    start = f"from {found.first_whole(index - 1):,}"
    return f"{start} to {end}" if end else f"{start} on"


def _root(pair: SidePair, index: int) -> str:
    root = pair.crossing.roots[index]
    form = closed_root(pair)
    number = number_text(root)
    if form is None:
        return f"({number})"
    latex = LatexDialect([size.name for size in pair.first.sheet.sizes]).joined(form).text
    return f"({inline(latex)} = {number})" if len(latex) <= LONGEST else f"({number})"


def _values(result: ComparisonResult, one: MeasureTable) -> MarkdownTable:
    labels = [text(subject.label) for subject in result.comparison.subjects]
    is_share = result.comparison.view == "share"
    shown = _thinned(list(zip(result.comparison.axis.values, one.values, strict=True)))
    rows = [[exact(at), *_cells(values, one.measure.unit, is_share=is_share)] for at, values in shown]
    return table((code(result.comparison.axis.size), *labels), rows, right=(code(result.comparison.axis.size), *labels))


def _thinned(rows: list[tuple[int, tuple[Value | None, ...]]]) -> list[tuple[int, tuple[Value | None, ...]]]:
    """Return at most `MOST_ROWS` rows, evenly taken, the last among them."""
    step = -(-len(rows) // MOST_ROWS)
    return rows[::-1][::step][::-1]


def _cells(values: Sequence[Value | None], unit: str, *, is_share: bool) -> list[str]:
    if is_share:
        return ["–" if value is None else f"{float(value):.1%}" for value in values]
    first, *others = values
    cells = [_amount(first, unit)]
    cells += [
        f"{_amount(other, unit)} (×&nbsp;{ratio(other, first)})" if other is not None and first else _amount(other, unit)
        for other in others
    ]
    return cells


def _amount(value: Value | None, unit: str) -> str:
    if value is None:
        return "–"
    return rounded(value, unit).replace(" elements", "") or exact(value)
