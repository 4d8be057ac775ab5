"""Traces a spec: binds its rows, runs their ops on symbolic tensors, and goes into the specs it uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr

from generator.architecture import Architecture, BoundRow
from generator.ops.base import Op, OpError
from generator.ops.params import BindError
from generator.ops.params import Scope as ParamScope
from generator.ops.registry import ops
from generator.resolve.binding import Unresolved, check_shape, complete_sizes, evaluated
from generator.resolve.blocks import KINDS, Frame, run_block
from generator.resolve.scope import Scope
from generator.resolve.show import show_shape
from generator.spec.expressions import ExpressionError, expression_problem
from generator.spec.library import Library
from generator.spec.model import Input, Ref, Row, Spec
from generator.spec.problems import Problems
from generator.spec.suggest import did_you_mean, listed
from generator.symbols import Facts, symbol
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


class Resolver:
    """Traces specs of one library.

    Args:
        library: where used specs are found.
        input_gradients: overrides whether the outermost float inputs need a gradient.
    """

    def __init__(self, library: Library, *, input_gradients: bool | None = None) -> None:
        self.library = library
        self.problems = Problems()
        self.facts = Facts()
        self.tracer = Tracer(self.facts)
        self.input_gradients = input_gradients

    # ---- the outermost spec ------------------------------------------------------------------------------------------

    def architecture(self, spec: Spec, options: Mapping[str, Any] | None = None) -> Architecture:
        """Trace a spec in its own sizes.

        Raises:
            ProblemsError: with all independent problems.
        """
        values: dict[str, Expr] = {name: symbol(name) for name, dim in spec.dims.items() if dim.kind != "derived"}
        chosen = {name: option.default for name, option in spec.options.items()} | dict(options or {})
        arch = Architecture(spec, values, chosen, {}, tracer=self.tracer)
        complete_sizes(arch, self.facts, self.problems)
        self.problems.raise_if_any()
        arch.inputs = {name: self._outer_input(arch, declared) for name, declared in spec.inputs.items()}
        self.problems.raise_if_any()
        try:
            self.trace(Frame(arch, "", ((spec.name, None),)))
        except Unresolved:
            pass
        self.problems.raise_if_any()
        return arch

    def _outer_input(self, arch: Architecture, declared: Input) -> Tensor:
        try:
            shape = tuple(evaluated(e, arch.sizes, self.facts, self.problems, arch.spec) for e in declared.shape)
        except Unresolved:
            return self.tracer.new(())
        grad = declared.dtype == "float" and (declared.grad if self.input_gradients is None else self.input_gradients)
        return self.tracer.new(shape, kind=KINDS[declared.dtype], needs_grad=grad)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def trace(self, frame: Frame) -> None:
        """Trace all rows of a spec and find its outputs. Rows that depend on a broken one are skipped."""
        arch = frame.arch
        arch.rows = []
        values: dict[str, Mapping[str, Tensor] | None] = {name: {"": x} for name, x in arch.inputs.items()}
        previous = Ref(next(iter(arch.spec.inputs)), "", arch.spec.span)
        bound_rows: dict[str, BoundRow] = {}
        for row in arch.spec.rows.values():
            if row.name in arch.spec.inputs:
                self.problems.add(f"row `{row.name}` has the name of an input", row.span)
            bound = BoundRow(row, f"{frame.path}.{row.name}".lstrip("."))
            try:
                refs = row.inputs if row.inputs is not None else () if _reads_nothing(row) else (previous,)
                bound.inputs = tuple(self._read(ref, values, arch.spec) for ref in refs)
                bound.input_names = tuple(ref.text for ref in refs)
                self._run_row(frame, bound, bound_rows)
                values[row.name] = bound.results
            except Unresolved:
                values[row.name] = None
            arch.rows.append(bound)
            bound_rows[row.name] = bound
            previous = Ref(row.name, "", row.span)
        arch.outputs = self._outputs(frame, values, previous)

    def _outputs(self, frame: Frame, values: Mapping[str, Mapping[str, Tensor] | None], last: Ref) -> dict[str, Tensor]:
        refs = frame.arch.spec.outputs or (last,)
        return {ref.text: self._read(ref, values, frame.arch.spec) for ref in refs}

    def _read(self, ref: Ref, values: Mapping[str, Mapping[str, Tensor] | None], spec: Spec) -> Tensor:
        """Return what a reference names. Raises Unresolved after reporting (in silence for a broken row)."""
        if ref.name not in values:
            if ref.name in spec.rows:
                below = spec.rows[ref.name].span
                self.problems.add(
                    f"`{ref.name}` is read before it is defined", ref.span, f"it stands on line {below.line}; a row reads rows above it"
                )
            else:
                known = [*spec.inputs, *spec.rows]
                self.problems.add(
                    f"there is no row or input `{ref.name}`", ref.span, *did_you_mean(ref.name, known), f"rows and inputs: {listed(known)}"
                )
            raise Unresolved
        results = values[ref.name]
        if results is None:
            raise Unresolved
        if ref.part in results:
            return results[ref.part]
        if not ref.part:
            self.problems.add(
                f"`{ref.name}` has several results: {listed(results)}",
                ref.span,
                f"write one of {listed([f'{ref.name}.{part}' for part in results], 'or')}",
            )
        else:
            named = [part for part in results if part]
            known_parts = f"its results: {listed(named)}" if named else f"`{ref.name}` has one result; write `{ref.name}`"
            self.problems.add(f"`{ref.name}` has no result `{ref.part}`", ref.span, *did_you_mean(ref.part, named), known_parts)
        raise Unresolved

    def _run_row(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        row = bound.row
        if row.out is not None:
            bound.declared = tuple(evaluated(e, frame.arch.sizes, self.facts, self.problems, frame.arch.spec) for e in row.out)
        bound.active = self._is_active(frame, row)
        if bound.active:
            self._run_active(frame, bound, rows)
        else:
            with self.tracer.scratch():
                self._run_active(frame, bound, rows)
            self._check_skippable(frame, bound)
            bound.results = {"": bound.inputs[0]}
        if row.out is not None and bound.declared is not None:
            self._check_out(frame, bound)

    def _run_active(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        if bound.row.op:
            self._run_op(frame, bound, rows)
        else:
            run_block(self, frame, bound)

    def _is_active(self, frame: Frame, row: Row) -> bool:
        if not row.when:
            return True
        if row.when not in frame.arch.options:
            known = listed(frame.arch.spec.options) or "none"
            self.problems.add(
                f"unknown option `{row.when}`",
                row.where("when"),
                *did_you_mean(row.when, frame.arch.spec.options),
                f"options of this spec: {known}",
            )
            raise Unresolved
        return bool(frame.arch.options[row.when])

    def _check_skippable(self, frame: Frame, bound: BoundRow) -> None:
        result = bound.result
        if len(bound.results) > 1 or not check_shape(result.shape, bound.inputs[0].shape, self.facts):
            sizes = frame.arch.sizes
            self.problems.add(
                f"`{bound.name}` has `when`, so it must keep the shape of its first input",
                bound.row.where("when"),
                f"{bound.input_names[0]} is {show_shape(bound.inputs[0].shape, sizes)}; {bound.name} is {show_shape(result.shape, sizes)}",
            )
            raise Unresolved

    def _check_out(self, frame: Frame, bound: BoundRow) -> None:
        assert bound.declared is not None
        found = bound.result
        if not check_shape(bound.declared, found.shape, self.facts):
            sizes = frame.arch.sizes
            inputs = "; ".join(f"{n} is {show_shape(x.shape, sizes)}" for n, x in zip(bound.input_names, bound.inputs, strict=True))
            self.problems.add(
                f"`{bound.name}` is declared {show_shape(bound.declared, sizes)}, but its shape is {show_shape(found.shape, sizes)}",
                bound.row.where("out"),
                inputs,
            )
            raise Unresolved

    # ---- ops ---------------------------------------------------------------------------------------------------------

    def _run_op(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        row = bound.row
        kind = ops()[row.op]
        self._check_arity(bound, *kind.arity)
        self._check_kinds(bound, kind)
        op = bound.op = self._bind_op(frame, row, kind)
        scope = Scope(self.tracer, bound, frame.arch.sizes, rows, bound.input_names, bound.declared)
        try:
            with self.tracer.row(bound.path):
                result = op.run(scope, *bound.inputs)
        except OpError as error:
            self.problems.add(error.message, row.where(error.at), *error.notes)
            raise Unresolved from None
        bound.results = result if isinstance(result, dict) else {"": result}

    def _check_arity(self, bound: BoundRow, least: int, most: int | None) -> None:
        count = len(bound.inputs)
        if count >= least and (most is None or count <= most):
            return
        expected = str(least) if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        noun = "input" if expected == "1" else "inputs"
        self.problems.add(
            f"`{bound.row.op}` takes {expected} {noun}; `{bound.name}` has {count}",
            bound.row.where("in"),
            f"it reads {listed(bound.input_names)}",
        )
        raise Unresolved

    def _check_kinds(self, bound: BoundRow, kind: type[Op]) -> None:
        wanted = ("float",) * len(bound.inputs) if kind.input_kinds is None else kind.input_kinds
        words = {"float": "numbers", "index": "indices (dtype: int)", "bool": "a mask (dtype: bool)"}
        for name, tensor, expected in zip(bound.input_names, bound.inputs, wanted, strict=False):
            if tensor.kind != expected:
                self.problems.add(
                    f"`{kind.name}` reads {words[expected]}, but `{name}` holds {words.get(tensor.kind, tensor.kind)}",
                    bound.row.where("in"),
                )
                raise Unresolved

    def _bind_op(self, frame: Frame, row: Row, kind: type[Op]) -> Op:
        scope = ParamScope(frame.arch.sizes, frame.arch.options)
        bound: dict[str, Any] = {}
        for name, metadata in kind.parameters().items():
            parsed = row.params.get(name, metadata["default"])
            if parsed is None:
                bound[name] = None
                continue
            try:
                bound[name] = metadata["kind"].bind(parsed, scope)
            except BindError as error:
                self.problems.add(f"`{name}` of `{row.name}`: {error}", row.where(name), *error.notes)
                raise Unresolved from None
            except ExpressionError as error:
                self.problems.extend([expression_problem(error, row.where(name))])
                raise Unresolved from None
        return kind(**bound)


def _reads_nothing(row: Row) -> bool:
    """Say whether the row's op takes no input, such as a parameter."""
    return bool(row.op) and ops()[row.op].arity == (0, 0)
