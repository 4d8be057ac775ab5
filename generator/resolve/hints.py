"""Which row may be at fault where shapes do not fit: where the inputs come from, and which change would make everything fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sympy import Expr

from generator.architecture import BoundRow
from generator.ops.registry import ops
from generator.resolve.show import show_shape
from generator.spec.model import Expression, Row, Spec
from generator.spec.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from generator.resolve.resolver import Resolver

MAX_CLASHES = 3
MAX_TRIALS = 16
MAX_ROWS = 60


def shapes_of(bound: BoundRow, sizes: Mapping[str, Expr]) -> str:
    """Return the inputs of a row with their shapes, as one note."""
    shown = dict(zip(bound.input_names, bound.inputs, strict=True))
    return "; ".join(f"{name} is {show_shape(x.shape, sizes)}" for name, x in shown.items())


def origins(bound: BoundRow) -> tuple[str, ...]:
    """Say on which lines the rows stand that a row reads."""
    found = []
    for ref in dict.fromkeys(bound.row.inputs or ()):
        line = bound.lines.get(ref.name)
        if line is not None:
            found.append(f"{ref.name} comes from line {line}")
    return ("; ".join(found),) if found else ()
