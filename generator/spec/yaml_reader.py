"""Reading YAML as people mean it, with the place of every node and with errors that say what to do.

Differences from plain YAML 1.1: only `true` and `false` are booleans; a key that occurs twice, a merge key, a tag, an entry of `{...}`
without a colon and a second document are errors; size, nesting and the expansion of aliases are bounded.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import yaml

from generator.files.regular_file import read_regular
from generator.spec.indexed_yaml import IndexedLoader
from generator.spec.visible_characters import code_point, joined, unseen, unseen_beside_pairs
from generator.spec.yaml_mistakes import explain
from generator.spec.yaml_nodes import Entry, Mapping, Node, Scalar, ScalarValue, Sequence, Style, find, plain
from generator.spec.yaml_scalars import scalar_value
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.source import Source, Span
from generator.text.suggest import did_you_mean

__all__ = ["Entry", "Mapping", "Node", "Scalar", "Sequence", "find", "load_source", "plain", "read_mapping", "read_yaml"]

MAX_BYTES = 1 << 20
MAX_NODES = 100_000
MAX_DEPTH = 64
MAX_TEXT = 10_000  # characters of one text; a spreadsheet's cell holds three times as many
MAX_UNREADABLE = 20  # reported in one file
LAST_CODE_POINT = 0x10FFFF

_UNSEEN = "cannot be seen and is not allowed; remove it"
_TOO_LARGE = "the file is larger than 1 MiB"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_ASTRAL_ESCAPE = re.compile(r"\\U([0-9A-Fa-f]{8})")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_STYLES: dict[str | None, Style] = {None: "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}


def load_source(path: Path, shown: str) -> Source:
    """Read a file of UTF-8 text; `shown` is its path as shown to people.

    Raises:
        ProblemsError: if it cannot be read, is no file but a pipe for example, is larger than 1 MiB, or not UTF-8.
    """
    problems = Problems()
    try:
        data = read_regular(path, MAX_BYTES)
    except OSError as error:
        problems.fail(f"the file cannot be read: {error.strerror or error}", Span(Source(shown, ""), 1, 1))
    if len(data) > MAX_BYTES:
        problems.fail(_TOO_LARGE, Span(Source(shown, ""), 1, 1))
    try:
        return Source(shown, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        source = Source(shown, data.decode("utf-8-sig", errors="replace"))
        bad = data[error.start]
        problems.fail(f"the byte 0x{bad:02X} is not UTF-8", _span_at(source, len(before)), "save the file with the encoding UTF-8")


def read_yaml(source: Source) -> Node:
    """Return the tree of a YAML text.

    Raises:
        ProblemsError: with all problems that could be found at once; only the first error of syntax can be.
    """
    source = Source(source.path, source.text.removeprefix(_BOM))
    problems = Problems()
    if len(source.text) > MAX_BYTES:
        problems.fail(_TOO_LARGE, Span(source, 1, 1))
    raw = (match for match in unseen(source.text) if match.group() != "\r")  # which is a line break, as the file stands
    for match in islice(raw, MAX_UNREADABLE):
        problems.add(f"the character {code_point(match.group())} {_UNSEEN}", _span_at(source, match.start()))
    problems.raise_if_any()
    return _Reader(source, problems).document()


def read_mapping(source: Source) -> Mapping:
    """Return the tree of a text that has keys. Raises ProblemsError as `read_yaml`, and for a text that has none."""
    tree = read_yaml(source)
    if isinstance(tree, Mapping):
        return tree
    raise ProblemsError([Problem(_BEGINNING, tree.span)])


def _span_at(source: Source, offset: int) -> Span:
    lines = Source(source.path, source.text[:offset]).lines
    return Span(source, len(lines), len(lines[-1]) + 1)


_BEGINNING = "a spec begins with `title:`, and has `dims:`, `inputs:` and `layers:`"


class _Built(NamedTuple):
    """A node, with its number of nodes and of levels once aliases are written out."""

    node: Node
    size: int
    height: int


class _Reader:
    """Builds the tree from PyYAML's events, which know what its composer forgets: tags, aliases and all places."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.events = yaml.parse(source.text, Loader=IndexedLoader)
        self.anchors: dict[str, _Built | None] = {}  # None while the node is being read
        self.places: dict[str, Span] = {}
        self.size = 0

    def document(self) -> Node:
        """Read the whole text: one document."""
        try:
            root = self.root()
        except yaml.MarkedYAMLError as error:
            problem = explain(error, self.source)
            self.problems.fail(problem.message, problem.span, *problem.notes)
        except ValueError:  # PyYAML asks Python for a character beyond the last one
            beyond = next(match for match in _ASTRAL_ESCAPE.finditer(self.source.text) if int(match[1], 16) > LAST_CODE_POINT)
            place = replace(_span_at(self.source, beyond.start()), length=len(beyond.group()))
            self.problems.fail(f"there is no character {beyond.group()}; the last one is \\U{LAST_CODE_POINT:08X}", place)
        self.problems.raise_if_any()
        return root

    def root(self) -> Node:
        next(self.events)  # the start of the stream
        if not isinstance(next(self.events), yaml.DocumentStartEvent):
            self.problems.fail("the file is empty", Span(self.source, 1, 1), _BEGINNING)
        root = self.build(next(self.events), 1).node
        if isinstance(root, Scalar) and root.value is None and not len(self.problems):
            self.problems.fail("the file is empty", Span(self.source, 1, 1), _BEGINNING)
        next(self.events)  # the end of the document
        if isinstance(end := next(self.events), yaml.DocumentStartEvent):
            self.problems.add("a second document begins here; a file holds one", self.span(end))
        return root

    def build(self, event: yaml.Event, depth: int) -> _Built:
        """Read the node that begins with an event."""
        if isinstance(event, yaml.AliasEvent):
            built = self.alias(event)
            self.count(built.size, depth + built.height - 1, event)
            return built
        self.count(1, depth, event)
        return self.anchored(event, depth)

    def count(self, size: int, depth: int, event: yaml.Event) -> None:
        """Keep the number of values and their depth within bounds, which aliases can exceed with very little text."""
        self.size += size
        if depth > MAX_DEPTH:
            self.problems.fail(f"the file is nested deeper than {MAX_DEPTH} levels", self.span(event))
        if self.size > MAX_NODES:
            self.problems.fail(f"the file has more than {MAX_NODES:,} values once its aliases are written out", self.span(event))

    def alias(self, event: yaml.AliasEvent) -> _Built:
        name = str(event.anchor)
        span = self.span(event, len(name) + 1)
        known = self.anchors.get(name)
        if known is not None:
            return known
        if name in self.anchors:
            self.problems.add(f"`*{name}` stands inside the value that it repeats", span)
        else:
            notes = (*did_you_mean(name, self.anchors), "a text that begins with `*` goes in quotes")
            self.problems.add(f"`*{name}` repeats a value that is not marked `&{name}` above", span, *notes)
        return _Built(Scalar(None, "", span, "plain"), 1, 1)

    def anchored(self, event: yaml.Event, depth: int) -> _Built:
        assert isinstance(event, yaml.NodeEvent)
        name = event.anchor
        if name is not None:
            if name in self.anchors:
                first = self.places[name].line
                self.problems.add(f"`&{name}` is used twice", self.span(event, len(name) + 1), f"the first is on line {first}")
            self.anchors[name] = None
            self.places[name] = self.span(event)
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
            self.problems.add("tags (`!...`) are not used here", self.span(event), "put the text in quotes if it begins with `!`")
        built = self.content(event, depth)
        if name is not None:
            self.anchors[name] = built
        return built

    def content(self, event: yaml.NodeEvent, depth: int) -> _Built:
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(event, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, depth)
        assert isinstance(event, yaml.ScalarEvent)
        return _Built(self.scalar(event), 1, 1)

    def sequence(self, start: yaml.SequenceStartEvent, depth: int) -> _Built:
        built: list[_Built] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            built.append(self.build(event, depth + 1))
        return _with_children(Sequence(tuple(child.node for child in built), self.span(start)), built)

    def mapping(self, start: yaml.MappingStartEvent, depth: int) -> _Built:
        built: list[_Built] = []
        entries: dict[str, Entry] = {}
        loose: list[Scalar] = []  # keys without a colon since the last entry
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event, depth)
            value_event = next(self.events)
            value = self.build(value_event, depth + 1)
            built.append(value)
            if key is None:
                continue
            if _mark(value_event.start_mark).index == _mark(event.end_mark).index:
                loose.append(key)
                continue
            self.report_loose(loose, list(entries.values()))
            loose = []
            if key.text in entries:
                first = entries[key.text].key.span
                line = self.source.line(first.line).strip()
                self.problems.add(f"the key `{key.text}` occurs twice", key.span, f"the first is on line {first.line}: {line[:100]}")
            entries.setdefault(key.text, Entry(key, value.node))
        self.report_loose(loose, list(entries.values()))
        return _with_children(Mapping(tuple(entries.values()), self.span(start)), built)

    def key(self, event: yaml.Event, depth: int) -> Scalar | None:
        """Read a key; None if it is not one, which is a problem."""
        built = self.build(event, depth + 1)
        key = built.node
        if isinstance(event, yaml.AliasEvent) or not isinstance(key, Scalar):
            self.problems.add("a key must be a word or a text", self.span(event))
            return None
        if key.text == "<<" and key.style == "plain":
            self.problems.add("merge keys (`<<`) are not supported; write the entries out", key.span)
            return None
        if not key.text:
            self.problems.add("a key is missing before `:`", key.span)
            return None
        if "\n" in key.text:
            self.problems.add("a key stands in one line", key.span)
            return None
        return Scalar(key.text, key.text, key.span, key.style)

    def report_loose(self, loose: list[Scalar], before: list[Entry]) -> None:
        """Report keys without a colon: `{a:1}`, or texts behind commas that belong to the entry before."""
        if not loose:
            return
        key = loose[0]
        notes = []
        joined = re.match(r"([A-Za-z_][\w-]*):(.+)", key.text)
        if joined and key.style == "plain":
            notes.append(f"a space is missing after the colon: {joined.group(1)}: {joined.group(2)}")
        elif before and isinstance(last := before[-1].value, Scalar) and last.style == "plain" and last.text:
            text = ", ".join([last.text, *(part.text for part in loose)])
            notes.append(f'a comma ends the text before it; if the text goes on, put it in quotes: {before[-1].key.text}: "{text}"')
        self.problems.add(f"`{key.text}` has no value", key.span, *notes)

    def scalar(self, event: yaml.ScalarEvent) -> Scalar:
        style = _STYLES[event.style]
        span = self.scalar_span(event)
        text = joined(str(event.value))
        value: ScalarValue = text
        for hidden in islice(unseen_beside_pairs(str(event.value)), 1):  # by an escape: raw ones have been refused
            half = "is half of a character; the other half is missing"
            wrong = half if "\ud800" <= hidden.group() <= "\udfff" else _UNSEEN
            self.problems.add(f"the character {code_point(hidden.group())} {wrong}", span.inside(hidden.start()))
        if len(text) > MAX_TEXT:
            self.problems.add(f"the text has {len(text):,} characters; at most {MAX_TEXT:,} are read", span)
        if style == "plain":
            try:
                value = scalar_value(text)
            except ValueError as error:
                self.problems.add(str(error), span)
            if text != text.strip():
                place = span.inside(len(text) - 1 if text[0].strip() else 0)
                self.problems.add("an unusual space stands here, such as U+00A0; write an ordinary one", place)
        return Scalar(value, text, span, style)

    def scalar_span(self, event: yaml.ScalarEvent) -> Span:
        """Return the place of a scalar without its anchor and tag: in its first line, and one character for block scalars."""
        start, end = _mark(event.start_mark), _mark(event.end_mark)
        line = self.source.line(start.line + 1)
        column = start.column
        if (event.anchor or event.tag) and (properties := _PROPERTIES.match(line, column)):
            column = properties.end()
        stop = end.column if end.line == start.line else len(line.rstrip())
        length = 1 if event.style in ("|", ">") else max(1, stop - column)
        return Span(self.source, start.line + 1, column + 1, length)

    def span(self, event: yaml.Event, length: int = 1) -> Span:
        start = _mark(event.start_mark)
        return Span(self.source, start.line + 1, start.column + 1, length)


def _with_children(node: Node, children: list[_Built]) -> _Built:
    return _Built(node, 1 + sum(child.size for child in children), 1 + max((child.height for child in children), default=0))


def _mark(mark: object) -> yaml.Mark:
    assert isinstance(mark, yaml.Mark)  # all events that come from a text have places
    return mark
