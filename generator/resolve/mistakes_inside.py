"""Mistakes met inside a used spec, told to the person who can mend them.

What is wrong with the used spec by itself stands in its own file and is its own mistake, whoever uses it. A spec that has no mistakes by
itself is used wrongly: that is said at the row that uses it, and the place inside is a note.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from generator.resolve.architecture import Sized
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Row, Use
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Span


def report_inside(run: Run, frame: Frame, row: Row, use: Use, used: Sized | None, found: Iterable[Problem]) -> None:
    """Report what was found while a used spec was traced.

    Args:
        used: the spec as far as it was bound; None where its sizes were not.
    """
    chain = {source for name, _ in frame.spans for source in run.library.draft(name).sources}
    here: list[Problem] = []
    inner: list[tuple[Problem, Span]] = []
    for problem in found:
        if problem.span is None or problem.span.source in chain:
            here.append(problem)
        else:
            inner.append((problem, problem.span))
    run.problems.extend(here)
    is_circular = not {name for name, _ in frame.spans}.isdisjoint(run.library.closure(use.spec))
    own = _mistakes_alone(run, used) if inner and used is not None and not is_circular else None
    if own is None or own:
        report_own(run, frame, row, own or [problem for problem, _ in inner])
    else:
        run.problems.extend(_as_used(problem, span, row, use) for problem, span in inner)


def report_own(run: Run, frame: Frame, row: Row, found: Iterable[Problem]) -> None:
    """Report a used spec's own mistakes, with the row that uses it where that stands in another file."""
    chain = {source for name, _ in frame.spans for source in run.library.draft(name).sources}
    place = f"used by `{row.name}` ({row.span.source.path}:{row.span.line})"
    for problem in found:
        is_elsewhere = problem.span is not None and problem.span.source not in chain
        run.problems.extend([replace(problem, notes=(*problem.notes, place)) if is_elsewhere else problem])


def _as_used(problem: Problem, span: Span, row: Row, use: Use) -> Problem:
    """Return a mistake that a spec has only where it is used as it is, at the place that uses it."""
    line = span.source.line(span.line).strip()
    place = f"inside it, at {span.source.path}:{span.line}: {line}"
    return Problem(f"`{use.spec}` cannot work with what `{row.name}` gives it: {problem.message}", use.span, (*problem.notes, place))


def _mistakes_alone(run: Run, child: Sized) -> tuple[Problem, ...] | None:
    """Return the mistakes that a used spec has in its own sizes, with the options in force; None while that is being found out."""
    key = (child.spec.name, tuple(child.options.items()))
    known = run.library.mistakes
    if key not in known:
        known[key] = None
        try:
            run.alone(child.spec, child.options)
            known[key] = ()
        except ProblemsError as error:
            known[key] = error.problems
    return known[key]
