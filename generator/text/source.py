"""Places in the text of a file, so that every error can show its line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property

# The line breaks of YAML 1.1 as PyYAML counts them; str.splitlines() breaks at more characters and would shift lines.
_LINE_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}


@dataclass(frozen=True)
class Source:
    """A text and the name under which people know it.

    Args:
        path: as shown to people, with forward slashes, such as `specs/mine.yaml`.
        text: the whole text.
    """

    path: str
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without their line breaks."""
        return tuple(_LINE_BREAK.split(self.text))

    def line(self, n: int) -> str:
        """Return line `n` (from 1), or an empty text beyond the end."""
        return self.lines[n - 1] if 1 <= n <= len(self.lines) else ""


@dataclass(frozen=True)
class Span:
    """A run of characters in one line of a source; `line` and `column` count from 1, in characters."""

    source: Source
    line: int
    column: int
    length: int = 1
    places: tuple[int, ...] = field(default=(), compare=False)  # where each character of the value stood before a part was replaced

    def inside(self, offset: int, length: int = 1) -> Span:
        """Return the span of characters `offset` to `offset + length` of the value of the scalar at this span.

        Quotes and escapes are accounted for. Where the value's characters are not in this line (block scalars, later
        lines of a long scalar), the span of the scalar itself is returned.
        """
        if self.places:
            first, last = (self.places[min(at, len(self.places) - 1)] for at in (offset, offset + length))
            return replace(self, places=()).inside(first, max(1, last - first))
        begin = self.column - 1
        starts = _value_positions(self.source.line(self.line)[begin : begin + self.length])
        if offset >= len(starts):
            return self
        first, last = starts[offset], starts[min(offset + length, len(starts) - 1)]
        return replace(self, column=self.column + first, length=max(1, last - first))


def _value_positions(written: str) -> list[int]:
    """Return where each character of a scalar's value starts in the scalar as written, and where the last one ends."""
    if written[:1] in ("|", ">"):
        return []
    quote = written[:1] if written[:1] in ("'", '"') else ""
    positions = []
    at = len(quote)
    while at < len(written) and not (quote and _closes(written, at, quote)):
        positions.append(at)
        at += _width(written, at, quote)
    return [*positions, at]


def _closes(written: str, at: int, quote: str) -> bool:
    doubled = quote == "'" and written[at : at + 2] == "''"
    return written[at] == quote and not doubled


def _width(written: str, at: int, quote: str) -> int:
    """Return how many written characters make the value's character that starts at `at`."""
    if quote == "'" and written[at] == "'":
        return 2
    if quote == '"' and written[at] == "\\":
        return 2 + _HEX_DIGITS.get(written[at + 1 : at + 2], 0)
    return 1
