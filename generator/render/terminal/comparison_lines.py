"""A comparison as lines for the terminal: a table for each measure, and the crossings below."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from generator.formulas.human import exact
from generator.questions.comparison.result import ComparisonResult, MeasureTable, SidePair, Value
from generator.render.comparison.wording import root_text, verdict
from generator.render.terminal.console import styled, width
from generator.render.terminal.text_table import Column, table_lines


def lines_of(result: ComparisonResult, *, swept: bool) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        swept: whether a size runs; else there is one table of all measures.
    """
    yield from _heads(result)
    if not swept:
        yield ""
        yield from _at_one_place(result)
        return
    for table in result.tables:
        yield ""
        yield styled(f"{table.measure.title} ({table.measure.unit})", "bold")
        yield from _swept(result, table)
        for pair in (pair for pair in result.pairs if pair.measure.key == table.measure.key):
            yield f"  {_crossing(pair)}"


def _heads(result: ComparisonResult) -> Iterator[str]:
    for subject in result.comparison.subjects:
        sizes = ", ".join(f"{symbol.name}={value}" for symbol, value in subject.sizes.items() if value != symbol)
        yield f"{styled(subject.label, 'bold')}: {subject.sheet.title}; {sizes}"


def _at_one_place(result: ComparisonResult) -> Iterator[str]:
    labels = [subject.label for subject in result.comparison.subjects]
    columns = [Column("", shrinks=True), Column(labels[0], right=True)]
    for label in labels[1:]:
        columns += [Column(label, right=True), Column("ratio", right=True)]
    rows = [[table.measure.title, *_cells(table.values[0])] for table in result.tables]
    yield from table_lines(columns, rows, width())


def _swept(result: ComparisonResult, table: MeasureTable) -> Iterator[str]:
    labels = [subject.label for subject in result.comparison.subjects]
    columns = [Column(result.comparison.axis.size, right=True), Column(labels[0], right=True)]
    for label in labels[1:]:
        columns += [Column(label, right=True), Column("ratio", right=True)]
    rows = [[exact(at), *_cells(values)] for at, values in zip(result.comparison.axis.values, table.values, strict=True)]
    yield from table_lines(columns, rows, width())


def _cells(values: tuple[Value | None, ...]) -> list[str]:
    """Return each value, and behind all but the first its ratio to that."""
    first, *others = values
    cells = [_shown(first)]
    for other in others:
        cells += [_shown(other), ratio(other, first)]
    return cells


def ratio(value: Value | None, first: Value | None) -> str:
    """Return how many times a value is of the first: 0.512."""
    if value is None or not first:
        return ""
    found = Fraction(value) / Fraction(first)
    return f"{float(found):.3f}" if found < 1000 else f"{float(found):,.0f}"


def _shown(value: Value | None) -> str:
    if value is None:
        return "–"
    return exact(value) if isinstance(value, int) else f"{float(value):,.4g}"


def _crossing(pair: SidePair) -> str:
    where = "; ".join(root_text(pair, i) for i in range(len(pair.crossing.roots)))
    return f"{verdict(pair)}{f' ({where})' if where else ''}"
