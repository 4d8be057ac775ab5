"""Runs a sweep: sizes completed, conditions checked, values worked out, points filtered; chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from sympy import Expr
from sympy.logic.boolalg import Boolean

from generator.formulas.evaluate import EvaluationError
from generator.formulas.symbols import symbol
from generator.quantities import BY_KEY, cost_formula
from generator.questions.growth.monomials import upper_bound
from generator.questions.sweep.columns import Column, Columns
from generator.questions.sweep.grid import Grid
from generator.sheet.sheet import Constraint, Size
from generator.text.errors import MissingSizeError, SizeError
from generator.text.expressions import ExpressionError, parse_condition, symbolic
from generator.text.suggest import listed


@dataclass(frozen=True)
class Chunk:
    """Some points that passed: one array a column. `left_out` were at sizes that the spec does not allow, `filtered` did not pass."""

    columns: Mapping[str, Any]
    count: int
    left_out: int
    filtered: int


class Formulas(Protocol):
    """What of a sheet is swept."""

    @property
    def name(self) -> str:
        """The name of the spec."""

    @property
    def sizes(self) -> tuple[Size, ...]:
        """Its sizes in the order in which they are listed."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What sizes must satisfy."""

    @property
    def totals(self) -> Mapping[str, Expr]:
        """The formula of each quantity, by key."""


@dataclass(frozen=True)
class Sweep:
    """What is swept.

    Args:
        sheet: the architecture, of which only the formulas of totals are needed.
        grid: the points.
        measures: keys of what is worked out.
        where: a condition on sizes and measures; None for all points.
    """

    sheet: Formulas
    grid: Grid
    measures: tuple[str, ...]
    where: Boolean | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns: all sizes as the spec lists them, then the measures."""
        return (*(size.name for size in self.sheet.sizes if size.name in self._known), *self.measures)

    @cached_property
    def _known(self) -> set[str]:
        """The sizes that the grid gives, and those that follow."""
        known = {*self.grid.fixed, *(axis.size for axis in self.grid.axes)}
        for size in self.sheet.sizes:
            if size.value is not None and {one.name for one in size.value.free_symbols} <= known:
                known.add(size.name)
        return known

    def chunks(self, first: int = 0, end: int | None = None) -> Iterator[Chunk]:
        """Yield the points that pass, in the order of the grid: of all points, or of those from `first` on and before `end`.

        Raises:
            MissingSizeError: a measure needs a size that is not given.
            SizeError: a measure has no value somewhere.
        """
        self.require()
        plan = _Plan(self)
        for sizes in self.grid.chunks(first, end):
            try:
                yield plan.chunk(sizes)
            except EvaluationError as error:
                raise SizeError(str(error)) from error

    def bounds(self) -> dict[str, int | None]:
        """Return what no value of a column exceeds; None where that is not known."""
        greatest = _greatest(self)
        columns = Columns(greatest)
        found: dict[str, int | None] = {name: greatest.get(name) for name in self.names}
        return found | {key: columns.bound(cost_formula(self.sheet.totals, key)) for key in self.measures}

    def require(self) -> None:
        """Raise MissingSizeError where a measure needs a size that is not given."""
        known = self._known
        needed = {one.name for key in self.measures for one in cost_formula(self.sheet.totals, key).free_symbols}
        missing = [size for size in self.sheet.sizes if size.name in needed - known]
        if missing:
            names = tuple(size.name for size in missing)
            verb = "is" if len(names) == 1 else "are"
            notes = (f"{size.name}: {size.meaning}" for size in missing)
            raise MissingSizeError(f"the sweep of `{self.sheet.name}` needs {listed(names)}, which {verb} not given", names, *notes)


class _Plan:
    """The columns of a sweep, made once for all chunks."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        columns = Columns(_greatest(sweep))
        given = {*sweep.grid.fixed, *(axis.size for axis in sweep.grid.axes)}
        known = set(sweep.names)
        self.follow: dict[str, Column] = {
            size.name: columns.column(size.value)
            for size in sweep.sheet.sizes
            if size.value is not None and size.name not in given and size.name in known
        }
        self.conditions = [
            columns.column(constraint.condition)
            for constraint in sweep.sheet.constraints
            if {one.name for one in constraint.condition.free_symbols} <= known
        ]
        totals = sweep.sheet.totals
        self.measures = columns.together([cost_formula(totals, key) for key in sweep.measures])
        formulas = {symbol(key): cost_formula(totals, key) for key in BY_KEY}
        where = sweep.where.xreplace(formulas) if sweep.where is not None else None
        self.where = columns.column(where) if where is not None else None

    def chunk(self, given: Mapping[str, Any]) -> Chunk:
        """Work out one chunk."""
        sizes = dict(given)
        count = max(len(value) for value in sizes.values() if isinstance(value, np.ndarray))
        allowed = np.ones(count, dtype=bool)
        for size in self.sweep.sheet.sizes:
            if size.name in self.follow:
                sizes[size.name] = self.follow[size.name](sizes)
                allowed &= _are_sizes(sizes[size.name])
        sizes = _taken(sizes, allowed)
        for holds in self.conditions:
            passed = np.broadcast_to(holds(sizes), (int(allowed.sum()),))
            allowed[np.flatnonzero(allowed)[~passed]] = False
            sizes = _taken(sizes, passed)
        kept = int(allowed.sum())
        if self.where is not None and kept:
            passes = np.broadcast_to(self.where(sizes), (kept,))
            sizes = _taken(sizes, passes)
        passed_count = int(passes.sum()) if self.where is not None and kept else kept
        columns = {name: _filled(sizes[name], passed_count) for name in self.sweep.names if name in sizes}
        if passed_count:
            values = zip(self.sweep.measures, self.measures(sizes), strict=True)
            columns |= {key: _filled(value, passed_count) for key, value in values}
        else:
            columns |= {key: np.empty(0, dtype=np.int64) for key in self.sweep.measures}
        return Chunk(columns, passed_count, count - kept, kept - passed_count)


def _greatest(sweep: Sweep) -> dict[str, int]:
    """Return a bound on each size in the grid."""
    found = dict(sweep.grid.greatest)
    for size in sweep.sheet.sizes:
        if size.name not in found and size.value is not None and {one.name for one in size.value.free_symbols} <= found.keys():
            found[size.name] = upper_bound(size.value, found)
    return found


def _are_sizes(values: Any) -> Any:
    """Say which values are whole numbers of at least 1."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values >= 1
    return np.asarray([isinstance(value, int | np.integer) and value >= 1 for value in np.atleast_1d(np.asarray(values, dtype=object))])


def _taken(sizes: Mapping[str, Any], passed: Any) -> dict[str, Any]:
    if passed.all():
        return {name: _packed(value) if isinstance(value, np.ndarray) else value for name, value in sizes.items()}
    places = np.flatnonzero(passed)
    return {name: _packed(value.take(places)) if isinstance(value, np.ndarray) else value for name, value in sizes.items()}


def _packed(values: Any) -> Any:
    """Return whole numbers as machine words again once the fractions among them are gone."""
    if values.dtype == object and values.size and all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values):
        return values.astype(np.int64)
    return values


def _filled(values: Any, count: int) -> Any:
    """Return one value a point."""
    if isinstance(values, np.ndarray) and values.shape == (count,):
        return values
    fits = not isinstance(values, Fraction) and abs(int(values)) < 2**63
    return np.full(count, int(values) if not isinstance(values, Fraction) else values, dtype=np.int64 if fits else object)


def parse_where(text: str, sheet: Formulas) -> Boolean:
    """Read a condition on sizes and measures, such as `params < 1e9 and d >= 2*h`. Raises SizeError."""
    names = (*(size.name for size in sheet.sizes), *BY_KEY)
    try:
        found = symbolic(parse_condition(text), {name: symbol(name) for name in names})
    except ExpressionError as error:
        raise SizeError(f"--where: {error.message}", *_caret(text, error), *error.notes) from error
    return found


def _caret(text: str, error: ExpressionError) -> tuple[str, str]:
    return text, " " * error.offset + "^"
