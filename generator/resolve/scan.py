"""Recurrences: a cell run step after step along an axis, derived once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from generator.formulas.human import counted
from generator.resolve.architecture import BoundRow
from generator.resolve.binding import check_shape
from generator.resolve.blocks import iterated, run_child
from generator.resolve.frame import Frame
from generator.resolve.missing import report_missing_sizes
from generator.resolve.show import show_shape
from generator.resolve.sizes import Unresolved, written_shape
from generator.spec.model import Spec, Use
from generator.text.suggest import did_you_mean, listed
from generator.trace.diary import Bind
from generator.trace.tensor import Shape, Tensor

if TYPE_CHECKING:
    from generator.resolve.resolver import Resolver


def run_scan(r: Resolver, frame: Frame, bound: BoundRow, block: tuple[Use, Frame, Spec]) -> None:
    """Run the cell along the axis whose size `scan` names.

    The cell's inputs are the slices of the row's inputs, then the states named under `carry` (zero at first). Its outputs are, in order,
    what is collected along the axis and the new states; a cell with one state and one output hands the state out.
    """
    use, caller, child = block
    axis, sliced = _checked(r, frame, bound, child)
    bound.repeat = frame.arch.sizes[bound.row.scan]
    steps = _Steps(dict(zip(sliced, bound.inputs, strict=True)), axis)
    shapes = {name: written_shape(frame.arch, axes, r.facts, r.problems) for name, axes in bound.row.carry.items()}
    collected: list[Tensor] = []

    def body(carried: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        outputs = run_child(r, frame, bound, use, caller, child, {**steps.next(), **carried})
        _check_outputs(r, frame, bound, shapes, outputs)
        collected.append(next(iter(outputs.values())))
        r.note(Bind(f"step {len(collected)}", collected[-1:]))
        new = list(outputs.values())[-len(shapes) :]
        return {name: replace(x, shape=shape) for (name, shape), x in zip(shapes.items(), new, strict=True)}

    final = iterated(r, frame, bound, child, _first_states(r, bound, shapes), body)
    stacked = _stacked(r, bound, collected, axis)
    bound.results = {"": stacked} if len(shapes) == 1 and len(child.outputs or (1,)) == 1 else {"steps": stacked, **final}


def _checked(r: Resolver, frame: Frame, bound: BoundRow, child: Spec) -> tuple[int, list[str]]:
    """Return the axis that is stepped along, and the cell's inputs that are steps. Raises Unresolved after reporting all problems."""
    axis: int | None = None
    sliced: list[str] | None = None
    with suppress(Unresolved):
        axis = _axis(r, frame, bound)
    with suppress(Unresolved):
        sliced = _sliced(r, bound, child)
    if axis is None or sliced is None:
        raise Unresolved
    return axis, sliced


def _sliced(r: Resolver, bound: BoundRow, child: Spec) -> list[str]:
    """Return the inputs of a cell that are no states. Raises Unresolved after reporting what does not fit the row."""
    names, carry = list(child.inputs), bound.row.carry
    unknown = [name for name in carry if name not in names]
    for name in unknown:
        notes = (*did_you_mean(name, names), f"its inputs: {listed(names)}")
        r.problems.add(f"`carry` names `{name}`, which is no input of `{child.name}`", bound.row.where(f"carry.{name}"), *notes)
    if unknown:
        raise Unresolved
    sliced = [name for name in names if name not in carry]
    if len(sliced) != len(bound.inputs):
        r.problems.add(
            f"each step of `{child.name}` reads {listed(sliced) or 'nothing'} beside its state; "
            f"`{bound.name}` gives it {listed(bound.input_names) or 'nothing'}",
            bound.row.where("in") if bound.row.inputs is not None else bound.row.span,
            f"`carry` names {listed(carry)}; every other input of `{child.name}` is a step of something under `in`",
        )
        raise Unresolved
    return sliced


def _first_states(r: Resolver, bound: BoundRow, shapes: Mapping[str, Shape]) -> dict[str, Tensor]:
    """Return the states before the first step: zeros."""
    with r.tracer.row(bound.path):
        zeros = {name: r.tracer.new(shape) for name, shape in shapes.items()}
        for zero in zeros.values():
            r.tracer.kernel("new_zeros", [], [zero])
            r.tracer.keep_state(zero)
    return zeros


def _stacked(r: Resolver, bound: BoundRow, collected: Sequence[Tensor], axis: int) -> Tensor:
    """Return the results of all steps, side by side along the axis."""
    y = collected[-1]
    with r.tracer.row(bound.path):
        stacked = r.tracer.new((*y.shape[:axis], bound.repeat, *y.shape[axis:]), needs_grad=y.needs_grad)
        # stack reads each step's result once, as much as it writes
        r.tracer.kernel("stack", [stacked], [stacked], sources=collected)
    return stacked


class _Steps:
    """The slices that a cell reads: views of all steps, made at once."""

    def __init__(self, inputs: Mapping[str, Tensor], axis: int) -> None:
        self._steps = {name: x.unbound(axis) for name, x in inputs.items()}

    def next(self) -> dict[str, Tensor]:
        """Return the slices of one step."""
        return {name: next(steps) for name, steps in self._steps.items()}


def _check_outputs(r: Resolver, frame: Frame, bound: BoundRow, shapes: Mapping[str, Shape], outputs: Mapping[str, Tensor]) -> None:
    """Raise Unresolved unless a cell returns its states, with or without one result in front, in the shapes in which they came."""
    assert bound.child is not None
    cell, sizes = bound.child.spec.name, frame.arch.sizes
    if len(outputs) not in {len(shapes), len(shapes) + 1}:
        r.problems.add(
            f"`{cell}` has {counted(len(outputs), 'output')} ({listed(outputs)}), which do not fit its states ({listed(shapes)})",
            bound.row.where("carry"),
            "the outputs of a cell are its new states, in the order of `carry`, with or without one result in front",
        )
        raise Unresolved
    for (name, shape), (output, x) in zip(shapes.items(), list(outputs.items())[-len(shapes) :], strict=True):
        if not check_shape(shape, x.shape, r.facts):
            r.problems.add(
                f"the state `{name}` is {show_shape(shape, sizes)}, but after a step of `{cell}` it is {show_shape(x.shape, sizes)}",
                bound.row.where("carry"),
                f"the outputs of a cell end with its new states, in the order of `carry`: here `{output}`",
            )
            raise Unresolved


def _axis(r: Resolver, frame: Frame, bound: BoundRow) -> int:
    """Return the axis whose size `scan` names, which all inputs have in one place. Raises Unresolved after reporting."""
    sizes = frame.arch.sizes
    wanted = sizes.get(bound.row.scan)
    if report_missing_sizes(frame.arch, (bound.row.scan,), bound.row.where("scan"), r.problems):
        raise Unresolved
    if wanted is None:
        r.problems.add(
            f"`scan` names `{bound.row.scan}`, which is not a size of `{frame.arch.spec.name}`",
            bound.row.where("scan"),
            *did_you_mean(bound.row.scan, sizes),
            f"its sizes: {listed(sizes)}",
        )
        raise Unresolved
    positions = [[i for i, size in enumerate(x.shape) if r.facts.equal(size, wanted)] for x in bound.inputs]
    if not positions or any(len(found) != 1 or found != positions[0] for found in positions):
        shapes = "; ".join(f"{n} is {show_shape(x.shape, sizes)}" for n, x in zip(bound.input_names, bound.inputs, strict=True))
        r.problems.add(
            f"`scan: {bound.row.scan}` needs exactly one axis of that size, at the same place in each input",
            bound.row.where("scan"),
            shapes,
        )
        raise Unresolved
    return positions[0][0]
