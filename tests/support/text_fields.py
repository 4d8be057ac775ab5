"""Every place of a file where a text may stand, taken from the schema itself, so that a new field is among them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from generator.text.translated import ENGLISH, LANGUAGES

NAME = "<name>"  # a key that the writer chooses
EACH = "*"  # the value under such a key
Place = tuple[str | int, ...]  # of rows the second part is the op, or `use`


def text_fields(schema: Mapping[str, Any]) -> list[Place]:
    """Return the places, in the order of the schema."""
    return list(dict.fromkeys(_walk(schema, schema, (), ())))


def _walk(schema: Mapping[str, Any], node: Mapping[str, Any], at: Place, inside: tuple[str, ...]) -> Iterator[Place]:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name not in inside:
            yield from _walk(schema, schema["$defs"][name], at, (*inside, name))
        return
    if at == ("layers", EACH):
        for branch in node["allOf"]:
            op = branch["if"].get("properties", {}).get("op", {}).get("const", "use")
            yield from _walk(schema, branch["then"], ("layers", op), inside)
        yield ("layers", "use", "op")
        return
    types = node.get("type", "object")
    if "string" in ([types] if isinstance(types, str) else types) and "enum" not in node:
        yield at
    for key, part in node.get("properties", {}).items():
        yield from _walk(schema, part, (*at, key), inside)
    if isinstance(node.get("additionalProperties"), Mapping):
        yield (*at, NAME)
        yield from _walk(schema, node["additionalProperties"], (*at, EACH), inside)
    if isinstance(node.get("items"), Mapping):
        yield from _walk(schema, node["items"], (*at, 0), inside)


def placed(data: Mapping[str, Any], place: Place, text: str) -> dict[str, Any]:
    """Return a file's content with a text at a place; what is missing on the way is made up."""
    found: dict[str, Any] = deepcopy(dict(data))
    if place[0] == "layers" and place[1] != NAME:
        rows = found["layers"]
        kind = place[1]
        row = next(name for name, row in rows.items() if (row.get("op") == kind if kind != "use" else "use" in row))
        rows[row] = _with(rows[row], place[2:], text)
        return found
    return dict(_with(found, place, text))


def _with(value: Any, place: Place, text: str) -> Any:
    if not place:
        return text
    step, rest = place[0], place[1:]
    if step == 0:
        items = list(value) if isinstance(value, list) else [None]
        at = next((i for i, item in enumerate(items) if rest and isinstance(item, Mapping) and rest[0] in item), 0)
        return [*items[:at], _with(items[at], rest, text), *items[at + 1 :]]
    entries = dict(value) if isinstance(value, Mapping) else {ENGLISH: value} if step in LANGUAGES and isinstance(value, str) else {}
    if step == NAME:
        first = next(iter(entries), "k")
        return {text if key == first else key: one for key, one in (entries or {"k": 1}).items()}
    key = next(iter(entries), "k") if step == EACH else str(step)
    return {**entries, key: _with(entries.get(key), rest, text)}
