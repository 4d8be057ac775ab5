"""Traces the rows of a spec: what each reads, what it runs, and whether what comes out is what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace

from generator.ops.base import Op
from generator.resolve.architecture import Architecture, BlockRow, BoundRow, ReadRow, Results, SkippedRow
from generator.resolve.binding import check_shape
from generator.resolve.blocks import Block, block_of, check_state, run_block
from generator.resolve.declared_sizes import Unresolved, written_shape
from generator.resolve.exact_sizes import inexact_problem, open_domain
from generator.resolve.experts import run_experts
from generator.resolve.freezing import check_frozen, freezing, is_on
from generator.resolve.hints import shapes_of
from generator.resolve.initial_values import with_initial_values
from generator.resolve.once import run_once
from generator.resolve.op_rows import bind_op, run_op
from generator.resolve.patterns import run_pattern
from generator.resolve.scan import run_scan
from generator.resolve.shape_text import show_shape
from generator.resolve.skipping import run_skippable
from generator.resolve.spec_run import Frame, Run
from generator.resolve.tied_blocks import check_tied_block, tied_block
from generator.resolve.unread import unread_results
from generator.spec.dead_rows import references
from generator.spec.model import Ref, Row, Spec
from generator.text.suggest import did_you_mean, listed
from generator.trace.diary import Bind, Enter, Leave
from generator.trace.tensor import Tensor

Values = Mapping[str, Results | None]  # what each input and row has come to; None where it is broken


def trace_rows(run: Run, frame: Frame) -> Architecture:
    """Trace all rows of a spec and find its outputs. Rows that depend on a broken one are left out.

    Raises:
        Unresolved: no output can be told, which is among the problems then.
    """
    spec, inputs = frame.spec, frame.inputs
    _refuse_inexact(run, spec)
    run.note(Enter(tuple(inputs.values())))
    values: dict[str, Results | None] = {name: {"": inputs[name]} if name in inputs else None for name in spec.inputs}
    rows: dict[str, BoundRow | None] = {}
    previous = next(iter(spec.inputs))
    for row in spec.rows.values():
        run.count_row(frame)
        with run.tracer.freezing(run.tracer.is_frozen or spec.frozen):
            bound = None if row.broken else _traced(run, frame, row, previous, values, rows)
        rows[row.name] = bound
        values[row.name] = None if bound is None else bound.results
        run.note(Bind(row.name, () if bound is None else tuple(bound.results.values())))
        previous = row.name
    refs = spec.outputs or (Ref(previous, "", spec.rows[previous].span),)
    found = _read_all(run, refs, values, spec, reader="" if spec.outputs else "the last row is the result")
    outputs = {ref.text: x for ref, x in zip(refs, found, strict=True)}
    whole = [row for row in rows.values() if row is not None]
    run.problems.extend(unread_results(spec, whole, refs))
    run.note(Leave(tuple(outputs.values())))
    return Architecture(
        **vars(frame.sized), inputs=inputs, rows=tuple(whole), outputs=outputs, requirements=tuple(frame.needs.found), tracer=run.tracer
    )


def _refuse_inexact(run: Run, spec: Spec) -> None:
    """Report the derived sizes and defaults that no module could work out."""
    for name, dim in spec.dims.items():
        wrong = inexact_problem(dim.value) or open_domain(dim.value) if dim.value is not None else ()
        if wrong and dim.value is not None:
            run.problems.add(f"size `{name}`: {wrong[0]}", dim.value.span, *wrong[1:])


def _traced(run: Run, frame: Frame, row: Row, above: str, values: Values, rows: Mapping[str, BoundRow | None]) -> BoundRow | None:
    """Return a row with what it comes to; None where it is broken, which is among the problems."""
    refs = references(row, above)
    row = _as_tied(run, frame, row)
    path = f"{frame.path}.{row.name}".lstrip(".")
    inputs: tuple[Tensor, ...] = ()
    declared, op = None, None
    steps = 0
    with suppress(Unresolved):
        reader = "" if row.inputs is not None else "this row reads the one above"
        inputs = _read_all(run, refs, values, frame.spec, reader=reader, key="in")
        steps += 1
    # What the row says of itself is looked at even where its inputs are broken.
    with suppress(Unresolved):
        declared = written_shape(frame.sized, frame.needs, row.out, run.problems) if row.out is not None else None
        steps += 1
    with suppress(Unresolved):
        op = bind_op(run, frame, row) if row.op else None
        steps += 1
    if steps == 3:
        with suppress(Unresolved):
            active = _is_active(run, frame, row, inputs)
            names = tuple(ref.text for ref in refs)
            read = ReadRow(row=row, path=path, inputs=inputs, input_names=names, declared=declared, active=active)
            is_over = run.tracer.is_later and row.name in run_once(frame.spec)
            with freezing(run, frame, row), run.tracer.scratch() if is_over else nullcontext():
                bound = _started(run, frame, read, op, rows, values)
            check_frozen(run, bound)
            return _checked(run, frame, bound)
    return None


def _as_tied(run: Run, frame: Frame, row: Row) -> Row:
    """Return a row that is tied to another where its option says so; what is wrong with the option is reported, and the tie holds."""
    with suppress(Unresolved):
        if row.tie_when and not is_on(run, frame, row, "tie_when", row.tie_when):
            return replace(row, tie="", loose=row.tie)
    return row


def _started(run: Run, frame: Frame, read: ReadRow, op: Op | None, rows: Mapping[str, BoundRow | None], values: Values) -> BoundRow:
    """Run a row, or hand on what stands in its place. Raises Unresolved after reporting."""
    if not read.row.when:
        return _run(run, frame, read, op, rows)
    other = read.row.otherwise
    instead = read.inputs[0] if other is None else _read(run, other, values, frame.spec, "", "else")
    return run_skippable(run, frame, read, instead, lambda inside, own: _run(run, inside, own, op, rows))


def _run(run: Run, frame: Frame, read: ReadRow, op: Op | None, rows: Mapping[str, BoundRow | None]) -> BoundRow:
    if op is not None:
        ran = run_op(run, frame, read, op, rows)
        return with_initial_values(run, frame, ran) if read.row.init else ran
    if read.row.is_varied:
        return run_pattern(run, frame, read, trace_rows, rows)
    block = block_of(run, frame, read.row, trace_rows)
    if not read.row.tie and all(read.name not in row.tied_to for row in frame.spec.rows.values()):
        return _run_block(run, frame, read, block)
    owner = tied_block(run, read.row, rows)
    with run.tracer.sharing(None if owner is None else owner.applied) as weights:
        bound = replace(_run_block(run, frame, read, block), applied=weights)
    if owner is not None:
        check_tied_block(run, read.row, bound, owner)
    return bound


def _run_block(run: Run, frame: Frame, read: ReadRow, block: Block) -> BlockRow:
    if read.row.experts is not None:
        return run_experts(run, frame, read, block, read.row.experts)
    bound = (run_scan if read.row.scan else run_block)(run, frame, read, block)
    check_state(run, frame, bound, block)
    return bound


def _is_active(run: Run, frame: Frame, row: Row, inputs: Sequence[Tensor]) -> bool:
    """Say whether the option that a row depends on is on. Raises Unresolved after reporting."""
    if not row.when:
        return True
    found = is_on(run, frame, row, "when", row.when)
    if not inputs and row.otherwise is None:
        note = "where the option is off, a row passes its first input on; `else` names what to take instead"
        run.problems.add(f"`{row.name}` has `when`, but reads nothing", row.where("when"), note)
        raise Unresolved
    return found


def _checked(run: Run, frame: Frame, bound: BoundRow) -> BoundRow:
    """Return a row if what it comes to is what it declares. Raises Unresolved after reporting."""
    declared, found, sizes = bound.declared, bound.result, frame.sizes
    if declared is None or isinstance(bound, SkippedRow) or check_shape(declared, found.shape, run.facts):
        return bound
    inputs = shapes_of(bound.input_names, bound.inputs, sizes)
    run.report_shapes(
        frame,
        bound,
        f"`{bound.name}` is declared {show_shape(declared, sizes)}, but its shape is {show_shape(found.shape, sizes)}",
        bound.row.where("out"),
        *([inputs] if inputs else []),
        f"did you mean out: {show_shape(found.shape, sizes)}?",
    )
    raise Unresolved


def _read_all(run: Run, refs: Sequence[Ref], values: Values, spec: Spec, *, reader: str = "", key: str = "outputs") -> tuple[Tensor, ...]:
    """Return what references name. All of their problems are reported before Unresolved is raised.

    Args:
        reader: why these are read, where the spec does not say it.
        key: where the spec says or could say it.
    """
    found: list[Tensor] = []
    for ref in refs:
        try:
            found.append(_read(run, ref, values, spec, reader, key))
        except Unresolved:
            continue
    if len(found) < len(refs):
        raise Unresolved
    return tuple(found)


def _read(run: Run, ref: Ref, values: Values, spec: Spec, reader: str, key: str) -> Tensor:
    """Return what a reference names. Raises Unresolved after reporting (in silence for a broken row)."""
    if ref.name not in values:
        _report_unknown(run, ref, spec)
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
        run.problems.add(f"{reader}, and {message}" if reader else message, ref.span, note)
    else:
        named = [part for part in results if part]
        known_parts = f"its results: {listed(named)}" if named else f"`{ref.name}` has one result; write `{ref.name}`"
        run.problems.add(f"`{ref.name}` has no result `{ref.part}`", ref.span, *did_you_mean(ref.part, named), known_parts)
    raise Unresolved


def _report_unknown(run: Run, ref: Ref, spec: Spec) -> None:
    if ref.name in spec.rows:
        below = spec.rows[ref.name].span
        if ref.span.line == below.line:
            run.problems.add(f"`{ref.name}` reads itself", ref.span, "a row reads rows above it")
            return
        note = f"it stands on line {below.line}; a row reads rows above it"
        run.problems.add(f"`{ref.name}` is read before it is defined", ref.span, note)
        return
    known = dict.fromkeys([*spec.inputs, *spec.rows])
    notes = [*did_you_mean(ref.name, known), f"rows and inputs: {listed(known)}"]
    if ref.name in spec.dims:
        notes = [f"`{ref.name}` is a size; a row reads rows and inputs", *notes]
    run.problems.add(f"there is no row or input `{ref.name}`", ref.span, *notes)
