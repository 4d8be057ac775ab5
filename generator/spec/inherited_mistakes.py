"""One mistake of a spec that others lean on, found in each of them: it is said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from generator.spec.library import Library, shown
from generator.text.problems import Problem, ProblemsError
from generator.text.suggest import listed


def said_once(library: Library, found: Mapping[str, Sequence[Problem]]) -> list[Problem]:
    """Return the problems of several specs; of those that differ only in the name of the spec in which they were met, one.

    That is the one of the spec whose file it stands in, if it is met there too: a variant (`like`) has its rows, and their mistakes. A
    note says which specs have it, where there are several.

    Args:
        found: by the name of the spec, or of what else has problems.
    """
    every = [(name, problem) for name, problems in found.items() for problem in problems]
    every.sort(key=lambda one: _is_elsewhere(library, *one))  # those of the file itself first: theirs are the words
    said: dict[object, Problem] = {}  # by what they are without the name of the spec
    met: dict[object, dict[str, None]] = {}
    for name, problem in every:
        first = said.setdefault(_without_name(name, problem), problem)
        met.setdefault(_what(first), {})[name] = None
    problems = ProblemsError(said.values()).problems
    return [_with_specs(problem, sorted(name for name in met[_what(problem)] if name in library.files)) for problem in problems]


def _is_elsewhere(library: Library, name: str, problem: Problem) -> bool:
    """Say whether a problem of a spec stands in the file of another."""
    return problem.span is not None and name in library.files and problem.span.source.path != shown(library.path(name))


def _without_name(name: str, problem: Problem) -> Problem:
    return replace(problem, message=problem.message.replace(f"`{name}`", "``"))


def _what(problem: Problem) -> object:
    """Return by what a problem is the same as another: its cause in its file, as `ProblemsError` has it, or its words and place."""
    return (problem.span.source.path, problem.cause) if problem.cause and problem.span else problem


def _with_specs(problem: Problem, names: Sequence[str]) -> Problem:
    if len(names) < 2:
        return problem
    return replace(problem, notes=(*problem.notes, f"{len(names)} specs have this mistake: {listed(names, limit=_NAMED)}"))


_NAMED = 6  # of the specs that have one mistake, so many are named
