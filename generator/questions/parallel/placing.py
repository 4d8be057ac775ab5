"""Which rows tensor parallelism divides, told by their places, and which are those of experts.

The last linear row of a block is divided by its inputs (row parallel) where others come before it; the nearest linear rows before it are
divided by their results (column parallel), and what is computed between them works on its part of the heads or channels. What comes before
those, such as the way down into a latent, is whole on each device, and so are norms, routers and whatever stands alone. Of the spec itself
tables in which tokens are looked up and heads are divided by words. This is Megatron's division (Shoeybi et al. 2019).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sympy import Expr

from generator.formulas.algebra import cancel
from generator.sheet.heads import head_rows
from generator.sheet.sheet import Sheet, SheetRow


class Placement(Enum):
    """What a device of a tensor parallel group has of a row."""

    COLUMN = "divided by its results"
    ROW = "divided by its inputs"
    BETWEEN = "works on its part of heads or channels"
    WORDS = "divided by words"
    WHOLE = "whole"


@dataclass(frozen=True)
class Placing:
    """The places of rows.

    Args:
        places: by path; rows that are not there are whole.
        entries: the column parallel rows of each block that have one input, the first of each: its gradient is summed up.
        experts: how many experts there are in each layer, by the path of their group.
    """

    places: Mapping[str, Placement]
    entries: frozenset[str] = frozenset()
    experts: Mapping[str, Expr] = field(default_factory=dict)

    def of(self, path: str) -> Placement:
        """Return the place of a row."""
        return self.places.get(path, Placement.WHOLE)

    def is_entry(self, row: SheetRow) -> bool:
        """Say whether a row is the first to read what the whole of a tensor parallel group has: its gradient is summed over that."""
        return row.path in self.entries or (self.of(row.path) is Placement.WORDS and row.op == "linear")

    def experts_of(self, path: str) -> Expr:
        """Return how many experts there are in the layer of a row of theirs."""
        return next(number for group, number in self.experts.items() if path.startswith(f"{group}."))

    def is_expert(self, path: str) -> bool:
        """Say whether a row belongs to experts."""
        return any(path.startswith(f"{group}.") for group in self.experts)


def placing(sheet: Sheet) -> Placing:
    """Return the places of the rows of a spec."""
    inside: dict[str, list[SheetRow]] = defaultdict(list)
    for row in sheet.rows:
        inside[row.path.rpartition(".")[0]].append(row)
    places: dict[str, Placement] = {}
    entries: set[str] = set()
    for block, rows in inside.items():
        if block:
            found = _in_block(rows)
            entries |= {path for path, place in found.items() if place is Placement.COLUMN and _is_first(path, found, rows)}
            places |= {path: place for path, place in found.items() if path not in places}
    for row in sheet.rows:  # all that is inside of a group is where the group is
        around = row.path.rpartition(".")[0]
        if places.get(around) is Placement.BETWEEN:
            places[row.path] = Placement.BETWEEN
    places |= {row.path: Placement.WORDS for row in inside[""] if row.op == "embedding"}
    places |= {row.path: Placement.WORDS for row in head_rows(sheet)}
    return Placing(places, frozenset(entries), _experts(sheet))


def expands_caches(sheet: Sheet) -> bool:
    """Say whether weights work on what caches keep, as where keys and values are made of latents."""
    inside: dict[str, dict[str, SheetRow]] = defaultdict(dict)
    for row in sheet.rows:
        inside[row.path.rpartition(".")[0]][row.name] = row
    return any(_reads_cache(row, rows) for rows in inside.values() for row in rows.values() if row.op == "linear")


def _reads_cache(row: SheetRow, by_name: Mapping[str, SheetRow]) -> bool:
    """Say whether a row reads what a cache keeps, with nothing that multiplies in between."""
    waiting, known = list(row.inputs), set()
    while waiting:
        name = waiting.pop().partition(".")[0]
        one = by_name.get(name)
        if one is not None and name not in known and one.op not in ("linear", "attention", "einsum"):
            if one.op == "cache":
                return True
            known.add(name)
            waiting += one.inputs
    return False


def _experts(sheet: Sheet) -> dict[str, Expr]:
    """Return how many experts there are in each layer, by the path of their group."""
    repeats = {row.path: row.repeat for row in sheet.rows}
    mixed = [row for row in sheet.rows if row.op == "experts" and not row.is_group]
    return {path: cancel(repeats[path] / row.repeat) for row in mixed for path in (row.path.rpartition(".")[0],)}


def _in_block(rows: Sequence[SheetRow]) -> dict[str, Placement]:
    """Return the places of the rows of one block that are not whole."""
    by_name = {row.name: row for row in rows}
    linear = [row for row in rows if row.op == "linear"]
    found: dict[str, Placement] = {}
    for last in linear:
        columns, between = _before(last, by_name)
        is_last = not any(last in _before(other, by_name)[0] for other in linear)
        if columns and is_last:
            before = [one for row in columns for one in _before(row, by_name)[0]]
            columns = [row for row in columns if row not in before]  # a latent that others are made of is whole
            found |= dict.fromkeys([row.path for row in _behind(columns, between)], Placement.BETWEEN)
            found |= dict.fromkeys([row.path for row in columns], Placement.COLUMN)
            found[last.path] = Placement.ROW
    return found


def _before(row: SheetRow, by_name: Mapping[str, SheetRow]) -> tuple[list[SheetRow], list[SheetRow]]:
    """Return the nearest linear rows before one, and what is computed between."""
    columns: list[SheetRow] = []
    between: list[SheetRow] = []
    waiting = list(row.inputs)
    while waiting:
        one = by_name.get(waiting.pop().partition(".")[0])
        if one is None or one in columns or one in between:
            continue
        if one.op == "linear":
            columns.append(one)
        else:
            between.append(one)
            waiting += one.inputs
    return columns, between


def _behind(columns: Sequence[SheetRow], between: Sequence[SheetRow]) -> list[SheetRow]:
    """Return the rows that read what column parallel ones make, or what such rows make of it."""
    reached = {row.name for row in columns}
    found: list[SheetRow] = []
    while True:
        more = [row for row in between if row.name not in reached and any(name.partition(".")[0] in reached for name in row.inputs)]
        if not more:
            return found
        found += more
        reached |= {row.name for row in more}


def _is_first(path: str, found: Mapping[str, Placement], rows: Sequence[SheetRow]) -> bool:
    """Say whether a column parallel row is the first of a block that reads what it reads."""
    reading = {row.path: row.inputs for row in rows}
    alike = [one for one in reading if found.get(one) is Placement.COLUMN and reading[one] == reading[path]]
    return alike[0] == path
