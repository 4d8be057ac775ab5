"""Entries such as `C[i]` inside braces, where YAML by itself begins a list at the bracket.

YAML reads `{d: C[1]}` as a mistake, since nothing may follow a word but a comma, a colon or a closing brace. So nothing that YAML can read
is read otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    _Scanner = Any
else:
    _Scanner = object

_ENDS_IN_NAME = re.compile(r"(?:^|[^\w.])[A-Za-z]\w*$")
_BEYOND = "\0\r\n\x85\u2028\u2029,{}["  # ends an index that is none
_ENDS = "\0\r\n\x85\u2028\u2029,{}[]#?:"


class Indexed(_Scanner):  # type: ignore[misc]  # a scanner of PyYAML, whose published types leave it out
    """Reads an index that stands at a name inside braces or brackets as a part of the word."""

    def scan_plain(self) -> Any:
        """Return the token of a word."""
        token = super().scan_plain()
        while self.flow_level and self.peek() == "[" and self.index == token.end_mark.index and _ENDS_IN_NAME.search(token.value):
            length = 1
            while self.peek(length) not in _BEYOND and self.peek(length) != "]":
                length += 1
            if self.peek(length) != "]":
                break
            token.value += self.prefix(length + 1)
            self.forward(length + 1)
            token.end_mark = self.get_mark()
            spaces = 0
            while self.peek(spaces) == " ":
                spaces += 1
            if self.peek(spaces) in _ENDS:
                break
            token.value += self.prefix(spaces)
            self.forward(spaces)
            rest = super().scan_plain()
            token.value += rest.value
            token.end_mark = rest.end_mark
        return token


class IndexedLoader(Indexed, yaml.SafeLoader):
    """PyYAML's loader of plain data."""


class IndexedTexts(Indexed, yaml.BaseLoader):
    """PyYAML's loader that makes texts only."""
