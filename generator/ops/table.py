"""Tables made of sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import Choice, ChoiceKind, Formula, FormulaKind, IndicesKind
from generator.ops.table_code import TableCode
from generator.text.expressions import names
from generator.text.suggest import did_you_mean, listed
from generator.trace.tensor import Tensor

TABULATED = '''
def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())'''


@dataclass(frozen=True)
class Table(Op):
    """A table that is computed once, of the numbers of each place and of sizes: `{op: table, axes: {i: h}, value: "2**(-8*(i + 1)/h)"}`.

    It reads nothing. `axes` names the number of a place along each axis (it counts from 0) and gives the length of the axis; `value` may
    name them and any size, with + - * / // % **, comparisons in `where(condition, a, b)`, and abs, ceil, cos, exp, floor, log, log2, max,
    min, sin and sqrt. `dtype: int` makes indices of whole numbers, which `gather` and `embedding` read. A buffer that is not saved with
    the weights: no parameters, and no cost.
    """

    name: ClassVar[str] = "table"
    arity: ClassVar[tuple[int, int | None]] = (0, 0)

    axes: tuple[tuple[str, Expr], ...] = param(
        IndicesKind(), "a name for the number of a place along each axis, with the axis's length", example={"i": "n", "j": "n"}
    )
    value: Formula = param(FormulaKind(), "what stands at a place, such as abs(i - j)", example="abs(i - j)")
    dtype: Choice = param(ChoiceKind(("float", "int")), "float, or int for indices", default="float")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Declare the buffer and hand it on."""
        if self.dtype.option:
            raise OpError("`dtype` must be float or int itself, not an option: it decides what reads the table", at="dtype")
        indices = [name for name, _ in self.axes]
        used = names(self.value.ast)
        for name in indices:
            if name in row.sizes:
                notes = (f"call it `{_other(name, {*row.sizes, *indices})}`",)
                raise OpError(f"`{name}` is a size, so it cannot be the number of a place", *notes, at="axes")
        for name in used:
            if name not in indices and name not in row.sizes:
                known = f"numbers of the place: {listed(indices)}; sizes of this spec: {listed(row.sizes)}"
                raise OpError(f"`value` names `{name}`, which is neither", *did_you_mean(name, [*indices, *row.sizes]), known, at="value")
        if not set(used) & set(indices):
            raise OpError(f"`value` names none of {listed(indices)}: all places would hold the same", at="value")
        shape = tuple(row.whole(length, at="axes") for _, length in self.axes)
        return row.weight("weight", shape, trainable=False, kind="index" if self.dtype.value == "int" else "float")

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The lengths, and the value as Python."""
        c.need(TABULATED)
        indices = {name: _other(name, c.variables) for name, _ in self.axes}
        used = names(self.value.ast)
        code = TableCode(indices, lambda name: c.init_operand(c.sizes[name])).of(self.value.ast)
        lengths = ", ".join(c.init(length) for _, length in self.axes)
        return {
            "lengths": f"{lengths}," if len(self.axes) == 1 else lengths,
            "indices": ", ".join(variable if name in used else f"_{variable}" for name, variable in indices.items()),
            "value": code.text,
            "factory": "device=device, dtype=torch.int64" if self.dtype.value == "int" else "**factory",
        }


def _other(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name
