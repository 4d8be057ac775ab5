"""Rows with an op: its parameters bound, its inputs checked, its kernels run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sympy import S

from generator.formulas.human import counted
from generator.ops.activation import OneOfFunctions
from generator.ops.base import Op, OpError
from generator.ops.params import AxesKind, AxisKind, BindError, FlagKind, Kind, ParamScope, SizeKind, SizesKind
from generator.ops.registry import ops
from generator.resolve.architecture import BoundRow, OpRow, ReadRow
from generator.resolve.binding import yes_or_no
from generator.resolve.declared_sizes import (
    MAX_TERMS,
    Unresolved,
    as_size_error,
    can_vanish,
    refuse_huge,
    size_problem,
)
from generator.resolve.hints import shapes_of
from generator.resolve.missing import report_missing_sizes
from generator.resolve.requirements import Asker
from generator.resolve.scope import Scope as RowScope
from generator.resolve.shape_text import show_shape
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Row
from generator.text.expressions import ExpressionError, expression_problem, names
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import listed
from generator.trace.kernels import PLACE, UnknownKernelError
from generator.trace.tensor import Tensor

KIND_WORDS = {"float": "numbers", "index": "indices (dtype: int)", "bool": "a mask (dtype: bool)"}


def bind_op(run: Run, frame: Frame, row: Row) -> Op:
    """Return a row's op with its parameters. All of their problems are reported before Unresolved is raised."""
    kind = ops()[row.op]
    choices = {name: option.choices for name, option in frame.spec.options.items()}
    scope = ParamScope(frame.sizes, frame.sized.options, choices)
    bound: dict[str, Any] = {}
    before = len(run.problems)
    for name, metadata in kind.parameters().items():
        parsed = row.params.get(name, metadata["default"])
        if parsed is None:
            bound[name] = None
            continue
        if name in row.params and report_missing_sizes(frame.sized, _sizes_named(metadata["kind"], parsed), row.where(name), run.problems):
            continue
        try:
            if isinstance(metadata["kind"], SizeKind | SizesKind) and name in row.params:
                for ast in parsed if isinstance(parsed, tuple) else (parsed,):
                    refuse_huge(ast, frame.sizes, MAX_TERMS)
            bound[name] = metadata["kind"].bind(parsed, scope)
        except BindError as error:
            notes = yes_or_no(parsed) if isinstance(metadata["kind"], FlagKind) else ()
            said = f"`{name}` of `{row.name}`: {error}"
            meant = (() if parsed in scope.options else _meant_elsewhere(kind, parsed)) or error.notes
            run.problems.extend([Problem(said, row.where(name), (*notes, *meant), error.cause)])
        except ExpressionError as error:
            run.problems.extend([expression_problem(as_size_error(error, frame.spec.dims), row.where(name))])
    if len(run.problems) > before:
        raise Unresolved
    return kind(**bound)


def _meant_elsewhere(kind: type[Op], word: Any) -> tuple[str, ...]:
    """Say which op has a function of one number that is no kind of this one."""
    if not issubclass(kind, OneOfFunctions):
        return ()
    if word in ops():
        return (f"did you mean {{op: {word}}}?",)
    owners = [op.name for op in ops().values() if issubclass(op, OneOfFunctions) and word in op.functions]
    return tuple(f"did you mean {{op: {owner}, kind: {word}}}?" for owner in owners)


def _sizes_named(kind: Kind, parsed: Any) -> set[str]:
    """Return the names that stand for sizes in the value of a parameter."""
    values = parsed if isinstance(parsed, tuple) else (parsed,)
    if isinstance(kind, SizeKind | SizesKind):
        return {name for ast in values for name in names(ast)}
    return {axis for axis in values if isinstance(axis, str)} if isinstance(kind, AxisKind | AxesKind) else set()


def run_op(run: Run, frame: Frame, read: ReadRow, op: Op, rows: Mapping[str, BoundRow | None]) -> OpRow:
    """Run the op of a row. Raises Unresolved after reporting.

    Args:
        rows: the rows above, whose weights the op may use; None where one is broken.
    """
    row, sizes, kind = read.row, frame.sizes, type(op)
    shapes = shapes_of(read.input_names, read.inputs, sizes)
    _check_arity(run, read, *kind.arity)
    _check_kinds(run, read, kind)
    if kind.needs_out and read.inputs and read.declared == ():
        run.problems.add(f"`{kind.name}` needs at least one axis in `out`", row.where("out"), shapes)
        raise Unresolved
    scope = RowScope(run.tracer, row, read.input_names, read.declared, sizes, read.inputs, lambda: run.in_own_sizes(frame, read), rows, op)
    try:
        if row.tie:
            scope.check_tied()
        with run.tracer.row(read.path):
            result = op.run(scope, *read.inputs)
        if row.tie:
            scope.check_shared()
        loose = scope.loosely_shared()
    except OpError as error:
        run.report_shapes(frame, read, error.message, _place(row, kind, error.at), *error.notes)
        raise Unresolved from None
    except UnknownKernelError as error:
        meaning = "an entry says what the kernel costs, what it keeps for the backward pass and what its derivative allocates"
        run.problems.add(f"`{kind.name}` launches the kernel `{error.name}`, which has no entry in {PLACE}", row.where("op"), meaning)
        raise Unresolved from None
    except (IndexError, ValueError) as error:
        # The op did not expect these ranks.
        run.report_shapes(frame, read, f"`{kind.name}` cannot read these shapes", row.where("in"), shapes)
        raise Unresolved from error
    results = result if isinstance(result, dict) else {"": result}
    asker = _asker(frame, row)
    for condition, option in scope.conditions:
        is_asked = (not option or frame.sized.options.get(option)) and not run.bound  # of numbers that were given less is asked
        if condition == S.false and is_asked:
            run.report_shapes(frame, read, f"`{row.name}` cannot run at these sizes, whatever the others are", row.where("op"), shapes)
            raise Unresolved
        by = replace(asker, when=(*asker.when, option)) if option else asker
        frame.needs.condition(condition, row.where("op"), by)
    for name, values in op.formulas():
        frame.needs.value(values, row.where(name), asker)
    _check_sizes(run, frame, read, [*results.values(), *(weight.tensor for weight in scope.weights.values())])
    return OpRow(**vars(read), results=results, op=op, weights=scope.weights, shared=scope.shared, loose=loose, axes=scope.axes)


def _asker(frame: Frame, row: Row) -> Asker:
    return Asker(frame.spec.name, (row.when,) if row.when else ())


def _place(row: Row, kind: type[Op], at: str) -> Span:
    """Return the place of the parameter that an op complains about; an axis may have any name."""
    if at == "axis" and at not in row.spans:
        axes = [name for name, metadata in kind.parameters().items() if isinstance(metadata["kind"], AxisKind | AxesKind)]
        at = next((name for name in axes if name in row.spans), "op")
    return row.where(at)


def _check_sizes(run: Run, frame: Frame, read: ReadRow, tensors: Iterable[Tensor]) -> None:
    """Refuse results and weights with an axis that is no size."""
    sizes, place = frame.sizes, read.row.where("op")
    for tensor in tensors:
        for axis in tensor.shape:
            wrong = size_problem(axis, "", sizes, run.facts)
            if wrong:
                what = f"`{read.name}` would hold a tensor {show_shape(tensor.shape, sizes)}: {wrong[0]}"
                run.report_shapes(frame, read, what, place, *wrong[1:])
                raise Unresolved
            if can_vanish(axis, run.facts):
                frame.needs.positive(axis, place, _asker(frame, read.row))


def _check_arity(run: Run, read: ReadRow, least: int, most: int | None) -> None:
    count = len(read.inputs)
    if count >= least and (most is None or count <= most):
        return
    expected = str(least) if most == least else f"at least {least}" if most is None else f"{least} to {most}"
    note = f"it reads {listed(read.input_names) or 'nothing'}"
    run.problems.add(f"`{read.row.op}` takes {counted(expected, 'input')}; `{read.name}` has {count}", read.row.where("in"), note)
    raise Unresolved


def _check_kinds(run: Run, read: ReadRow, kind: type[Op]) -> None:
    wanted = ("float",) * len(read.inputs) if kind.input_kinds is None else kind.input_kinds
    for name, tensor, expected in zip(read.input_names, read.inputs, wanted, strict=False):
        if tensor.kind != expected:
            found = KIND_WORDS.get(tensor.kind, tensor.kind)
            run.problems.add(f"`{kind.name}` reads {KIND_WORDS[expected]}, but `{name}` holds {found}", read.row.where("in"))
            raise Unresolved
