"""What a row offers to its op while the module is written (the implementation of `CodeScope`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from generator.ops.base import Op, Result
from generator.ops.params import Choice, Flag, NumberOption
from generator.render.module.escape_python import literal
from generator.render.module.imports import Top
from generator.render.module.signature import SizePrinter
from generator.resolve.architecture import BoundRow
from generator.resolve.scope import Scope, ops_tied
from generator.trace.tensor import Shape, Tensor


@dataclass
class RowCode:
    """One row's names, sizes and options as Python source."""

    printer: SizePrinter
    bound: BoundRow
    name: str
    target: str
    targets: tuple[str, ...]
    inputs: tuple[str, ...]
    top: Top
    run_options: set[str] = field(default_factory=set)
    key: str = field(init=False)  # what the row keeps its state under, also where it applies the module of another row

    def __post_init__(self) -> None:
        self.key = self.name.replace("[", ".").removesuffix("]")

    @property
    def state(self) -> str:
        """The state of the module; `None` where what the row could keep is no state of its spec."""
        return "state" if self.bound.keeps_state else "None"

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The inputs."""
        return self.bound.inputs

    @property
    def result(self) -> Result:
        """The result of the op."""
        results = self.bound.results
        return results[""] if set(results) == {""} else dict(results)

    @property
    def declared(self) -> Shape | None:
        """The shape that the row declares."""
        return self.bound.declared

    @property
    def needed_out(self) -> Shape:
        """The shape that the row declares, or else has."""
        return self.bound.result.shape if self.bound.declared is None else self.bound.declared

    @property
    def sizes(self) -> Mapping[str, Expr]:
        """The sizes of the spec."""
        return self.printer.arch.sizes

    def init(self, size: Expr) -> str:
        """Print a size where the module is constructed."""
        return self.printer.built(size)

    def size(self, size: Expr) -> str:
        """Print a size where the module runs."""
        return self.printer.run(size)

    def init_operand(self, size: Expr) -> str:
        """Print a size for the constructor, to stand beside an operator."""
        return self.printer.built_operand(size)

    def operand(self, size: Expr) -> str:
        """Print a size for `forward`, to stand beside an operator."""
        return self.printer.run_operand(size)

    def option(self, value: Any) -> str:
        """Print a Flag, Choice or Number for the constructor."""
        return value.option or _literal(value)

    def run_option(self, value: Any) -> str:
        """Print a Flag, Choice or Number for `forward`."""
        if value.option:
            self.run_options.add(value.option)
            return f"self.{value.option}"
        return _literal(value)

    def choices(self, option: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """The words that an option allows; all known ones where it does not say."""
        return self.printer.arch.spec.options[option].choices or known

    @property
    def tied_ops(self) -> tuple[Op, ...]:
        """The op of the row that this one is tied to, of the row that that one is tied to, and so on."""
        return ops_tied(self.bound.row, {row.name: row for row in self.printer.arch.rows})

    @property
    def variables(self) -> frozenset[str]:
        """The names that sizes have in the code."""
        return frozenset(self.printer.variables.values())

    def axis(self, x: Tensor, axis: int | str) -> int:
        """Return the index of an axis given by index or by its size's name."""
        return Scope.of(self.printer.arch.tracer, self.bound, self.sizes).axis(x, axis)

    def need(self, statement: str, entries: Iterable[str] = ()) -> None:
        """Ask for a function or table above the class."""
        self.top.helper(statement, entries)


def _literal(value: Flag | Choice | NumberOption) -> str:
    if isinstance(value, Flag):
        return str(value.value)
    if isinstance(value, Choice):
        return literal(value.value)
    return value.text
