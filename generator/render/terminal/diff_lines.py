"""A difference as lines for the terminal, and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generator.formulas.human import exact
from generator.formulas.text import to_text
from generator.questions.diff.sheet_diff import Change, Difference, RowChange, TotalChange
from generator.questions.growth.named_measures import measure
from generator.render.terminal.console import styled, width
from generator.render.terminal.text_table import Column, table_lines

SIGNS = {"gone": "-", "new": "+", "changed": "~"}
_COLOURS = {"gone": "red", "new": "green", "changed": "bold"}


def lines_of(found: Difference) -> Iterator[str]:
    """Yield the lines: sizes, rows, totals."""
    yield styled(f"{found.first.label} and {found.second.label}", "bold")
    if found.is_empty:
        yield "nothing differs"
        return
    if found.sizes:
        yield from ("", "sizes")
        yield from (f"  {change.what}: {_arrow(change)}" for change in found.sizes)
    if found.rows:
        yield from ("", "rows")
        for row in found.rows:
            yield from _row(row)
    yield from ("", "totals")
    yield from _totals(found)


def _arrow(change: Change) -> str:
    return f"{change.before or '–'} → {change.after or '–'}"


def _row(row: RowChange) -> Iterator[str]:
    head = styled(f"{SIGNS[row.kind]} {row.path}", _COLOURS[row.kind])
    if row.kind == "changed":
        yield f"  {head}"
        yield from (f"      {change.what}: {_arrow(change)}" for change in row.changes)
        return
    said = {change.what: change.after if row.kind == "new" else change.before for change in row.changes}
    costs = ", ".join(f"{key} {value}" for key, value in said.items() if key not in ("op", "in", "shape"))
    yield f"  {head}: {said.get('op')} {said.get('shape')}{f'; {costs}' if costs else ''}"


def _totals(found: Difference) -> Iterator[str]:
    changed = [total for total in found.totals if total.difference != 0 or (total.numbers and total.numbers[0] != total.numbers[1])]
    for total in changed:
        if total.difference != 0:
            yield f"  {total.key}"
            yield f"    {to_text(total.before, found.order)}"
            yield f"    → {to_text(total.after, found.order)}"
            yield f"    difference {to_text(total.difference, found.order)}"
    if all(total.difference == 0 for total in found.totals):
        yield "  all formulas are equal"
    numbers = [(total.key, *total.numbers) for total in found.totals if total.numbers]
    if numbers:
        yield ""
        columns = [
            Column(""),
            Column(found.first.label, right=True),
            Column(found.second.label, right=True),
            Column("difference", right=True),
        ]
        yield from table_lines([*columns, Column("ratio", right=True)], [_numbers(*one) for one in numbers], width())


def _numbers(key: str, before: Any, after: Any) -> list[str]:
    title = measure(key).title
    return [
        title,
        exact(before),
        exact(after),
        f"{after - before:+,}" if after != before else "0",
        f"{after / before:.3f}" if before else "",
    ]


def to_dict(found: Difference) -> dict[str, Any]:
    """Return everything as JSON can hold it."""
    return {
        "first": found.first.label,
        "second": found.second.label,
        "sizes": [vars(change) for change in found.sizes],
        "rows": [{"path": row.path, "kind": row.kind, "changes": [vars(change) for change in row.changes]} for row in found.rows],
        "totals": {total.key: _total(total, found.order) for total in found.totals},
    }


def _total(total: TotalChange, order: list[str]) -> dict[str, Any]:
    return {
        "before": to_text(total.before, order),
        "after": to_text(total.after, order),
        "difference": to_text(total.difference, order),
        "numbers": list(total.numbers) if total.numbers else None,
    }
