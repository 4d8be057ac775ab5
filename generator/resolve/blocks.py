"""Blocks: rows that use another spec, fill a slot, stack layers or step along an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.formulas.symbols import Facts
from generator.resolve.any_rank import other_axes
from generator.resolve.architecture import Architecture, BlockRow, FewRuns, OpRow, ReadRow, Sized, Usage
from generator.resolve.binding import bind_options, bind_sizes, check_shape, known_sizes
from generator.resolve.declared_sizes import Unresolved, evaluated, written_size
from generator.resolve.missing import report_missing_sizes
from generator.resolve.mistakes_inside import report_inside, report_own
from generator.resolve.requirements import Needs, is_known
from generator.resolve.shape_text import show_shape, show_size
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Expression, Row, Spec, Use
from generator.text.errors import SizeError
from generator.text.expressions import names, symbolic
from generator.text.problems import Problems, ProblemsError
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed
from generator.trace.iterate import Body, iterate
from generator.trace.seams import UnsettledError
from generator.trace.tensor import Kind, Shape, Tensor

Trace = Callable[[Run, Frame], Architecture]
KINDS: dict[str, Kind] = {"float": "float", "int": "index", "bool": "bool"}
HOLDS: dict[str, str] = {"float": "numbers", "index": "indices (dtype: int)", "bool": "a mask (dtype: bool)"}  # in the language's words
MAX_DEPTH = 20
MOST_APART = 3  # stacks that may have no layers, and such recurrences: all is derived once more for each of them, each two and three


@dataclass(frozen=True)
class Block:
    """What a row uses.

    Args:
        caller: the frame that names it, whose sizes it may name: another than that of the row where it fills a slot.
        trace: traces the rows of a spec. Raises Unresolved after reporting.
    """

    use: Use
    caller: Frame
    spec: Spec
    trace: Trace


def block_of(run: Run, frame: Frame, row: Row, trace: Trace) -> Block:
    """Return what a row uses. Raises Unresolved after reporting."""
    use, caller = _use(run, frame, row)
    return Block(use, caller, _child_spec(run, frame, row, use), trace)


def run_block(run: Run, frame: Frame, read: ReadRow, block: Block) -> BlockRow:
    """Trace the block of a row, once or as a stack. Raises Unresolved after reporting."""
    if read.row.repeat is not None:
        # A stack that shares its weights has them even where it has no layers, so there must be one.
        count = written_size(frame.sized, frame.needs, read.row.repeat, run.problems, least=1 if read.row.share else 0)
        return _run_stack(run, frame, read, block, count, named_inputs(run, frame, read, block))
    child = run_child(run, frame, read, block, named_inputs(run, frame, read, block))
    return BlockRow(**vars(read), results=results_of(block.spec, child.outputs.values()), child=child)


def check_state(run: Run, frame: Frame, bound: BlockRow, block: Block) -> None:
    """Raise Unresolved after reporting where what fills a slot keeps a state, which the slot does not declare."""
    row = bound.row
    if row.slot and not frame.spec.slots[row.slot].state and bound.keeps_state:
        slot = frame.spec.slots[row.slot]
        place = f"{slot.span.source.path}:{slot.span.line}"
        run.problems.add(
            f"`{block.spec.name}` keeps a state between decoding steps, but slot `{row.slot}` is not declared to",
            block.use.span,
            f"write `state: true` in the slot ({place})",
        )
        raise Unresolved


def _use(run: Run, frame: Frame, row: Row) -> tuple[Use, Frame]:
    if row.use is not None:
        return row.use, frame
    slots = frame.spec.slots
    if row.slot not in slots:
        run.problems.add(
            f"`{frame.spec.name}` has no slot `{row.slot}`",
            row.where("slot"),
            *did_you_mean(row.slot, slots),
            f"its slots: {listed(slots) or 'none'}",
        )
        raise Unresolved
    return frame.fills.get(row.slot, (slots[row.slot].default, frame))


def _child_spec(run: Run, frame: Frame, row: Row, use: Use) -> Spec:
    chain = [name for name, _ in frame.spans]
    if use.spec in chain:
        cycle = " -> ".join([*chain[chain.index(use.spec) :], use.spec])
        run.problems.add(f"`{use.spec}` uses itself: {cycle}", use.span)
        raise Unresolved
    if len(chain) > MAX_DEPTH:
        run.problems.add(f"specs are nested more than {MAX_DEPTH} deep", use.span)
        raise Unresolved
    if use.spec in frame.spec.slots and use.spec not in run.library.files:
        run.problems.add(f"`{use.spec}` is a slot of this spec, not a spec", use.span, f"write `slot: {use.spec}` instead of `use`")
        raise Unresolved
    try:
        return run.library.spec(use.spec, use.span)
    except ProblemsError as error:
        report_own(run, frame, row, error.problems)
        raise Unresolved from None


def named_inputs(run: Run, frame: Frame, read: ReadRow, block: Block) -> dict[str, Tensor]:
    """Return what a row hands to its block, by what that calls it. Raises Unresolved after reporting."""
    wanted, use = list(block.spec.inputs), block.use
    if len(read.inputs) != len(wanted):
        takes = f"takes {counted(len(wanted), 'input')} ({', '.join(wanted)})"
        run.problems.add(
            f"`{use.spec}` {takes}; {_reader(frame, read, use)} has {len(read.inputs)}",
            _place(frame, read, use),
            f"it reads {listed(read.input_names) or 'nothing'}",
        )
        raise Unresolved
    return dict(zip(wanted, read.inputs, strict=True))


def _is_filled(frame: Frame, use: Use) -> bool:
    """Say whether the block comes from another file than the row, which fills a slot then."""
    return use.span.source not in frame.spec.sources


def _place(frame: Frame, read: ReadRow, use: Use) -> Span:
    """Return the place of what a row hands to its block; of the block itself where another file has put it there."""
    if _is_filled(frame, use):
        return use.span
    return read.row.where("in") if read.row.inputs is not None else read.row.span


def _reader(frame: Frame, read: ReadRow, use: Use) -> str:
    return f"slot `{read.row.slot}` of `{frame.spec.name}`" if _is_filled(frame, use) else f"`{read.name}`"


def run_child(
    run: Run, frame: Frame, read: ReadRow, block: Block, inputs: Mapping[str, Tensor], fixed: Mapping[str, Expr] | None = None
) -> Architecture:
    """Trace a used spec on the given inputs. Raises Unresolved after reporting.

    Args:
        fixed: sizes of it that the row decides, whatever flows in.
    """
    use, sized = block.use, None
    with run.apart() as found:
        arch = None
        with suppress(Unresolved):
            needs = Needs(block.spec.name, run.facts)
            sized = _sized_child(run, frame, block, needs, inputs, fixed or {})
            fills = {name: (fill, block.caller) for name, fill in use.slots.items()}
            for name in use.slots:
                if name not in block.spec.slots:
                    notes = (*did_you_mean(name, block.spec.slots), f"its slots: {listed(block.spec.slots) or 'none'}")
                    run.problems.add(f"`{block.spec.name}` has no slot `{name}`", use.named(f"slots.{name}"), *notes)
            inner = Frame(sized, inputs, needs, read.path, (*frame.spans, (block.spec.name, use.span)), fills)
            _check_inputs(run, frame, read, inner, block)
            arch = _traced(run, read, inner, block)
    report_inside(run, frame, read.row, use, sized, found)
    if sized is not None:  # what decides shapes in there decides them here, where an option of this spec comes to it
        inner_names = [option for name, option in run.decided if name == block.spec.name and option in sized.option_sources]
        run.decided |= {(frame.spec.name, sized.option_sources[option]) for option in inner_names}
    if arch is None or len(found):
        raise Unresolved
    frame.needs.found += arch.requirements
    return arch


def _traced(run: Run, read: ReadRow, inner: Frame, block: Block) -> Architecture:
    """Trace a block, and take note of where it begins and ends. Raises Unresolved after reporting."""
    diary, row = run.tracer.diary, read.row
    if diary is None:
        return block.trace(run, inner)
    if diary.recompute is not None and diary.recompute.every > 1 and row.share:
        raise SizeError(f"layers of `{read.path}` share their weights, so that one of them cannot run once more by itself")
    is_layer = read.stack or (row.repeat is not None and not row.scan and row.experts is None)
    with diary.block(tuple(inner.inputs.values()), (read.stack or read.path) if is_layer else "") as begun:
        found = block.trace(run, inner)
        diary.settle_block(begun, attends=attends(found))
    return found


def attends(arch: Architecture) -> bool:
    """Say whether rows of a block itself attend: fused, or by two products of activations, as of queries and keys, scores and values."""
    ops = [row for row in arch.rows if isinstance(row, OpRow)]
    products = [row for row in ops if row.op.name == "einsum" and sum(not x.storage.persistent for x in row.inputs) > 1]
    return len(products) > 1 or any(row.op.name == "attention" for row in ops)


def _sized_child(run: Run, frame: Frame, block: Block, needs: Needs, inputs: Mapping[str, Tensor], fixed: Mapping[str, Expr]) -> Sized:
    use, caller, child = block.use, block.caller, block.spec
    for name in use.sizes:
        dim = child.dims.get(name)
        if dim is None:
            run.problems.add(
                f"`{use.spec}` has no size `{name}`",
                use.named(f"with.{name}"),
                *did_you_mean(name, child.dims),
                f"its sizes: {listed(child.dims)}",
            )
        elif dim.kind == "derived" and dim.value is not None:
            run.problems.add(f"size `{name}` of `{use.spec}` is derived: it is always {dim.value.text}", use.named(f"with.{name}"))
    if any(name not in child.dims or child.dims[name].kind == "derived" for name in use.sizes):
        raise Unresolved  # what else does not fit may follow from that
    given = {name: written_size(caller.sized, caller.needs, expression, run.problems) for name, expression in use.sizes.items()}
    flow = {**caller.sizes, **frame.sizes}  # the block around a slot before the spec that fills it
    flow |= {name: caller.sizes[member] for name, member in use.own.items() if member in caller.sizes}
    free = bind_sizes(child, {**given, **fixed}, flow, inputs)
    options, sources = bind_options(child, use, {**caller.sized.options, **frame.sized.options}, run.problems)
    outer = (frame.sized,) if caller.sized is frame.sized else (frame.sized, caller.sized)
    return Sized(
        spec=child,
        sizes=known_sizes(child, free, needs, run.problems),
        options=options,
        option_sources=sources,
        fills={**use.slots},
        usage=Usage(use.span, outer),
        rest=other_axes(child, inputs) if child.rest else None,
    )


def _check_inputs(run: Run, frame: Frame, read: ReadRow, inner: Frame, block: Block) -> None:
    wanted, use = inner.spec.inputs, block.use
    for (name, declared), reads in zip(wanted.items(), [*read.input_names, *[""] * len(wanted)], strict=False):
        tensor = inner.inputs[name]
        if report_missing_sizes(inner.sized, [name for e in declared.shape for name in names(e.ast)], declared.span, run.problems):
            raise Unresolved
        expected = _expected(run, inner, declared.shape)
        sizes = frame.sizes
        if not check_shape(expected, tensor.shape, run.facts):
            run.mismatches.append((expected, tensor.shape))
            written = "[" + ", ".join("..." if e.text == inner.spec.rest else e.text for e in declared.shape) + "]"
            run.report_shapes(
                frame,
                read,
                f"`{use.spec}` expects {name} to be {show_shape(expected, sizes)}, "
                f"but `{reads or name}` is {show_shape(tensor.shape, sizes)}",
                read.row.where("carry") if name in read.row.carry else _place(frame, read, use),
                f"{name} is declared {written} in {inner.spec.source.path}",
                *_with_hint(inner, block),
            )
            raise Unresolved
        if tensor.kind != KINDS[declared.dtype]:
            run.problems.add(
                f"`{use.spec}` expects {name} to hold {HOLDS[KINDS[declared.dtype]]}, but `{reads or name}` holds {HOLDS[tensor.kind]}",
                _place(frame, read, use),
            )
            raise Unresolved


def _expected(run: Run, inner: Frame, declared: Sequence[Expression]) -> Shape:
    """Return the shape that a used spec declares for an input."""
    found: list[Expr] = []
    for expression in declared:
        if inner.sized.rest is not None and expression.text == inner.spec.rest:
            found += inner.sized.rest
        else:
            found.append(evaluated(expression, inner.sizes, run.facts, run.problems))
    return tuple(found)


def _run_stack(run: Run, frame: Frame, read: ReadRow, block: Block, count: Expr, inputs: dict[str, Tensor]) -> BlockRow:
    """Trace a stack: the results of a layer are the first inputs of the next, as many as there are."""
    names = list(inputs)[: max(1, len(block.spec.outputs))]
    layers: list[Architecture] = []

    def body(carried: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        layer = run_child(run, frame, read, block, {**inputs, **carried})
        layers.append(layer)
        check_layer(run, frame, read, carried, layer)
        return {name: replace(x, shape=carried[name].shape) for name, x in zip(carried, layer.outputs.values(), strict=True)}

    first = {name: inputs[name] for name in names}
    last = iterated(run, frame, read, block, count, first, body)
    if not layers:
        with run.tracer.scratch():  # no layer is there to be counted, but the module has its class
            body(first)
    return BlockRow(**vars(read), results=results_of(block.spec, last.values()), child=layers[-1], repeat=count)


def iterated(
    run: Run, frame: Frame, read: ReadRow, block: Block, count: Expr, first: Mapping[str, Tensor], body: Body
) -> Mapping[str, Tensor]:
    """Run a block so many times, and return what it hands on at last. Raises Unresolved after reporting."""
    key = read.row.counted_by
    runs_of = {"scan": "steps", "repeat": "layers", "experts": "experts"}[key]
    try:
        runs = iterate(run.tracer, read.path, count, first, body, shared=key == "scan" or read.row.share)
    except UnsettledError:
        run.problems.add(
            f"the costs of `{block.spec.name}` cannot be written as one formula of the number of {runs_of}",
            read.row.where(key),
            "each run differs from the one before: its result is laid out differently in memory, or hidden in part by a mask, "
            "or something else is kept for backward",
            "return the states laid out as they come in" if key == "scan" else f"write a number of runs, such as `{key}: 6`",
        )
        raise Unresolved from None
    is_some = count.is_positive or count == 0 or is_known(Ge(count, 1), run.facts)
    if key == "scan" and runs.least == 2 and count.is_positive and _derived_apart(run, count, 1):
        return runs.results
    if runs.least > 1 or not (is_some or (not read.row.share and _derived_apart(run, count, 0))):
        frame.needs.condition(Ge(count, max(runs.least, 1)), read.row.where(key))
    return runs.results


def _derived_apart(run: Run, count: Expr, few: int) -> bool:
    """Take note that a block has so few runs at one number of a size, where that can be told; costs are then derived apart for it."""
    sizes = sorted(count.free_symbols, key=str)
    if len(sizes) != 1 or not count.is_polynomial(*sizes) or count.as_poly(*sizes).degree() != 1:
        return False
    (size,) = sizes
    value = (few - count.xreplace({size: Integer(0)})) / count.coeff(size)
    is_own = value.is_Integer and value.is_positive and size.name in run.settable
    runs = FewRuns(size.name, int(value), count - few) if is_own else None
    if runs is None or (runs not in run.few_runs and len(run.few_runs) == MOST_APART):
        return False
    if runs not in run.few_runs:
        run.few_runs.append(runs)
    return True


def check_layer(run: Run, frame: Frame, read: ReadRow, carried: Mapping[str, Tensor], layer: Architecture) -> None:
    """Raise Unresolved after reporting unless a layer's results can be the first inputs of the next layer."""
    name, outputs, sizes = layer.spec.name, layer.outputs, frame.sizes
    if len(outputs) > len(carried):
        note = f"the results of a layer are the first inputs of the next; its results: {listed(outputs)}; its inputs: {listed(carried)}"
        message = f"`{name}` cannot be repeated: it has more results than inputs"
        run.problems.add(message, read.row.where("repeat"), note)
        raise Unresolved
    for (given, x), (result, y) in zip(carried.items(), outputs.items(), strict=True):
        is_only = len(outputs) == 1
        difference = unlike((given, x), ("the result" if is_only else result, y), sizes, run.facts)
        if difference is None:
            continue
        what, note = difference
        which, place = ("its result", "its first input") if is_only else (f"`{result}`", f"`{given}`")
        must = f"must hold what {place} holds" if what == "kind" else f"must have the shape of {place}"
        run.problems.add(f"`{name}` cannot be repeated: {which} {must}", read.row.where("repeat"), note)
        raise Unresolved


def unlike(given: tuple[str, Tensor], found: tuple[str, Tensor], sizes: Mapping[str, Expr], facts: Facts) -> tuple[str, str] | None:
    """Return whether the `kind` or the `shape` keeps a tensor out of another's place, with what both are; None if nothing does."""
    (one, x), (other, y) = given, found
    if y.kind != x.kind:
        quoted = other if " " in other else f"`{other}`"
        return "kind", f"`{one}` holds {HOLDS[x.kind]}; {quoted} holds {HOLDS[y.kind]}"
    if not check_shape(y.shape, x.shape, facts):
        return "shape", f"{one} is {show_shape(x.shape, sizes)}; {other} is {show_shape(y.shape, sizes)}"
    return None


def results_of(child: Spec, outputs: Iterable[Tensor]) -> dict[str, Tensor]:
    """Return what a block hands out under the names that its results have for the row that uses it."""
    names = [ref.result_name for ref in child.outputs] if len(child.outputs) > 1 else [""]
    return dict(zip(names, outputs, strict=True))


def _with_hint(inner: Frame, block: Block) -> tuple[str, ...]:
    """Suggest the `with` under which all inputs have the shapes that the used spec declares, if there is one."""
    changes: dict[str, Expr] = {}
    if inner.spec.rest:
        return ()
    for name, declared in inner.spec.inputs.items():
        for expression, size in zip(declared.shape, inner.inputs[name].shape, strict=False):
            dim = inner.spec.dims.get(expression.text)
            if dim is not None and dim.kind != "derived" and inner.sizes.get(dim.name) != size:
                changes.setdefault(dim.name, size)
    sizes = _with_sizes(inner.sized, changes)
    for name, declared in inner.spec.inputs.items():
        if not all(set(names(expression.ast)) <= sizes.keys() for expression in declared.shape):
            return ()
        expected = tuple(evaluated(expression, sizes, inner.needs.facts, Problems()) for expression in declared.shape)
        if not check_shape(expected, inner.inputs[name].shape, inner.needs.facts):
            return ()
    given = {name: expression.text for name, expression in block.use.sizes.items()}
    given |= {name: show_size(size, block.caller.sizes) for name, size in changes.items()}
    return (f"did you mean with: {{{', '.join(f'{name}: {text}' for name, text in given.items())}}}?",)


def _with_sizes(sized: Sized, changes: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the sizes of a used spec as they are with others given under `with`."""
    sizes = {**sized.sizes, **changes}
    for name, dim in sized.spec.dims.items():
        if dim.kind == "derived" and dim.value is not None and set(names(dim.value.ast)) <= sizes.keys():
            sizes[name] = symbolic(dim.value.ast, sizes)
    return sizes
