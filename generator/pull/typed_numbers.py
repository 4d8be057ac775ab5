"""What a workbook says of its origin, and the numbers that were typed into it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.files import workbook_file
from generator.files.regular_file import read_regular
from generator.formulas.numerals import digit_notes
from generator.text.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from openpyxl import Workbook

    from generator.render.workbook.sheet_plan import Plan, PresetColumn

MARK = "archsheet."
LONGEST_SHOWN = 60  # characters of what was typed


@dataclass(frozen=True)
class OwnPreset:
    """A set of sizes from outside: its name, the sizes and options that it sets, and where they come from."""

    name: str
    sizes: Mapping[str, int]
    note: str = ""
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # sizes with several entries: the sizes that these are
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> dict[str, int | list[int]]:
        """The sizes as a spec has them: entries of one size as a list, where all of them are set."""
        found: dict[str, int | list[int]] = {}
        of = {member: name for name, members in self.families.items() if {*members} <= self.sizes.keys() for member in members}
        for size, value in self.sizes.items():
            name = of.get(size, size)
            found[name] = [self.sizes[member] for member in self.families[name]] if size in of else value
        return found


@dataclass(frozen=True)
class Typed:
    """What was typed into a workbook.

    Args:
        chosen: the name of the preset that is chosen.
        overrides: the sizes that win over it.
        in_use: all sizes that the preset or the overrides set.
        columns: the columns of the user's own in which there are sizes.
    """

    chosen: str
    overrides: Mapping[str, int]
    in_use: Mapping[str, int]
    columns: tuple[OwnPreset, ...]


def opened(path: Path) -> Workbook:
    """Open a workbook with its formulas.

    Raises:
        ProblemsError: the file is none, is damaged, or is made to take more time and memory than a workbook does.
        OSError: it is no file, or cannot be read.
    """
    try:
        return workbook_file.opened(read_regular(path, workbook_file.MAX_BYTES))
    except workbook_file.UnfitWorkbookError as error:
        note = "workbooks end in .xlsx; older ones and those of other programs can be saved as such"
        raise _problem(f"{path} cannot be read as a workbook: {error}", note) from error


def marks(book: Workbook, path: Path) -> dict[str, str]:
    """Return what a workbook says of its origin. Raises ProblemsError where it says nothing."""
    properties: Any = book  # the published types leave its own properties out
    props = properties.custom_doc_props.props
    found = {prop.name.removeprefix(MARK): str(prop.value) for prop in props if prop.name.startswith(MARK)}
    missing = [name for name in ("spec", "hash", "options", "version", "language") if name not in found]
    if missing:
        message = f"{path} does not say which spec it was made from"
        raise _problem(message, "it was made by an older version or by another program; build the workbook anew and type the sizes into it")
    return found


def typed_into(book: Workbook, plan: Plan) -> Typed:
    """Return what was typed into a workbook. Raises ProblemsError for what is no size, and for a preset that is not there."""
    summary, presets = (book[plan.words(f"sheets.{key}")] for key in ("summary", "presets"))
    problems: list[Problem] = []
    overrides = {}
    for size in plan.settable:
        at = f"C{plan.size_rows[size.name]}"
        value = _whole(summary[at].value, f"{summary.title}!{at}", size.name, problems)
        if value is not None:
            overrides[size.name] = value
    columns, bases = [], {column.name: dict(column.published) for column in plan.columns}
    for column in plan.own_columns:
        own = _own(presets, plan, column, problems)
        if own is None:
            continue
        if own.name in bases:
            problems.append(Problem(f"two columns of the sheet {presets.title} are named `{own.name}`", None))
        free = {size.name for size in plan.settable if size.kind == "free"}
        standing_in = {name: value for name, value in plan.columns[0].published.items() if name in free}
        bases[own.name] = {**standing_in, **own.sizes}
        columns += [own] if own.sizes else []
    chosen = str(summary["B2"].value or "")
    if chosen not in bases:
        problems.append(Problem(f"the preset `{chosen}` that {summary.title}!B2 names is not on the sheet {presets.title}", None))
    if problems:
        raise ProblemsError(problems)
    in_use = {**bases[chosen], **overrides}
    return Typed(chosen, overrides, {size.name: in_use[size.name] for size in plan.settable if size.name in in_use}, tuple(columns))


def _own(presets: Any, plan: Plan, column: PresetColumn, problems: list[Problem]) -> OwnPreset | None:
    """Return a column of the user's own; None if it has neither a name nor sizes."""
    from generator.render.workbook.sheet_plan import PRESET_NAMES_ROW

    name = presets[f"{column.letter}{PRESET_NAMES_ROW}"].value
    note = presets[f"{column.letter}{PRESET_NAMES_ROW + 1}"].value
    sizes = {}
    for size in plan.settable:
        at = f"{column.letter}{plan.published_rows[size.name]}"
        value = _whole(presets[at].value, f"{presets.title}!{at}", size.name, problems)
        if value is not None:
            sizes[size.name] = value
    if name is None and sizes:
        problems.append(Problem(f"the sizes in column {column.letter} of the sheet {presets.title} have no name; write one in row 4", None))
    return None if name is None else OwnPreset(str(name), sizes, str(note or ""))


def _whole(value: Any, where: str, size: str, problems: list[Problem]) -> int | None:
    """Return a cell's value as a size; None for an empty cell."""
    from generator.render.workbook.sheet_plan import LARGEST_SIZE

    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= LARGEST_SIZE and value == int(value):
        return int(value)
    notes = digit_notes(value[:LONGEST_SHOWN]) if isinstance(value, str) else ()
    wanted = f"the size `{size}` is a whole number from 1 to {LARGEST_SIZE:,}"
    problems.append(Problem(f"{where} holds {_described(value)}, but {wanted}", None, notes))
    return None


def _described(value: Any) -> str:
    """Return what a cell holds in words."""
    if isinstance(value, str) and not value.startswith("="):
        text = repr(value)
        return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…'"
    if isinstance(value, float) and not isfinite(value):
        return "a number beyond all bounds"
    if isinstance(value, bool | int | float):
        return repr(value)
    return "a date or a time" if isinstance(value, date | time | timedelta) else "a formula"


def _problem(message: str, *notes: str) -> ProblemsError:
    return ProblemsError([Problem(message, None, notes)])
