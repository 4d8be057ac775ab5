"""A spec while it is being drawn: sizes, inputs and rows so far, and what of them further rows can read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import yaml

T = TypeVar("T")
Axis = tuple[str, ...]  # the factors of a size; none for an axis of one
Axes = tuple[Axis, ...]

SIZES = tuple("bndhekmcpqrstuvwHWLM")
WITH_WEIGHTS = ("conv1d", "conv2d", "embedding", "linear", "parameter")  # whatever their settings
LABELS = tuple(f"{letter}{digit}" for digit in ("", "1", "2") for letter in ("i", "j", "o", "y", "z", "g"))  # no sizes have these names


@dataclass(frozen=True)
class Value:
    """What a row can read: an input, a row, or one of a row's results."""

    ref: str
    axes: Axes
    kind: str = "float"

    @property
    def rank(self) -> int:
        return len(self.axes)


def text(axis: Axis) -> str:
    """Return a size as a spec has it."""
    if len(axis) == 1 and axis[0].startswith("(") and axis[0].endswith(")") and _is_one_group(axis[0]):
        return axis[0][1:-1]
    return "*".join(axis) or "1"


def _is_one_group(factor: str) -> bool:
    depth = 0
    for i, letter in enumerate(factor):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and i < len(factor) - 1:
            return False
    return True


def same(one: Axis, other: Axis) -> bool:
    """Say whether two sizes have the same factors."""
    return sorted(one) == sorted(other)


def formula(words: str) -> Axis:
    """Return a size that is no product."""
    return (f"({words})",)


class Choices:
    """Choices read off bytes, a share of them for each part of a spec: zeros choose what is simplest.

    A part's choices do not move where those of another part change, so that what fails can be made simpler part by part.
    """

    def __init__(self, data: bytes, parts: int) -> None:
        self.data = data
        self.share = len(data) // parts
        self.begin(0)

    def begin(self, part: int) -> None:
        """Go on with the choices of a part."""
        self.at, self.end = part * self.share, (part + 1) * self.share

    def below(self, count: int) -> int:
        """Return a number from 0 to count - 1; 0 once the part's bytes are used up."""
        if self.at >= self.end:
            return 0
        self.at += 1
        return self.data[self.at - 1] * count >> 8


@dataclass
class Draft:
    """A spec being drawn.

    Args:
        known: classes of faults that are known and must not be drawn again.
        made: texts of specs written beside this one, by name.
    """

    choices: Choices
    known: Collection[str] = ()
    made: dict[str, str] = field(default_factory=dict)
    title: str = "Drawn at random"
    decoding: bool = False
    dims: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    slots: dict[str, Any] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: list[Value] = field(default_factory=list)
    must_show: list[str] = field(default_factory=list)  # results that have to be outputs
    tokens: tuple[str, ...] = ()  # sizes that grow from step to step, of which nothing else may be made
    reserved: set[str] = field(default_factory=set)  # names that a size must not get, because it would flow into a block

    # ---- choices -----------------------------------------------------------------------------------------------------

    def pick(self, choices: Sequence[T]) -> T:
        """Choose; the first is the simplest."""
        return choices[0] if len(choices) == 1 else choices[self.choices.below(len(choices))]

    def often(self, tenths: int) -> bool:
        """Say yes so many times out of ten; no is simpler."""
        return self.choices.below(10) >= 10 - tenths

    def number(self, least: int, most: int) -> int:
        return least + self.choices.below(most - least + 1)

    def subset(self, choices: Sequence[T], least: int = 0) -> list[T]:
        """Choose some, in their order."""
        chosen = [one for one in choices if self.often(5)]
        return chosen if len(chosen) >= least else list(choices[:least])

    def shuffled(self, choices: Sequence[T]) -> list[T]:
        left = list(choices)
        return [left.pop(self.choices.below(len(left))) for _ in choices]

    # ---- sizes -------------------------------------------------------------------------------------------------------

    def new_size(self) -> str:
        """Declare a size: free, mostly."""
        name = next(name for name in (*SIZES, *(f"{one}2" for one in SIZES)) if name not in self.dims and name not in self.reserved)
        before = self.names()
        meaning = f"size {name}"
        kind = self.pick(("free", "free", "free", "free", "default", "derived")) if before else "free"
        if kind == "free":
            self.dims[name] = meaning
        else:
            other = self.pick(before)
            value = self.pick((f"2*{other}", f"{other} + 1", f"3*{other}", f"{other} + {self.pick(before)}"))
            self.dims[name] = {"is": meaning, {"default": "default", "derived": "value"}[kind]: value}
        return name

    def names(self) -> list[str]:
        """Return the sizes of which others can be made."""
        return [name for name in self.dims if name not in self.tokens]

    def size(self) -> Axis:
        """Return a size: one there is, or a new one."""
        known = self.names()
        if known and self.often(6):
            return (self.pick(known),)
        if self.often(1):
            return (str(self.number(2, 5)),)
        if known and self.often(1):
            return (str(self.number(2, 3)), self.pick(known))
        return (self.new_size(),)

    def plain(self) -> str:
        """Return the name of a size."""
        known = self.names()
        return self.pick(known) if known and self.often(6) else self.new_size()

    def require(self, condition: str) -> None:
        if condition not in self.where:
            self.where.append(condition)

    def divided(self, axis: Axis, by: str) -> Axis | None:
        """Return an axis over one of its factors, or over a size that is required to divide it. None where it is a number."""
        if by in axis:
            rest = list(axis)
            rest.remove(by)
            return tuple(rest)
        if not axis or all(factor.isdigit() for factor in axis):
            return None
        self.require(f"{written(axis)} % {by} == 0")
        return formula(f"{written(axis)}/{by}")

    # ---- values ------------------------------------------------------------------------------------------------------

    def input(self, axes: Axes, kind: str = "float", below: str = "") -> Value:
        """Declare an input."""
        name = next(f"x{i}" if i else "x" for i in range(99) if (f"x{i}" if i else "x") not in self.inputs)
        shape = [text(axis) for axis in axes]
        if kind == "index":
            declared: Any = {"shape": shape, "dtype": "int"} | ({"below": below} if below else {})
        elif kind == "bool":
            declared = {"shape": shape, "dtype": "bool"}
        else:
            declared = {"shape": shape, "grad": False} if self.often(2) else shape
        self.inputs[name] = declared
        value = Value(name, axes, kind)
        self.values.append(value)
        return value

    def fresh(self, rank: int, kind: str = "float") -> Value:
        """Declare an input with so many axes of any size."""
        axes = [self.size() for _ in range(rank)]
        if rank > 1 and self.often(1):
            axes[self.number(0, rank - 1)] = ()
        return self.input(tuple(axes), kind)

    def find(self, fits: Callable[[Value], bool], kind: str = "float") -> Value | None:
        """Return a value that fits, the newest ones first and most often."""
        found = [value for value in reversed(self.values) if value.kind == kind and fits(value)]
        return self.pick(found[:1] * 2 + found) if found else None

    def take(self, *ranks: int, kind: str = "float", fits: Callable[[Value], bool] = lambda _: True) -> Value:
        """Return a value of one of these ranks (any, if none is given): one there is, or a new input."""
        if self.often(9):
            found = self.find(lambda value: (not ranks or value.rank in ranks) and fits(value), kind)
            if found is not None:
                return found
        return self.fresh(self.pick(ranks or (3, 2, 1, 4)), kind)

    def like(self, value: Value, kind: str = "float") -> Value:
        """Return a value of the same shape: one there is, or a new input."""
        found = self.find(lambda one: one.ref != value.ref and shapes_same(one.axes, value.axes), kind)
        return found if found is not None and self.often(8) else self.input(value.axes, kind)

    def option(self, default: Any, choices: Sequence[str] = ()) -> str:
        """Declare an option."""
        name = f"choice{len(self.options)}"
        self.options[name] = {"is": f"choice {len(self.options)}", "default": default} | ({"choices": list(choices)} if choices else {})
        return name

    def flag(self, usual: bool = True) -> Any:
        """Return yes or no, or an option that says so."""
        chosen = usual if self.often(6) else not usual
        return self.option(chosen) if self.often(2) else chosen

    def axis(self, value: Value, index: int) -> Any:
        """Return how a row can name an axis: from the left, from the right, or by its size."""
        named = [i for i, axis in enumerate(value.axes) if axis == value.axes[index]] == [index] and text(value.axes[index]) in self.dims
        return self.pick((index, index - value.rank, *((text(value.axes[index]),) if named else ())))

    # ---- rows --------------------------------------------------------------------------------------------------------

    def row(self, what: dict[str, Any], reads: Sequence[Value], results: Sequence[tuple[str, Axes, str]]) -> list[Value]:
        """Add a row and return its results, each given by part, axes and kind."""
        name = f"r{len(self.rows)}"
        before = list(self.rows)[-1] if self.rows else next(iter(self.inputs), "")
        refs = [value.ref for value in reads]
        implied = refs == [before] and self.often(5)
        row = dict(what)
        if refs and not implied:
            row["in"] = refs[0] if len(refs) == 1 else refs
        self.rows[name] = row
        found = [Value(f"{name}.{part}" if part else name, axes, kind) for part, axes, kind in results]
        self.values += found
        return found

    def op(self, op: str, reads: Sequence[Value], axes: Axes, holds: str = "float", /, **settings: Any) -> Value:
        """Add a row of an op with one result; its shape is written out now and then, and `when` where it can be."""
        row = {"op": op} | {name: value for name, value in settings.items() if value is not None}
        if op in WITH_WEIGHTS and "tie" not in row and self.often(1):
            row |= self.pick(({"frozen": True}, {"frozen": self.option(self.often(5))}, {"init": "normal(0.02)"}, {"init": 0.5}))
        if "out" not in row and axes and self.often(2):
            row["out"] = [text(axis) for axis in axes]
        if reads and reads[0].kind == holds and reads[0].axes == axes and self.often(1):
            row["when"] = self.option(self.often(5))
        return self.row(row, reads, [("", axes, holds)])[0]

    def show(self, value: Value) -> None:
        """Make a row's result an output, so that gradients flow into it."""
        if value.ref not in self.inputs and value.ref not in self.must_show:
            self.must_show.append(value.ref)

    # ---- the end -----------------------------------------------------------------------------------------------------

    def read(self) -> set[str]:
        """Return the rows and results that rows read."""
        names = [None, *self.rows]
        found: set[str] = set()
        for above, row in zip(names, self.rows.values(), strict=False):
            found |= set(self.reads_of(row, above))
        return found

    def reads_of(self, row: dict[str, Any], above: str | None) -> list[str]:
        given = row.get("_reads", row.get("in"))
        if "experts" in row:
            return [given, *(row[key] for key in ("by", "weights") if key in row)]
        if "else" in row:
            return [*given, row["else"]]
        if given is None:
            return [] if row.get("op") in SOURCES else [above or next(iter(self.inputs))]
        return list(given) if isinstance(given, list) else [given]

    def ends(self) -> list[Value]:
        """Return the results that no row reads."""
        read = self.read()
        return [value for value in self.values if value.ref not in read and value.ref not in self.inputs]

    def yaml(self, outputs: Sequence[str]) -> str:
        """Return the spec as a file, without the rows and inputs that its outputs do not need."""
        rows, used = self._needed(outputs)
        kept_inputs = {name: declared for name, declared in self.inputs.items() if name in used} or dict(list(self.inputs.items())[:1])
        spec: dict[str, Any] = {"title": self.title, "dims": dict(self.dims)}
        if self.options:
            spec["options"] = self.options
        spec["inputs"] = kept_inputs
        if self.slots:
            spec["slots"] = self.slots
        spec["layers"] = rows
        if list(outputs) != [list(rows)[-1]] or self.often(2):
            spec["outputs"] = list(outputs)
        if self.where:
            spec["where"] = self.where
        return yaml.safe_dump(spec, sort_keys=False, default_flow_style=None, width=150)

    def _needed(self, outputs: Sequence[str]) -> tuple[dict[str, dict[str, Any]], set[str]]:
        """Return the rows that outputs depend on, with `in` written out where the row above is gone, and all names that they read."""
        used = {_row_of(ref) for ref in outputs}
        names = list(self.rows)
        kept: list[str] = []
        reads = {name: self.reads_of(self.rows[name], names[i - 1] if i else None) for i, name in enumerate(names)}
        for name in reversed(names):
            if name in used:
                kept.append(name)
                used |= {_row_of(ref) for ref in reads[name]}
                used |= {self.rows[name]["tie"]} if "tie" in self.rows[name] else set()
        rows: dict[str, dict[str, Any]] = {}
        above = next((name for name in self.inputs if name in used), next(iter(self.inputs)))
        for name in reversed(kept):
            row = {key: value for key, value in self.rows[name].items() if not key.startswith("_")}
            if "in" not in row and "_reads" not in self.rows[name] and reads[name] and reads[name] != [above]:
                row["in"] = reads[name][0]
            rows[name], above = row, name
        return rows, used


def _row_of(ref: str) -> str:
    """Return the row of a result or of a stage."""
    return ref.partition(".")[0].partition("[")[0]


SOURCES = ("parameter", "random_projection", "relative_bias")  # ops that read nothing


def written(axis: Axis) -> str:
    """Return a size that can stand beside an operator that binds tighter than a sum."""
    return axis[0] if len(axis) == 1 else f"({text(axis)})"


def shapes_same(one: Axes, other: Axes) -> bool:
    return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
