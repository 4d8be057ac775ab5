"""From a file's tree to a Spec. Every key is consumed; every expression is parsed; all problems are collected."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from generator.ops.params import BindError, Raw
from generator.ops.registry import ops
from generator.spec import model
from generator.spec.checkpoint_checks import check_checkpoints
from generator.spec.claim_checks import check_claims
from generator.spec.dead_rows import check_reading
from generator.spec.ellipsis_shapes import with_rest
from generator.spec.import_checks import check_imports
from generator.spec.keys import Key, groups_of, keys_of
from generator.spec.name_checks import check_parts, check_sizes, check_structure
from generator.spec.schema_builder import OF_ROWS
from generator.spec.stages import WrittenOut, written_out
from generator.spec.validation import Violation, validate
from generator.spec.yaml_reader import Entry, Node, Scalar, plain, read_yaml
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Sequence as SequenceNode
from generator.text.expressions import Ast, ExpressionError, expression_problem, parse_condition, parse_expression
from generator.text.problems import Problems, ProblemsError
from generator.text.source import Source, Span

T = TypeVar("T")
_SECTIONS = ("dims", "inputs", "layers")
_STRUCTURE = ("dims", "options", "slots", "where")  # a mistake here leaves nothing to say about the rows
_REFERENCE = re.compile(r"[^\s.]+(?:\.[^\s.]+)?")


@lru_cache(maxsize=512)  # a process that opens many libraries reads the built-in specs once
def parse_spec(name: str, source: Source) -> model.Spec:
    """Read one file as far as it can be read; `problems` of the result holds what is wrong in single rows, presets and claims.

    Raises:
        ProblemsError: with all problems that can be seen without looking at other specs, if nothing can be said about the rest.
    """
    return parse_tree(name, source, read_yaml(source))


@lru_cache(maxsize=256)  # as above
def parse_assembled(name: str, source: Source, tree: Node, sources: tuple[Source, ...]) -> model.Spec:
    """Read a tree that was put together from several `sources`. Raises as `parse_spec`."""
    return parse_tree(name, source, tree, sources)


def parse_tree(name: str, source: Source, tree: Node, sources: tuple[Source, ...] = ()) -> model.Spec:
    """Read the tree of a whole spec, whose parts may stand in several `sources`. Raises as `parse_spec`."""
    problems = Problems()
    rest = ""
    if isinstance(tree, MappingNode):
        tree, rest = with_rest(tree, problems)
    whole = written_out(tree, problems) if isinstance(tree, MappingNode) else None
    problems.raise_if_any()
    tree = tree if whole is None else whole.tree
    found = validate(tree)
    problems.extend(violation.problem for violation in found)
    if not isinstance(tree, MappingNode) or any(not isinstance(tree.get(section), MappingNode) for section in _SECTIONS):
        raise ProblemsError(problems)
    parser = _SpecParser(problems, found, whole or WrittenOut(tree))
    spec = parser.spec(name, source, tree)
    wrong = list(check_structure(spec))
    problems.extend([*wrong, *check_parts(spec), *check_claims(spec), *check_imports(spec), *check_checkpoints(spec)])
    written = tree.get("outputs")
    if len(spec.outputs) == (0 if written is None else len(written.items) if isinstance(written, SequenceNode) else 1):
        problems.extend(check_reading(spec))  # as all of them can be read
    if wrong or not parser.is_sound:
        problems.extend(check_sizes(spec))
        raise ProblemsError(problems)
    return replace(spec, problems=tuple(problems), sources=sources or (source,), rest=rest)


class _SpecParser:
    """Turns nodes that the schema has accepted into the parts of a Spec; others are left out or marked as broken."""

    def __init__(self, problems: Problems, violations: Collection[Violation], whole: WrittenOut) -> None:
        self.problems = problems
        self.whole = whole
        self.violated = {violation.path[:depth] for violation in violations for depth in (1, 2)}
        self.is_sound = not any((section,) in self.violated for section in _STRUCTURE)
        self.is_sound &= not any(violation.path in (("inputs",), ("layers",)) for violation in violations)

    def spec(self, name: str, source: Source, tree: MappingNode) -> model.Spec:
        values: dict[str, Any] = {}
        for key in keys_of(model.Spec):
            before = len(self.problems)
            entry = tree.entry(key.name)
            if entry is not None:
                values[key.field] = self.section(key, entry)
            self.is_sound &= key.name not in _STRUCTURE or len(self.problems) == before
        title = tree.get("title")
        if title is not None and not values.get("title") and ("title",) not in self.violated:
            self.problems.add("the title is empty", title.span)
        broken = {name for section, name in (path for path in self.violated if len(path) > 1) if section == "presets"}
        written = tree.get("presets")
        names = [entry.key.text for entry in written.entries] if isinstance(written, MappingNode) else []
        rest: dict[str, Any] = {"families": self.whole.sizes, "stages": self.whole.rows}
        rest["broken_presets"] = tuple(one for one in names if one in broken)
        return model.Spec(name, source, tree.span, **values, **rest)

    def section(self, key: Key, entry: Entry) -> Any:
        """Return a section of the file. Entries and items with a problem are left out, or marked as broken where others name them."""
        node = entry.value
        if key.kind.part is not None and isinstance(node, MappingNode):
            return self.each(key.name, key.kind.part(), node)
        if (key.name,) in self.violated:
            if not isinstance(node, SequenceNode):
                return key.kind.empty()
            node = replace(node, items=tuple(item for i, item in enumerate(node.items) if (key.name, i) not in self.violated))
        return key.kind.read(self, entry.key, node)

    def each(self, section: str, kind: Any, node: MappingNode) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for entry in node.entries:
            name = entry.key.text
            built = None if (section, name) in self.violated else self.part(kind, entry.key, entry.value)
            if built is not None:
                found[name] = built
            elif "broken" in kind.__dataclass_fields__:
                found[name] = kind(name, entry.key.span, broken=True)
        return found

    def part(self, kind: Any, key: Scalar, node: Node) -> Any:
        """Return a part of the spec; None if anything is wrong with it, which is among the problems then."""
        before = len(self.problems)
        if not isinstance(node, MappingNode):
            node = MappingNode((Entry(Scalar(kind.short, kind.short, node.span, "plain"), node),), node.span)
        values: dict[str, Any] = {}
        for one in keys_of(kind, own=True):
            value = node.get(one.name)
            if value is not None and not (one.of_blocks and node.get("op") is not None):  # an op may have a setting of that name
                values[one.field] = one.kind.read(self, key, value)
        for name, (inner, needed) in groups_of(kind).items():
            values[name] = self.part(inner, key, node) if needed or node.get(inner.place) is not None else None
        if kind is model.Row:
            values["params"] = self.params(values.get("op", ""), node)
            values |= self.of_stage(key.text, values)
        spans, names = _places(node)
        built = kind(key.text, spans.get(kind.place, key.span), spans=spans, names=names, **values)
        self.problems.extend(built.mistakes())
        return built if len(self.problems) == before else None

    def of_stage(self, row: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the row of one of several stages uses, with the sizes that are this stage's."""
        if row not in self.whole.numbers:
            return {}
        own = self.whole.own(row)
        found: dict[str, Any] = {"use": replace(values["use"], own=own)} if values["use"] is not None else {}
        pattern = values.get("pattern", {})
        return found | {"pattern": {name: replace(kind, use=replace(kind.use, own=own)) for name, kind in pattern.items()}}

    def expression(self, node: Node) -> model.Expression | None:
        if not isinstance(node, Scalar):
            return None
        ast = self.guard(node.span, lambda: parse_expression(node.text))
        return None if ast is None else model.Expression(node.text, ast, node.span)

    def condition(self, node: Node) -> model.Condition | None:
        text = node.text if isinstance(node, Scalar) else ""
        ast: Ast | None = self.guard(node.span, lambda: parse_condition(text))
        return None if ast is None else model.Condition(text, ast, node.span)

    def ref(self, node: Node) -> model.Ref | None:
        text = node.text if isinstance(node, Scalar) else ""
        if not _REFERENCE.fullmatch(text):
            found = f"found `{text}`" if text else "found nothing"
            self.problems.add(f"expected the name of a row or input, or `row.part`; {found}", node.span)
            return None
        name, _, part = text.partition(".")
        return model.Ref(name, part, node.span)

    def guard(self, span: Span, parse: Callable[[], T]) -> T | None:
        """Run a parser; a failure becomes a problem at the scalar's span."""
        try:
            return parse()
        except ExpressionError as error:
            self.problems.extend([expression_problem(error, span)])
        except BindError as error:
            self.problems.add(str(error), span, *error.notes)
        return None

    def params(self, op: str, node: MappingNode) -> dict[str, Any]:
        """Return the settings of an op, by its own kinds."""
        declared = ops()[op].parameters() if op else {}
        found: dict[str, Any] = {}
        for key, value in ((entry.key.text, entry.value) for entry in node.entries if op):
            if key == "op" or any(key == one.name for one in OF_ROWS):
                continue
            raw = Raw(plain(value), value.text if isinstance(value, Scalar) else "", value.span)
            found[key] = self.guard(value.span, lambda raw=raw, key=key: declared[key]["kind"].parse(raw))  # type: ignore[misc]  # bound now
        return found


def _places(node: MappingNode) -> tuple[dict[str, Span], dict[str, Span]]:
    """Return where the values of the keys stand, and where their names, with those of the entries inside."""
    spans, names = {}, {}
    for entry in node.entries:
        spans[entry.key.text], names[entry.key.text] = entry.value.span, entry.key.span
        for inner in entry.value.entries if isinstance(entry.value, MappingNode) else ():
            path = f"{entry.key.text}.{inner.key.text}"
            spans[path], names[path] = inner.value.span, inner.key.span
    return spans, names
