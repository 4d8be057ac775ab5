"""Errors for people: a message, the line with a caret, and what may help."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn

from generator.text.source import Span
from generator.text.suggest import joined

_WINDOW = 120  # characters shown of a long line
_LEAD = 50  # of which at most this many stand before the caret


@dataclass(frozen=True)
class Problem:
    """One error. Two with the same message at the same place are equal: a block's mistake is one, whichever of its users it is met in.

    Args:
        message: what was expected and what was found, in one line.
        span: where; None if the problem belongs to no place in a file.
        notes: further lines, such as the shapes involved or a suggestion.
        cause: what is wrong wherever it is met, such as a size that is not declared; the problems of a file that share one are one.
        also: the further lines on which it is met.
    """

    message: str
    span: Span | None
    notes: tuple[str, ...] = field(default=(), compare=False)
    cause: str = field(default="", compare=False)
    also: tuple[int, ...] = field(default=(), compare=False)

    def __lt__(self, other: Problem) -> bool:
        return self._place() < other._place()

    def _place(self) -> tuple[str, int, int]:
        return (self.span.source.path, self.span.line, self.span.column) if self.span else ("", 0, 0)


class ProblemsError(Exception):
    """All errors that were found at once, in the order of the files and lines, each once, and each cause once in a file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(_by_cause(dict.fromkeys(sorted(problems))))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(render(problem) for problem in self.problems)


def _by_cause(problems: Iterable[Problem]) -> Iterator[Problem]:
    first: dict[object, Problem] = {}
    for problem in problems:
        key = (problem.span.source.path, problem.cause) if problem.cause and problem.span else problem
        known = first.setdefault(key, problem)
        if known is not problem and known.span and problem.span:
            lines = {*known.also, *problem.also, problem.span.line} - {known.span.line}
            first[key] = replace(known, also=tuple(sorted(lines)))
    yield from first.values()


class Problems:
    """Collects problems, so that independent errors are reported together."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def add(self, message: str, span: Span | None, *notes: str) -> None:
        """Record one problem."""
        self._found.append(Problem(message, span, notes))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Record several problems, such as those of a caught `ProblemsError`."""
        self._found.extend(problems)

    def fail(self, message: str, span: Span | None, *notes: str) -> NoReturn:
        """Raise `ProblemsError` with all that was recorded and one problem more, after which nothing else can be found."""
        self.add(message, span, *notes)
        raise ProblemsError(self)

    def raise_if_any(self) -> None:
        """Raise `ProblemsError` with all that was recorded, if anything was."""
        if self._found:
            raise ProblemsError(self)


def render(problem: Problem) -> str:
    """Return a problem as text: place and message, the line, a caret under the place, the notes."""
    also = [f"also on {'lines' if len(problem.also) > 1 else 'line'} {joined(map(str, problem.also))}"] if problem.also else []
    notes = [f"  {line}" for note in (*problem.notes, *also) for line in note.split("\n")]
    head = _visible(f"{_place(problem)}error: {problem.message}")
    return "\n".join([head, *(_excerpt(problem.span) if problem.span else ()), *map(_visible, notes)])


def headline(problem: Problem) -> str:
    """Return a problem's place and message, for a place where the line cannot be shown."""
    return _visible(f"{_place(problem)}{problem.message}")


def _place(problem: Problem) -> str:
    span = problem.span
    return f"{span.source.path}:{span.line}:{span.column}: " if span else ""


def _excerpt(span: Span) -> tuple[str, str]:
    """Return the line of a span and the line with the caret."""
    line = span.source.line(span.line)
    start = min(span.column - 1, len(line))
    begin = max(0, min(start - _LEAD, len(line) - _WINDOW))
    stop = min(len(line), begin + _WINDOW)
    shown = _visible("…" * (begin > 0) + line[begin:stop] + "…" * (stop < len(line)))
    lead = _visible("…" * (begin > 0) + line[begin:start])
    marked = _visible(line[start : min(start + span.length, stop)])
    # A tab advances as far under the line as in it, so it is repeated; wide characters take two columns.
    padding = "".join("\t" if character == "\t" else " " * _columns(character) for character in lead)
    carets = "^" * max(1, sum(map(_columns, marked)))
    return f"{span.line:>5} | {shown.rstrip()}", f"{'':>5} | {padding}{carets}"


def _visible(text: str) -> str:
    """Replace what a terminal would obey instead of show: control characters and lone surrogates."""
    return "".join("\N{REPLACEMENT CHARACTER}" if character != "\t" and _unprintable(character) else character for character in text)


def _unprintable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")


def _columns(character: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
