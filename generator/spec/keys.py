"""What the keys of a spec hold.

Each key is declared once, as a field of the part of the spec that it belongs to (in `model`, `row`, `claim`, `checkpoint` and
`imports`), by its kind, its help and an example. The JSON Schema, the reader, the hints below errors and the tables of docs/language.md
follow from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, ClassVar, Protocol

from generator.quantities import QUANTITIES
from generator.spec.yaml_nodes import Mapping as MappingNode
from generator.spec.yaml_nodes import Node, Scalar, plain
from generator.spec.yaml_nodes import Sequence as SequenceNode
from generator.text.naming import NAME
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.translated import ENGLISH, LANGUAGE_NAMES, LANGUAGES, Translated

MAX_SIZE = 10**15  # up to 2**53 the workbook is exact
MAX_TITLE = 200  # characters; it is the title of charts and files, too
MAX_MEANING = 500  # characters of what a size, an option, an input or a slot is
MAX_ROWS = 2000
MAX_ENTRIES = 200  # of any other section
QUANTITY_KEYS = tuple(quantity.key for quantity in QUANTITIES)
PER_STAGE = "one value, or a list with one for each stage"  # marks schemas of what is one value once the stages are written out
LAYERS = "layers, or what differs in a stage"  # marks those of what is layers once the stages are written out
OF_STAGES = "of several stages"  # marks those of keys that are not there any more then
EXPRESSIONS: dict[str, Any] = {"type": ["integer", "number", "string"]}


class Reader(Protocol):
    """What reads values that may be wrong; each method reports what is, and returns None."""

    def expression(self, node: Node) -> Any:
        """Return an expression of sizes."""

    def condition(self, node: Node) -> Any:
        """Return a condition on sizes."""

    def ref(self, node: Node) -> Any:
        """Return what names a row, an input, or one of the results of a row."""

    def part(self, kind: Any, key: Scalar, node: Node) -> Any:
        """Return a part of the spec; `key` is its name."""


@dataclass(frozen=True)
class KeyKind:
    """A kind of value.

    Args:
        schema: its JSON Schema.
        read: makes the value of its name and its node; None where it is wrong, which is reported then.
        empty: makes what stands where the key does not.
        part: the part of a spec that each entry is, for a section of such.
    """

    schema: Callable[[], dict[str, Any]]
    read: Callable[[Reader, Scalar, Node], Any]
    empty: Callable[[], Any] = lambda: None
    part: Callable[[], type[SpecPart]] | None = None


@dataclass(frozen=True)
class Key:
    """A key: what it is called in a file, the field that holds its value, and what the schema and the docs say of it.

    Args:
        example: how it is written; others: what other libraries and languages call it.
        of_blocks: a row has it only with `use` or `slot`.
        told: it changes nothing, and is shown as it was written: a text, a number or a flag.
    """

    name: str
    field: str
    kind: KeyKind
    help: str
    required: bool = False
    example: str = ""
    others: tuple[str, ...] = ()
    of_blocks: bool = False
    told: bool = False


def key(
    kind: KeyKind,
    help_text: str,
    name: str = "",
    *,
    required: bool = False,
    example: str = "",
    others: str = "",
    of_blocks: bool = False,
    told: bool = False,
    **default: Any,
) -> Any:
    """Declare a key as a field of a dataclass; `name` where a file calls it otherwise, `default` what the field holds without it."""
    metadata = {"key": (kind, help_text, required, example, tuple(others.split()), of_blocks, told), "name": name}
    return field(default=default["default"], metadata=metadata) if default else field(default_factory=kind.empty, metadata=metadata)


def group(kind: type[SpecPart], *, needed: bool) -> Any:
    """Declare a part whose keys stand among those of the part that holds it; where it is not `needed`, they may be missing."""
    return field(default=None, metadata={"group": kind, "needed": needed})


@dataclass(frozen=True)
class SpecPart:
    """What a file writes as `key: value` entries under a name.

    Args:
        spans: where the value of each key stands, and that of each entry inside it: `set`, `set.d`.
        names: where their names stand.
    """

    name: str
    span: Span
    spans: Mapping[str, Span] = field(default_factory=dict, kw_only=True)
    names: Mapping[str, Span] = field(default_factory=dict, kw_only=True)
    short: ClassVar[str] = ""  # the key whose value may stand for the whole
    place: ClassVar[str] = ""  # the key whose value is shown where the whole is meant

    def where(self, key_name: str) -> Span:
        """Return the place of a key's value; of the whole where it has none."""
        return self.spans.get(key_name, self.span)

    def named(self, key_name: str) -> Span:
        """Return the place of a key, or of an entry inside its value: `with.n`."""
        return self.names.get(key_name, self.span)

    def told(self) -> dict[str, Any]:
        """Return what is shown as it was written, by key."""
        kind: Any = type(self)
        values = {one.name: getattr(self, one.field) for one in keys_of(kind) if one.told}
        return {name: value for name, value in values.items() if value}

    def mistakes(self) -> Iterator[Problem]:
        """Yield what is wrong with keys that go together."""
        yield from ()


@cache
def keys_of(kind: type[Any], *, own: bool = False) -> tuple[Key, ...]:
    """Return the keys of a part, in order; with `own` without those of its groups."""
    found: list[Key] = []
    for one in fields(kind):
        if "group" in one.metadata and not own:
            found += keys_of(one.metadata["group"])
        elif "key" in one.metadata:
            found.append(Key(one.metadata["name"] or one.name, one.name, *one.metadata["key"]))
    return tuple(found)


@cache
def groups_of(kind: type[Any]) -> dict[str, tuple[type[SpecPart], bool]]:
    """Return the groups of a part by their field, each with whether it is needed."""
    return {one.name: (one.metadata["group"], one.metadata["needed"]) for one in fields(kind) if "group" in one.metadata}


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON Schema of a part."""
    known = keys_of(kind)
    schema: dict[str, Any] = {"type": "object", "properties": properties(known), "additionalProperties": False}
    required = [one.name for one in known if one.required]
    short = next((one.kind.schema() for one in known if one.name == getattr(kind, "short", "")), {})
    of_texts = {name: value for name, value in short.items() if name not in ("properties", "required", "additionalProperties")}
    types = short.get("type", [])
    whole = {**of_texts, "type": list(dict.fromkeys([*([types] if isinstance(types, str) else types), "object"]))} if short else {}
    return {**schema, **whole, **({"required": required} if required else {})}


def properties(known: tuple[Key, ...]) -> dict[str, Any]:
    """Return the JSON Schemas of keys, explained; a key without help is not written."""
    return {one.name: {"description": one.help, **one.kind.schema()} for one in known if one.help}


def of_one_stage(schema: Any) -> Any:
    """Return a JSON Schema as it is once the stages are written out."""
    if isinstance(schema, list):
        return [of_one_stage(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$comment") == LAYERS:
        return {"description": schema["description"], "$ref": "#/$defs/layers"}
    if schema.get("$comment") == PER_STAGE:
        return {**of_one_stage(schema["items"]), **({"description": schema["description"]} if "description" in schema else {})}
    left = {name: value for name, value in schema.items() if not (isinstance(value, dict) and value.get("$comment") == OF_STAGES)}
    return {name: of_one_stage(value) for name, value in left.items()}


def items(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list, or the one value that stands for it."""
    if node is None:
        return ()
    return node.items if isinstance(node, SequenceNode) else (node,)


def line(node: Node | None) -> str:
    """Return a text for people in one line, as tables, headings and comments have it."""
    return " ".join(_text(node).split())


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _unnamed(node: Node) -> Scalar:
    return Scalar("", "", node.span, "plain")


def _read(each: KeyKind, reader: Reader, nodes: tuple[Node, ...]) -> tuple[Any, ...]:
    values = (each.read(reader, _unnamed(node), node) for node in nodes)
    return tuple(value for value in values if value is not None)


def word(**schema: Any) -> KeyKind:
    """Return the kind of a text that is no text for people: a name."""
    return KeyKind(lambda: {"type": "string", **schema}, lambda _reader, _key, node: _text(node), str)


def one_of(words: Callable[[], list[str]]) -> KeyKind:
    """Return the kind of one of some words."""
    return KeyKind(lambda: {"enum": words()}, lambda _reader, _key, node: _text(node), str)


def text(**schema: Any) -> KeyKind:
    """Return the kind of a text for people, in one line: in English, or in several languages, English among them."""
    one: dict[str, Any] = {"type": "string", **schema}
    each = {language: {"description": f"the text in {LANGUAGE_NAMES[language]}", **one} for language in LANGUAGES}
    several = {"properties": each, "required": [ENGLISH], "additionalProperties": False}

    def read(_reader: Reader, _key: Scalar, node: Node) -> str:
        if not isinstance(node, MappingNode):
            return line(node)
        lines = {language: line(node.get(language)) for language in LANGUAGES}
        return Translated.of(lines.pop(ENGLISH), {language: said for language, said in lines.items() if said})

    return KeyKind(lambda: {**one, "type": ["string", "object"], **several}, read, str)


def whole(**schema: Any) -> KeyKind:
    """Return the kind of a whole number, which may be written as 1.0."""
    return KeyKind(lambda: {"type": "integer", **schema}, lambda _reader, _key, node: int(plain(node)), int)


def listed(each: KeyKind, **schema: Any) -> KeyKind:
    """Return the kind of a list."""
    return KeyKind(
        lambda: {"type": "array", "items": each.schema(), **schema}, lambda reader, _key, node: _read(each, reader, items(node)), tuple
    )


def one_or_more(each: KeyKind, **schema: Any) -> KeyKind:
    """Return the kind of a list, or of the one text that stands for it."""
    return KeyKind(lambda: {**listed(each, **schema).schema(), "type": ["string", "array"]}, listed(each).read, tuple)


def one_or_several(each: KeyKind) -> KeyKind:
    """Return the kind of a part, or of a list of such."""
    return KeyKind(lambda: _or_list(each.schema(), minItems=1), listed(each).read, tuple)


def per_stage(each: KeyKind) -> KeyKind:
    """Return the kind of a value that may be a list with one for each stage; `stages` reads that."""
    return KeyKind(lambda: _or_list(each.schema(), **{"$comment": PER_STAGE}), each.read, each.empty)


def _or_list(one: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the schema of a value, or of a list of such."""
    types = one["type"]
    return {**one, "type": [*([types] if isinstance(types, str) else types), "array"], "items": one, **more}


def entries(each: KeyKind, pattern: str = NAME, *, most: int = MAX_ENTRIES, least: int = 0) -> KeyKind:
    """Return the kind of names with values."""

    def schema() -> dict[str, Any]:
        bounds = {"minProperties": least} if least else {}
        names = {"propertyNames": {"pattern": pattern}} if pattern else {}
        return {"type": "object", **names, **bounds, "maxProperties": most, "additionalProperties": each.schema()}

    def read(reader: Reader, _key: Scalar, node: Node) -> dict[str, Any]:
        inside = node.entries if isinstance(node, MappingNode) else ()
        values = {entry.key.text: each.read(reader, entry.key, entry.value) for entry in inside}
        return {name: value for name, value in values.items() if value is not None}

    return KeyKind(schema, read, dict, each.part)


def part(kind: Callable[[], type[SpecPart]], defined: str = "") -> KeyKind:
    """Return the kind of a part, whose schema may be `defined` apart, under a name."""

    def schema() -> dict[str, Any]:
        return {"$ref": f"#/$defs/{defined}"} if defined else schema_of(kind())

    return KeyKind(schema, lambda reader, key, node: reader.part(kind(), key, node), part=kind)


def layers(kind: Callable[[], type[SpecPart]]) -> KeyKind:
    """Return the kind of a part that stands for what differs in a stage where there are several."""
    inner = part(kind)
    return KeyKind(lambda: {"type": ["string", "object"], "$comment": LAYERS}, inner.read)


def named_or_listed(each: KeyKind, name: Callable[[Any], str]) -> KeyKind:
    """Return the kind of parts by name, or of a list of them, which are called what they are; equal names are numbered."""
    by_name = entries(each, least=1)

    def schema() -> dict[str, Any]:
        return {**by_name.schema(), "type": ["object", "array"], "items": each.schema(), "minItems": 1}

    def read(reader: Reader, key: Scalar, node: Node) -> dict[str, Any]:
        if not isinstance(node, SequenceNode):
            found: dict[str, Any] = by_name.read(reader, key, node)
            return found
        values = _read(each, reader, node.items)
        names = [name(value) for value in values]
        own = [f"{one}{names[:i].count(one) + 1}" if names.count(one) > 1 else one for i, one in enumerate(names)]
        return {one: replace(value, name=one) for one, value in zip(own, values, strict=True)}

    return KeyKind(schema, read, dict)


def _places(_reader: Reader, _key: Scalar, node: Node) -> dict[str, Span]:
    return {item.text: item.span for item in items(node) if isinstance(item, Scalar)}


WORD = word()
A_NAME = word(pattern=NAME)
TEXT = text()
CLASS = KeyKind(lambda: {"type": "string"}, lambda _reader, _key, node: line(node), str)  # what code is called
MEANING = text(maxLength=MAX_MEANING)
VALUE = KeyKind(lambda: {"type": ["boolean", "string", "number"]}, lambda _reader, _key, node: plain(node))
FLAG_OR_OPTION = KeyKind(lambda: {"type": ["boolean", "string"]}, lambda _reader, _key, node: plain(node))
FLAG = KeyKind(lambda: {"type": "boolean"}, lambda _reader, _key, node: bool(plain(node)), bool)
EXPRESSION = KeyKind(lambda: dict(EXPRESSIONS), lambda reader, _key, node: reader.expression(node))
AXIS = KeyKind(lambda: {"type": ["integer", "string"]}, EXPRESSION.read)
SHAPE = listed(AXIS, examples=[["b", "n", "d"]])
EACH = word(**{"pattern": r"^([A-Za-z][A-Za-z0-9_]* in )?[0-9]+\.\.[0-9]+$", "$comment": OF_STAGES})
CONDITION = KeyKind(lambda: {"type": "string"}, lambda reader, _key, node: reader.condition(node))
CONDITIONS = one_or_more(CONDITION)
REFERENCE = KeyKind(lambda: {"type": "string"}, lambda reader, _key, node: reader.ref(node))
REFERENCES = one_or_more(REFERENCE, minItems=1)
WORDS = one_or_more(WORD, minItems=1)
PLACES = KeyKind(WORDS.schema, _places, dict)  # words, each with its place
CITE = KeyKind(one_or_more(WORD).schema, _places, dict)
COUNTS = KeyKind(
    lambda: {"type": "object", "properties": {name: {"type": "integer"} for name in QUANTITY_KEYS}, "additionalProperties": False},
    entries(whole()).read,
    dict,
)
