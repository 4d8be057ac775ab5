"""What an op is: parameters, shape rule, weights, costs and PyTorch lines in one class.

An op's `run` is its definition: it asks for its weights and launches its kernels on symbolic tensors, so that the shape of the result
and every cost follow from the same few lines. Its template of the same name (`templates/ops/<name>.jinja`) writes the same computation as
PyTorch, and its fixture (`specs` under `tests/fixtures/ops/<name>/`) proves that the two agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, ClassVar, Protocol

from sympy import Expr
from sympy.logic.boolalg import Boolean

from generator.files.docstrings import docstring
from generator.ops.params import BindError, Kind
from generator.trace.tensor import Kind as ElementKind
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer


class Along(Enum):
    """What an op does along one axis of what it reads, such as that of the tokens."""

    EACH = "what stands at a place comes of that place alone, or of what the op keeps of earlier ones"
    BACK = "what stands at a place comes of earlier places too, and of none behind it"
    MIXES = "what stands at a place comes of other places too"
    COUNTS = "places are told by their number, from 0"

    @classmethod
    def mixing(cls, is_mixed: bool) -> Along:
        """Return MIXES or EACH."""
        return cls.MIXES if is_mixed else cls.EACH


TRAINING = "training"  # stands for an option in `RowScope.require`: an attribute that every module of PyTorch has
Result = Tensor | dict[str, Tensor]


class OpError(Exception):
    """The op cannot be applied here.

    Args:
        message: what is wrong, for the person who wrote the row.
        notes: further lines: shapes found, suggestions.
        at: the parameter (or `in`, `out`) that the caret should point at.
    """

    def __init__(self, message: str, *notes: str, at: str = "op") -> None:
        super().__init__(message)
        self.message = message
        self.notes = notes
        self.at = at


class RowScope(Protocol):
    """What a row offers to its op while it runs."""

    t: Tracer
    name: str
    input_names: tuple[str, ...]
    out: Shape | None  # the shape the row declares, if it does
    sizes: Mapping[str, Expr]

    @property
    def needed_out(self) -> Shape:
        """The shape that the row declares, for an op with `needs_out`. Raises OpError where it declares none."""

    def alone(self) -> tuple[Tensor, ...]:
        """Return the inputs in the sizes of the row's own spec, as its module knows them; `with` may make two of its sizes equal."""

    def require(self, condition: Boolean, *, option: str | None = None) -> None:
        """Require something of the sizes, as if it stood under the spec's `where`; with an option, where it is on."""

    def weight(self, name: str, shape: Shape, *, trainable: bool = True, kind: ElementKind = "float") -> Tensor:
        """Declare a weight of the row, or return that of the row that it is tied to, which must have this shape. Raises OpError."""

    @property
    def tied_ops(self) -> tuple[Op, ...]:
        """The op of the row that this one is tied to, of the row that that one is tied to, and so on."""

    def same(self, a: Expr, b: Expr) -> bool:
        """Say whether two sizes are equal under the spec's constraints."""

    def show(self, shape: Shape) -> str:
        """Print a shape as the spec's author would."""

    def text(self, size: Expr) -> str:
        """Print a size as the spec's author would."""

    def axis(self, x: Tensor, axis: int | str) -> int:
        """Return the index of an axis given by index or by its size's name."""

    def names_another_axis(self, x: Tensor, place: int, label: str) -> bool:
        """Say whether a name for an axis of an input is that of a size which this axis has not, and another one has."""

    def whole(self, size: Expr, *, at: str) -> Expr:
        """Return a size simplified; raises OpError unless it is known to be whole."""


class CodeScope(Protocol):
    """What a row offers to its op while the module is written. Texts are Python source."""

    name: str  # the attribute that holds the row's submodule or weight: self.<name>
    target: str  # the local variable of the result
    inputs: tuple[str, ...]  # the local variables of the inputs

    @property
    def key(self) -> str:
        """What the row keeps its state under."""

    @property
    def state(self) -> str:
        """The state of the module; `None` where what the row could keep is no state of its spec."""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The inputs."""

    @property
    def result(self) -> Result:
        """The result of the op."""

    @property
    def declared(self) -> Shape | None:
        """The shape that the row declares."""

    @property
    def needed_out(self) -> Shape:
        """The same for an op with `needs_out`, whose rows all declare one."""

    @property
    def sizes(self) -> Mapping[str, Expr]:
        """The sizes of the spec."""

    def init(self, size: Expr) -> str:
        """Print a size where the module is constructed."""

    def size(self, size: Expr) -> str:
        """Print a size where the module runs."""

    def init_operand(self, size: Expr) -> str:
        """Print a size where the module is constructed, beside an operator: in parentheses unless it holds together by itself."""

    def operand(self, size: Expr) -> str:
        """The same where the module runs. A size is printed by `init` or `size` only where commas or brackets are around it."""

    def option(self, value: Any) -> str:
        """Print a Flag, Choice or Number: a literal, or the option's name where one decides it (construction)."""

    def run_option(self, value: Any) -> str:
        """The same where the module runs (`self.bias`)."""

    def choices(self, option: str, known: tuple[str, ...]) -> tuple[str, ...]:
        """The words that an option allows; all known ones where it does not say."""

    @property
    def tied_ops(self) -> tuple[Op, ...]:
        """The op of the row that this one is tied to, of the row that that one is tied to, and so on."""

    @property
    def variables(self) -> frozenset[str]:
        """The names that sizes have in the code."""

    def axis(self, x: Tensor, axis: int | str) -> int:
        """Return the index of an axis given by index or by its size's name."""

    def need(self, statement: str, entries: Iterable[str] = ()) -> None:
        """Ask for a function or table above the class; what it imports is seen in its text.

        Args:
            entries: the lines of a table that begins with the statement; all rows that ask for it share one.
        """


def param(kind: Kind, meaning: str, *, default: Any = ..., example: Any = None, usually: Any = None) -> Any:
    """Declare a parameter as a dataclass field; without `default` it is required. `example` helps editors to complete.

    Args:
        usually: what a default of None mostly comes to.
    """
    value = None if default is ... else default
    metadata = {"kind": kind, "help": meaning, "required": default is ..., "default": value, "example": example, "usually": usually}
    return field(default=value, metadata=metadata)


@dataclass(frozen=True)
class Op:
    """Base of all ops. A subclass is a frozen dataclass whose fields are declared with `param`.

    Class attributes:
        name: what a spec writes after `op:`.
        arity: least and greatest number of inputs (None: any number).
        out: whether the row must declare its result's shape.
        pointwise: whether each element of the result comes of those at its place alone, along all axes.
        called: what PyTorch calls it, where that is another name, in small letters and without `_`, with the settings that make it that.
        template: whose template it shares, of ops that differ in nothing else; its own by default.
        is_bare: whether the attribute of its row in a module is its weight itself, and no module that has it.
    """

    name: ClassVar[str]
    arity: ClassVar[tuple[int, int | None]] = (1, 1)
    needs_out: ClassVar[bool] = False
    pointwise: ClassVar[bool] = False
    template: ClassVar[str] = ""
    called: ClassVar[Mapping[str, str]] = {}
    is_bare: ClassVar[bool] = False
    input_kinds: ClassVar[tuple[ElementKind, ...] | None] = None  # None: any number of float tensors

    def run(self, row: RowScope, *inputs: Tensor) -> Result:
        """Return the result; declare weights and launch kernels on the way. Raises OpError where the shapes do not fit."""
        raise NotImplementedError

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Return what the op's template needs."""
        return {}

    def formulas(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        """Yield the parameters that are formulas of sizes, each with what must have a value: nothing is divided by zero in it."""
        for name in self.parameters():
            value = getattr(self, name)
            values = value if isinstance(value, tuple) else (value,)
            yield name, tuple(one for one in values if isinstance(one, Expr))

    @property
    def keeps_state(self) -> bool:
        """Whether something is kept between decoding steps, so that the module takes a state."""
        return False

    def kept_along(self, row: RowScope, inputs: tuple[Tensor, ...]) -> int | None:
        """Return the axis of its first input of which the op keeps the last places for the next step; None where it keeps none.

        The next step is that of whoever runs the module on what follows. An op that is there to be decoded with is none of these: a cache.
        """
        return None

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Say what the op does along an axis of one of its inputs. An op that mixes tokens and keeps none is refused beside a state.

        An op that does not say mixes.
        """
        return Along.mixing(not self.pointwise)

    def is_kin(self, other: Op) -> bool:
        """Say whether all weights of another op, its bias included, mean the same to this one, so that a tied row shares all of them."""
        return type(self) is type(other)

    def passes_through(self) -> bool:
        """Say whether the op does nothing with these parameters, so that its input is its result."""
        return False

    @classmethod
    def parameters(cls) -> dict[str, Any]:
        """Return the metadata of each parameter by name."""
        return {f.name: f.metadata for f in fields(cls) if "kind" in f.metadata}

    @classmethod
    def summary(cls) -> str:
        """Return the first paragraph of the docstring."""
        return docstring(cls).split("\n\n")[0].replace("\n", " ")


def expect_rank(x: Tensor, rank: int, row: RowScope, what: str) -> None:
    """Raise OpError unless x has `rank` axes."""
    if x.rank != rank:
        raise OpError(f"`{row.name}` needs {what}", f"{row.input_names[0]} is {row.show(x.shape)}", at="in")


__all__ = ["Along", "BindError", "CodeScope", "Op", "OpError", "Result", "RowScope", "expect_rank", "param"]
