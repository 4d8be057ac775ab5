"""From a claim's node to a Claim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from generator.spec.model import Claim, Condition, Expression
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Node, Scalar, plain
from generator.spec.yaml_reader import Sequence as SequenceNode
from generator.text.source import Span


class Parser(Protocol):
    """What reads the expressions; both report what is wrong and return None."""

    def expression(self, node: Node | None) -> Expression | None:
        """Return an expression."""

    def condition(self, node: Node) -> Condition | None:
        """Return a condition."""


def claim(node: MappingNode, parser: Parser) -> Claim:
    """Return a claim that the schema has accepted. What cannot be read is reported and left out."""
    exceeds, once, given, digits = (node.get(key) for key in ("exceeds", "once", "given", "digits"))
    entries = given.entries if isinstance(given, MappingNode) else ()
    values = {entry.key.text: parser.expression(entry.value) for entry in entries}
    conditions = [parser.condition(item) for item in _items(node.get("where"))]
    return Claim(
        of=_text(node.get("of")),
        cite=" ".join(_places(node.get("cite"))),
        note=_line(node.get("note")),
        erratum=_line(node.get("erratum")),
        span=node.span,
        rows=_places(node.get("row")),
        id=_text(node.get("id")),
        equals=parser.expression(node.get("equals")),
        order=parser.expression(node.get("order")),
        exceeds=parser.expression(exceeds),
        exceeds_rows=_places(exceeds.get("row")) if isinstance(exceeds, MappingNode) else {},
        once=parser.condition(once) if once is not None else None,
        states=_line(node.get("states")),
        because=_line(node.get("because")),
        growing=_places(node.get("in")),
        given={name: value for name, value in values.items() if value is not None},
        given_spans={entry.key.text: entry.key.span for entry in entries},
        preset=_text(node.get("preset")),
        where=tuple(condition for condition in conditions if condition is not None),
        ignore=_places(node.get("ignore")),
        correct=parser.expression(node.get("correct")),
        digits=int(plain(digits)) if digits is not None else 0,
        dtype=_text(node.get("dtype")),
        spans={entry.key.text: entry.value.span for entry in node.entries},
        cite_spans=_places(node.get("cite")),
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, SequenceNode) else (node,)


def _line(node: Node | None) -> str:
    return " ".join(_text(node).split())


def _text(node: Node | None) -> str:
    return " ".join(node.text.split()) if isinstance(node, Scalar) else ""


def _places(node: Node | None) -> Mapping[str, Span]:
    return {item.text: item.span for item in _items(node) if isinstance(item, Scalar)}
