"""What a row offers to its op while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sympy import Expr, S
from sympy.logic.boolalg import Boolean

from generator.formulas.symbols import Facts
from generator.ops.base import Op, OpError
from generator.resolve.architecture import BoundRow, OpRow, Weight
from generator.resolve.declared_sizes import Unresolved, whole_notes
from generator.resolve.shape_text import show_shape, show_size
from generator.resolve.spec_run import OwnSizes
from generator.spec.model import Row
from generator.text.suggest import did_you_mean, joined
from generator.trace.tensor import Kind, Shape, Tensor
from generator.trace.tracer import Tracer


@dataclass
class Scope:
    """The implementation of `RowScope` (see generator.ops.base)."""

    t: Tracer
    row: Row
    input_names: tuple[str, ...]
    out: Shape | None
    sizes: Mapping[str, Expr]
    inputs: tuple[Tensor, ...]
    in_own_sizes: Callable[[], OwnSizes]
    rows: Mapping[str, BoundRow | None]  # those above; None where one is broken
    op: Op | None = None
    name: str = field(init=False)
    weights: dict[str, Weight] = field(default_factory=dict)
    shared: dict[str, Weight] = field(default_factory=dict)
    axes: dict[tuple[int, str], int] = field(default_factory=dict)  # by input and name, those that have been asked for
    conditions: list[tuple[Boolean, str]] = field(default_factory=list)  # what the op needs of the sizes, and the option that decides it

    def __post_init__(self) -> None:
        self.name = self.row.name

    @classmethod
    def of(cls, t: Tracer, bound: BoundRow, sizes: Mapping[str, Expr]) -> Scope:
        """Return what a row offers once it has run. A name of an axis means what it meant then, in the sizes of the row's own spec."""
        found = cls(t, bound.row, bound.input_names, bound.declared, sizes, bound.inputs, lambda: OwnSizes(bound.inputs, sizes), {})
        if isinstance(bound, OpRow):
            found.axes |= bound.axes
        return found

    @property
    def needed_out(self) -> Shape:
        """The shape that the row declares. Raises OpError where it declares none."""
        if self.out is None:
            raise OpError(f"`{self.name}` needs `out`", at="op")
        return self.out

    def alone(self) -> tuple[Tensor, ...]:
        """Return the inputs in the sizes of the row's own spec, as its module knows them."""
        return self.in_own_sizes().inputs

    def require(self, condition: Boolean, *, option: str | None = None) -> None:
        """Require something of the sizes, as if it stood under the spec's `where`; with an option, where it is on."""
        if condition != S.true:
            self.conditions.append((condition, option or ""))

    def weight(self, name: str, shape: Shape, *, trainable: bool = True, kind: Kind = "float") -> Tensor:
        """Declare a weight of the row, or return that of the row that it is tied to, which must have this shape. Raises OpError."""
        if self.row.tie and trainable and not (name == "bias" and self._has_own_bias):
            return self._tied(name, shape)
        tensor = self.t.parameter(shape, trainable=trainable, is_bias=name == "bias", kind=kind)
        self.weights[name] = Weight(name, shape, trainable, tensor)
        return tensor

    @property
    def tied_ops(self) -> tuple[Op, ...]:
        """The op of the row that this one is tied to, of the row that that one is tied to, and so on."""
        return ops_tied(self.row, self.rows)

    @property
    def _has_own_bias(self) -> bool:
        """Whether the row says that it has a bias, or is tied to a layer of another kind."""
        others = self.tied_ops
        return "bias" in self.row.params or self.op is None or not others or not self.op.is_kin(others[0])

    def _tied(self, name: str, shape: Shape) -> Tensor:
        """Return a weight of the row that this one is tied to, owned or tied there. Raises OpError where it has none of this shape."""
        row = self.row.tie
        found = self.rows[row]
        weights = {} if found is None else {**found.weights, **found.shared}  # it is there: see `check_tied`
        if name not in weights:
            notes = ("did you mean bias: false?",) if name == "bias" else ()
            raise OpError(f"`tie` names `{row}`, but that row has no {name}", *notes, at="tie")
        weight = weights[name].tensor
        if len(weight.shape) != len(shape) or not all(self.same(a, b) for a, b in zip(weight.shape, shape, strict=True)):
            raise OpError(
                f"`{self.name}` needs a {name} {self.show(shape)}, but the {name} of `{row}` is {self.show(weight.shape)}", at="tie"
            )
        self.shared[name] = weights[name]
        return weight

    def check_tied(self) -> None:
        """Look whether the row that this one is tied to is there wherever this one is.

        Raises:
            OpError: it is not.
            Unresolved: it is broken.
        """
        row = self.row.tie
        found = self.rows.get(row)
        if found is None and row in self.rows:
            raise Unresolved
        if found is None:
            raise OpError(f"`tie` names `{row}`, but no row above has that name", *did_you_mean(row, self.rows), at="tie")
        if found.op is None:
            note = "a row with `op` is tied to another with `op`, and a row with `use` to another that uses the same spec"
            raise OpError(f"`tie` names `{row}`, which is a block and no single op", note, at="tie")
        if self.op is not None and self.op.is_bare and self.op.parameters() and self.op != found.op:
            note = "what is read of its weight follows from its settings"
            raise OpError(f"`{self.name}` can be tied only to another row with the same op and the same settings", note, at="tie")
        if found.row.when and found.row.when != self.row.when:
            note = f"give `{self.name}` the same `when`, or `{row}` none"
            raise OpError(f"`tie` names `{row}`, which has no weights where `{found.row.when}` is false", note, at="tie")

    def check_shared(self) -> None:
        """Raise OpError where a tied row has run without a weight of the other one."""
        if not self.shared:
            raise OpError(f"`{self.name}` has no weights of its own that could be those of `{self.row.tie}`", at="tie")

    def loosely_shared(self) -> tuple[str, ...]:
        """Return the weights that would be those of another row if the option were on that ties them. Raises as `check_tied`."""
        if not self.row.loose:
            return ()
        other = replace(self, row=replace(self.row, tie=self.row.loose), weights={}, shared={})
        other.check_tied()
        for name, weight in self.weights.items():
            if weight.trainable and not (name == "bias" and other._has_own_bias):  # noqa: SLF001  of the same row
                other._tied(name, weight.shape)  # noqa: SLF001  as above
        other.check_shared()
        return tuple(other.shared)

    def same(self, a: Expr, b: Expr) -> bool:
        """Say whether two sizes are equal under the spec's constraints."""
        return self.t.facts.equal(a, b)

    def show(self, shape: Shape) -> str:
        """Print a shape as the spec's author would."""
        return show_shape(shape, self.sizes)

    def text(self, size: Expr) -> str:
        """Print a size as the spec's author would."""
        return show_size(size, self.sizes)

    def axis(self, x: Tensor, axis: int | str) -> int:
        """Return the index of an axis given by index or by its size's name. Raises OpError."""
        at = "over" if "over" in self.row.params else "axis"
        if isinstance(axis, int):
            if not -x.rank <= axis < x.rank:
                known = f"its axes are 0 to {x.rank - 1}, or -{x.rank} to -1 counted from the last" if x.rank else "it has none"
                raise OpError(f"axis {axis} does not exist: {self.input_names[0]} is {self.show(x.shape)}", known, at=at)
            return axis % x.rank
        of_input = next((i for i, one in enumerate(self.inputs) if one is x), None)
        if of_input is None:
            return self._axis_of_size(x, axis, at)
        if (of_input, axis) not in self.axes:
            self.axes[of_input, axis] = self._axis_of_size(x, axis, at)
        return self.axes[of_input, axis]

    def _axis_of_size(self, x: Tensor, axis: str, at: str) -> int:
        wanted = self.sizes.get(axis)
        if wanted is None:
            notes = (*did_you_mean(axis, self.sizes), "an axis is an index, such as -1 for the last, or the name of its size")
            raise OpError(f"`{axis}` is not a size of this spec", f"{self.input_names[0]} is {self.show(x.shape)}", *notes, at=at)
        found = [i for i, size in enumerate(x.shape) if self.same(size, wanted)]
        if len(found) > 1:  # a user of the spec gives two of its sizes one value; its author names one of them
            found = self._axes_named(x, axis) or found
        if len(found) != 1:
            given = f"axes {joined(map(str, found))} of {self.input_names[0]} have" if found else f"no axis of {self.input_names[0]} has"
            raise OpError(
                f"{given} the size {axis}; give the axis by its index",
                f"{self.input_names[0]} is {self.show(x.shape)}",
                at=at,
            )
        return found[0]

    def names_another_axis(self, x: Tensor, place: int, label: str) -> bool:
        """Say whether a name for an axis of an input is that of a size which this axis has not, and another one has.

        That is so in the spec's own sizes: where two of them are given one value, a pattern means what it means anywhere.
        """
        wanted = self.sizes.get(label)
        if wanted is None or self.same(wanted, x.shape[place]) or not any(self.same(wanted, size) for size in x.shape):
            return False
        found = self._in_own_sizes(x, label)
        return bool(found) and place not in found

    def _axes_named(self, x: Tensor, axis: str) -> list[int]:
        """Return the axes of an input that have a size in the spec's own sizes; none where that is not one axis."""
        found = self._in_own_sizes(x, axis)
        return found if len(found) == 1 else []

    def _in_own_sizes(self, x: Tensor, label: str) -> list[int]:
        """Return the axes of an input that have a size in the spec's own sizes."""
        own = self.in_own_sizes()
        shapes = [theirs.shape for mine, theirs in zip(self.inputs, own.inputs, strict=True) if mine is x]
        return [i for i, size in enumerate(shapes[0]) if Facts().equal(size, own.sizes[label])] if shapes else []

    def whole(self, size: Expr, *, at: str) -> Expr:
        """Return a size simplified; raises OpError unless it is known to be whole."""
        if not self.t.facts.is_whole(size):
            message = f"`{show_size(size, self.sizes)}` is not always a whole number"
            raise OpError(message, *whole_notes(size, self.sizes), at=at)
        return self.t.facts.simplify(size)


def ops_tied(row: Row, rows: Mapping[str, BoundRow | None]) -> tuple[Op, ...]:
    """Return the op of the row that another is tied to, of the row that that one is tied to, and so on.

    Args:
        rows: those of the spec, by name.
    """
    found: list[Op] = []
    while (other := rows.get(row.tie)) is not None and other.op is not None:
        found.append(other.op)
        row = other.row
    return tuple(found)
