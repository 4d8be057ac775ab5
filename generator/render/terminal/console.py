"""What commands say and where: results on stdout, errors and progress on stderr, colour only where a person sees it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO, TypeVar

from generator.render.terminal.progress import Progress, tracked
from generator.text.problems import ProblemsError

_STYLES = {"bold": "1", "dim": "2", "red": "1;31", "green": "32", "yellow": "33"}
T = TypeVar("T")


@dataclass(frozen=True)
class _Console:
    """What a run of `gen` shows: its line of progress, and whether remarks are wanted."""

    progress: Progress
    is_quiet: bool = False


_console: ContextVar[_Console | None] = ContextVar("console", default=None)


@contextmanager
def showing(doing: str, *, quiet: bool = False) -> Iterator[None]:
    """Show progress on a terminal while a command runs; with `quiet` neither that nor remarks.

    Args:
        doing: what is done, such as `gen growth`, until more is said.
    """
    is_watched = not quiet and sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    progress = Progress(sys.stderr if is_watched else None, doing)
    before = _console.set(_Console(progress, quiet))
    try:
        with progress.ticking():
            yield
    finally:
        _console.reset(before)


def _current() -> _Console:
    return _console.get() or _Console(Progress(None, ""))


def progress() -> Progress:
    """Return the line that says how far the command is."""
    return _current().progress


def is_quiet() -> bool:
    """Say whether nothing but results, warnings and errors is to be printed."""
    return _current().is_quiet


def step_by_step(items: Sequence[T], doing: Callable[[T], str]) -> Iterator[T]:
    """Yield items while the terminal shows which of them is worked on, and about how long the others take."""
    yield from tracked(progress(), items, doing)


def has_colour(stream: TextIO | None) -> bool:
    """Say whether text for a stream may be coloured: it is a terminal that can, and NO_COLOR is not set (https://no-color.org)."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def styled(text: str, style: str, stream: TextIO | None = None) -> str:
    """Return a text in a style (bold, dim, red, green, yellow) where the stream (stdout by default) is coloured, else unchanged."""
    return f"\033[{_STYLES[style]}m{text}\033[0m" if has_colour(stream or sys.stdout) else text


def say(text: str = "") -> None:
    """Print a line of results."""
    with progress().away():
        print(text, flush=True)


def tell(text: str) -> None:
    """Print what was done, such as that a file is written, unless the command is to be quiet."""
    if not is_quiet():
        say(text)


def _print_error(text: str) -> None:
    with progress().away():
        print(text, file=sys.stderr)


def complain(message: str, *notes: str) -> None:
    """Print an error of the command itself (not of a spec), with further lines."""
    _print_error("\n".join([f"{styled('error:', 'red', sys.stderr)} {message}", *(f"  {note}" for note in notes)]))


def warn(message: str, *notes: str) -> None:
    """Print what is wrong with a spec, though the answer does not depend on it."""
    _print_error("\n".join([f"{styled('warning:', 'yellow', sys.stderr)} {message}", *(f"  {note}" for note in notes)]))


def remind(message: str) -> None:
    """Print what a person should know, though nothing went wrong, unless the command is to be quiet."""
    if not is_quiet():
        _print_error(f"{styled('note:', 'bold', sys.stderr)} {message}")


def complain_of(error: ProblemsError) -> None:
    """Print problems of specs."""
    text = str(error)
    if has_colour(sys.stderr):
        text = "\n".join(_painted(line) for line in text.split("\n"))
    _print_error(text)


def width() -> int | None:
    """Return the columns of the terminal; None where stdout is not one and nothing needs to fit."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(40, shutil.get_terminal_size((100, 24)).columns)


def _painted(line: str) -> str:
    if " error: " in line[:200] or line.startswith("error: "):
        place, _, message = line.partition("error: ")
        return f"{styled(place, 'bold', sys.stderr)}{styled('error:', 'red', sys.stderr)} {message}"
    if line.strip(" |\t…") and not line.strip(" |\t…^"):
        return styled(line, "red", sys.stderr)
    return line
