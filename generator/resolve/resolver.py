"""Traces a spec: binds its rows, runs their ops on symbolic tensors, and goes into the specs it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sympy import Expr

from generator.architecture import Architecture, BoundRow
from generator.ops.base import Op, OpError
from generator.ops.params import AxesKind, AxisKind, BindError, FlagKind
from generator.ops.params import Scope as ParamScope
from generator.ops.registry import ops
from generator.resolve.binding import check_shape, complete_sizes, yes_or_no
from generator.resolve.blocks import KINDS, Frame, run_block
from generator.resolve.hints import origins, shapes_of, with_fixes
from generator.resolve.scope import Scope
from generator.resolve.show import show_shape, show_size
from generator.resolve.sizes import MAX_TERMS, Unresolved, as_size_error, refuse_huge, shape, size, size_problem
from generator.spec.expressions import Ast, ExpressionError, expression_problem
from generator.spec.library import Library
from generator.spec.model import Input, Ref, Row, Spec
from generator.spec.problems import Problem, Problems, ProblemsError
from generator.spec.source import Span
from generator.spec.suggest import did_you_mean, listed
from generator.symbols import Facts, symbol
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer

Values = dict[str, Mapping[str, Tensor] | None]  # what each input and row has come to; None where it is broken


class Resolver:
    """Traces specs of one library.

    Args:
        library: where used specs are found.
        input_gradients: overrides whether the outermost float inputs need a gradient.
        half: whether the model's numbers have two bytes.
    """

    def __init__(self, library: Library, *, input_gradients: bool | None = None, half: bool = False) -> None:
        self.library = library
        self.problems = Problems()
        self.facts = Facts()
        self.tracer = Tracer(self.facts, half=half)
        self.input_gradients = input_gradients
        self.clashes: dict[Problem, Row] = {}  # the problems about shapes, and the row of each
        self.reported: set[tuple[str, Span | None]] = set()  # the problems inside used specs

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
        arch.inputs = self._outer_inputs(arch)
        try:
            self.trace(Frame(arch, "", ((spec.name, None),)))
        except Unresolved:
            pass
        if len(self.problems) or spec.is_broken:
            raise ProblemsError(with_fixes(self, spec, options))
        return arch

    def _outer_inputs(self, arch: Architecture) -> dict[str, Tensor]:
        """Return the tensors that come in; those with a problem are left out."""
        found: dict[str, Tensor] = {}
        for name, declared in arch.spec.inputs.items():
            try:
                if not declared.broken:
                    found[name] = self._outer_input(arch, declared)
            except Unresolved:
                continue
        return found

    def _outer_input(self, arch: Architecture, declared: Input) -> Tensor:
        axes = shape(arch, declared.shape, self.facts, self.problems)
        if declared.below is not None:
            size(arch, declared.below, self.facts, self.problems)
        grad = declared.dtype == "float" and (declared.grad if self.input_gradients is None else self.input_gradients)
        return self.tracer.new(axes, kind=KINDS[declared.dtype], needs_grad=grad)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def trace(self, frame: Frame) -> None:
        """Trace all rows of a spec and find its outputs. Rows that depend on a broken one are skipped."""
        arch = frame.arch
        arch.rows = []
        values: Values = {name: {"": arch.inputs[name]} if name in arch.inputs else None for name in arch.spec.inputs}
        previous = next(iter(arch.spec.inputs))
        bound_rows: dict[str, BoundRow] = {}
        for row in arch.spec.rows.values():
            bound = BoundRow(row, f"{frame.path}.{row.name}".lstrip("."))
            try:
                if row.broken:
                    raise Unresolved
                refs = row.inputs if row.inputs is not None else () if _reads_nothing(row) else (Ref(previous, "", row.span),)
                bound.inputs = self._read_all(refs, values, arch.spec)
                bound.input_names = tuple(ref.text for ref in refs)
                self._run_row(frame, bound, bound_rows)
                values[row.name] = bound.results
            except Unresolved:
                values[row.name] = None
            arch.rows.append(bound)
            bound_rows[row.name] = bound
            previous = row.name
        refs = arch.spec.outputs or (Ref(previous, "", arch.spec.rows[previous].span),)
        arch.outputs = {ref.text: x for ref, x in zip(refs, self._read_all(refs, values, arch.spec), strict=True)}

    def _read_all(self, refs: Sequence[Ref], values: Values, spec: Spec) -> tuple[Tensor, ...]:
        """Return what references name. All of their problems are reported before Unresolved is raised."""
        found: list[Tensor] = []
        for ref in refs:
            try:
                found.append(self._read(ref, values, spec))
            except Unresolved:
                continue
        if len(found) < len(refs):
            raise Unresolved
        return tuple(found)

    def _read(self, ref: Ref, values: Values, spec: Spec) -> Tensor:
        """Return what a reference names. Raises Unresolved after reporting (in silence for a broken row)."""
        if ref.name not in values:
            self._report_unknown(ref, spec)
            raise Unresolved
        results = values[ref.name]
        if results is None:
            raise Unresolved
        if ref.part in results:
            return results[ref.part]
        if not ref.part:
            parts = [f"{ref.name}.{part}" for part in results]
            self.problems.add(f"`{ref.name}` has several results: {listed(results)}", ref.span, f"write {listed(parts, 'or')}")
        else:
            named = [part for part in results if part]
            known_parts = f"its results: {listed(named)}" if named else f"`{ref.name}` has one result; write `{ref.name}`"
            self.problems.add(f"`{ref.name}` has no result `{ref.part}`", ref.span, *did_you_mean(ref.part, named), known_parts)
        raise Unresolved

    def _report_unknown(self, ref: Ref, spec: Spec) -> None:
        if ref.name in spec.rows:
            below = spec.rows[ref.name].span
            if ref.span.line == below.line:
                self.problems.add(f"`{ref.name}` reads itself", ref.span, "a row reads rows above it")
                return
            note = f"it stands on line {below.line}; a row reads rows above it"
            self.problems.add(f"`{ref.name}` is read before it is defined", ref.span, note)
            return
        known = [*spec.inputs, *spec.rows]
        notes = [*did_you_mean(ref.name, known), f"rows and inputs: {listed(known)}"]
        if ref.name in spec.dims:
            notes = [f"`{ref.name}` is a size; a row reads rows and inputs", *notes]
        self.problems.add(f"there is no row or input `{ref.name}`", ref.span, *notes)

    def _run_row(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        row = bound.row
        if row.out is not None:
            bound.declared = shape(frame.arch, row.out, self.facts, self.problems)
        bound.active = self._is_active(frame, bound)
        if bound.active:
            self._run_active(frame, bound, rows)
        else:
            with self.tracer.scratch():
                self._run_active(frame, bound, rows)
        if row.when:
            self._check_skippable(frame, bound)
        if not bound.active:
            bound.results = {"": bound.inputs[0]}
        if bound.declared is not None:
            self._check_out(frame, bound)

    def _run_active(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        if bound.row.op:
            self._run_op(frame, bound, rows)
        else:
            run_block(self, frame, bound)

    def _is_active(self, frame: Frame, bound: BoundRow) -> bool:
        row, spec = bound.row, frame.arch.spec
        if not row.when:
            return True
        options = frame.arch.options
        if row.when not in options:
            yes_no = [name for name, option in spec.options.items() if isinstance(option.default, bool)]
            notes = (*did_you_mean(row.when, yes_no), f"options that are true or false: {listed(yes_no) or 'none'}")
            self.problems.add(f"`when` names `{row.when}`, which is not an option of `{spec.name}`", row.where("when"), *notes)
        elif not isinstance(options[row.when], bool):
            self.problems.add(f"`when` names `{row.when}`, which is not true or false but `{options[row.when]}`", row.where("when"))
        elif not bound.inputs:
            note = "without it, the row would hand its first input through"
            self.problems.add(f"`{row.name}` has `when`, but reads nothing", row.where("when"), note)
        else:
            return bool(options[row.when])
        raise Unresolved

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
            inputs = [f"{n} is {show_shape(x.shape, sizes)}" for n, x in zip(bound.input_names, bound.inputs, strict=True)]
            self.report_shapes(
                bound,
                f"`{bound.name}` is declared {show_shape(bound.declared, sizes)}, but its shape is {show_shape(found.shape, sizes)}",
                bound.row.where("out"),
                *(["; ".join(inputs)] if inputs else []),
                f"did you mean out: {show_shape(found.shape, sizes)}?",
            )
            raise Unresolved

    def report_shapes(self, bound: BoundRow, message: str, span: Span, *notes: str) -> None:
        """Report that shapes do not fit in a row, and remember the row: another row may be at fault."""
        problem = Problem(message, span, (*notes, *origins(bound)))
        self.problems.extend([problem])
        self.clashes[problem] = bound.row

    # ---- ops ---------------------------------------------------------------------------------------------------------

    def _run_op(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        row = bound.row
        kind = ops()[row.op]
        self._check_arity(bound, *kind.arity)
        self._check_kinds(bound, kind)
        if kind.needs_out and bound.inputs and bound.declared == ():
            self.problems.add(f"`{kind.name}` needs at least one axis in `out`", row.where("out"), f"{shapes_of(bound, frame.arch.sizes)}")
            raise Unresolved
        op = bound.op = self._bind_op(frame, row, kind)
        scope = Scope(self.tracer, bound, frame.arch.sizes, rows, bound.input_names, bound.declared)
        try:
            with self.tracer.row(bound.path):
                result = op.run(scope, *bound.inputs)
        except OpError as error:
            self.report_shapes(bound, error.message, _place(row, kind, error.at), *error.notes)
            raise Unresolved from None
        except (IndexError, ValueError) as error:
            # The op did not expect these ranks.
            self.report_shapes(bound, f"`{kind.name}` cannot read these shapes", row.where("in"), shapes_of(bound, frame.arch.sizes))
            raise Unresolved from error
        bound.results = result if isinstance(result, dict) else {"": result}
        self._check_sizes(frame, bound)

    def _check_sizes(self, frame: Frame, bound: BoundRow) -> None:
        """Refuse results and weights with an axis that is no size."""
        sizes = frame.arch.sizes
        for tensor in (*bound.results.values(), *(weight.tensor for weight in bound.weights.values())):
            for axis in tensor.shape:
                shown = show_size(axis, sizes)
                wrong = size_problem(axis, shown, sizes, self.facts)
                if wrong:
                    what = f"`{bound.name}` would hold a tensor {show_shape(tensor.shape, sizes)}: {wrong[0]}"
                    self.report_shapes(bound, what, bound.row.where("op"), *wrong[1:])
                    raise Unresolved

    def _check_arity(self, bound: BoundRow, least: int, most: int | None) -> None:
        count = len(bound.inputs)
        if count >= least and (most is None or count <= most):
            return
        expected = str(least) if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        noun = "input" if expected == "1" else "inputs"
        self.problems.add(
            f"`{bound.row.op}` takes {expected} {noun}; `{bound.name}` has {count}",
            bound.row.where("in"),
            f"it reads {listed(bound.input_names) or 'nothing'}",
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
        before = len(self.problems)
        for name, metadata in kind.parameters().items():
            parsed = row.params.get(name, metadata["default"])
            if parsed is None:
                bound[name] = None
                continue
            try:
                for ast in parsed if isinstance(parsed, tuple) else (parsed,):
                    if isinstance(ast, Ast):
                        refuse_huge(ast, frame.arch.sizes, MAX_TERMS)
                bound[name] = metadata["kind"].bind(parsed, scope)
            except BindError as error:
                notes = yes_or_no(parsed) if isinstance(metadata["kind"], FlagKind) else ()
                self.problems.add(f"`{name}` of `{row.name}`: {error}", row.where(name), *notes, *error.notes)
            except ExpressionError as error:
                self.problems.extend([expression_problem(as_size_error(error, frame.arch.spec.dims), row.where(name))])
        if len(self.problems) > before:
            raise Unresolved
        return kind(**bound)


def _reads_nothing(row: Row) -> bool:
    """Say whether the row's op takes no input, such as a parameter."""
    return bool(row.op) and ops()[row.op].arity == (0, 0)


def _place(row: Row, kind: type[Op], at: str) -> Span:
    """Return the place of the parameter that an op complains about; an axis may have any name."""
    if at == "axis" and at not in row.param_spans:
        axes = [name for name, metadata in kind.parameters().items() if isinstance(metadata["kind"], AxisKind | AxesKind)]
        at = next((name for name in axes if name in row.param_spans), "op")
    return row.where(at)
