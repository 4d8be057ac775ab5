"""What is said where words of a user stand for no module, or for inputs that it does not take."""

from __future__ import annotations


class UnfitError(ValueError):
    """What was asked for is not there, or does not fit together.

    Args:
        message: what is wrong, in one line.
        notes: further lines, such as a suggestion.
    """

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__(message)
        self.notes = notes
