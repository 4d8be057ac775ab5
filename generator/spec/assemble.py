"""Makes the tree of a whole spec of one that leans on others: a variant of another (`like`), or one with sizes declared elsewhere (`from`).

All of it happens on trees, whose nodes know their places, so that whatever follows reads, checks and reports a spec as if it had been
written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from generator.spec.yaml_nodes import Entry, Mapping, Node, Scalar, Sequence
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed
from generator.text.translated import ENGLISH

Lookup = Callable[[str, Span], Mapping]  # the assembled tree of another spec, named at a place. Raises ProblemsError
MAX_READ = 1 << 20
_LEANS = re.compile(r"\b(like|from|blocks)['\"]?\s*:")  # a text without a match leans on nothing
_NOT_INHERITED = (
    "title",
    "description",
    "cite",
    "presets",
    "claims",
    "checkpoint",
    "imports",
    "like",
    "without",
    "blocks",
)  # they speak of the other
_KINDS = ("op", "use", "slot", "pattern")
_OF_ROWS = ("in", "else", "tie", "by", "weights", "follows")  # keys of a row that name other rows
_OF_USE = ("use", "with", "options", "slots")
_SHORT = {"dims": "is", "inputs": "shape", "options": "default", "slots": "use", "layers": ""}
_BLOCKS = "a block has a name: `blocks: {cell: {inputs: {x: [b, n, d]}, layers: {y: {op: softmax}}}}`"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def leans(text: str) -> bool:
    """Say whether the text of a spec may lean on others, or hold others."""
    return bool(_LEANS.search(text))


def block_names(file: Mapping) -> list[str]:
    """Return the names of the specs inside of a file, as they are called there."""
    return [entry.key.text for entry in _entries(file.get("blocks"))]


def block_place(file: Mapping, block: str) -> Span:
    """Return where the name of a block in a file stands."""
    return next(entry.key.span for entry in _entries(file.get("blocks")) if entry.key.text == block)


def inside(file: Mapping, block: str) -> Mapping:
    """Return the tree of a block in a file, or without a name that of the file itself. Raises ProblemsError."""
    blocks = file.get("blocks")
    if not block:
        if blocks is not None and not isinstance(blocks, Mapping):
            raise ProblemsError([Problem("expected `key: value` entries in `blocks`", blocks.span, (_BLOCKS,))])
        return _but(file, "blocks")
    entry = next(entry for entry in _entries(file.get("blocks")) if entry.key.text == block)
    if not isinstance(entry.value, Mapping):
        raise ProblemsError([Problem(f"block `{block}` is no spec", entry.key.span, ("it has `inputs` and `layers`, as a file has",))])
    words_of = block.replace("_", " ")
    named = file.get("title")
    named = named.get(ENGLISH) if isinstance(named, Mapping) else named
    said = f"{named.text}: {words_of}" if isinstance(named, Scalar) else words_of
    title = Scalar(said, said, entry.key.span, "plain")
    titled = entry.value.entries if entry.value.get("title") else (Entry(_key("title", entry.key), title), *entry.value.entries)
    return Mapping(titled, entry.key.span)


def with_sizes(tree: Mapping, file: Mapping, sizes_of: Callable[[str], frozenset[str]]) -> Mapping:
    """Return a block with those sizes of its file that it needs and does not declare.

    Args:
        sizes_of: the names of the sizes of another spec, for those that the block uses.
    """
    own = tree.get("dims")
    theirs = {entry.key.text: entry for entry in _entries(file.get("dims"))}
    named = set(_sizes_named(tree))
    named |= {size for used in _used(tree) for size in sizes_of(used)}
    open_names = [name for name in theirs if name in named]
    while open_names:  # and what their values name
        more = {word for name in open_names for word in words(theirs[name].value) if word in theirs} - named
        named |= more
        open_names = [*more]
    here = {entry.key.text for entry in _entries(own)}
    taken = tuple(entry for name, entry in theirs.items() if name in named and name not in here)
    behind = tuple(entry for entry in taken if here & {*words(entry.value)})  # those that follow from sizes declared here
    before = tuple(entry for entry in taken if entry not in behind)
    dims = Mapping((*before, *_entries(own), *behind), own.span if own else tree.span)
    return Mapping((*_but(tree, "dims").entries, Entry(_key("dims", tree), dims)), tree.span)


def _sizes_named(tree: Mapping) -> Iterator[str]:
    """Yield the names in a block that may be those of sizes: not what only rows are called."""
    for entry in tree.entries:
        if entry.key.text == "layers":
            for row in _entries(entry.value):
                for said in _entries(row.value):
                    if said.key.text not in _OF_ROWS:
                        yield from words(said.value)
        elif entry.key.text not in ("claims", "outputs"):
            yield from words(entry.value)


def _used(node: Node, section: str = "") -> Iterator[str]:
    """Yield the names of the specs that rows, slots and presets use."""
    for entry in _entries(node):
        key = entry.key.text
        for item in _items(entry.value):
            if isinstance(item, Scalar) and _names_spec(key, section):
                yield item.text
            elif section or key in ("layers", "slots", "presets"):
                yield from _used(item, _section_of(key, entry.value))


def _names_spec(key: str, section: str) -> bool:
    """Say whether the value of a key, in a section of that name, is the name of a spec."""
    return key in ("use", "pattern", "first", "last") or section in ("slots", "pattern")


def _section_of(key: str, value: Node) -> str:
    """Return the section that entries inside of a value stand in: those of an item of a list are the keys of one entry."""
    return key if isinstance(value, Mapping) else "item"


def _key(name: str, at: Scalar | Mapping) -> Scalar:
    return Scalar(name, name, at.span, "plain")


def assembled(tree: Mapping, lookup: Lookup) -> Mapping:
    """Return the tree of a spec with what it takes from others. Raises ProblemsError where there is no such other."""
    like = tree.get("like")
    if like is not None:
        named = _named(like, "the spec that this one is like")
        tree = _variant(lookup(named.text, named.span), tree)
    return _with(tree, dims=_dims(tree.get("dims"), lookup)) if isinstance(tree.get("dims"), Mapping) else tree


def _dims(dims: Node | None, lookup: Lookup) -> Node | None:
    """Put in the place of `from` the sizes that other specs declare; those declared here too are as they are here."""
    if not isinstance(dims, Mapping) or dims.get("from") is None:
        return dims
    found: dict[str, Entry] = {}
    for entry in dims.entries:
        for item in _items(entry.value) if entry.key.text == "from" else ():
            named = _named(item, "the block whose sizes these are")
            other = lookup(named.text, named.span).get("dims")
            for size in other.entries if isinstance(other, Mapping) else ():
                found.setdefault(size.key.text, size)
        if entry.key.text != "from":
            found[entry.key.text] = entry
    return Mapping(tuple(found.values()), dims.span)


def _named(node: Node, what: str) -> Scalar:
    """Return a name. Raises ProblemsError where there is something else."""
    if isinstance(node, Scalar) and node.text:
        return node
    raise ProblemsError([Problem(f"expected the name of {what}", node.span)])


def _variant(base: Mapping, own: Mapping) -> Mapping:
    """Return a spec that is like another but for what it says itself."""
    found = {entry.key.text: entry for entry in base.entries if entry.key.text not in _NOT_INHERITED}
    for entry in own.entries:
        key, mine = entry.key.text, entry.value
        theirs = base.get(key)
        if key in _SHORT and isinstance(theirs, Mapping) and isinstance(mine, Mapping):
            mine = _section(key, theirs, mine)
        elif key == "where" and theirs is not None:
            mine = Sequence((*_items(theirs), *_items(mine)), mine.span)
        elif key in ("checkpoint", "imports") and isinstance(theirs, Mapping) and isinstance(mine, Mapping):
            mine = replace(mine, entries=tuple(_deep(theirs.entry(layout.key.text), layout) for layout in mine.entries))
        found[key] = replace(entry, value=mine)
    without = own.get("without")
    whole = Mapping(tuple(entry for key, entry in found.items() if key not in ("like", "without")), own.span)
    return _without(whole, [_named(item, "what is left out") for item in _items(without)]) if without is not None else whole


def _section(section: str, base: Mapping, own: Mapping) -> Mapping:
    """Return a section of a variant: entries of the other's, changed or replaced where named, and its own behind them."""
    found = {entry.key.text: entry for entry in base.entries}
    for entry in own.entries:
        name, short = entry.key.text, _SHORT[section]
        if name in found:
            found[name] = replace(entry, value=_changed(section, _spelled(found[name].value, short), _spelled(entry.value, short)))
        elif isinstance(entry.value, Mapping) and (before := entry.value.entry("follows")) is not None:
            found = _placed(found, replace(entry, value=_but(entry.value, "follows")), before)
        else:
            found[name] = entry
    return Mapping(tuple(found.values()), own.span)


def _changed(section: str, base: Node, own: Node) -> Node:
    """Return an entry that another's gives its keys to, those apart that it decides anew."""
    if not isinstance(base, Mapping) or not isinstance(own, Mapping):
        return own
    given = {entry.key.text for entry in own.entries}
    if section == "layers" and given & set(_KINDS):
        return own
    if section == "dims" and given & {"value", "default"}:
        base = _but(base, "value", "default")
    if section == "slots" and "use" in given:
        base = _but(base, *_OF_USE)
    found = {entry.key.text: entry for entry in base.entries}
    for entry in own.entries:
        found[entry.key.text] = _deep(found.get(entry.key.text), entry)
    return Mapping(tuple(found.values()), own.span)


def _deep(base: Entry | None, own: Entry) -> Entry:
    """Return an entry with the keys of both, where both have keys; `null` takes one away."""
    if base is None or not isinstance(base.value, Mapping) or not isinstance(own.value, Mapping) or own.value.get(ENGLISH) is not None:
        return own  # a text that is said anew is not that of the other in further languages
    found = {entry.key.text: entry for entry in base.value.entries}
    for entry in own.value.entries:
        found[entry.key.text] = _deep(found.get(entry.key.text), entry)
    kept = tuple(entry for entry in found.values() if not (isinstance(entry.value, Scalar) and entry.value.value is None))
    return replace(own, value=Mapping(kept, own.value.span))


def _placed(found: dict[str, Entry], entry: Entry, before: Entry) -> dict[str, Entry]:
    """Return rows with a new one behind the one that it names. Raises ProblemsError where there is none."""
    name = before.value.text if isinstance(before.value, Scalar) else ""
    if name not in found:
        notes = (*did_you_mean(name, found), f"rows: {listed(found)}")
        raise ProblemsError([Problem(f"there is no row `{name}` to follow", before.value.span, notes)])
    names = list(found)
    names.insert(names.index(name) + 1, entry.key.text)
    return {one: found.get(one, entry) for one in names}


def _without(tree: Mapping, dropped: list[Scalar]) -> Mapping:
    """Leave out rows, sizes, inputs, options and slots by their names. Raises ProblemsError for names that nothing has."""
    names = {item.text for item in dropped}
    known = {entry.key.text: None for section in _SHORT for entry in _entries(tree.get(section))}
    unknown = [item for item in dropped if item.text not in known]
    if unknown:
        raise ProblemsError(
            Problem(f"there is no `{item.text}` to leave out", item.span, did_you_mean(item.text, known)) for item in unknown
        )
    sections: dict[str, Node] = {
        section: Mapping(tuple(entry for entry in part.entries if entry.key.text not in names), part.span)
        for section in _SHORT
        if isinstance(part := tree.get(section), Mapping)
    }
    conditions = _items(tree.get("where"))
    kept = tuple(item for item in conditions if not (isinstance(item, Scalar) and names & set(_WORD.findall(item.text))))
    if len(kept) < len(conditions):
        sections["where"] = Sequence(kept, kept[0].span if kept else tree.span)
    return _with(tree, **sections)


def renamed(node: Mapping, names: dict[str, str], section: str = "") -> Mapping:
    """Return the tree of a spec in which blocks of its own file have their full names."""

    def full(key: str, whole: Node, value: Node) -> Node:
        if isinstance(value, Scalar) and value.text in names and (_names_spec(key, section) or key in ("like", "from")):
            return replace(value, text=names[value.text], value=names[value.text])
        if isinstance(value, Mapping) and (section or key in ("layers", "slots", "dims", "presets")):
            return renamed(value, names, _section_of(key, whole))
        return value

    found = []
    for entry in node.entries:
        key, value = entry.key.text, entry.value
        if isinstance(value, Sequence):
            value = replace(value, items=tuple(full(key, value, item) for item in value.items))
        found.append(replace(entry, value=full(key, value, value)))
    return Mapping(tuple(found), node.span)


def words(node: Node | None) -> Iterator[str]:
    """Yield all names in a tree: keys, and words of values."""
    if isinstance(node, Mapping):
        for entry in node.entries:
            yield from (entry.key.text, *words(entry.value))
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from words(item)
    elif isinstance(node, Scalar):
        yield from _WORD.findall(node.text)


def _spelled(node: Node, short: str) -> Node:
    """Return an entry as keys, which may be written as the value of one of them."""
    if isinstance(node, Mapping) or not short:
        return node
    return Mapping((Entry(Scalar(short, short, node.span, "plain"), node),), node.span)


def _with(tree: Mapping, **sections: Node | None) -> Mapping:
    entries = {entry.key.text: entry for entry in tree.entries}
    changed = (replace(entry, value=sections.get(key) or entry.value) for key, entry in entries.items())
    return Mapping(tuple(changed), tree.span)


def _but(node: Mapping, *keys: str) -> Mapping:
    return Mapping(tuple(entry for entry in node.entries if entry.key.text not in keys), node.span)


def _entries(node: Node | None) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, Sequence) else (node,)
