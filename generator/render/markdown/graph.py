"""Who reads whom on one level of a sheet, and what lies inside of its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from generator.sheet.sheet import SheetRow


@dataclass(frozen=True)
class Edge:
    """A row (or input) and the row that reads it.

    Args:
        part: which of several results is read; empty for the only one.
        residual: whether an `add` takes the source past rows that themselves depend on it.
    """

    source: str
    target: str
    part: str
    residual: bool


@dataclass(frozen=True)
class Level:
    """The rows of one spec, not those of the blocks in it. `outside` names what they read and none of them is: its inputs."""

    rows: tuple[SheetRow, ...]
    outside: tuple[str, ...]
    edges: tuple[Edge, ...]

    @property
    def node_count(self) -> int:
        """How many nodes this level comes to in a picture."""
        return len(self.outside) + len(self.rows)


def level(rows: Sequence[SheetRow], inputs: Iterable[str] = ()) -> Level:
    """Return the graph of some rows; `inputs` come first among what is outside, read or not."""
    names = {row.name for row in rows}
    outside = dict.fromkeys(inputs)
    before: dict[str, frozenset[str]] = {}  # all that a row depends on
    edges = []
    for row in rows:
        reads = [reference.partition(".")[::2] for reference in row.inputs]
        for source, part in reads:
            if source not in names:
                outside[source] = None
            edges.append(Edge(source, row.name, part, row.op == "add" and _is_passed(source, reads, before)))
        before[row.name] = frozenset().union(*({source} | before.get(source, frozenset()) for source, _ in reads))
    return Level(tuple(rows), tuple(outside), tuple(dict.fromkeys(edges)))


def parts_of(group: SheetRow, rows: Sequence[SheetRow]) -> tuple[SheetRow, ...]:
    """Return the rows directly below a group."""
    return tuple(row for row in rows if row.depth == group.depth + 1 and row.path.startswith(f"{group.path}."))


def kind_of(block: SheetRow) -> str:
    """Return the name of the spec that a block uses; layers of several kinds in turn are a kind of their own each time."""
    verb, _, name = block.op.partition(" ")
    return name if verb == "use" else block.path


def _is_passed(source: str, reads: Sequence[tuple[str, str]], before: Mapping[str, frozenset[str]]) -> bool:
    return any(source in before.get(other, ()) for other, _ in reads)
