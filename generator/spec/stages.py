"""Sizes with several entries and rows for several stages, written out: `C: {is: channels, each: 1..4}` becomes C1 to C4.

One row with `each` stands for as many rows, stage1 to stage4. All that comes after this sees the sizes and rows written out; the spec
remembers which belong together, for the module, whose argument C is a list, and for what people type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from generator.spec.yaml_nodes import Entry, Node, Scalar
from generator.spec.yaml_nodes import Mapping as MappingNode
from generator.spec.yaml_nodes import Sequence as SequenceNode
from generator.text.expressions import ExpressionError, names, parse_expression, symbolic
from generator.text.problems import Problems
from generator.text.source import Span
from generator.text.suggest import listed
from generator.text.translated import ENGLISH, OF_STAGE

MOST_ENTRIES = 64
INDEX = "i"  # what the number of a stage is called where `each` does not say
_EACH = re.compile(r"(?:(?P<index>[A-Za-z]\w*)\s+in\s+)?(?P<first>\d+)\s*\.\.\s*(?P<last>\d+)")
_INDEXED = re.compile(r"(?P<name>\b[A-Za-z]\w*)\[(?P<at>[^\[\]]*)\]")
_WORD = re.compile(r"(?<![\w.])[A-Za-z]\w*(?![\w\[(])")
_PROSE = frozenset({"title", "description", "family", "is", "note", "erratum", "because", "states", "cite", "model"})  # for people
_PATTERNS = frozenset({"to", "eq"})  # keys whose texts have labels of their own, such as i
_LISTS = frozenset({"in", "out", "carry", "shape", "pattern"})  # keys of a row whose value is a list by itself


@dataclass(frozen=True)
class Family:
    """A size, or a row, with several entries.

    Args:
        members: what the entries are called once written out, in order.
        first: the number of the first.
        arg: the name of all of them in the code of the module.
    """

    name: str
    members: tuple[str, ...]
    first: int
    span: Span
    arg: str = ""

    def member(self, number: int) -> str | None:
        """Return the name of an entry; None where there is none of that number."""
        at = number - self.first
        return self.members[at] if 0 <= at < len(self.members) else None

    @property
    def variable(self) -> str:
        """The name in the code of modules."""
        return self.arg or self.name


@dataclass(frozen=True)
class WrittenOut:
    """A file's tree without `each`, and what belonged together in it."""

    tree: MappingNode
    sizes: Mapping[str, Family] = field(default_factory=dict)
    rows: Mapping[str, Family] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)  # of each row written out, which stage it is

    def own(self, row: str) -> dict[str, str]:
        """Return, for each size with several entries, the one that belongs to the stage of a row."""
        found = {name: family.member(self.numbers[row]) for name, family in self.sizes.items()}
        return {name: member for name, member in found.items() if member is not None}


def written_out(tree: MappingNode, problems: Problems) -> WrittenOut:
    """Return a file's tree with all sizes and rows that have several entries written out; problems are collected."""
    writer = _StageWriter(tree, problems)
    if not writer.sizes and not writer.rows:
        return WrittenOut(tree)
    entries = tuple(replace(entry, value=writer.section(entry.key.text, entry.value)) for entry in tree.entries)
    return WrittenOut(replace(tree, entries=entries), writer.sizes, writer.rows, writer.numbers)


@dataclass(frozen=True)
class _Stage:
    """Where a text stands: the number of the stage, what it is called, and of how many."""

    index: str
    number: int
    place: int
    count: int


class _StageWriter:
    """Writes one file out."""

    def __init__(self, tree: MappingNode, problems: Problems) -> None:
        self.problems = problems
        self.ranges: dict[tuple[str, str], tuple[str, range]] = {}
        self.numbers: dict[str, int] = {}
        self.sizes = self._families(tree, "dims")
        self.rows = self._families(tree, "layers")

    def _families(self, tree: MappingNode, section: str) -> dict[str, Family]:
        found: dict[str, Family] = {}
        node = tree.get(section)
        entries = node.entries if isinstance(node, MappingNode) else ()
        taken = {entry.key.text for entry in entries}
        for entry in entries:
            each = entry.value.get("each") if isinstance(entry.value, MappingNode) else None
            if each is None:
                continue
            name, read = entry.key.text, self._each(each)
            if read is None:
                continue
            self.ranges[section, name] = read
            members = tuple(f"{name}{number}" for number in read[1])
            for member in members:
                if member in taken:
                    self.problems.add(f"`{name}` with `each` comes to `{member}`, which is here already", entry.key.span)
            arg = entry.value.get("arg") if isinstance(entry.value, MappingNode) else None
            found[name] = Family(name, members, read[1].start, entry.key.span, arg.text if isinstance(arg, Scalar) else "")
        return found

    def _each(self, node: Node) -> tuple[str, range] | None:
        match = _EACH.fullmatch(node.text.strip()) if isinstance(node, Scalar) else None
        if match is None:
            self.problems.add("`each` says which entries there are", node.span, "such as each: 1..4, or each: i in 1..4 to name the number")
            return None
        first, last = int(match["first"]), int(match["last"])
        if last < first or last - first >= MOST_ENTRIES:
            self.problems.add(f"`{match[0]}` has {max(0, last - first + 1)} entries; it may have 1 to {MOST_ENTRIES}", node.span)
            return None
        return match["index"] or INDEX, range(first, last + 1)

    def section(self, name: str, node: Node) -> Node:
        """Return a section of the file written out."""
        if name in ("dims", "layers") and isinstance(node, MappingNode):
            return replace(node, entries=tuple(one for entry in node.entries for one in self._entries(name, entry)))
        if name == "presets" and isinstance(node, MappingNode):
            return replace(node, entries=tuple(replace(entry, value=self._preset(entry.value)) for entry in node.entries))
        if name == "where":
            items = node.items if isinstance(node, SequenceNode) else (node,)
            return SequenceNode(tuple(one for item in items for one in self._condition(item)), node.span)
        return self._texts(node, None, name)

    def _entries(self, section: str, entry: Entry) -> list[Entry]:
        name = entry.key.text
        if (section, name) not in self.ranges:
            return [replace(entry, value=self._texts(entry.value, None, ""))]
        index, numbers = self.ranges[section, name]
        assert isinstance(entry.value, MappingNode)
        found = []
        for place, number in enumerate(numbers):
            stage = _Stage(index, number, place, len(numbers))
            key = replace(entry.key, text=f"{name}{number}", value=f"{name}{number}")
            value = self._size(entry.value, stage) if section == "dims" else self._row(entry.value, stage)
            found.append(Entry(key, value))
            if section == "layers":
                self.numbers[key.text] = number
        return found

    def _size(self, node: MappingNode, stage: _Stage) -> MappingNode:
        entries = []
        for entry in node.entries:
            key, value = entry.key.text, entry.value
            if key in ("each", "arg"):
                continue
            if key == "is":
                value = _of_stage(value, stage.number)
            elif key in ("value", "default"):
                value = self._texts(self._picked(value, stage, key), stage, key)
            entries.append(replace(entry, value=value))
        return replace(node, entries=tuple(entries))

    def _row(self, node: MappingNode, stage: _Stage) -> MappingNode:
        """Return a row for one stage. In what it says once, a size of several entries is that of the stage."""
        changed = {key: node.get(key) for key in ("first", "last")}
        entries = [entry for entry in node.entries if entry.key.text not in ("each", "first", "last")]
        for key, is_here in (("first", stage.place == 0), ("last", stage.place == stage.count - 1)):
            change = changed[key]
            if change is not None and not isinstance(change, MappingNode):
                self.problems.add(
                    f"`{key}` beside `each` says what differs in that stage", change.span, f"such as {key}: {{with: {{D: c}}}}"
                )
            elif is_here and isinstance(change, MappingNode):
                entries = _merged(entries, change.entries)
        is_block = not any(entry.key.text == "op" for entry in entries)
        written = [replace(entry, value=self._value(entry, stage, is_block=is_block)) for entry in entries]
        return replace(node, entries=tuple(written))

    def _value(self, entry: Entry, stage: _Stage, *, is_block: bool) -> Node:
        key, value = entry.key.text, entry.value
        if is_block and key not in _LISTS:
            value = self._picked(value, stage, key)
        return self._texts(value, stage, key)

    def _picked(self, node: Node, stage: _Stage, key: str) -> Node:
        """Return what stands in a list for this stage, in a list with one value for each; anything else as it is."""
        if isinstance(node, MappingNode):
            return replace(
                node,
                entries=tuple(
                    entry if entry.key.text in _LISTS else replace(entry, value=self._picked(entry.value, stage, entry.key.text))
                    for entry in node.entries
                ),
            )
        if not isinstance(node, SequenceNode):
            return node
        if len(node.items) != stage.count:
            if stage.place == 0:
                message = f"`{key}` has {len(node.items)} values for {stage.count} stages"
                self.problems.add(message, node.span, "a list has one value for each stage")
            return node.items[0] if node.items else node
        return node.items[stage.place]

    def _preset(self, node: Node) -> Node:
        """Return a preset with the entries of its sizes one by one; one number stands for all of them."""
        if not isinstance(node, MappingNode):
            return node
        entries = []
        for entry in node.entries:
            value = entry.value
            if entry.key.text == "set" and isinstance(value, MappingNode):
                value = replace(value, entries=tuple(one for size in value.entries for one in self._set(size)))
            entries.append(replace(entry, value=value))
        return replace(node, entries=tuple(entries))

    def _set(self, entry: Entry) -> list[Entry]:
        family = self.sizes.get(entry.key.text)
        if family is None:
            if isinstance(entry.value, SequenceNode):
                note = "sizes with several entries say so under `dims`: {is: ..., each: 1..4}"
                self.problems.add(f"size `{entry.key.text}` is one number", entry.value.span, note)
                return []
            return [entry]
        values = entry.value.items if isinstance(entry.value, SequenceNode) else [entry.value] * len(family.members)
        if len(values) != len(family.members):
            self.problems.add(
                f"`{family.name}` has {len(family.members)} entries, and here are {len(values)} numbers",
                entry.value.span,
                f"its entries are {listed(family.members)}",
            )
            return []
        return [Entry(replace(entry.key, text=member, value=member), value) for member, value in zip(family.members, values, strict=True)]

    def _condition(self, node: Node) -> list[Node]:
        """Return a condition for each stage, where it names the stage's number; it then holds of all stages that have all entries named."""
        if not isinstance(node, Scalar) or not any(INDEX in _index_names(match["at"]) for match in _INDEXED.finditer(node.text)):
            return [self._texts(node, None, "")]
        found: list[Node] = []
        for number in range(MOST_ENTRIES + 1):
            stage = _Stage(INDEX, number, 0, 1)
            if all(self._member(match, stage) for match in _INDEXED.finditer(node.text)):
                found.append(self._scalar(node, stage, ""))
        return found or [self._texts(node, _Stage(INDEX, 1, 0, 1), "")]

    def _member(self, match: re.Match[str], stage: _Stage | None) -> str | None:
        family = self.sizes.get(match["name"]) or self.rows.get(match["name"])
        number = _number(match["at"], stage)
        return None if family is None or number is None else family.member(number)

    def _texts(self, node: Node, stage: _Stage | None, key: str) -> Node:
        """Return what stands below a key with the names of entries in the place of what is written."""
        if key in _PROSE:
            return node
        if isinstance(node, SequenceNode):
            return replace(node, items=tuple(self._texts(item, stage, key) for item in node.items))
        if isinstance(node, MappingNode):
            return replace(
                node, entries=tuple(replace(entry, value=self._texts(entry.value, stage, entry.key.text)) for entry in node.entries)
            )
        return self._scalar(node, stage, key)

    def _scalar(self, node: Scalar, stage: _Stage | None, key: str) -> Scalar:
        pieces = _Pieces(node.text)
        for match in _INDEXED.finditer(node.text):
            family = self.sizes.get(match["name"]) or self.rows.get(match["name"])
            if family is None:
                continue
            member = self._member(match, stage)
            if member is None:
                self._report(node, match, family, stage)
                return node
            pieces.put(match.start(), match.end(), member)
        if stage is not None and key not in ("use", "slot", "op", "when", "else", "in"):
            for match in _WORD.finditer(node.text):
                family = self.sizes.get(match[0])
                here = family.member(stage.number) if family is not None else None
                if here is not None:
                    pieces.put(match.start(), match.end(), here)
                elif match[0] == stage.index and key not in _PATTERNS:
                    pieces.put(match.start(), match.end(), str(stage.number))
        return pieces.scalar(node)

    def _report(self, node: Scalar, match: re.Match[str], family: Family, stage: _Stage | None) -> None:
        place = node.span.inside(match.start(), len(match[0]))
        number = _number(match["at"], stage)
        if number is None:
            self.problems.add(f"`{match[0]}` names no entry", place, f"entries are numbered: `{family.name}[{family.first}]`")
            return
        where = f" in stage {stage.number}" if stage is not None and stage.index in _index_names(match["at"]) else ""
        notes = [f"its entries are {listed(family.members)}"]
        if stage is not None and stage.place == 0 and family.name in self.sizes:
            last = family.first + len(family.members) - 1
            notes.append(f"say what stands there in the first stage, first: {{with: {{...}}}}, or begin earlier, each: {number}..{last}")
        elif stage is not None and stage.place == 0:
            notes.append("say what the first stage reads: first: {in: ...}")
        self.problems.add(f"`{family.name}` has no entry {number}{where}", place, *notes)


class _Pieces:
    """A text in which parts are replaced, and where each character of the new text stands in the old one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.changes: dict[int, tuple[int, str]] = {}

    def put(self, start: int, end: int, new: str) -> None:
        self.changes[start] = (end, new)

    def scalar(self, node: Scalar) -> Scalar:
        if not self.changes:
            return node
        new, places, at = "", [], 0
        while at < len(self.text):
            end, piece = self.changes.get(at, (at + 1, self.text[at]))
            places += [at] * len(piece)
            new, at = new + piece, end
        whole = int(new) if re.fullmatch(r"\d+", new) else new
        return replace(node, text=new, value=whole, span=replace(node.span, places=(*places, at)))


def _merged(entries: list[Entry], changes: tuple[Entry, ...]) -> list[Entry]:
    """Return the entries of a mapping with others in their places, those of mappings inside likewise."""
    found = {entry.key.text: entry for entry in entries}
    for change in changes:
        old = found.get(change.key.text)
        if old is not None and isinstance(old.value, MappingNode) and isinstance(change.value, MappingNode):
            value = replace(old.value, entries=tuple(_merged(list(old.value.entries), change.value.entries)))
            found[change.key.text] = replace(change, value=value)
        else:
            found[change.key.text] = change
    return [*found.values()]


def _of_stage(meaning: Node, number: int, language: str = ENGLISH) -> Node:
    """Return what a size means, in one or several languages, as that of the entry of one stage."""
    if isinstance(meaning, MappingNode):
        said = (replace(one, value=_of_stage(one.value, number, one.key.text)) for one in meaning.entries)
        return replace(meaning, entries=tuple(said))
    if not isinstance(meaning, Scalar) or language not in OF_STAGE:
        return meaning
    text = OF_STAGE[language].format(meaning=meaning.text, number=number)
    return replace(meaning, text=text, value=text)


def _number(text: str, stage: _Stage | None) -> int | None:
    """Return the number of an entry; None for what is none here."""
    from sympy import Integer

    try:
        ast = parse_expression(text)
        value = symbolic(ast, {stage.index: Integer(stage.number)} if stage is not None else {})
    except ExpressionError:
        return None
    return int(value) if value.is_Integer else None


def _index_names(text: str) -> set[str]:
    try:
        return {*names(parse_expression(text))}
    except ExpressionError:
        return set()
