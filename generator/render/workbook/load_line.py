"""The rows of the workings behind the sheet of memory and time: what a row is, and what all kinds of rows are made with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.questions.workload.workload_formulas import FULL, HALF, Moments, Workload
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.load_choices import OPTIMISERS
from generator.render.workbook.sheet_plan import LONGEST_GUARDED, Plan
from generator.render.workbook.stamp import Value

HEAD_ROW = 4
FIRST_ROW = HEAD_ROW + 1
FIRST_GRID = 4  # the column of the first length
TWICE = {"B": "L", "C": "M"}  # by the column of a scenario that of the same at twice the length
TABLES = {"format": "P", "format_bytes": "Q", "optimiser": "S", "copies": "T"}  # columns of the tables beside the workings
NO_LIMIT = 10**15  # in place of a largest batch where nothing grows with it
GROUPS = (("training", FULL), ("training", HALF), ("forward", FULL), ("forward", HALF))  # passes and formats of moments
Values = dict[str, Any]


def ref(key: str) -> str:
    """Return a place in a formula for the cell of a row in the column that the formula stands in."""
    return f"\x01{key}\x02"


@dataclass(frozen=True)
class Setting:
    """A column as the file is written."""

    letter: str
    task: int
    sizes: Mapping[str, int]
    length: int
    device: str
    grid: int | None = None  # which length of the grid; None for all others
    scenario: str = ""  # whose choices it shares; empty for a scenario


@dataclass(frozen=True)
class WorkingLine:
    """A row of the workings.

    Args:
        text: its formula, with places for other rows.
        value: what that comes to, given the column and the rows above.
        in_grid: whether the lengths of the grid have it too, and twice a scenario's length; else theirs is the scenario's.
        of_twice: whether twice a scenario's length has it, though the grid has not.
        guarded: whether it is 0 where the sizes have no answer.
    """

    key: str
    label: str
    text: str
    value: Callable[[Setting, Values], Value]
    in_grid: bool = False
    guarded: bool = True
    of_twice: bool = False

    def is_in(self, setting: Setting) -> bool:
        """Say whether a column has it as its own."""
        return self.in_grid or not setting.scenario or (self.of_twice and setting.grid is None)


@dataclass
class Workings:
    """Where each row of the workings stands, and what is in its cells as the file is written."""

    workload: Workload
    rows: dict[str, int] = field(default_factory=dict)
    values: dict[tuple[str, str], Value] = field(default_factory=dict)  # by column and row
    letters: tuple[str, ...] = ()  # of the lengths of the grid

    def at(self, plan: Plan, letter: str, key: str) -> str:
        """Return the cell of a row, from another sheet."""
        return plan.at("workings", f"${letter}${self.rows[key]}")

    def block(self, plan: Plan, letter: str, key: str) -> str:
        """Return the cells of a number of every moment, from another sheet."""
        return plan.at("workings", f"${letter}${self.rows[f'{key} 0']}:${letter}${self.rows[f'{key} {self.moments - 1}']}")

    @property
    def moments(self) -> int:
        """How many rows each number of a moment has."""
        return most_moments(self.workload)


def most_moments(workload: Workload) -> int:
    """Return the most moments that a pass has; one at least."""
    return max([1, *(len(one.bytes) for one in (*workload.training.values(), *workload.forward.values()))])


def moments_of(workload: Workload, group: int) -> Moments | None:
    """Return the moments of one of `GROUPS`; None where there is no formula."""
    what, dtype = GROUPS[group]
    found: Moments | None = getattr(workload, what).get(dtype)
    return found


def table_range(key: str) -> str:
    """Return the cells of a column of the tables."""
    count = len(STORED_FORMATS) if key.startswith("format") else len(OPTIMISERS)
    return f"${TABLES[key]}${FIRST_ROW}:${TABLES[key]}${FIRST_ROW + count - 1}"


class WorkingLines:
    """Makes rows of the workings.

    Args:
        plan: the layout of the workbook.
        formulas: how formulas are written.
        workings: which are to be filled.
    """

    def __init__(self, plan: Plan, formulas: CellFormulas, workings: Workings) -> None:
        self.plan, self.formulas, self.workload, self.workings = plan, formulas, workings.workload, workings
        self.cells = {size.name: ref(f"size {size.name}") for size in plan.sheet.sizes}
        self.words = plan.words

    def _label(self, key: str, **places: object) -> str:
        return self.words(f"load.w_{key}", **places)

    def _amount(self, key: str, expr: Expr, *, in_grid: bool = False) -> Iterator[WorkingLine]:
        """Yield the row of a formula; a very long one stands in several that are added up."""
        text = self.formulas.text(expr, self.cells)
        label = self._label(key.partition(" ")[0])
        if len(text) <= LONGEST_GUARDED:
            yield WorkingLine(key, label, text, evaluated(expr), in_grid)
            return
        pieces = self.formulas.pieces(expr, self.cells)
        for i, piece in enumerate(pieces):
            yield WorkingLine(f"{key}, part {i}", label, self.formulas.text(piece, self.cells), evaluated(piece), in_grid)
        total = "+".join(ref(f"{key}, part {i}") for i in range(len(pieces)))
        yield WorkingLine(key, label, total, evaluated(expr), in_grid)

    def _line(self, key: str, text: str, value: Callable[[Setting, Values], Value], *, in_grid: bool = True) -> WorkingLine:
        return WorkingLine(key, self._label(key), text, value, in_grid)

    def _text(self, expr: Any) -> str:
        return self.formulas.text(expr, self.cells)


def evaluated(expr: Expr) -> Callable[[Setting, Values], Value]:
    """Return what gives the value of a formula at the sizes of a column."""
    return lambda one, _: evaluate(expr, one.sizes)
