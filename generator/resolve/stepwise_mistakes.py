"""What no step of decoding can do: look at earlier tokens of which nothing is kept, or drop what a cache holds.

A cache says that a spec is for decoding, and all of its rows must keep what they look back at. A recurrence or a causal convolution along
an axis of an input says so of what it reads: its state would be wrong. Where that comes of later tokens too, the spec reads whole
sequences, such as an encoder, and keeps no state. Other rows of such a spec may make a result of all tokens, such as a mean, which no one
asks a step for; where none does, they must keep what they look back at too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Max, Min, Symbol

from generator.ops.base import Along
from generator.ops.cache import Cache
from generator.resolve.architecture import Architecture, BoundRow, OpRow
from generator.resolve.decoding_sizes import GrowingCache, Growth, caches, growth, growths
from generator.resolve.keepers import going_on
from generator.resolve.once import run_once
from generator.resolve.scope import Scope
from generator.resolve.shape_text import show_shape, show_size
from generator.text.problems import Problem
from generator.text.source import Span

KEEPING = {  # what keeps what an op looks back at
    "conv1d": "a convolution with `causal: true`, and no padding, keeps its last inputs",
    "pad": "a convolution with `causal: true` pads by itself and keeps its last inputs; `op: delay` keeps what stood one place earlier",
    "attention": "`op: cache` keeps keys and values",
    "softmax": "`op: cache` keeps keys and values",
    "cumsum": "a recurrence, `scan: n`, keeps a sum",
}


def decoding_problems(arch: Architecture) -> list[Problem]:
    """Return what keeps a spec from being decoded step by step, where it has a cache or a recurrence."""
    cached = _cached(arch)
    found = _TokenWalk(arch, cached or _stepped(arch)).mistakes()
    if not cached:
        mixing = [one for one in found if one.along is Along.MIXES]
        found = [] if any(one.leads for one in mixing) else [one for one in found if one.leads or not mixing]
    return [*_constant(arch), *_dropped(arch), *_wider(arch), *(one.problem for one in found)]


def mixed_in_front(arch: Architecture) -> str:
    """Return the path of the first row that mixes tokens of a whole sequence in front of one that could keep a state; empty for none."""
    found = [] if _cached(arch) else _TokenWalk(arch, _stepped(arch)).mistakes()
    return next((one.path for one in found if one.leads and one.along is Along.MIXES), "")


@dataclass(frozen=True)
class _Kept:
    """The tokens of a step, and the row that keeps something of them; how many there are in all, where it is a cache."""

    new: Symbol
    keeper: BoundRow
    growth: Growth | None = None


def _cached(arch: Architecture) -> list[_Kept]:
    keepers = {growth(one.new, one.total): one.row for one in reversed([*caches(arch)])}
    return [_Kept(pair.new, keepers[pair], pair) for pair in growths(arch)]


def _stepped(arch: Architecture) -> list[_Kept]:
    """Return the recurrences and causal convolutions along an axis of an input, the first along each."""
    sizes = {size for x in arch.inputs.values() for axis in x.shape for size in axis.free_symbols}
    found: dict[Symbol, _Kept] = {}
    for one in going_on(arch):
        for size in sorted(one.length.free_symbols & sizes, key=str):
            found.setdefault(size, _Kept(size, one.row))
    return list(found.values())


def _leading(arch: Architecture, leads: bool) -> set[str]:
    """Return the rows on whose results a recurrence or a causal convolution depends.

    Args:
        leads: whether it depends on the outputs of the spec.
    """
    found = {name.partition(".")[0] for name in arch.outputs} if leads else set()
    keeping = [one.row.path for one in going_on(arch)]
    for row in reversed(arch.rows):
        if row.active and (row.name in found or any(f"{path}.".startswith(f"{row.path}.") for path in keeping)):
            found |= {name.partition(".")[0] for name in row.input_names}
    return found


def mixing_row(arch: Architecture, new: Sequence[Symbol]) -> str:
    """Return the path of the first row that mixes the tokens of a step and keeps none of them; empty where there is none."""
    for _, bound, sizes in _ops(arch):
        scope = Scope.of(arch.tracer, bound, sizes)
        for operand, x in enumerate(bound.inputs):
            held = [axis for axis, size in enumerate(x.shape) if size.free_symbols & {*new}]
            if any(bound.op.along(scope, bound.inputs, operand, axis) in (Along.MIXES, Along.BACK) for axis in held):
                return bound.path
    return ""


def _constant(arch: Architecture) -> Iterator[Problem]:
    """Yield a problem for each cache whose axis stays as it is, and for each that is kept once though its axis grows."""
    new = {pair.new: pair for pair in growths(arch)}
    for top, bound, sizes in _ops(arch):
        if not isinstance(bound.op, Cache):
            continue
        (x,) = bound.inputs
        if bound.op.to is not None:
            axis = Scope.of(arch.tracer, bound, sizes).axis(x, bound.op.axis)
            if top is bound and arch.tracer.facts.equal(x.shape[axis], bound.op.to):
                size = show_size(bound.op.to, sizes)
                message = f"`{bound.name}` does not grow: `to` is {size}, as many as come in"
                note = "what the first step makes for all later ones is kept by `once: true`, without `to`"
                yield Problem(message, _place(top, bound, "to"), (note,))
            continue
        for axis, size in enumerate(x.shape):
            pair = next((pair for symbol, pair in new.items() if size.has(symbol)), None)
            if pair is not None:
                message = f"`{bound.name}` is kept once, but axis {axis} has the {pair.new} tokens that each step brings"
                notes = (
                    f"{bound.input_names[0]} is {show_shape(x.shape, sizes)}",
                    f"did you mean axis: {axis}, to: {pair.other}, without `once`?",
                )
                yield Problem(message, _place(top, bound, "once"), (*notes, *_inside(top, bound)))
                break


def _dropped(arch: Architecture) -> Iterator[Problem]:
    """Yield a problem for each cache that does not say how many tokens there are in a step and in all."""
    tops = {id(bound): row for row, bound, _ in _ops(arch)}
    for one in caches(arch):
        if growth(one.new, one.total) is not None:
            continue
        bound, top = one.row, tops[id(one.row)]
        kept, first = (show_size(size, one.sizes) for size in (one.total, one.new))
        if one.total.has(Min, Max):
            message = f"`{bound.name}` grows to {kept} tokens, where `to` says how many there are so far, those that are dropped included"
            note = _kept_form(one)
        elif not one.new.free_symbols:
            message = f"`{bound.name}` grows from {first} to {kept}, but no size of the spec says how many tokens a step brings"
            note = "did you mean an axis of n new tokens, and to: m?"
        else:
            message = f"`{bound.name}` grows from {first} to {kept}, which is not the same size with more tokens"
            note = "did you mean to: m, a size of its own (`m: {is: tokens so far, default: n}`), or to: n + p?"
        yield Problem(message, _place(top, bound, "to"), (note, *_inside(top, bound)))


def _kept_form(one: GrowingCache) -> str:
    """Return a note that says how a cache of the last tokens is written."""
    parts = [*one.total.args] if isinstance(one.total, Min) else []
    defaults = [one.sizes[name] for name, dim in one.arch.spec.dims.items() if dim.kind == "default" and name in one.sizes]
    whole = [part for part in parts if growth(one.new, part) is not None]
    whole = [part for part in whole if part in defaults] or whole  # `m: {is: tokens so far, default: n}`
    if not whole:
        return "the last w tokens are kept by `to: m, keep: w`"
    window = Min(*(part for part in parts if part != whole[0]))
    return f"did you mean to: {show_size(whole[0], one.sizes)}, keep: {show_size(window, one.sizes)}?"


def _wider(arch: Architecture) -> Iterator[Problem]:
    """Yield a problem for each cache of tensors that grow along another axis too: what was kept does not fit behind a step."""
    tops = {id(bound): row for row, bound, _ in _ops(arch)}
    growing = {size for pair in growths(arch) for size in (pair.new, pair.other)}
    for one in caches(arch):
        (x,) = one.row.inputs
        others = [i for i, size in enumerate(x.shape) if i != one.axis and size.free_symbols & growing]
        if others:
            top = tops[id(one.row)]
            keeper = one.row.name
            message = (
                f"axis {others[0]} of what `{keeper}` keeps grows from step to step too, so that earlier steps do not fit to later ones"
            )
            found = f"{one.row.input_names[0]} is {show_shape(x.shape, one.sizes)}"
            yield Problem(message, _place(top, one.row, "in"), (found, *_inside(top, one.row)))


def _ops(arch: Architecture, top: BoundRow | None = None) -> Iterator[tuple[BoundRow, OpRow, Mapping[str, Expr]]]:
    """Yield each row with an op, those of nested blocks included: the row of the outermost spec that holds it, itself, and its sizes."""
    once = run_once(arch.spec)
    for row in arch.rows:
        if not row.active or row.name in once:
            continue
        if row.child is not None:
            yield from _ops(row.child, top or row)
        elif isinstance(row, OpRow):
            yield top or row, row, arch.sizes


def _place(top: BoundRow, bound: BoundRow, key: str) -> Span:
    """Return where a problem is shown: in the file of the outermost spec, whose parts may each be right alone."""
    return bound.row.where(key) if top is bound else top.row.span


def _inside(top: BoundRow, bound: BoundRow) -> tuple[str, ...]:
    span = bound.row.span
    return () if top is bound else (f"it is the row `{bound.path}` ({span.source.path}:{span.line})",)


@dataclass(frozen=True)
class _StepMistake:
    """A row that no step of decoding can run, unless no step of decoding is ever asked for; `leads`: what keeps a state depends on it."""

    path: str
    along: Along
    leads: bool
    problem: Problem


@dataclass
class _TokenWalk:
    """Goes through the rows in order. What reads a row with a problem is not reported once more."""

    arch: Architecture
    kept: Sequence[_Kept]

    def mistakes(self) -> list[_StepMistake]:
        """Return those of all rows."""
        found: list[_StepMistake] = []
        if self.kept:
            has_cache = any(one.growth is not None for one in self.kept)
            self._rows(self.arch, set(), None, found, leads=has_cache, has_cache=has_cache)
        return found

    def _rows(
        self, arch: Architecture, doubtful: set[str], top: BoundRow | None, found: list[_StepMistake], *, leads: bool, has_cache: bool
    ) -> bool:
        """Check the rows of one spec, and say whether any of them is doubtful.

        Args:
            doubtful: its inputs that come from a row with a problem.
            top: the row of the outermost spec that holds it.
            leads: whether a recurrence depends on its outputs.
            has_cache: whether a state depends on all rows.
        """
        seen = set(doubtful)
        leading = _leading(arch, leads)
        once = run_once(arch.spec)
        for row in (row for row in arch.rows if row.name not in once):
            reads = [name.partition(".")[0] in seen for name in row.input_names]
            is_doubtful = any(reads)
            if row.active and row.child is not None:
                inside = {name for name, is_read in zip(row.child.spec.inputs, reads, strict=False) if is_read}
                is_doubtful |= self._rows(row.child, inside, top or row, found, leads=row.name in leading, has_cache=has_cache)
            elif row.active and isinstance(row, OpRow) and not is_doubtful:
                mistake = self._mistake(arch, row, top or row, leads=has_cache or row.name in leading)
                found += [mistake] if mistake else []
                is_doubtful = mistake is not None
            if is_doubtful:
                seen.add(row.name)
        return seen != doubtful

    def _mistake(self, arch: Architecture, bound: OpRow, top: BoundRow, *, leads: bool) -> _StepMistake | None:
        scope = Scope.of(arch.tracer, bound, arch.sizes)
        for operand, x in enumerate(bound.inputs):
            for axis, size in enumerate(x.shape):
                kept = self._kept(size)
                along = bound.op.along(scope, bound.inputs, operand, axis) if kept else Along.EACH
                if kept is not None and along is not Along.EACH:
                    return _StepMistake(bound.path, along, leads, self._reported(arch, bound, top, along, kept, (operand, axis)))
        return None

    def _kept(self, size: Expr) -> _Kept | None:
        """Return what makes an axis hold the tokens of a step alone; None where it holds none, or all so far."""
        if any(one.growth is not None and size.has(one.growth.other) for one in self.kept):
            return None
        return next((one for one in self.kept if size.has(one.new)), None)

    def _reported(self, arch: Architecture, bound: OpRow, top: BoundRow, along: Along, kept: _Kept, place: tuple[int, int]) -> Problem:
        operand, axis = place
        x, name = bound.inputs[operand], bound.input_names[operand]
        new = self._named(arch, kept.new)
        if along is Along.COUNTS:
            message = f"`{bound.name}` numbers the tokens of every decoding step from 0, though earlier steps have gone before"
            note = self._counted_from(arch, bound, kept)
        else:
            message = f"`{bound.name}` looks at earlier tokens, and keeps nothing of them between decoding steps"
            note = f"{name} is {show_shape(x.shape, arch.sizes)}: axis {axis} has the {new} tokens of a step alone"
        span = kept.keeper.row.span
        keeps = f"`{kept.keeper.path}` ({span.source.path}:{span.line}) keeps a state, so that each step brings {new} new tokens"
        fix = [KEEPING[bound.op.name]] if along is not Along.COUNTS and bound.op.name in KEEPING else []
        return Problem(message, _place(top, bound, "op"), (note, *fix, keeps, *_inside(top, bound)))

    def _counted_from(self, arch: Architecture, bound: OpRow, kept: _Kept) -> str:
        """Return a note that says from where on a row should count."""
        new = self._named(arch, kept.new)
        if kept.growth is None:
            return f"did you mean a size of all tokens so far, m: {{is: tokens so far, default: {new}}}, and offset: m - {new}?"
        other = self._named(arch, kept.growth.other)
        before = other if kept.growth.is_past else f"{other} - {new}"
        has_offset = "offset" in bound.op.parameters()
        return f"did you mean offset: {before}?" if has_offset else f"there are {before} tokens before those of a step"

    def _named(self, arch: Architecture, size: Symbol) -> str:
        return show_size(size, arch.sizes)
