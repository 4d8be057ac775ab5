"""Resolves a spec in phases, each with a result that is complete.

Its options and free sizes are bound, and with defaults and derived ones all sizes are known (`Sized`); its rows are read (`ReadRow`) and
run on symbolic tensors (`BoundRow`), those of the specs that it uses on the way; and what they come to is an `Architecture`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
from generator.resolve.architecture import Architecture, Requirement, Sized
from generator.resolve.binding import known_sizes
from generator.resolve.blocks import KINDS
from generator.resolve.contradictions import contradiction, unmet
from generator.resolve.declared_sizes import Unresolved, written_shape, written_size
from generator.resolve.hints import with_fixes
from generator.resolve.requirements import Needs
from generator.resolve.row_tracing import trace_rows
from generator.resolve.spec_run import Frame, Run
from generator.resolve.states import with_states
from generator.resolve.stepwise_mistakes import decoding_problems
from generator.spec.library import Library
from generator.spec.model import Input, Spec
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import listed
from generator.trace.diary import Diary
from generator.trace.flow import Flow, UnsettledFlowError
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import Tracer

_traced: WeakKeyDictionary[Library, dict[Any, Architecture]] = WeakKeyDictionary()  # what is asked for more than once


@dataclass(frozen=True)
class Resolver:
    """Traces specs of one library.

    Args:
        library: where used specs are found.
        input_gradients: overrides whether the outermost float inputs need a gradient.
        half: whether the model's numbers have two bytes.
        bound: sizes of the outermost spec that are numbers, or other sizes.
        diary: where all events are noted.
        rest: the axes that `...` stands for in the outermost spec; one by default.
        is_later: whether to trace a step of decoding behind others: what is kept once has been made.
    """

    library: Library
    input_gradients: bool | None = None
    half: bool = False
    bound: Mapping[str, Expr] = field(default_factory=dict)
    diary: Diary | None = None
    rest: Shape | None = None
    is_later: bool = False

    def architecture(self, spec: Spec, options: Mapping[str, Any] | None = None) -> Architecture:
        """Trace a spec in its own sizes. The same is traced once for one library.

        Raises:
            ProblemsError: with all independent problems.
        """
        chosen = {name: option.default for name, option in spec.options.items()} | dict(options or {})
        if self.diary is not None or spec is not self.library.parsed(spec.name):
            return self._settled(spec, chosen)
        known = _traced.setdefault(self.library, {})
        gradients = tuple(self._needs_grad(declared) for declared in spec.inputs.values())
        key = (spec.name, repr(sorted(chosen.items())), gradients, self.half, tuple(self.bound.items()), self.is_later, self.rest)
        if key not in known:
            known[key] = self._settled(spec, chosen)
        return known[key]

    def _settled(self, spec: Spec, options: Mapping[str, Any]) -> Architecture:
        """Trace a spec, and once more where it turns out that the backward pass leaves out some of it."""
        arch, idle = self._traced(spec, options, Flow), None
        while idle is None:
            flow = arch.tracer.flow
            try:
                idle = flow.find_idle(arch.outputs.values())
            except UnsettledFlowError as error:
                if not isinstance(error.count, Integer):
                    raise ProblemsError([_unsettled(arch, error.row)]) from None
                arch = self._traced(spec, options, partial(Flow, one_by_one=flow.one_by_one | {error.row}))
        if self.diary is not None:  # it has no sums, which only tracing again would mend
            self.diary.mark_idle(idle.kernels)
        elif idle.changes_counts:
            arch = self._traced(spec, options, partial(Flow, idle, flow.one_by_one))
        problems = [*_contradictions(arch)]
        if not problems and not self.bound:  # what holds of the spec's own sizes is not asked of numbers, such as one new token
            problems = decoding_problems(arch)
        if problems:
            raise ProblemsError(problems)
        plain = Resolver(self.library)
        return with_states(arch, plain.architecture, like=(lambda: plain.architecture(spec, options)) if self.bound else None)

    def _traced(self, spec: Spec, options: Mapping[str, Any], flow: Callable[[], Flow]) -> Architecture:
        """Trace a spec in its own sizes, and again where it turns out that options decide shapes. Raises ProblemsError."""
        decided: set[tuple[str, str]] = set()
        while True:
            before = len(decided)
            try:
                arch = self._traced_once(spec, options, flow(), decided)
            except ProblemsError:
                if len(decided) == before:
                    raise
                continue
            if len(decided) == before:
                return replace(arch, deciding=tuple(name for name in spec.options if (spec.name, name) in decided))

    def _traced_once(self, spec: Spec, options: Mapping[str, Any], flow: Flow, decided: set[tuple[str, str]]) -> Architecture:
        """Trace a spec in its own sizes once. Raises ProblemsError.

        Args:
            decided: the options that are known to decide shapes, each with its spec; what is found is added.
        """
        tracer = Tracer(Facts(), half=self.half, flow=flow, is_training=self.library.is_training)
        tracer.diary, tracer.is_later = self.diary, self.is_later
        if self.diary is not None:
            self.diary.clear()
        free = {name: self.bound.get(name, symbol(name)) for name, dim in spec.dims.items() if dim.kind != "derived"}
        run = Run(self.library, tracer, self.bound, frozenset(free) - frozenset(self.bound), Resolver(self.library).architecture)
        run.decided = decided
        needs = Needs(spec.name, run.facts)
        if self.rest is not None:
            free[spec.rest] = product(self.rest)
        sized = Sized(spec=spec, sizes=known_sizes(spec, free, needs, run.problems), options=options, rest=self.rest)
        run.problems.raise_if_any()
        inputs = self._inputs(run, sized, needs)
        arch = None
        with suppress(Unresolved):
            arch = trace_rows(run, Frame(sized, inputs, needs, "", ((spec.name, None),)))
        if arch is None or len(run.problems) or spec.is_broken:
            raise ProblemsError(self._with_fixes(run, spec, options))
        tracer.settle_hidden(arch.outputs.values())
        return replace(arch, few_runs=tuple(run.few_runs))

    def _with_fixes(self, run: Run, spec: Spec, options: Mapping[str, Any]) -> list[Problem]:
        if isinstance(self, _Trial):
            return [*run.problems]
        trial = _Trial(self.library, self.input_gradients)
        return with_fixes([*run.problems], run.clashes, spec, lambda changed: trial.architecture(changed, options))

    def _inputs(self, run: Run, sized: Sized, needs: Needs) -> dict[str, Tensor]:
        """Return the tensors that come in; those with a problem are left out."""
        found: dict[str, Tensor] = {}
        for name, declared in sized.spec.inputs.items():
            if declared.broken:
                continue
            with suppress(Unresolved):
                axes = written_shape(sized, needs, declared.shape, run.problems)
                if declared.below is not None:
                    written_size(sized, needs, declared.below, run.problems)
                found[name] = run.tracer.new(axes, kind=KINDS[declared.dtype], needs_grad=self._needs_grad(declared))
        return found

    def _needs_grad(self, declared: Input) -> bool:
        return declared.dtype == "float" and (declared.grad if self.input_gradients is None else self.input_gradients)


class _Trial(Resolver):
    """Traces a spec with a change, for which no further changes are tried."""


def _contradictions(arch: Architecture) -> Iterator[Problem]:
    """Yield a problem where no sizes can meet what is required of them."""
    found = contradiction([requirement.condition for requirement in arch.requirements if requirement.applies])
    if found:
        texts = [to_text(condition, tuple(arch.spec.dims)) for condition in found]
        last = [requirement for requirement in arch.requirements if requirement.condition.has(*found)][-1]
        yield Problem(f"{unmet(found)} {listed(texts)}", last.span, tuple(_reasons(arch, found, last)))


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
    key = bound.row.counted_by
    what = bound.child.spec.name if bound.child is not None else bound.name
    return Problem(
        f"the costs of `{what}` cannot be written as one formula of the number of its runs",
        bound.row.where(key),
        (
            "each run differs from the one before in which of its results get a gradient",
            f"write a number of runs, such as `{key}: 6`",
        ),
    )
