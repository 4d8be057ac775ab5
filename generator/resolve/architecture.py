"""A spec with its names, sizes and sub-specs bound: typed rows, ready to be costed and rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from generator.ops.base import Op
from generator.spec.model import Row, Spec, Use
from generator.text.source import Span
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer

Results = Mapping[str, Tensor]  # "" for the one result of an ordinary row


@dataclass(frozen=True)
class Weight:
    """A parameter or buffer that a row owns."""

    name: str
    shape: Shape
    trainable: bool
    tensor: Tensor


@dataclass
class BoundRow:
    """A row with everything it refers to."""

    row: Row
    path: str
    active: bool = True
    op: Op | None = None
    child: Architecture | None = None
    inputs: tuple[Tensor, ...] = ()
    input_names: tuple[str, ...] = ()
    results: Results = field(default_factory=dict)
    declared: Shape | None = None
    weights: dict[str, Weight] = field(default_factory=dict)
    shared: dict[str, Weight] = field(default_factory=dict)  # weights that it uses and another row owns
    repeat: Expr = field(default_factory=lambda: Integer(1))  # how often this row's block is stacked, or its cell is stepped

    @property
    def name(self) -> str:
        """The row's name in its spec."""
        return self.row.name

    @property
    def result(self) -> Tensor:
        """The row's one result, or the first of several."""
        return next(iter(self.results.values()))


@dataclass(frozen=True)
class Requirement:
    """A condition that the sizes must meet, in the sizes of the architecture at hand.

    Args:
        span: where it is stated, or where what needs it stands.
        owner: the spec whose conditions, sizes or rows ask for it, and whose module checks it; empty where a default does, which the
            module does not take from everyone.
        stated: whether it stands under the spec's `where`, and does not follow from a size or an op.
        when: the options without which the row that asks for it does not.
    """

    text: str
    condition: Boolean
    span: Span
    owner: str = ""
    stated: bool = False
    when: tuple[str, ...] = ()


@dataclass(frozen=True)
class Usage:
    """Where a spec is used.

    Args:
        span: the place that names it.
        outer: the specs whose sizes flow in by name, nearest first; the last of them is the one that names it.
    """

    span: Span
    outer: tuple[Architecture, ...]


@dataclass
class Architecture:
    """One spec bound in one place.

    Args:
        sizes: each dim of the spec as an expression in the sizes of the outermost spec; dims that nothing binds are missing.
        options: the options in force; `option_sources` names the option of the outer spec that each came from.
        fills: what fills each slot, as the row that uses this spec sees it.
        usage: where it is used; None for the outermost spec.
    """

    spec: Spec
    sizes: dict[str, Expr]
    options: Mapping[str, Any]
    inputs: Mapping[str, Tensor]
    option_sources: Mapping[str, str] = field(default_factory=dict)
    fills: Mapping[str, Use] = field(default_factory=dict)
    rows: list[BoundRow] = field(default_factory=list)
    outputs: dict[str, Tensor] = field(default_factory=dict)
    requirements: list[Requirement] = field(default_factory=list)
    tracer: Tracer | None = None
    usage: Usage | None = None

    def row(self, name: str) -> BoundRow:
        """Return a row by name. Raises KeyError."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)
