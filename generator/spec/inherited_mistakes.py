"""One mistake of a spec that others are like, found in each of them: it is said once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from generator.spec.library import Library, shown
from generator.text.problems import Problem


def said_once(library: Library, found: Mapping[str, Sequence[Problem]]) -> list[Problem]:
    """Return the problems of several specs; of those that differ only in the name of the spec in which they were met, one.

    That is the one of the spec whose file it stands in, if it is met there too: a variant (`like`) has its rows, and their mistakes.

    Args:
        found: by the name of the spec, or of what else has problems.
    """
    every = [(name, problem) for name, problems in found.items() for problem in problems]
    own = [one for one in every if not _is_elsewhere(library, *one)]
    kept = [problem for _, problem in own]
    known = {_without_name(*one) for one in own}
    for name, problem in every:
        if _is_elsewhere(library, name, problem) and _without_name(name, problem) not in known:
            known.add(_without_name(name, problem))
            kept.append(problem)
    return kept


def _is_elsewhere(library: Library, name: str, problem: Problem) -> bool:
    """Say whether a problem of a spec stands in the file of another."""
    return problem.span is not None and name in library.files and problem.span.source.path != shown(library.path(name))


def _without_name(name: str, problem: Problem) -> Problem:
    return replace(problem, message=problem.message.replace(f"`{name}`", "``"))
