"""Blocks: rows that use another spec, fill a slot, stack layers or step along an axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.formulas.symbols import Facts
from generator.resolve.architecture import Architecture, BoundRow, Usage
from generator.resolve.binding import bind_options, bind_sizes, check_shape, complete_sizes
from generator.resolve.empty_stack import EmptyStack
from generator.resolve.frame import Frame
from generator.resolve.inside import report_inside, report_own
from generator.resolve.missing import report_missing_sizes
from generator.resolve.requirements import require_condition
from generator.resolve.show import show_shape, show_size
from generator.resolve.sizes import Unresolved, evaluated, written_size
from generator.spec.model import Row, Spec, Use
from generator.text.expressions import evaluate, names
from generator.text.problems import Problems, ProblemsError
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed
from generator.trace.iterate import Body, iterate
from generator.trace.seams import UnsettledError
from generator.trace.tensor import Kind, Tensor

if TYPE_CHECKING:
    from generator.resolve.resolver import Resolver

KINDS: dict[str, Kind] = {"float": "float", "int": "index", "bool": "bool"}
HOLDS: dict[str, str] = {"float": "numbers", "index": "indices (dtype: int)", "bool": "a mask (dtype: bool)"}  # in the language's words
MAX_DEPTH = 20
MOST_EMPTY = 3  # stacks that may have no layers: the whole is derived once more for each of them, and for each two and three


def run_block(r: Resolver, frame: Frame, bound: BoundRow) -> None:
    """Trace the block of a row: once, as a stack, or step after step. Raises Unresolved after reporting."""
    row = bound.row
    use, caller = _block(r, frame, row)
    child_spec = _child_spec(r, frame, row, use)
    if row.repeat is not None:
        bound.repeat = written_size(frame.arch, row.repeat, r.facts, r.problems, least=0)
    inputs = _named_inputs(r, frame, bound, child_spec, use)
    if row.scan:
        from generator.resolve.scan import run_scan

        run_scan(r, frame, bound, (use, caller, child_spec))
    elif row.repeat is not None:
        _run_stack(r, frame, bound, (use, caller, child_spec), inputs)
    else:
        outputs = run_child(r, frame, bound, use, caller, child_spec, inputs)
        bound.results = _results(child_spec, outputs.values())
    if row.slot and not frame.arch.spec.slots[row.slot].state and keeps_state(bound):
        slot = frame.arch.spec.slots[row.slot]
        place = f"{slot.span.source.path}:{slot.span.line}"
        r.problems.add(
            f"`{child_spec.name}` keeps a state between decoding steps, but slot `{row.slot}` is not declared to",
            use.span,
            f"write `state: true` in the slot ({place})",
        )
        raise Unresolved


def keeps_state(bound: BoundRow) -> bool:
    """Say whether a row keeps something between decoding steps."""
    if bound.row.carry:  # a recurrence
        return True
    if bound.child is not None:
        return any(keeps_state(row) for row in bound.child.rows)
    return bound.op is not None and bound.op.keeps_state


def _block(r: Resolver, frame: Frame, row: Row) -> tuple[Use, Frame]:
    if row.use is not None:
        return row.use, frame
    slots = frame.arch.spec.slots
    if row.slot not in slots:
        r.problems.add(
            f"`{frame.arch.spec.name}` has no slot `{row.slot}`",
            row.where("slot"),
            *did_you_mean(row.slot, slots),
            f"its slots: {listed(slots) or 'none'}",
        )
        raise Unresolved
    return frame.fills.get(row.slot, (slots[row.slot].default, frame))


def _child_spec(r: Resolver, frame: Frame, row: Row, use: Use) -> Spec:
    chain = [name for name, _ in frame.spans]
    if use.spec in chain:
        cycle = " -> ".join([*chain[chain.index(use.spec) :], use.spec])
        r.problems.add(f"`{use.spec}` uses itself: {cycle}", use.span)
        raise Unresolved
    if len(chain) > MAX_DEPTH:
        r.problems.add(f"specs are nested more than {MAX_DEPTH} deep", use.span)
        raise Unresolved
    if use.spec in frame.arch.spec.slots and use.spec not in r.library.files:
        r.problems.add(f"`{use.spec}` is a slot of this spec, not a spec", use.span, f"write `slot: {use.spec}` instead of `use`")
        raise Unresolved
    try:
        return r.library.spec(use.spec, use.span)
    except ProblemsError as error:
        report_own(r, frame, row, error.problems)
        raise Unresolved from None


def _named_inputs(r: Resolver, frame: Frame, bound: BoundRow, child: Spec, use: Use) -> dict[str, Tensor]:
    wanted = list(child.inputs)
    if bound.row.scan:
        return {}
    if len(bound.inputs) != len(wanted):
        takes = f"takes {counted(len(wanted), 'input')} ({', '.join(wanted)})"
        r.problems.add(
            f"`{use.spec}` {takes}; {_reader(frame, bound, use)} has {len(bound.inputs)}",
            _place(frame, bound, use),
            f"it reads {listed(bound.input_names) or 'nothing'}",
        )
        raise Unresolved
    return dict(zip(wanted, bound.inputs, strict=True))


def _is_filled(frame: Frame, use: Use) -> bool:
    """Say whether the block comes from another file than the row, which fills a slot then."""
    return use.span.source != frame.arch.spec.source


def _place(frame: Frame, bound: BoundRow, use: Use) -> Span:
    """Return the place of what a row hands to its block; of the block itself where another file has put it there."""
    if _is_filled(frame, use):
        return use.span
    return bound.row.where("in") if bound.row.inputs is not None else bound.row.span


def _reader(frame: Frame, bound: BoundRow, use: Use) -> str:
    return f"slot `{bound.row.slot}` of `{frame.arch.spec.name}`" if _is_filled(frame, use) else f"`{bound.name}`"


def run_child(
    r: Resolver, frame: Frame, bound: BoundRow, use: Use, caller: Frame, child: Spec, inputs: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Trace a used spec on the given inputs and return its outputs. Raises Unresolved after reporting."""
    outer, r.problems = r.problems, Problems()
    try:
        arch = _bind_child(r, frame, use, caller, child, inputs)
        bound.child = arch
        fills = {name: (fill, caller) for name, fill in use.slots.items()}
        for name in use.slots:
            if name not in child.slots:
                notes = (*did_you_mean(name, child.slots), f"its slots: {listed(child.slots) or 'none'}")
                r.problems.add(f"`{child.name}` has no slot `{name}`", use.where("slots", name), *notes)
        inner = Frame(arch, bound.path, (*frame.spans, (child.name, use.span)), fills)
        _check_inputs(r, frame, bound, arch, use)
        r.trace(inner)
        failed = len(r.problems) > 0
    finally:
        found, r.problems = r.problems, outer
        report_inside(r, frame, bound, use, found)
    if failed:
        raise Unresolved
    frame.arch.requirements += arch.requirements
    return arch.outputs


def _bind_child(r: Resolver, frame: Frame, use: Use, caller: Frame, child: Spec, inputs: Mapping[str, Tensor]) -> Architecture:
    for name in use.sizes:
        dim = child.dims.get(name)
        if dim is None:
            r.problems.add(
                f"`{use.spec}` has no size `{name}`",
                use.where("with", name),
                *did_you_mean(name, child.dims),
                f"its sizes: {listed(child.dims)}",
            )
        elif dim.kind == "derived":
            assert dim.value is not None
            r.problems.add(f"size `{name}` of `{use.spec}` is derived: it is always {dim.value.text}", use.where("with", name))
    if any(name not in child.dims or child.dims[name].kind == "derived" for name in use.sizes):
        raise Unresolved  # what else does not fit may follow from that
    given = {name: written_size(caller.arch, expression, r.facts, r.problems) for name, expression in use.sizes.items()}
    flow = {**caller.arch.sizes, **frame.arch.sizes}  # the block around a slot before the spec that fills it
    values = bind_sizes(child, given, flow, inputs)
    outer_options = {**caller.arch.options, **frame.arch.options}
    options, sources = bind_options(child, use, outer_options, r.problems)
    outer = (frame.arch,) if caller.arch is frame.arch else (frame.arch, caller.arch)
    arch = Architecture(child, values, options, inputs, sources, {**use.slots}, tracer=r.tracer, usage=Usage(use.span, outer))
    complete_sizes(arch, r.facts, r.problems)
    return arch


def _check_inputs(r: Resolver, frame: Frame, bound: BoundRow, arch: Architecture, use: Use) -> None:
    for (name, declared), reads in zip(arch.spec.inputs.items(), [*bound.input_names, *[""] * len(arch.spec.inputs)], strict=False):
        tensor = arch.inputs[name]
        if report_missing_sizes(arch, [name for e in declared.shape for name in names(e.ast)], declared.span, r.problems):
            raise Unresolved
        expected = tuple(evaluated(e, arch.sizes, r.facts, r.problems) for e in declared.shape)
        sizes = frame.arch.sizes
        if not check_shape(expected, tensor.shape, r.facts):
            written = "[" + ", ".join(e.text for e in declared.shape) + "]"
            r.report_shapes(
                frame,
                bound,
                f"`{use.spec}` expects {name} to be {show_shape(expected, sizes)}, "
                f"but `{reads or name}` is {show_shape(tensor.shape, sizes)}",
                bound.row.where("carry") if name in bound.row.carry else _place(frame, bound, use),
                f"{name} is declared {written} in {arch.spec.source.path}",
                *_with_hint(arch, use, r.facts),
            )
            raise Unresolved
        if tensor.kind != KINDS[declared.dtype]:
            r.problems.add(
                f"`{use.spec}` expects {name} to hold {HOLDS[KINDS[declared.dtype]]}, but `{reads or name}` holds {HOLDS[tensor.kind]}",
                _place(frame, bound, use),
            )
            raise Unresolved


def _run_stack(r: Resolver, frame: Frame, bound: BoundRow, block: tuple[Use, Frame, Spec], inputs: dict[str, Tensor]) -> None:
    """Trace a stack: the results of a layer are the first inputs of the next, as many as there are."""
    use, caller, child = block
    names = list(inputs)[: max(1, len(child.outputs))]

    def body(carried: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        outputs = run_child(r, frame, bound, use, caller, child, {**inputs, **carried})
        _check_layer(r, frame, bound, carried, outputs)
        return {name: replace(x, shape=carried[name].shape) for name, x in zip(carried, outputs.values(), strict=True)}

    first = {name: inputs[name] for name in names}
    if bound.repeat == 0:
        with r.tracer.scratch():  # no layer is there to be counted, but the module has its class
            body(first)
    last = iterated(r, frame, bound, child, first, body)
    bound.results = _results(child, last.values())


def iterated(r: Resolver, frame: Frame, bound: BoundRow, child: Spec, first: Mapping[str, Tensor], body: Body) -> Mapping[str, Tensor]:
    """Run a block as often as its row says, and return what it hands on at last. Raises Unresolved after reporting."""
    key = "scan" if bound.row.scan else "repeat"
    try:
        run = iterate(r.tracer, bound.path, bound.repeat, first, body, shared=key == "scan")
    except UnsettledError:
        r.problems.add(
            f"the costs of `{child.name}` cannot be written as one formula of the number of {'layers' if key == 'repeat' else 'steps'}",
            bound.row.where(key),
            "each run differs from the one before: in the memory order of what it hands on, or in what it keeps for the backward pass",
            f"write a number of runs, such as `{key}: 6`"
            if key == "repeat"
            else "return the states in the memory order in which they come",
        )
        raise Unresolved from None
    count = bound.repeat
    if run.least > 1 or not (count.is_positive or count == 0 or _may_be_empty(r, count)):
        require_condition(frame.arch, Ge(count, max(run.least, 1)), r.facts, bound.row.where(key))
    return run.results


def _may_be_empty(r: Resolver, count: Expr) -> bool:
    """Take note that a stack has no layers at one number of a size, where that can be told; costs are then derived apart for it."""
    sizes = sorted(count.free_symbols, key=str)
    if len(sizes) != 1 or not count.is_polynomial(*sizes) or count.as_poly(*sizes).degree() != 1:
        return False
    (size,) = sizes
    value = -count.xreplace({size: Integer(0)}) / count.coeff(size)
    is_own = value.is_Integer and value.is_positive and r.may_bind(size.name)
    stack = EmptyStack(size.name, int(value), count) if is_own else None
    if stack is None or (stack not in r.empty_stacks and len(r.empty_stacks) == MOST_EMPTY):
        return False
    if stack not in r.empty_stacks:
        r.empty_stacks.append(stack)
    return True


def _check_layer(r: Resolver, frame: Frame, bound: BoundRow, carried: Mapping[str, Tensor], outputs: Mapping[str, Tensor]) -> None:
    """Raise Unresolved after reporting unless a layer's results can be the first inputs of the next layer."""
    assert bound.child is not None
    name, sizes = bound.child.spec.name, frame.arch.sizes
    if len(outputs) > len(carried):
        note = f"the results of a layer are the first inputs of the next; its results: {listed(outputs)}; its inputs: {listed(carried)}"
        message = f"`{name}` cannot be repeated: it has more results than inputs"
        r.problems.add(message, bound.row.where("repeat"), note)
        raise Unresolved
    for (given, x), (result, y) in zip(carried.items(), outputs.items(), strict=True):
        is_only = len(outputs) == 1
        difference = unlike((given, x), ("the result" if is_only else result, y), sizes, r.facts)
        if difference is None:
            continue
        what, note = difference
        which, place = ("its result", "its first input") if is_only else (f"`{result}`", f"`{given}`")
        must = f"must hold what {place} holds" if what == "kind" else f"must have the shape of {place}"
        r.problems.add(f"`{name}` cannot be repeated: {which} {must}", bound.row.where("repeat"), note)
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


def _results(child: Spec, outputs: Iterable[Tensor]) -> dict[str, Tensor]:
    """Return what a block hands out under the names that its results have for the row that uses it."""
    names = [ref.result_name for ref in child.outputs] if len(child.outputs) > 1 else [""]
    return dict(zip(names, outputs, strict=True))


def _with_hint(arch: Architecture, use: Use, facts: Facts) -> tuple[str, ...]:
    """Suggest the `with` under which all inputs have the shapes that the used spec declares, if there is one."""
    changes: dict[str, Expr] = {}
    for name, declared in arch.spec.inputs.items():
        for expression, size in zip(declared.shape, arch.inputs[name].shape, strict=False):
            dim = arch.spec.dims.get(expression.text)
            if dim is not None and dim.kind != "derived" and arch.sizes.get(dim.name) != size:
                changes.setdefault(dim.name, size)
    sizes = _with_sizes(arch, changes)
    for name, declared in arch.spec.inputs.items():
        if not all(set(names(expression.ast)) <= sizes.keys() for expression in declared.shape):
            return ()
        expected = tuple(evaluated(expression, sizes, facts, Problems()) for expression in declared.shape)
        if not check_shape(expected, arch.inputs[name].shape, facts):
            return ()
    assert arch.usage is not None
    given = {name: expression.text for name, expression in use.sizes.items()}
    given |= {name: show_size(size, arch.usage.outer[-1].sizes) for name, size in changes.items()}
    return (f"did you mean with: {{{', '.join(f'{name}: {text}' for name, text in given.items())}}}?",)


def _with_sizes(arch: Architecture, changes: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the sizes of a used spec as they are with others given under `with`."""
    sizes = {**arch.sizes, **changes}
    for name, dim in arch.spec.dims.items():
        if dim.kind == "derived" and dim.value is not None and set(names(dim.value.ast)) <= sizes.keys():
            sizes[name] = evaluate(dim.value.ast, sizes)
    return sizes
