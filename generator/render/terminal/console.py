"""What commands say and where: results on stdout, errors on stderr, colour only where a person sees it."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from generator.text.problems import ProblemsError

_STYLES = {"bold": "1", "dim": "2", "red": "1;31", "green": "32"}


def has_colour(stream: TextIO | None) -> bool:
    """Say whether text for a stream may be coloured: it is a terminal that can, and NO_COLOR is not set (https://no-color.org)."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def styled(text: str, style: str, stream: TextIO | None = None) -> str:
    """Return a text in a style (bold, dim, red, green) where the stream (stdout by default) is coloured, else unchanged."""
    return f"\033[{_STYLES[style]}m{text}\033[0m" if has_colour(stream or sys.stdout) else text


def say(text: str = "") -> None:
    """Print a line of results."""
    print(text, flush=True)


def complain(message: str, *notes: str) -> None:
    """Print an error of the command itself (not of a spec), with further lines."""
    print("\n".join([f"{styled('error:', 'red', sys.stderr)} {message}", *(f"  {note}" for note in notes)]), file=sys.stderr)


def warn(message: str, *notes: str) -> None:
    """Print what is wrong with a spec, though the answer does not depend on it."""
    print("\n".join([f"warning: {message}", *(f"  {note}" for note in notes)]), file=sys.stderr)


def remind(message: str) -> None:
    """Print what a person should know, though nothing went wrong."""
    print(f"note: {message}", file=sys.stderr)


def complain_of(error: ProblemsError) -> None:
    """Print problems of specs."""
    text = str(error)
    if has_colour(sys.stderr):
        text = "\n".join(_painted(line) for line in text.split("\n"))
    print(text, file=sys.stderr)


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
