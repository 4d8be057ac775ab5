"""What is raised for a bad expression, and its translation into a problem in a file."""

from __future__ import annotations

from generator.text.problems import Problem
from generator.text.source import Span


class ExpressionError(Exception):
    """An expression that cannot be read or evaluated.

    Args:
        message: what is wrong, in one line.
        offset: where in the text of the expression it starts, from 0.
        length: how many characters it concerns.
        notes: suggestions.
        cause: what is wrong wherever it is met; see `Problem`.
    """

    def __init__(self, message: str, offset: int, length: int = 1, notes: tuple[str, ...] = (), cause: str = "") -> None:
        super().__init__(message, offset, length, notes)
        self.message = message
        self.offset = offset
        self.length = max(1, length)
        self.notes = notes
        self.cause = cause

    def __str__(self) -> str:
        return "; ".join((self.message, *self.notes))


def expression_problem(error: ExpressionError, scalar: Span) -> Problem:
    """Return the error as a problem in the file, where `scalar` is the span of the text that holds the expression."""
    return Problem(error.message, scalar.inside(error.offset, error.length), error.notes, error.cause)
