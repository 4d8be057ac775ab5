"""Rows with `when`: on or off by an option, also where the two results have one shape for some sizes only.

Where the option is decided at the place of use, the row is there or it is not, and nothing else is asked. A spec by itself, and its
module, must fit on and off: where the shapes do not, what makes them fit becomes a condition on the sizes under that value of the option.
Where nothing does, as of a class token that adds a position, the option decides the shapes: its rows are there or not, as it is in force,
and what is below must fit then; its other value is looked at apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from sympy import Eq, Expr, Integer, Mul, Symbol, fraction

from generator.formulas.algebra import factor, together
from generator.formulas.symbols import Facts
from generator.formulas.text import to_text
from generator.resolve.architecture import BoundRow, ReadRow, Requirement, SkippedRow
from generator.resolve.binding import check_shape
from generator.resolve.blocks import unlike
from generator.resolve.declared_sizes import Unresolved
from generator.resolve.requirements import Needs
from generator.resolve.spec_run import Frame, Run
from generator.text.problems import Problem
from generator.text.suggest import listed
from generator.trace.tensor import Shape, Tensor, contiguous_strides

Start = Callable[[Frame, ReadRow], BoundRow]
Equal = dict[Symbol, Expr]
MOST_ROUNDS = 4  # in which equal sizes are found, one mistake after the other


def run_skippable(run: Run, frame: Frame, read: ReadRow, instead: Tensor, start: Start) -> BoundRow:
    """Run a row that an option switches on or off.

    Args:
        instead: what stands in the place of its result where it is off.
        start: runs the row in a frame. Raises Unresolved after reporting.

    Raises:
        Unresolved: after reporting.
    """
    option = read.row.when
    is_open = not frame.path or option in frame.sized.option_sources  # somebody can still switch it
    if not is_open or (frame.spec.name, option) in run.decided:
        return _decided(frame, read, instead, start)
    if not run.bound:
        return _open(run, frame, read, instead, start)
    with suppress(Unresolved), run.apart():
        return _open(run, frame, read, instead, start)
    return _decided(frame, read, instead, start)  # numbers that would not do if the option were another


def _decided(frame: Frame, read: ReadRow, instead: Tensor, start: Start) -> BoundRow:
    return start(frame, read) if read.active else SkippedRow(**vars(read), results={"": instead})


def _open(run: Run, frame: Frame, read: ReadRow, instead: Tensor, start: Start) -> BoundRow:
    """Run a row that may be on or off. Raises Unresolved after reporting."""
    option = read.row.when
    bound, equal = _run(run, frame, read, start)
    found = _one_result(run, bound)
    if _never_fit(run, bound, found, instead, equal):
        run.decided.add((frame.spec.name, option))
        return bound if read.active else _decided(frame, read, instead, start)
    shape, off = _shared_shape(run, frame, bound, found, instead, equal)
    for sizes, when, applies in ((equal, option, read.active), (off, f"not {option}", not read.active)):
        frame.needs.found += _conditions(frame, read, sizes, when, applies=applies)
    return replace(bound, results={"": _in_shape(found if read.active else instead, shape)})


def _run(run: Run, frame: Frame, read: ReadRow, start: Start) -> tuple[BoundRow, Equal]:
    """Run the row, and return with it the sizes that must be equal for that. Raises Unresolved after reporting why it cannot run."""
    equal: Equal = {}
    first: list[Problem] = []
    for _ in range(MOST_ROUNDS):
        outer, run.mismatches = run.mismatches, []
        inside, own = _with_equal(frame, run.facts, equal), replace(read, inputs=tuple(_replaced(x, equal) for x in read.inputs))
        try:
            with run.apart() as found, _where(run, inside, is_real=read.active):
                bound = start(inside, own)
                _check_declared(run, bound, equal)
        except Unresolved:
            more = _equalities(run, [*run.mismatches, *_pairs(own.inputs)]) if not first or equal else {}
            first = first or [*found]
            if not more:
                break
            equal = {size: value.xreplace(more) for size, value in equal.items()} | more
            continue
        finally:
            run.mismatches = outer
        if equal:
            needs = inside.needs.found
            frame.needs.found += [replace(one, when=(*one.when, read.row.when), applies=one.applies and read.active) for one in needs]
        return bound, equal
    _report(run, frame, read, first)
    raise Unresolved


def _check_declared(run: Run, bound: BoundRow, equal: Equal) -> None:
    """Raise Unresolved unless the result has the shape that the row declares."""
    declared = None if bound.declared is None else _shape(bound.declared, equal)
    if declared is not None and not check_shape(declared, bound.result.shape, run.facts):
        run.mismatches.append((declared, bound.result.shape))
        raise Unresolved


def _report(run: Run, frame: Frame, read: ReadRow, problems: Sequence[Problem]) -> None:
    option = read.row.when
    note = f"`{option}` is false here, but a user of `{frame.spec.name}` may set it: a row with `when` must fit on and off"
    for problem in problems:
        said = problem
        if not read.active:
            said = replace(problem, message=f"with `{option}` on, {problem.message}", notes=(*problem.notes, note))
        run.problems.extend([said])
        if said is not problem and problem in run.clashes:
            run.clashes[said] = run.clashes.pop(problem)


@contextmanager
def _where(run: Run, inside: Frame, *, is_real: bool) -> Iterator[None]:
    """Run what is inside for real, or only to see it, under what is known in its frame; a failure has not happened."""
    facts, run.tracer.facts = run.tracer.facts, inside.needs.facts
    try:
        with run.tracer.attempt() if is_real else run.tracer.scratch():
            yield
    finally:
        run.tracer.facts = facts


def _with_equal(frame: Frame, facts: Facts, equal: Equal) -> Frame:
    """Return a frame in which some sizes stand for others."""
    if not equal:
        return frame
    sizes = {name: size.xreplace(equal) for name, size in frame.sizes.items()}
    needs = Needs(frame.needs.spec, Facts(condition.xreplace(equal) for condition in facts.conditions))
    return replace(frame, sized=replace(frame.sized, sizes=sizes), needs=needs)


def _pairs(inputs: Sequence[Tensor]) -> Iterator[tuple[Shape, Shape]]:
    for x in inputs[1:]:
        yield inputs[0].shape, x.shape


def _equalities(run: Run, pairs: Sequence[tuple[Shape, Shape]]) -> Equal:
    """Return the sizes that must be others for two shapes to be the same: of the first pair for which that can be."""
    for one, other in pairs:
        found = _equal(run.facts, one, other)
        if found:
            return found
    return {}


def _equal(facts: Facts, one: Shape, other: Shape) -> Equal:
    """Return the sizes that must be others for two shapes to be the same; none where that cannot be told."""
    if len(one) != len(other):
        return {}
    found: Equal = {}
    for first, second in zip(one, other, strict=True):
        a, b = first.xreplace(found), second.xreplace(found)
        if facts.equal(a, b):
            continue
        more = next(({x: y} for x, y in ((a, b), (b, a)) if isinstance(x, Symbol) and not y.has(x)), None) or _solved(a - b)
        if not more:
            return {}
        found = {size: value.xreplace(more) for size, value in found.items()} | more
    return found


def _solved(difference: Expr) -> Equal:
    """Return the size that must be another for a difference to be zero: s = 1 for H - H/s."""
    factors = [part for part in Mul.make_args(factor(fraction(together(difference))[0])) if not part.is_positive]
    if len(factors) != 1:
        return {}
    (left,) = factors
    for size in sorted(left.free_symbols, key=str):
        slope = left.diff(size)
        value = -left.xreplace({size: Integer(0)}) / slope if not slope.has(size) and slope != 0 else Integer(0)
        if value.is_positive and value.is_integer:
            return {size: value}
    return {}


def _one_result(run: Run, bound: BoundRow) -> Tensor:
    if len(bound.results) > 1:
        must, note = "have a single result, which another row can replace", f"its results: {listed(bound.results)}"
        run.problems.add(f"`{bound.name}` has `when`, so it must {must}", bound.row.where("when"), note)
        raise Unresolved
    return bound.result


def _never_fit(run: Run, bound: BoundRow, found: Tensor, instead: Tensor, equal: Equal) -> bool:
    """Say whether no sizes make the shape of a row that of what stands in its place, though both hold the same kind of elements."""
    if instead.kind != found.kind or equal:
        return False
    shape = found.shape if bound.declared is None else bound.declared
    return not check_shape(instead.shape, shape, run.facts) and not _equal(run.facts, instead.shape, shape)


def _shared_shape(run: Run, frame: Frame, bound: BoundRow, found: Tensor, instead: Tensor, equal: Equal) -> tuple[Shape, Equal]:
    """Return the shape that the result has on and off, and the sizes that must be equal for that where the row is off."""
    declared = bound.declared
    if instead.kind == found.kind:
        if declared is None and check_shape(_shape(instead.shape, equal), _shape(found.shape, equal), run.facts):
            return instead.shape, {}
        shape = found.shape if declared is None else declared
        if check_shape(instead.shape, shape, run.facts):
            return shape, {}
        off = _equal(run.facts, instead.shape, shape)
        if off:
            return shape, off
    difference = unlike((bound.instead, instead), (bound.name, found), frame.sizes, run.facts)
    what, note = difference or ("shape", "")
    whose = f"`{bound.instead}`" if bound.row.otherwise is not None else "its first input"
    must = f"hold what {whose} holds" if what == "kind" else f"keep the shape of {whose}"
    run.problems.add(f"`{bound.name}` has `when`, so it must {must}", bound.row.where("when"), note)
    raise Unresolved


def _conditions(frame: Frame, read: ReadRow, equal: Mapping[Symbol, Expr], when: str, *, applies: bool) -> Iterator[Requirement]:
    for size, value in equal.items():
        condition = Eq(size, value)
        text = to_text(condition, tuple(frame.spec.dims))
        yield Requirement(text, condition, read.row.where("when"), frame.spec.name, when=(when,), applies=applies)


def _shape(shape: Shape, equal: Equal) -> Shape:
    return tuple(axis.xreplace(equal) for axis in shape)


def _replaced(x: Tensor, equal: Equal) -> Tensor:
    return replace(x, shape=_shape(x.shape, equal), strides=_shape(x.strides, equal)) if equal else x


def _in_shape(x: Tensor, shape: Shape) -> Tensor:
    """Return a tensor in a shape that is its own for the sizes that there may be."""
    if x.shape == shape:
        return x
    return replace(x, shape=shape, strides=contiguous_strides(shape) if x.is_contiguous else x.strides)
