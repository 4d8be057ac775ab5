"""What `gen count` prints: the totals, the submodules as a tree, what is missing, and the comparison with a spec."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from generator.formulas.human import compact, counted, exact, rounded
from generator.in_bytes import SAVED_BYTES, TRAFFIC_BYTES
from generator.proof.count.against import Compared
from generator.proof.count.count_result import ADDED, KEYS, Counted, ModuleCount, title_of
from generator.proof.count.unseen import Uncounted
from generator.quantities import ACTIVE_PARAMS, BY_KEY, MACS, PARAMS, SAVED_ELEMENTS, TRAINABLE_PARAMS
from generator.render.terminal.console import styled
from generator.render.terminal.text_table import Column, table_lines
from generator.text.suggest import joined

_LEFT_OUT_OF_TREE = (TRAINABLE_PARAMS.key, ACTIVE_PARAMS.key, MACS.key, SAVED_BYTES.key, TRAFFIC_BYTES.key)


def count_lines(found: Counted, depth: int, width: int | None) -> Iterator[str]:
    """Yield the totals, the tree down to a depth, and what is to be known of them."""
    yield styled(f"{found.tree.kind} in {found.mode}, called with {found.inputs}", "bold")
    yield ""
    yield from _totals(found)
    if depth and found.tree.parts:
        yield ""
        yield from _tree(found, depth, width)
    if found.uncounted:
        yield ""
        yield from _uncounted(found.uncounted)
    reasons: dict[str, list[str]] = {}
    for key, why in ((key, why) for key, why in found.left_out.items() if why):
        reasons.setdefault(why, []).append(title_of(key).lower())
    notes = [*found.notes, *(f"no {joined(titles, 'or')}: {why}" for why, titles in reasons.items())]
    for note in notes:
        yield ""
        yield from textwrap.wrap(f"note: {note}", width or len(note) + 10, subsequent_indent="  ", break_long_words=False)


def compared_lines(rows: Sequence[Compared], name: str) -> Iterator[str]:
    """Yield both sides of a comparison and how many quantities differ."""
    table = []
    for row in rows:
        sides = [_number(row.counted), _number(row.derived)]
        table.append([title_of(row.key), *sides, row.why or ("equal" if row.equal else _difference(row.counted, row.derived))])
    yield from table_lines([Column(""), Column("module", right=True), Column(name, right=True), Column("")], table, None)
    asked = [row for row in rows if row.equal is not None]
    different = sum(not row.equal for row in asked)
    word = "all equal" if not different else f"{different} of {len(asked)} differ"
    yield ""
    yield styled(f"{counted(len(asked), 'total')} compared with `{name}`: {word}", "red" if different else "green")


def _totals(found: Counted) -> Iterator[str]:
    rows = []
    for key in KEYS:
        says_nothing = key in (TRAINABLE_PARAMS.key, ACTIVE_PARAMS.key) and found.value(key) == found.value(PARAMS.key)
        if key not in found.left_out and not says_nothing:
            unit = BY_KEY[key].unit if key in BY_KEY else "bytes"
            rows.append([title_of(key), found.shown(key), rounded(found.at_least(key), unit)])
    yield from table_lines([Column(""), Column("exactly", right=True), Column("about")], rows, None)


def _tree(found: Counted, depth: int, width: int | None) -> Iterator[str]:
    keys = [key for key in ADDED if key not in _LEFT_OUT_OF_TREE and key not in found.left_out]
    rows = []
    for level, name, one, times in _shown(found.tree.parts, depth, 1, 1):
        head = [f"{'  ' * (level - 1)}{name}", f"{times} x {one.kind}" if times > 1 else one.kind]
        if one.same_as is not None:
            rows.append([*head, "", *("" for _ in keys)])
            rows[-1][1] += f" (the same as {one.same_as})"
            continue
        cells = [_cell(found, key, one, times) for key in keys]
        rows.append([*head, "" if one.calls == 1 or (one.parts and not one.calls) else f"{one.calls:,}", *cells])
    has_calls = any(row[2] for row in rows)
    columns = [
        Column("module"),
        Column("class", shrinks=True),
        Column("calls", right=True),
        *(Column(_short(key), right=True) for key in keys),
    ]
    if not has_calls:
        columns, rows = [*columns[:2], *columns[3:]], [[*row[:2], *row[3:]] for row in rows]
    yield from table_lines(columns, rows, width)


def _short(key: str) -> str:
    return {SAVED_ELEMENTS.key: "kept"}.get(key, BY_KEY[key].en.short or BY_KEY[key].title)


def _cell(found: Counted, key: str, one: ModuleCount, times: int) -> str:
    mark = "≥ " if found.is_missing(key, one.path) else ""
    count = one.counts[key] * times
    return f"{mark}{compact(count, BY_KEY[key].unit)}" if count or mark else ""


def _shown(parts: Sequence[ModuleCount], depth: int, level: int, times: int) -> Iterator[tuple[int, str, ModuleCount, int]]:
    """Yield submodules with their level; neighbours that come to the same are shown as one."""
    at = 0
    while at < len(parts):
        end = at + 1
        while end < len(parts) and _form(parts[end]) == _form(parts[at]) and parts[at].path.rpartition(".")[2].isdigit():
            end += 1
        name, last = parts[at].path.rpartition(".")[2], parts[end - 1].path.rpartition(".")[2]
        yield level, name if end == at + 1 else f"{name}..{last}", parts[at], times * (end - at)
        if level < depth:
            yield from _shown(parts[at].parts, depth, level + 1, times * (end - at))
        at = end


def _form(one: ModuleCount) -> object:
    """Return all of a submodule but its name."""
    return (
        one.kind,
        one.calls,
        tuple(one.counts.items()),
        one.same_as,
        tuple((part.path.rpartition(".")[2], _form(part)) for part in one.parts),
    )


def _uncounted(found: Sequence[Uncounted]) -> Iterator[str]:
    by_name: dict[tuple[str, str], list[Uncounted]] = {}
    for one in found:
        by_name.setdefault((one.what, one.why), []).append(one)
    yield styled("not counted:", "red")
    for (what, why), ones in by_name.items():
        places = list(dict.fromkeys(one.module or "the module itself" for one in ones))
        where = f"in {places[0]}" + (f" and {counted(len(places) - 1, 'other submodule')}" if len(places) > 1 else "")
        lacking = joined(dict.fromkeys(title_of(one.quantity) for one in ones))
        yield f"  {what}, {counted(max(one.times for one in ones), 'time')} {where}: {why}"
        yield f"    missing in: {lacking}"


def _number(value: int | None) -> str:
    return "-" if value is None else exact(value)


def _difference(one: int | None, other: int | None) -> str:
    if one is None or other is None or not other:
        return "differs"
    return f"differs by {one - other:+,} ({100 * (one - other) / other:+.2f}%)"
