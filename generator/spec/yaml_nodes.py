"""The tree of a YAML text, with the place of every node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Union

from generator.text.source import Span

Style = Literal["plain", "single", "double", "literal", "folded"]
ScalarValue = Union[str, int, float, bool, None]  # noqa: UP007  an alias is evaluated at run time


@dataclass(frozen=True)
class Scalar:
    """A word, text or number: its value as people mean it, its text as written (without quotes), and how it was quoted."""

    value: ScalarValue
    text: str
    span: Span
    style: Style


@dataclass(frozen=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True)
class Entry:
    """A key and its value; the key's value is always its text."""

    key: Scalar
    value: Node


@dataclass(frozen=True)
class Mapping:
    """Keys with values, in the order of the file; no key occurs twice."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None where there is no such key."""
        entry = self.entry(key)
        return entry.value if entry else None

    def entry(self, key: str) -> Entry | None:
        """Return the entry of a key, or None where there is no such key."""
        return next((entry for entry in self.entries if entry.key.text == key), None)


Node = Union[Scalar, Sequence, Mapping]  # noqa: UP007  as above


def plain(node: Node) -> Any:
    """Return a tree as ordinary dicts (with text keys), lists and scalars, as jsonschema wants them."""
    if isinstance(node, Mapping):
        return {entry.key.text: plain(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return node.value


def find(node: Node, path: Iterable[str | int]) -> tuple[Span | None, Span]:
    """Return the places of the key and of the value at a path of keys and indices, such as jsonschema's absolute_path.

    The place of the key is None for items of lists and for the root. A path that leads beyond the tree ends at the last node on it.
    """
    key: Span | None = None
    for step in path:
        if isinstance(node, Mapping) and (entry := node.entry(str(step))):
            key, node = entry.key.span, entry.value
        elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
            key, node = None, node.items[step]
        else:
            break
    return key, node.span
