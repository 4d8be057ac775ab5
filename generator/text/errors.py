"""What the Python API raises and warns of. All errors are ValueErrors, and their text is what the command line prints."""

from __future__ import annotations

from generator.text.problems import Problem, ProblemsError


class ConfigWarning(UserWarning):
    """What may make the numbers of a configuration others than those of the model that it belongs to."""


class SpecError(ValueError):
    """A spec that does not exist or cannot be used; `problems` holds each mistake with its place."""

    def __init__(self, error: ProblemsError) -> None:
        super().__init__(str(error))
        self.problems: tuple[Problem, ...] = error.problems


class SizeError(ValueError):
    """Sizes, a preset or options that do not fit the spec.

    Args:
        message: what is wrong, in one line.
        notes: further lines, such as a suggestion.
    """

    def __init__(self, message: str, *notes: str) -> None:
        super().__init__("\n".join([message, *(f"  {note}" for note in notes)]))
        self.message = message
        self.notes = notes


class MissingSizeError(SizeError):
    """A number was asked for that depends on sizes which nothing gives; `missing` names them."""

    def __init__(self, message: str, missing: tuple[str, ...], *notes: str) -> None:
        super().__init__(message, *notes)
        self.missing = missing
