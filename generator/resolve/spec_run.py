"""One run through a spec and all that it uses: what is shared by the rows on the way, and the place of each spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr

from generator.formulas.symbols import Facts
from generator.resolve.architecture import Architecture, FewRuns, ReadRow, Sized
from generator.resolve.hints import origins
from generator.resolve.requirements import Needs
from generator.spec.library import Library
from generator.spec.model import Row, Spec, Use
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.source import Span
from generator.trace.diary import Event
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer

MAX_TRACED = 10_000


@dataclass(frozen=True)
class Frame:
    """A spec being traced: what is known before its rows are, where it stands, and what it may refer to outside.

    Args:
        spans: the chain of specs that led here.
        fills: for each slot the block, and the frame whose sizes it may name.
    """

    sized: Sized
    inputs: Mapping[str, Tensor]
    needs: Needs
    path: str
    spans: tuple[tuple[str, Span | None], ...]
    fills: Mapping[str, tuple[Use, Frame]] = field(default_factory=dict)

    @property
    def spec(self) -> Spec:
        """The spec."""
        return self.sized.spec

    @property
    def sizes(self) -> Mapping[str, Expr]:
        """Its sizes."""
        return self.sized.sizes


@dataclass(frozen=True)
class OwnSizes:
    """The inputs of a row in the sizes of the spec that writes it, and these sizes."""

    inputs: tuple[Tensor, ...]
    sizes: Mapping[str, Expr]


@dataclass
class Run:
    """What is found on the way.

    Args:
        bound: sizes of the outermost spec that are numbers, or other sizes.
        settable: its other sizes, which may be given any number.
        alone: traces a spec in its own sizes, whoever uses it. Raises ProblemsError.
        clashes: the problems about shapes, and the row of each.
        mismatches: shapes that should be the same: expected, and found.
        traced: how many rows were looked at.
        decided: options, each with its spec, that decide the shape of a row: a row that depends on one is there or it is not.
    """

    library: Library
    tracer: Tracer
    bound: Mapping[str, Expr]
    settable: frozenset[str]
    alone: Callable[[Spec, Mapping[str, Any] | None], Architecture]
    problems: Problems = field(default_factory=Problems)
    clashes: dict[Problem, Row] = field(default_factory=dict)
    mismatches: list[tuple[Shape, Shape]] = field(default_factory=list)
    few_runs: list[FewRuns] = field(default_factory=list)
    traced: int = 0
    decided: set[tuple[str, str]] = field(default_factory=set)

    @property
    def facts(self) -> Facts:
        """What is known about the sizes."""
        return self.tracer.facts

    @contextmanager
    def apart(self) -> Iterator[Problems]:
        """Collect the problems found inside apart from the others."""
        outer, self.problems = self.problems, Problems()
        try:
            yield self.problems
        finally:
            self.problems = outer

    def note(self, event: Event) -> None:
        """Put an event into the diary, if one is kept."""
        if self.tracer.diary is not None:
            self.tracer.diary.events.append(event)

    def count_row(self, frame: Frame) -> None:
        """Keep the number of rows within bounds, which specs that use each other twice can exceed with very little text."""
        self.traced += 1
        if self.traced > MAX_TRACED:
            message = f"`{frame.spans[0][0]}` comes to more than {MAX_TRACED:,} rows once all specs that it uses are written out"
            first = frame.spans[min(1, len(frame.spans) - 1)][1]
            raise ProblemsError([*self.problems, Problem(message, first)])

    def report_shapes(self, frame: Frame, read: ReadRow, message: str, span: Span, *notes: str) -> None:
        """Report that shapes do not fit in a row, and remember the row: another row may be at fault."""
        is_about_shapes = any(" is [" in text for text in (message, *notes))
        found = origins(frame.spec, read.input_names) if is_about_shapes else ()
        problem = Problem(message, span, (*notes, *found))
        self.problems.extend([problem])
        self.clashes[problem] = read.row

    def in_own_sizes(self, frame: Frame, read: ReadRow) -> OwnSizes:
        """Return the inputs of a row as its module, which is written for the spec alone, knows them."""
        if not frame.path and not self.bound:
            return OwnSizes(read.inputs, frame.sizes)
        alone = self.alone(self.library.spec(frame.spec.name), None)
        return OwnSizes(alone.row(read.name).inputs, alone.sizes)
