"""Recurrences: a cell run step after step along an axis, derived once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sympy import Expr

from generator.formulas.human import counted
from generator.ops.cache import Cache
from generator.resolve.architecture import Architecture, BlockRow, ReadRow
from generator.resolve.binding import check_shape
from generator.resolve.blocks import Block, iterated, run_child
from generator.resolve.declared_sizes import Unresolved, written_shape
from generator.resolve.missing import report_missing_sizes
from generator.resolve.shape_text import show_shape
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Spec
from generator.text.suggest import did_you_mean, listed
from generator.trace.diary import Bind
from generator.trace.tensor import Shape, Tensor


def run_scan(run: Run, frame: Frame, read: ReadRow, block: Block) -> BlockRow:
    """Run the cell along the axis whose size `scan` names. Raises Unresolved after reporting.

    The cell's inputs are the slices of the row's inputs, then the states named under `carry` (zero at first). Its outputs are, in order,
    what is collected along the axis and the new states; a cell with one state and one output hands the state out.
    """
    axis, sliced = _checked(run, frame, read, block.spec)
    count = frame.sizes[read.row.scan]
    steps = _Steps(dict(zip(sliced, read.inputs, strict=True)), axis)
    shapes = {name: written_shape(frame.sized, frame.needs, axes, run.problems) for name, axes in read.row.carry.items()}
    cells: list[Architecture] = []
    collected: list[Tensor] = []

    def body(carried: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        cell = run_child(run, frame, read, block, {**steps.next(), **carried})
        _check_outputs(run, frame, read, shapes, cell)
        cells.append(cell)
        collected.append(next(iter(cell.outputs.values())))
        run.note(Bind(f"step {len(collected)}", collected[-1:], ends_row=False))
        new = list(cell.outputs.values())[-len(shapes) :]
        return {name: replace(x, shape=shape) for (name, shape), x in zip(shapes.items(), new, strict=True)}

    final = iterated(run, frame, read, block, count, _first_states(run, read, shapes), body)
    _refuse_caches(run, block, cells[-1], read)
    stacked = _stacked(run, read, collected, axis, count)
    is_state = len(shapes) == 1 and len(block.spec.outputs or (1,)) == 1
    results = {"": stacked} if is_state else {"steps": stacked, **final}
    return BlockRow(**vars(read), results=results, child=cells[-1], repeat=count)


def _refuse_caches(run: Run, block: Block, cell: Architecture, read: ReadRow) -> None:
    """Raise Unresolved after reporting a cache inside a cell, which nothing hands on from step to step."""
    for row in cell.rows:
        if row.child is not None:
            _refuse_caches(run, block, row.child, read)
        elif isinstance(row.op, Cache):
            message = f"`{block.spec.name}` keeps a state of its own, in `{row.path}`; a recurrence hands on what `carry` names alone"
            note = "in a stack of layers each keeps its own: `repeat` in the place of `scan`"
            run.problems.add(message, block.use.span, note)
            raise Unresolved


def _checked(run: Run, frame: Frame, read: ReadRow, child: Spec) -> tuple[int, list[str]]:
    """Return the axis that is stepped along, and the cell's inputs that are steps. Raises Unresolved after reporting all problems."""
    axis: int | None = None
    sliced: list[str] | None = None
    with suppress(Unresolved):
        axis = _axis(run, frame, read)
    with suppress(Unresolved):
        sliced = _sliced(run, read, child)
    if axis is None or sliced is None:
        raise Unresolved
    return axis, sliced


def _sliced(run: Run, read: ReadRow, child: Spec) -> list[str]:
    """Return the inputs of a cell that are no states. Raises Unresolved after reporting what does not fit the row."""
    names, carry = list(child.inputs), read.row.carry
    unknown = [name for name in carry if name not in names]
    for name in unknown:
        notes = (*did_you_mean(name, names), f"its inputs: {listed(names)}")
        run.problems.add(f"`carry` names `{name}`, which is no input of `{child.name}`", read.row.named(f"carry.{name}"), *notes)
    if unknown:
        raise Unresolved
    sliced = [name for name in names if name not in carry]
    if len(sliced) != len(read.inputs):
        run.problems.add(
            f"each step of `{child.name}` reads {listed(sliced) or 'nothing'} beside its state; "
            f"`{read.name}` gives it {listed(read.input_names) or 'nothing'}",
            read.row.where("in") if read.row.inputs is not None else read.row.span,
            f"`carry` names {listed(carry)}; every other input of `{child.name}` is a step of something under `in`",
        )
        raise Unresolved
    return sliced


def _first_states(run: Run, read: ReadRow, shapes: Mapping[str, Shape]) -> dict[str, Tensor]:
    """Return the states before the first step: zeros."""
    with run.tracer.row(read.path):
        zeros = {name: run.tracer.new(shape) for name, shape in shapes.items()}
        for zero in zeros.values():
            run.tracer.kernel("new_zeros", [], [zero])
            run.tracer.keep_state(zero.numel)
    return zeros


def _stacked(run: Run, read: ReadRow, collected: Sequence[Tensor], axis: int, count: Expr) -> Tensor:
    """Return the results of all steps, side by side along the axis."""
    y = collected[-1]
    with run.tracer.row(read.path):
        stacked = run.tracer.new((*y.shape[:axis], count, *y.shape[axis:]), needs_grad=y.needs_grad)
        # stack reads each step's result once, as much as it writes
        run.tracer.kernel("stack", [stacked], [stacked], sources=collected)
        run.tracer.works_along([axis])
    return stacked


class _Steps:
    """The slices that a cell reads: views of all steps, made at once."""

    def __init__(self, inputs: Mapping[str, Tensor], axis: int) -> None:
        self._steps = {name: x.unbound(axis) for name, x in inputs.items()}

    def next(self) -> dict[str, Tensor]:
        """Return the slices of one step."""
        return {name: next(steps) for name, steps in self._steps.items()}


def _check_outputs(run: Run, frame: Frame, read: ReadRow, shapes: Mapping[str, Shape], child: Architecture) -> None:
    """Raise Unresolved unless a cell returns its states, with or without one result in front, in the shapes in which they came."""
    cell, outputs, sizes = child.spec.name, child.outputs, frame.sizes
    if len(outputs) not in {len(shapes), len(shapes) + 1}:
        run.problems.add(
            f"`{cell}` has {counted(len(outputs), 'output')} ({listed(outputs)}), which do not fit its states ({listed(shapes)})",
            read.row.where("carry"),
            "the outputs of a cell are its new states, in the order of `carry`, with or without one result in front",
        )
        raise Unresolved
    for (name, shape), (output, x) in zip(shapes.items(), list(outputs.items())[-len(shapes) :], strict=True):
        if not check_shape(shape, x.shape, run.facts):
            run.problems.add(
                f"the state `{name}` is {show_shape(shape, sizes)}, but after a step of `{cell}` it is {show_shape(x.shape, sizes)}",
                read.row.where("carry"),
                f"the outputs of a cell end with its new states, in the order of `carry`: here `{output}`",
            )
            raise Unresolved


def _axis(run: Run, frame: Frame, read: ReadRow) -> int:
    """Return the axis whose size `scan` names, which all inputs have in one place. Raises Unresolved after reporting."""
    sizes = frame.sizes
    wanted = sizes.get(read.row.scan)
    if report_missing_sizes(frame.sized, (read.row.scan,), read.row.where("scan"), run.problems):
        raise Unresolved
    if wanted is None:
        run.problems.add(
            f"`scan` names `{read.row.scan}`, which is not a size of `{frame.spec.name}`",
            read.row.where("scan"),
            *did_you_mean(read.row.scan, sizes),
            f"its sizes: {listed(sizes)}",
        )
        raise Unresolved
    positions = [[i for i, size in enumerate(x.shape) if run.facts.equal(size, wanted)] for x in read.inputs]
    if not positions or any(len(found) != 1 or found != positions[0] for found in positions):
        shapes = "; ".join(f"{n} is {show_shape(x.shape, sizes)}" for n, x in zip(read.input_names, read.inputs, strict=True))
        run.problems.add(
            f"`scan: {read.row.scan}` needs exactly one axis of that size, at the same place in each input",
            read.row.where("scan"),
            shapes,
        )
        raise Unresolved
    return positions[0][0]
