"""The part of a spec that says how public implementations name its weights."""

from __future__ import annotations

from generator.spec.model import Checkpoint, WeightRule
from generator.spec.yaml_reader import Mapping, Node, Sequence, plain
from generator.text.source import Span


def checkpoint(layout: str, span: Span, node: Node) -> Checkpoint:
    """Return a checkpoint section that the schema has accepted."""
    assert isinstance(node, Mapping)
    weights = node.get("weights")
    entries = weights.entries if isinstance(weights, Mapping) else ()
    rules = tuple(_rule(entry.key.text, entry.value) for entry in entries)
    model = node.get("model")
    return Checkpoint(layout, " ".join(str(plain(model)).split()) if model is not None else "", rules, _texts(node.get("ignore")), span)


def _rule(to: str, node: Node) -> WeightRule:
    if not isinstance(node, Mapping):
        return WeightRule(to, _texts(node))
    values = {entry.key.text: plain(entry.value) for entry in node.entries}
    part = values.get("part")
    piece = (int(part[0]), int(part[1])) if part else None
    return WeightRule(to, _texts(node.get("from")), bool(values.get("transpose")), piece, bool(values.get("reshape")))


def _texts(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(str(plain(item)) for item in node.items) if isinstance(node, Sequence) else (str(plain(node)),)
