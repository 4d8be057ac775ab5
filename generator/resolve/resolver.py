"""Traces a spec: binds its rows, runs their ops on symbolic tensors, and goes into the specs it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
from generator.resolve.architecture import Architecture, BoundRow, Requirement, Results
from generator.resolve.binding import check_shape, complete_sizes
from generator.resolve.blocks import KINDS, run_block, unlike
from generator.resolve.empty_stack import EmptyStack
from generator.resolve.exact_sizes import inexact_problem, open_domain
from generator.resolve.frame import Frame
from generator.resolve.hints import origins, with_fixes
from generator.resolve.op_rows import bind_op, run_op
from generator.resolve.ranges import contradiction
from generator.resolve.show import show_shape
from generator.resolve.sizes import Unresolved, written_shape, written_size
from generator.resolve.stepwise import decoding_problems
from generator.resolve.unread import unread_results
from generator.spec.library import Library
from generator.spec.model import Input, Ref, Row, Spec
from generator.spec.reading import references
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed
from generator.trace.diary import Bind, Diary, Enter, Event, Leave
from generator.trace.flow import Flow, UnsettledFlowError
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer

MAX_TRACED = 10_000
Values = dict[str, Results | None]  # what each input and row has come to; None where it is broken


class Resolver:
    """Traces specs of one library.

    Args:
        library: where used specs are found.
        input_gradients: overrides whether the outermost float inputs need a gradient.
        half: whether the model's numbers have two bytes.
        is_trial: whether this tries a change of a spec, so that no further changes are tried.
        bound: sizes of the outermost spec that are numbers, or other sizes.
    """

    def __init__(
        self,
        library: Library,
        *,
        input_gradients: bool | None = None,
        half: bool = False,
        is_trial: bool = False,
        bound: Mapping[str, Expr] | None = None,
    ) -> None:
        self.library = library
        self.problems = Problems()
        self.facts = Facts()
        self.tracer = Tracer(self.facts, half=half)
        self.half = half
        self.input_gradients = input_gradients
        self.bound = dict(bound or {})
        self.empty_stacks: list[EmptyStack] = []
        self.is_trial = is_trial
        self.clashes: dict[Problem, Row] = {}  # the problems about shapes, and the row of each
        self.traced = 0
        self._alone: dict[str, Architecture] = {}

    def may_bind(self, name: str) -> bool:
        """Say whether a size is one that the outermost spec is given, and which may be a number."""
        return name in self.settable

    # ---- the outermost spec ------------------------------------------------------------------------------------------

    def architecture(self, spec: Spec, options: Mapping[str, Any] | None = None) -> Architecture:
        """Trace a spec in its own sizes.

        Raises:
            ProblemsError: with all independent problems.
        """
        arch, idle = self._outermost(spec, options), None
        while idle is None:
            try:
                idle = self.tracer.flow.find_idle(arch.outputs.values())
            except UnsettledFlowError as error:
                if not isinstance(error.count, Integer):
                    raise ProblemsError([_unsettled(arch, error.row)]) from None
                self._start_again(Flow(one_by_one=self.tracer.flow.one_by_one | {error.row}))
                arch = self._outermost(spec, options)
        if idle.changes_counts:
            self._start_again(Flow(idle, self.tracer.flow.one_by_one))
            arch = self._outermost(spec, options)
        self._refuse_contradictions(arch)
        if not self.bound:  # what holds of the spec's own sizes is not asked of numbers in their place, such as one new token
            self.problems.extend(decoding_problems(arch))
        self.problems.raise_if_any()
        return arch

    def _start_again(self, flow: Flow) -> None:
        """Forget what has been traced, to trace it once more with what is known of its gradients."""
        diary = self.tracer.diary
        self.problems, self.facts, self.clashes, self.traced = Problems(), Facts(), {}, 0
        self.tracer = Tracer(self.facts, half=self.half, flow=flow)
        self.tracer.diary = diary and Diary(diary.sizes)

    def _outermost(self, spec: Spec, options: Mapping[str, Any] | None) -> Architecture:
        """Trace a spec in its own sizes once. Raises ProblemsError."""
        values = {name: self.bound.get(name, symbol(name)) for name, dim in spec.dims.items() if dim.kind != "derived"}
        self.settable = frozenset(values) - frozenset(self.bound)
        chosen = {name: option.default for name, option in spec.options.items()} | dict(options or {})
        arch = Architecture(spec, values, chosen, {}, tracer=self.tracer)
        complete_sizes(arch, self.facts, self.problems)
        self.problems.raise_if_any()
        arch.inputs = self._outer_inputs(arch)
        with suppress(Unresolved):
            self.trace(Frame(arch, "", ((spec.name, None),)))
        if len(self.problems) or spec.is_broken:
            raise ProblemsError(with_fixes(self, spec, options))
        return arch

    def _refuse_contradictions(self, arch: Architecture) -> None:
        """Raise ProblemsError where no sizes can meet what is required of them."""
        found = contradiction(requirement.condition for requirement in arch.requirements)
        if found is None:
            return
        size, conditions = found
        texts = [to_text(condition, tuple(arch.spec.dims)) for condition in conditions]
        last = [requirement for requirement in arch.requirements if requirement.condition.has(*conditions)][-1]
        self.problems.fail(f"no size `{size}` meets {listed(texts)}", last.span, *_reasons(arch, conditions, last))

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
        axes = written_shape(arch, declared.shape, self.facts, self.problems)
        if declared.below is not None:
            written_size(arch, declared.below, self.facts, self.problems)
        grad = declared.dtype == "float" and (declared.grad if self.input_gradients is None else self.input_gradients)
        return self.tracer.new(axes, kind=KINDS[declared.dtype], needs_grad=grad)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def trace(self, frame: Frame) -> None:
        """Trace all rows of a spec and find its outputs. Rows that depend on a broken one are skipped."""
        arch = frame.arch
        self._refuse_inexact(arch)
        arch.rows = []
        self.note(Enter(tuple(arch.inputs.values())))
        values: Values = {name: {"": arch.inputs[name]} if name in arch.inputs else None for name in arch.spec.inputs}
        previous = next(iter(arch.spec.inputs))
        bound_rows: dict[str, BoundRow] = {}
        for row in arch.spec.rows.values():
            self._count_row(frame)
            bound = BoundRow(row, f"{frame.path}.{row.name}".lstrip("."))
            values[row.name] = None if row.broken else self._resolved(frame, bound, previous, values, bound_rows)
            arch.rows.append(bound)
            self.note(Bind(row.name, tuple((values[row.name] or {}).values())))
            bound_rows[row.name] = bound
            previous = row.name
        refs = arch.spec.outputs or (Ref(previous, "", arch.spec.rows[previous].span),)
        found = self._read_all(refs, values, arch.spec, reader="" if arch.spec.outputs else "the last row is the result")
        arch.outputs = {ref.text: x for ref, x in zip(refs, found, strict=True)}
        self.problems.extend(unread_results(arch, refs))
        self.note(Leave(tuple(arch.outputs.values())))

    def _refuse_inexact(self, arch: Architecture) -> None:
        """Report the derived sizes and defaults that no module could work out."""
        for name, dim in arch.spec.dims.items():
            wrong = inexact_problem(dim.value) or open_domain(dim.value) if dim.value is not None else ()
            if wrong and dim.value is not None:
                self.problems.add(f"size `{name}`: {wrong[0]}", dim.value.span, *wrong[1:])

    def note(self, event: Event) -> None:
        """Put an event into the diary, if one is kept."""
        if self.tracer.diary is not None:
            self.tracer.diary.events.append(event)

    def _count_row(self, frame: Frame) -> None:
        """Keep the number of rows within bounds, which specs that use each other twice can exceed with very little text."""
        self.traced += 1
        if self.traced > MAX_TRACED:
            message = f"`{frame.spans[0][0]}` comes to more than {MAX_TRACED:,} rows once all specs that it uses are written out"
            first = frame.spans[min(1, len(frame.spans) - 1)][1]
            raise ProblemsError([*self.problems, Problem(message, first)])

    def _resolved(self, frame: Frame, bound: BoundRow, above: str, values: Values, rows: Mapping[str, BoundRow]) -> Results | None:
        """Return the results of a row; None where it is broken, which is among the problems."""
        row = bound.row
        refs = references(row, above)
        bound.input_names = tuple(ref.text for ref in refs)
        steps = 0
        with suppress(Unresolved):
            reader = "" if row.inputs is not None else "this row reads the one above"
            bound.inputs = self._read_all(refs, values, frame.arch.spec, reader=reader, key="in")
            steps += 1
        # What the row says of itself is looked at even where its inputs are broken.
        with suppress(Unresolved):
            if row.out is not None:
                bound.declared = written_shape(frame.arch, row.out, self.facts, self.problems)
            steps += 1
        with suppress(Unresolved):
            bound.op = bind_op(self, frame, row) if row.op else None
            steps += 1
        if steps == 3:
            with suppress(Unresolved):
                self._run_row(frame, bound, rows)
                return bound.results
        return None

    def _read_all(self, refs: Sequence[Ref], values: Values, spec: Spec, *, reader: str = "", key: str = "outputs") -> tuple[Tensor, ...]:
        """Return what references name. All of their problems are reported before Unresolved is raised.

        Args:
            reader: why these are read, where the spec does not say it.
            key: where the spec says or could say it.
        """
        found: list[Tensor] = []
        for ref in refs:
            try:
                found.append(self._read(ref, values, spec, reader, key))
            except Unresolved:
                continue
        if len(found) < len(refs):
            raise Unresolved
        return tuple(found)

    def _read(self, ref: Ref, values: Values, spec: Spec, reader: str, key: str) -> Tensor:
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
            message = f"`{ref.name}` has several results: {listed(results)}"
            note = f"write {key}: {listed(parts, 'or')}".replace("`", "")
            self.problems.add(f"{reader}, and {message}" if reader else message, ref.span, note)
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
        known = dict.fromkeys([*spec.inputs, *spec.rows])
        notes = [*did_you_mean(ref.name, known), f"rows and inputs: {listed(known)}"]
        if ref.name in spec.dims:
            notes = [f"`{ref.name}` is a size; a row reads rows and inputs", *notes]
        self.problems.add(f"there is no row or input `{ref.name}`", ref.span, *notes)

    def _run_row(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        row = bound.row
        bound.active = self._is_active(frame, bound)
        if bound.active:
            self._run_active(frame, bound, rows)
        else:
            self._run_skipped(frame, bound, rows)
        if row.when:
            self._check_skippable(frame, bound)
        if not bound.active:
            bound.results = {"": bound.inputs[0]}
        if bound.declared is not None:
            self._check_out(frame, bound)

    def _run_active(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        if bound.row.op:
            run_op(self, frame, bound, rows)
        else:
            run_block(self, frame, bound)

    def _run_skipped(self, frame: Frame, bound: BoundRow, rows: Mapping[str, BoundRow]) -> None:
        """Run a row that is off for the sake of its mistakes: the module holds it, and whoever uses the spec may switch it on."""
        option = bound.row.when
        outer, self.problems = self.problems, Problems()
        try:
            with self.tracer.scratch():
                self._run_active(frame, bound, rows)
        finally:
            found, self.problems = self.problems, outer
            note = f"`{option}` is false here, but a user of `{frame.arch.spec.name}` may set it: a row with `when` must fit on and off"
            for problem in found:
                said = replace(problem, message=f"with `{option}` on, {problem.message}", notes=(*problem.notes, note))
                self.problems.extend([said])
                if problem in self.clashes:
                    self.clashes[said] = self.clashes.pop(problem)

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
        """Raise Unresolved after reporting unless a row's first input can stand in the place of its result."""
        if len(bound.results) > 1:
            must, note = "have one result, in whose place its first input stands", f"its results: {listed(bound.results)}"
        else:
            difference = unlike((bound.input_names[0], bound.inputs[0]), (bound.name, bound.result), frame.arch.sizes, self.facts)
            if difference is None:
                return
            what, note = difference
            must = "hold what its first input holds" if what == "kind" else "keep the shape of its first input"
        self.problems.add(f"`{bound.name}` has `when`, so it must {must}", bound.row.where("when"), note)
        raise Unresolved

    def _check_out(self, frame: Frame, bound: BoundRow) -> None:
        assert bound.declared is not None
        found = bound.result
        if not check_shape(bound.declared, found.shape, self.facts):
            sizes = frame.arch.sizes
            inputs = [f"{n} is {show_shape(x.shape, sizes)}" for n, x in zip(bound.input_names, bound.inputs, strict=True)]
            self.report_shapes(
                frame,
                bound,
                f"`{bound.name}` is declared {show_shape(bound.declared, sizes)}, but its shape is {show_shape(found.shape, sizes)}",
                bound.row.where("out"),
                *(["; ".join(inputs)] if inputs else []),
                f"did you mean out: {show_shape(found.shape, sizes)}?",
            )
            raise Unresolved

    def alone(self, frame: Frame, bound: BoundRow) -> tuple[Tensor, ...]:
        """Return the inputs of a row as its module, which is written for the spec alone, knows them."""
        if not frame.path and not self.bound:
            return bound.inputs
        name = frame.arch.spec.name
        if name not in self._alone:
            self._alone[name] = Resolver(self.library).architecture(self.library.spec(name))
        return self._alone[name].row(bound.name).inputs

    def report_shapes(self, frame: Frame, bound: BoundRow, message: str, span: Span, *notes: str) -> None:
        """Report that shapes do not fit in a row, and remember the row: another row may be at fault."""
        is_about_shapes = any(" is [" in text for text in (message, *notes))
        problem = Problem(message, span, (*notes, *(origins(frame.arch.spec, bound) if is_about_shapes else ())))
        self.problems.extend([problem])
        self.clashes[problem] = bound.row


def _reasons(arch: Architecture, conditions: Sequence[Boolean], last: Requirement) -> Iterator[str]:
    """Say where the other conditions come from."""
    for requirement in arch.requirements:
        if requirement is not last and requirement.condition.has(*conditions):
            text = to_text(requirement.condition, tuple(arch.spec.dims))
            place = f"line {requirement.span.line} of {requirement.span.source.path}"
            yield f"`{text}` is {'stated' if requirement.stated else 'needed'} on {place}"


def _unsettled(arch: Architecture, path: str) -> Problem:
    """The problem of a row whose runs go on differing in what of them gets a gradient."""
    name, _, inner = path.partition(".")
    bound = arch.row(name)
    if inner and bound.child is not None:
        return _unsettled(bound.child, inner)
    key = "scan" if bound.row.scan else "repeat"
    what = bound.child.spec.name if bound.child is not None else bound.name
    return Problem(
        f"the costs of `{what}` cannot be written as one formula of the number of its runs",
        bound.row.where(key),
        (
            "each run differs from the one before in which of its results get a gradient",
            f"write a number of runs, such as `{key}: 6`",
        ),
    )
