"""The numbers of a sheet at given sizes: what `gen cost` prints and `load(...).cost(...)` returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.stored_formula import size_names, text_of
from generator.in_bytes import BYTES, INTENSITY, PEAK_BYTES, SAVED_BYTES
from generator.quantities import MEASURES, QUANTITIES, cost_formula
from generator.sheet.number_formats import ITEM_BYTES
from generator.sheet.preset_totals import said_by_others
from generator.sheet.sheet import Sheet, SheetRow
from generator.sheet.sizing import require, sized
from generator.text.errors import MissingSizeError, SizeError
from generator.text.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from sympy import Expr

KEYS = tuple(quantity.key for quantity in QUANTITIES)


class _Quantities:
    """The quantities, and sums of them, as attributes; each is worked out when it is read."""

    def value(self, key: str) -> Any:
        """Return a quantity by its key: an int, or a numpy array where a size is an array.

        Raises:
            MissingSizeError: the quantity depends on a size that was not given.
            SizeError: the quantity has no whole value at these sizes.
        """
        raise NotImplementedError

    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any:
            """Each measure by its key, such as `cost.params`."""


def _attribute(key: str, meaning: str) -> property:
    """Return the attribute by which a quantity is read, with what it means as its documentation."""
    return property(lambda costs: costs.value(key), doc=meaning)


for _measure in MEASURES:
    setattr(_Quantities, _measure.key, _attribute(_measure.key, f"{_measure.title}: {_measure.meaning}."))


@dataclass(frozen=True, repr=False)
class RowCost(_Quantities):
    """One leaf row at given sizes: its quantities are attributes, as those of `Cost` are."""

    name: str  # dotted, such as "blocks.attention.q"
    op: str
    cost: Cost
    row: SheetRow

    def value(self, key: str) -> Any:
        """Return a quantity of the row; see `Cost.value`."""
        return self.cost.evaluated(cost_formula(self.row.costs, key), f"{key} of `{self.name}`")

    @property
    def repeat(self) -> Any:
        """How many times the row is computed."""
        return self.cost.evaluated(self.row.repeat, f"the repeat of `{self.name}`")

    @property
    def shape(self) -> Any:
        """The result's shape as a tuple of numbers; for several results a dict by result. What depends on values is an average."""
        shapes = {part: tuple(self._axis(axis) for axis in axes) for part, axes in self.row.shapes}
        return shapes[""] if set(shapes) == {""} else shapes

    def _axis(self, axis: Expr) -> Any:
        if not self.cost.sheet.is_average(axis):
            return self.cost.evaluated(axis, f"the shape of `{self.name}`")
        value = evaluate(axis, self.cost.dims)
        return float(value) if isinstance(value, Fraction) else value

    def __repr__(self) -> str:
        return f"<row {self.name}: {self.op}>"


@dataclass(frozen=True, repr=False)
class Cost(_Quantities):
    """A sheet at given sizes.

    Attributes:
        spec: the spec's name.
        preset: the preset's name, or None.
        dims: the sizes that are known, defaults and derived ones included: ints, or numpy arrays, which broadcast against each other.
        sheet: the formulas.
        dtype: the format of the model's numbers, for what is counted in bytes.
    """

    spec: str
    preset: str | None
    dims: Mapping[str, Any]
    sheet: Sheet
    dtype: str = "float32"

    def value(self, key: str) -> Any:
        """Return a quantity by its key: an int, or a numpy array where a size is an array.

        What is counted in bytes is that of a model of `dtype`. A ratio is a Fraction, or an array of floats; None or nan where there is
        nothing to divide by.

        Raises:
            MissingSizeError: the quantity depends on a size that was not given.
            SizeError: the quantity has no whole value at these sizes.
        """
        if key == INTENSITY.key:
            return _quotient(self.value(INTENSITY.of.key), self.value(INTENSITY.per.key))
        if key == PEAK_BYTES.key:
            return self._peak()
        amount = next((amount for amount in BYTES if amount.key == key), None)
        formula = cost_formula(self.sheet.totals, key) if amount is None else self.sheet.in_bytes(amount, self.dtype)
        return self.evaluated(formula, key)

    def _peak(self) -> Any:
        peak = self.sheet.peak
        if peak is None:
            return None
        formula = peak.bytes(self.dtype)
        if formula is not None and any(getattr(size, "ndim", 0) for size in self.dims.values()):
            return self.evaluated(formula, PEAK_BYTES.key)
        sizes = [size.name for size in self.sheet.sizes] if formula is None else size_names(formula)
        require(self.sheet, self.dims, sizes, PEAK_BYTES.key)
        return peak.bytes_at(self.dtype, self.dims)

    @property
    def saved_by_kind(self) -> dict[str, Any]:
        """Elements kept for the backward pass by kind, see `generator.sheet.number_formats.KINDS`. Raises as `value`."""
        return {kind: self.evaluated(count, "saved_by_kind") for kind, count in self.sheet.saved.kinds(self.dtype).items()}

    @property
    def formulas(self) -> dict[str, str]:
        """Each quantity as text in the sizes of the spec."""
        return formulas(self.sheet)

    @property
    def rows(self) -> tuple[RowCost, ...]:
        """The leaf rows, in order of computation; their quantities sum to the totals."""
        return tuple(RowCost(row.path, row.op, self, row) for row in self.sheet.rows if not row.is_group)

    def evaluated(self, expr: Expr, what: str) -> Any:
        """Return the value of a formula at these sizes; `what` names it in errors."""
        require(self.sheet, self.dims, size_names(expr), what)
        try:
            value = evaluate(expr, self.dims)
        except EvaluationError as error:
            raise SizeError(str(error)) from error
        if not _is_whole(value):
            raise SizeError(f"{what} comes to {value}, which is not whole: {text_of(expr, _order(self.sheet))}")
        return value

    def require_all(self) -> None:
        """Raise MissingSizeError unless every size of the spec is known."""
        require(self.sheet, self.dims, (size.name for size in self.sheet.sizes), f"the cost of `{self.spec}`")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, as `gen cost --json` prints it. Raises MissingSizeError."""
        self.require_all()
        return {
            "spec": self.spec,
            "preset": self.preset,
            "dims": dict(self.dims),
            **{key: self.value(key) for key in KEYS},
            "formulas": self.formulas,
            "rows": [
                {"name": row.name, "op": row.op, "shape": row.shape, "repeat": row.repeat, **{key: row.value(key) for key in KEYS}}
                for row in self.rows
            ],
            **said_by_others(self.sheet, self.preset),
        }

    def bytes_to_dict(self) -> dict[str, Any]:
        """Return what `gen cost` adds to `to_dict` in bytes. Raises MissingSizeError."""
        intensity, peak = self.value(INTENSITY.key), self.sheet.peak_bytes(self.dtype)
        return {
            "dtype": self.dtype,
            **{amount.key: self.value(amount.key) for amount in BYTES},
            PEAK_BYTES.key: self.value(PEAK_BYTES.key),
            INTENSITY.key: None if intensity is None else float(intensity),
            f"{SAVED_BYTES.key}_formula": text_of(self.sheet.in_bytes(SAVED_BYTES, self.dtype), _order(self.sheet)),
            f"{PEAK_BYTES.key}_formula": None if peak is None else text_of(peak, _order(self.sheet)),
            "saved_by_kind": self.saved_by_kind,
        }

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={_brief(value)}" for name, value in self.dims.items())
        lines = [f"<cost of {self.spec}{f' ({self.preset})' if self.preset else ''} at {sizes or 'no sizes'}"]
        return "\n".join([*lines, *(f"  {key:22} {self._shown(key)}" for key in KEYS)]) + ">"

    def _shown(self, key: str) -> str:
        try:
            return _brief(self.value(key))
        except MissingSizeError as error:
            return f"{self.formulas[key]}  (give {', '.join(error.missing)})"
        except SizeError as error:
            return error.message


for _amount in BYTES:
    setattr(Cost, _amount.key, _attribute(_amount.key, f"{_amount.of.title} in bytes, in a model of `dtype`: {_amount.of.meaning}."))
setattr(Cost, PEAK_BYTES.key, _attribute(PEAK_BYTES.key, f"{PEAK_BYTES.en.title}: {PEAK_BYTES.en.meaning}"))
setattr(Cost, INTENSITY.key, _attribute(INTENSITY.key, f"{INTENSITY.en.title}: {INTENSITY.en.meaning}"))


def cost_of(sheet: Sheet, preset: str | None, given: Mapping[str, Any], dtype: str = "float32") -> Cost:
    """Return a sheet at given sizes, which may be too few for some quantities.

    Args:
        dtype: the format of the model's numbers, for what is counted in bytes.

    Raises:
        SizeError: an unknown format; and as `generator.sheet.sizing.sized`.
    """
    require_format(dtype)
    return Cost(sheet.name, preset, sized(sheet, preset, given), sheet, dtype)


def require_format(dtype: str) -> None:
    """Raise SizeError for a format in which no model computes."""
    if dtype not in ITEM_BYTES:
        raise SizeError(f"unknown number format `{dtype}`", *did_you_mean(dtype, ITEM_BYTES), f"formats: {listed(ITEM_BYTES)}")


def formulas(sheet: Sheet) -> dict[str, str]:
    """Return each quantity as text in the sizes of the spec."""
    return {key: text_of(sheet.totals[key], _order(sheet)) for key in KEYS}


def _quotient(above: Any, below: Any) -> Any:
    if getattr(above, "ndim", 0) or getattr(below, "ndim", 0):
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below != 0, above / below, np.nan)
    return Fraction(above, below) if below else None


def _is_whole(value: Any) -> bool:
    if getattr(value, "ndim", 0):
        return value.dtype.kind in "iu" or all(isinstance(one, int) for one in value.flat)
    return isinstance(value, int)


def _order(sheet: Sheet) -> list[str]:
    return [size.name for size in sheet.sizes]


def _brief(value: Any) -> str:
    if getattr(value, "ndim", 0):
        return f"array of {' x '.join(map(str, value.shape))}, {value.min():,} to {value.max():,}" if value.size else "empty array"
    return f"{value:,}"
