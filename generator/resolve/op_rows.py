"""Rows with an op: its parameters bound, its inputs checked, its kernels run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from generator.formulas.human import counted
from generator.ops.base import Op, OpError
from generator.ops.params import AxesKind, AxisKind, BindError, FlagKind, Kind, Scope, SizeKind, SizesKind
from generator.ops.registry import ops
from generator.resolve.architecture import BoundRow
from generator.resolve.binding import yes_or_no
from generator.resolve.frame import Frame
from generator.resolve.hints import shapes_of
from generator.resolve.missing import report_missing_sizes
from generator.resolve.requirements import Asker, require_condition, require_positive, require_value
from generator.resolve.scope import Scope as RowScope
from generator.resolve.show import show_shape
from generator.resolve.sizes import (
    MAX_TERMS,
    Unresolved,
    as_size_error,
    can_vanish,
    refuse_huge,
    size_problem,
)
from generator.spec.model import Row
from generator.text.expressions import ExpressionError, expression_problem, names
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import listed
from generator.trace.kernels import PLACE, UnknownKernelError

if TYPE_CHECKING:
    from generator.resolve.resolver import Resolver

KIND_WORDS = {"float": "numbers", "index": "indices (dtype: int)", "bool": "a mask (dtype: bool)"}


def bind_op(r: Resolver, frame: Frame, row: Row) -> Op:
    """Return a row's op with its parameters. All of their problems are reported before Unresolved is raised."""
    kind = ops()[row.op]
    choices = {name: option.choices for name, option in frame.arch.spec.options.items()}
    scope = Scope(frame.arch.sizes, frame.arch.options, choices)
    bound: dict[str, Any] = {}
    before = len(r.problems)
    for name, metadata in kind.parameters().items():
        parsed = row.params.get(name, metadata["default"])
        if parsed is None:
            bound[name] = None
            continue
        if name in row.params and report_missing_sizes(frame.arch, _sizes_named(metadata["kind"], parsed), row.where(name), r.problems):
            continue
        try:
            if isinstance(metadata["kind"], SizeKind | SizesKind) and name in row.params:
                for ast in parsed if isinstance(parsed, tuple) else (parsed,):
                    refuse_huge(ast, frame.arch.sizes, MAX_TERMS)
            bound[name] = metadata["kind"].bind(parsed, scope)
        except BindError as error:
            notes = yes_or_no(parsed) if isinstance(metadata["kind"], FlagKind) else ()
            said = f"`{name}` of `{row.name}`: {error}"
            r.problems.extend([Problem(said, row.where(name), (*notes, *error.notes), error.cause)])
        except ExpressionError as error:
            r.problems.extend([expression_problem(as_size_error(error, frame.arch.spec.dims), row.where(name))])
    if len(r.problems) > before:
        raise Unresolved
    return kind(**bound)


def _sizes_named(kind: Kind, parsed: Any) -> set[str]:
    """Return the names that stand for sizes in the value of a parameter."""
    values = parsed if isinstance(parsed, tuple) else (parsed,)
    if isinstance(kind, SizeKind | SizesKind):
        return {name for ast in values for name in names(ast)}
    return {axis for axis in values if isinstance(axis, str)} if isinstance(kind, AxisKind | AxesKind) else set()


def run_op(r: Resolver, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
    """Run the op of a row. Raises Unresolved after reporting.

    Args:
        rows: the rows above, whose weights the op may use.
    """
    row = bound.row
    kind = ops()[row.op]
    op = bound.op
    assert op is not None
    _check_arity(r, bound, *kind.arity)
    _check_kinds(r, bound, kind)
    if kind.needs_out and bound.inputs and bound.declared == ():
        r.problems.add(f"`{kind.name}` needs at least one axis in `out`", row.where("out"), shapes_of(bound, frame.arch.sizes))
        raise Unresolved
    scope = RowScope(r.tracer, bound, frame.arch.sizes, rows, bound.input_names, bound.declared, lambda: r.alone(frame, bound))
    try:
        with r.tracer.row(bound.path):
            result = op.run(scope, *bound.inputs)
    except OpError as error:
        r.report_shapes(frame, bound, error.message, _place(row, kind, error.at), *error.notes)
        raise Unresolved from None
    except UnknownKernelError as error:
        meaning = "an entry says what the kernel costs, what it keeps for the backward pass and what its derivative allocates"
        r.problems.add(f"`{kind.name}` launches the kernel `{error.name}`, which has no entry in {PLACE}", row.where("op"), meaning)
        raise Unresolved from None
    except (IndexError, ValueError) as error:
        # The op did not expect these ranks.
        r.report_shapes(frame, bound, f"`{kind.name}` cannot read these shapes", row.where("in"), shapes_of(bound, frame.arch.sizes))
        raise Unresolved from error
    bound.results = result if isinstance(result, dict) else {"": result}
    asker = _asker(frame, row)
    for condition, option in scope.conditions:
        by = replace(asker, when=(*asker.when, option)) if option else asker
        require_condition(frame.arch, condition, r.facts, row.where("op"), by)
    for name, values in op.formulas():
        require_value(frame.arch, values, r.facts, row.where(name), asker)
    _check_sizes(r, frame, bound)


def _asker(frame: Frame, row: Row) -> Asker:
    return Asker(frame.arch.spec.name, (row.when,) if row.when else ())


def _place(row: Row, kind: type[Op], at: str) -> Span:
    """Return the place of the parameter that an op complains about; an axis may have any name."""
    if at == "axis" and at not in row.param_spans:
        axes = [name for name, metadata in kind.parameters().items() if isinstance(metadata["kind"], AxisKind | AxesKind)]
        at = next((name for name in axes if name in row.param_spans), "op")
    return row.where(at)


def _check_sizes(r: Resolver, frame: Frame, bound: BoundRow) -> None:
    """Refuse results and weights with an axis that is no size."""
    sizes = frame.arch.sizes
    for tensor in (*bound.results.values(), *(weight.tensor for weight in bound.weights.values())):
        for axis in tensor.shape:
            wrong = size_problem(axis, "", sizes, r.facts)
            if wrong:
                what = f"`{bound.name}` would hold a tensor {show_shape(tensor.shape, sizes)}: {wrong[0]}"
                r.report_shapes(frame, bound, what, bound.row.where("op"), *wrong[1:])
                raise Unresolved
            if can_vanish(axis, r.facts):
                require_positive(frame.arch, axis, r.facts, bound.row.where("op"), _asker(frame, bound.row))


def _check_arity(r: Resolver, bound: BoundRow, least: int, most: int | None) -> None:
    count = len(bound.inputs)
    if count >= least and (most is None or count <= most):
        return
    expected = str(least) if most == least else f"at least {least}" if most is None else f"{least} to {most}"
    note = f"it reads {listed(bound.input_names) or 'nothing'}"
    r.problems.add(f"`{bound.row.op}` takes {counted(expected, 'input')}; `{bound.name}` has {count}", bound.row.where("in"), note)
    raise Unresolved


def _check_kinds(r: Resolver, bound: BoundRow, kind: type[Op]) -> None:
    wanted = ("float",) * len(bound.inputs) if kind.input_kinds is None else kind.input_kinds
    for name, tensor, expected in zip(bound.input_names, bound.inputs, wanted, strict=False):
        if tensor.kind != expected:
            found = KIND_WORDS.get(tensor.kind, tensor.kind)
            r.problems.add(f"`{kind.name}` reads {KIND_WORDS[expected]}, but `{name}` holds {found}", bound.row.where("in"))
            raise Unresolved
