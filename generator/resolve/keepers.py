"""Rows that could keep a state without saying so: recurrences, causal convolutions, delays; and why some of them have none to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sympy import Expr

from generator.resolve.architecture import Architecture, BoundRow
from generator.resolve.once import run_once
from generator.resolve.scope import Scope

OVER_DEPTH = "it does not run along the tokens of a step"
IN_ONE_STEP = "it runs in the first step alone"
IN_A_CELL = "it begins anew in each step of a recurrence"
IN_AN_EXPERT = "an expert reads the tokens that have chosen it, which follow no others"


@dataclass(frozen=True)
class Keeper:
    """A row that keeps what the next places along an axis need, if they ever come.

    Args:
        arch: the spec in which it stands.
        length: the size of the axis.
        reason: why no places come, whatever the spec around it is; empty where they may.
    """

    row: BoundRow
    arch: Architecture
    length: Expr
    reason: str = ""


def keepers(arch: Architecture, reason: str = "") -> Iterator[Keeper]:
    """Yield each such row, those of nested blocks included.

    Args:
        reason: why none of them has anything to keep.
    """
    once = run_once(arch.spec)
    for row in arch.rows:
        if not row.active:
            continue
        why = reason or (IN_ONE_STEP if row.name in once else "")
        if row.row.scan and row.child is not None:
            one = Keeper(row, arch, row.repeat, why)
            yield replace(one, reason=OVER_DEPTH) if not why and _is_over_depth(one, row.child) else one
            yield from keepers(row.child, IN_A_CELL)
        elif row.child is not None:
            yield from keepers(row.child, why or (IN_AN_EXPERT if row.row.experts is not None else ""))
        elif row.op is not None:
            axis = row.op.kept_along(Scope.of(arch.tracer, row, arch.sizes), row.inputs)
            if axis is not None:
                yield Keeper(row, arch, row.inputs[0].shape[axis], why)


def going_on(arch: Architecture) -> Iterator[Keeper]:
    """Yield those for which places may come."""
    return (one for one in keepers(arch) if not one.reason)


def _is_over_depth(one: Keeper, cell: Architecture) -> bool:
    """Say whether a recurrence does not go through what comes in token by token, such as one over layers.

    It goes through no axis of an input, or through one that all sequences of a batch have in common, such as the numbers of the layers:
    its state begins with an axis (the batch) that only other inputs have.
    """
    sources = _sources(one)
    own = [axis for name, x in one.arch.inputs.items() if name in sources for axis in x.shape]
    others = {axis for name, x in one.arch.inputs.items() if name not in sources for axis in x.shape}
    if not any(_share(axis, one.length) for axis in own):
        return True
    first = [cell.inputs[name].shape[:1] for name in one.row.row.carry]
    return all(shape and shape[0] not in own and shape[0] in others for shape in first)


def _share(axis: Expr, length: Expr) -> bool:
    return bool(axis.free_symbols & length.free_symbols) if length.free_symbols else axis == length


def _sources(one: Keeper) -> set[str]:
    """Return the inputs of the spec that lead to a row."""
    wanted = {name.partition(".")[0] for name in one.row.input_names}
    for row in reversed(one.arch.rows):
        if row.name in wanted and row is not one.row:
            wanted |= {name.partition(".")[0] for name in row.input_names}
    return wanted & {*one.arch.inputs}
