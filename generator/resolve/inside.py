"""Mistakes met inside a used spec, told to the person who can mend them.

What is wrong with the used spec by itself stands in its own file and is its own mistake, whoever uses it. A spec that has no mistakes by
itself is used wrongly: that is said at the row that uses it, and the place inside is a note.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from generator.resolve.architecture import Architecture, BoundRow
from generator.resolve.frame import Frame
from generator.spec.model import Row, Use
from generator.text.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from generator.resolve.resolver import Resolver


def report_inside(r: Resolver, frame: Frame, bound: BoundRow, use: Use, found: Iterable[Problem]) -> None:
    """Report what was found while a used spec was traced."""
    chain = {r.library.draft(name).source for name, _ in frame.spans}
    here = [problem for problem in found if problem.span is None or problem.span.source in chain]
    r.problems.extend(here)
    inner = [problem for problem in found if problem not in here]
    is_circular = not {name for name, _ in frame.spans}.isdisjoint(r.library.closure(use.spec))
    own = _mistakes_alone(r, bound.child) if inner and bound.child is not None and not is_circular else None
    if own is None or own:
        report_own(r, frame, bound.row, own or inner)
    else:
        r.problems.extend(_as_used(problem, bound, use) for problem in inner)


def report_own(r: Resolver, frame: Frame, row: Row, found: Iterable[Problem]) -> None:
    """Report a used spec's own mistakes, with the row that uses it where that stands in another file."""
    chain = {r.library.draft(name).source for name, _ in frame.spans}
    place = f"used by `{row.name}` ({row.span.source.path}:{row.span.line})"
    for problem in found:
        is_elsewhere = problem.span is not None and problem.span.source not in chain
        r.problems.extend([replace(problem, notes=(*problem.notes, place)) if is_elsewhere else problem])


def _as_used(problem: Problem, bound: BoundRow, use: Use) -> Problem:
    """Return a mistake that a spec has only where it is used as it is, at the place that uses it."""
    assert problem.span is not None
    line = problem.span.source.line(problem.span.line).strip()
    place = f"inside it, at {problem.span.source.path}:{problem.span.line}: {line}"
    return Problem(f"`{use.spec}` cannot work with what `{bound.name}` gives it: {problem.message}", use.span, (*problem.notes, place))


def _mistakes_alone(r: Resolver, child: Architecture) -> tuple[Problem, ...] | None:
    """Return the mistakes that a used spec has in its own sizes, with the options in force; None while that is being found out."""
    key = (child.spec.name, tuple(child.options.items()))
    known = r.library.mistakes
    if key not in known:
        known[key] = None
        try:
            type(r)(r.library).architecture(child.spec, child.options)
            known[key] = ()
        except ProblemsError as error:
            known[key] = error.problems
    return known[key]
