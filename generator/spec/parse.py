"""From a file's tree to a Spec. Every key is consumed; every expression is parsed; all problems are collected."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from generator.ops.params import BindError, Raw
from generator.ops.registry import ops
from generator.spec import model
from generator.spec.checkpoint import checkpoint
from generator.spec.checks import check_parts, check_sizes, check_structure
from generator.spec.claim import claim
from generator.spec.claim_checks import check_claims
from generator.spec.reading import check_reading
from generator.spec.validation import Violation, validate
from generator.spec.yaml_reader import Entry, Node, Scalar, plain, read_yaml
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Sequence as SequenceNode
from generator.text.expressions import Ast, ExpressionError, expression_problem, parse_condition, parse_expression
from generator.text.problems import Problems, ProblemsError
from generator.text.source import Source, Span

T = TypeVar("T")
_ROW_KEYS = ("in", "out", "when", "note", "op", "use", "slot", "with", "options", "slots", "repeat", "scan", "carry")
_SECTIONS = ("dims", "inputs", "layers")
_STRUCTURE = ("dims", "options", "slots", "where")  # a mistake here leaves nothing to say about the rows
_REFERENCE = re.compile(r"[^\s.]+(?:\.[^\s.]+)?")


@lru_cache(maxsize=256)  # a process that opens many libraries reads the built-in specs once
def parse_spec(name: str, source: Source) -> model.Spec:
    """Read one file as far as it can be read; `problems` of the result holds what is wrong in single rows, presets and claims.

    Raises:
        ProblemsError: with all problems that can be seen without looking at other specs, if nothing can be said about the rest.
    """
    tree = read_yaml(source)
    found = validate(tree)
    problems = Problems()
    problems.extend(violation.problem for violation in found)
    if not isinstance(tree, MappingNode) or any(not isinstance(tree.get(section), MappingNode) for section in _SECTIONS):
        raise ProblemsError(problems)
    parser = _SpecParser(problems, found)
    spec = parser.spec(name, source, tree)
    wrong = list(check_structure(spec))
    problems.extend([*wrong, *check_parts(spec), *check_claims(spec)])
    if len(spec.outputs) == len(_items(tree.get("outputs"))):  # all of them can be read
        problems.extend(check_reading(spec))
    if wrong or not parser.is_sound:
        problems.extend(check_sizes(spec))
        raise ProblemsError(problems)
    return replace(spec, problems=tuple(problems))


class _SpecParser:
    """Turns nodes that the schema has accepted into the parts of a Spec; others are left out or marked as broken."""

    def __init__(self, problems: Problems, violations: Collection[Violation]) -> None:
        self.problems = problems
        self.violated = {violation.path[:depth] for violation in violations for depth in (1, 2)}
        self.is_sound = not any((section,) in self.violated for section in _STRUCTURE)
        self.is_sound &= not any(violation.path in (("inputs",), ("layers",)) for violation in violations)

    def spec(self, name: str, source: Source, tree: MappingNode) -> model.Spec:
        before = len(self.problems)
        dims = self.each(tree, "dims", self.dim, lambda key, span: model.Dim(key, "", "free", None, span))
        options = self.each(tree, "options", self.option)
        slots = self.each(tree, "slots", self.slot)
        where = tuple(c for c in map(self.condition, self.items(tree, "where")) if c is not None)
        self.is_sound &= len(self.problems) == before
        return model.Spec(
            name=name,
            source=source,
            title=self.title(tree.get("title")),
            description=_line(tree.get("description")),
            cite=tuple(map(_text, self.items(tree, "cite"))),
            dims=dims,
            options=options,
            inputs=self.each(tree, "inputs", self.input, lambda key, span: model.Input(key, (), "float", True, "", span, broken=True)),
            slots=slots,
            rows=self.each(tree, "layers", self.row, lambda key, span: model.Row(key, span, broken=True)),
            outputs=tuple(ref for ref in map(self.ref, self.items(tree, "outputs")) if ref is not None),
            where=where,
            presets=self.each(tree, "presets", self.preset),
            broken_presets=tuple(e.key.text for e in _entries(tree.get("presets")) if ("presets", e.key.text) in self.violated),
            claims=tuple(c for c in map(self.claim, self.items(tree, "claims")) if c is not None),
            span=tree.span,
            checkpoints=self.each(tree, "checkpoint", checkpoint),
            cite_spans={_text(item): item.span for item in self.items(tree, "cite")},
        )

    def title(self, node: Node | None) -> str:
        text = _line(node)
        if isinstance(node, Scalar) and not text:
            self.problems.add("the title is empty", node.span)
        return text

    def each(
        self, tree: MappingNode, section: str, build: Callable[[str, Span, Node], T], broken: Callable[[str, Span], T] | None = None
    ) -> dict[str, T]:
        """Build the entries of a section. Those with a problem are replaced by what `broken` returns, or left out."""
        node = tree.get(section)
        found: dict[str, T] = {}
        for entry in node.entries if isinstance(node, MappingNode) else ():
            name, span = entry.key.text, entry.key.span
            before = len(self.problems)
            built = None if (section, name) in self.violated else build(name, span, entry.value)
            if built is not None and len(self.problems) == before:
                found[name] = built
            elif broken is not None:
                found[name] = broken(name, span)
        return found

    def items(self, tree: MappingNode, section: str) -> tuple[Node, ...]:
        """Return the items of a list, or the one scalar that stands for it; those with a problem are left out."""
        if (section,) in self.violated and not isinstance(tree.get(section), SequenceNode):
            return ()
        return tuple(node for i, node in enumerate(_items(tree.get(section))) if (section, i) not in self.violated)

    def expression(self, node: Node | None) -> model.Expression | None:
        if not isinstance(node, Scalar):
            return None
        ast = self.guard(node.span, lambda: parse_expression(node.text))
        return None if ast is None else model.Expression(node.text, ast, node.span)

    def guard(self, span: Span, parse: Callable[[], T]) -> T | None:
        """Run a parser; a failure becomes a problem at the scalar's span."""
        try:
            return parse()
        except ExpressionError as error:
            self.problems.extend([expression_problem(error, span)])
        except BindError as error:
            self.problems.add(str(error), span, *error.notes)
        return None

    def shape(self, node: Node | None) -> tuple[model.Expression, ...]:
        return tuple(e for e in (self.expression(item) for item in _items(node)) if e is not None)

    def dim(self, name: str, span: Span, node: Node) -> model.Dim:
        if isinstance(node, Scalar):
            return model.Dim(name, _line(node), "free", None, span)
        assert isinstance(node, MappingNode)
        value, default = self.expression(node.get("value")), self.expression(node.get("default"))
        if value and default:
            self.problems.add(f"size `{name}` has both a value and a default", span, "`value` always holds; `default` may be overridden")
        kind = "derived" if value else "default" if default else "free"
        arg = node.get("arg")
        place = (arg.text, arg.span) if isinstance(arg, Scalar) else ("", None)
        return model.Dim(name, _line(node.get("is")), kind, value or default, span, *place)  # type: ignore[arg-type]  # a literal by construction

    def option(self, name: str, span: Span, node: Node) -> model.Option:
        assert isinstance(node, MappingNode)
        default = plain(node.get("default"))  # type: ignore[arg-type]  # required by the schema
        choices = tuple(_words(node.get("choices")))
        meant = {"yes": True, "on": True, "no": False, "off": False}.get(str(default).lower())
        if meant is not None and not choices:
            notes = (f"did you mean {str(meant).lower()}?",)
            self.problems.add(f"option `{name}` has the default `{default}`, which YAML reads as a word", node.get("default").span, *notes)  # type: ignore[union-attr]  # required by the schema
        if choices and default not in choices:
            self.problems.add(
                f"the default `{default}` of option `{name}` is not among its choices", span, f"choices: {', '.join(choices)}"
            )
        return model.Option(name, _line(node.get("is")), default, choices, span)

    def input(self, name: str, span: Span, node: Node) -> model.Input:
        if isinstance(node, SequenceNode):
            return model.Input(name, self.shape(node), "float", True, "", span)
        assert isinstance(node, MappingNode)
        dtype = _text(node.get("dtype")) or "float"
        grad = node.get("grad")
        wants = plain(grad) if grad is not None else dtype == "float"
        if node.get("shape") is None:
            self.problems.add(f"`shape` is missing in `inputs.{name}`", span)
        below = self.expression(node.get("below"))
        shape = self.shape(node.get("shape"))
        return model.Input(name, shape, dtype, wants, _line(node.get("is")), span, below)  # type: ignore[arg-type]  # dtype by the schema

    def use(self, span: Span, node: Node) -> model.Use | None:
        if isinstance(node, Scalar):
            return model.Use(node.text, node.span)
        assert isinstance(node, MappingNode)
        target = node.get("use")
        if not isinstance(target, Scalar):
            self.problems.add("`use` is missing: the name of the block that stands here", span)
            return None
        options = node.get("options")
        entries = options.entries if isinstance(options, MappingNode) else ()
        return model.Use(
            target.text,
            target.span,
            self.values(node.get("with"), lambda entry: self.expression(entry.value)),
            {entry.key.text: plain(entry.value) for entry in entries},
            self.values(node.get("slots"), lambda entry: self.use(entry.key.span, entry.value)),
            {entry.key.text: entry.value.span for entry in entries},
            _names(node),
        )

    def values(self, node: Node | None, build: Callable[[Entry], T | None]) -> dict[str, T]:
        """Build the entries of a mapping inside another; those that cannot be built are problems already."""
        entries = node.entries if isinstance(node, MappingNode) else ()
        built = {entry.key.text: build(entry) for entry in entries}
        return {name: value for name, value in built.items() if value is not None}

    def slot(self, name: str, span: Span, node: Node) -> model.Slot:
        use = self.use(span, node) or model.Use("", span)  # the spec is unsound then
        if not isinstance(node, MappingNode):
            return model.Slot(name, use, "", span)
        state = node.get("state")
        return model.Slot(name, use, _line(node.get("is")), span, state is not None and bool(plain(state)))

    def ref(self, node: Node) -> model.Ref | None:
        text = _text(node)
        if not _REFERENCE.fullmatch(text):
            found = f"found `{text}`" if text else "found nothing"
            self.problems.add(f"expected the name of a row or input, or `row.part`; {found}", node.span)
            return None
        name, _, part = text.partition(".")
        return model.Ref(name, part, node.span)

    def row(self, name: str, span: Span, node: Node) -> model.Row:
        assert isinstance(node, MappingNode)
        spans = {entry.key.text: entry.value.span for entry in node.entries}
        spans |= {f"carry.{entry.key.text}": entry.key.span for entry in _entries(node.get("carry"))}
        kinds = [key for key in ("op", "use", "slot") if node.get(key) is not None]
        if len(kinds) != 1:
            found = " and ".join(f"`{kind}`" for kind in kinds) or "none"
            self.problems.add(f"row `{name}` needs exactly one of `op`, `use` and `slot`; found {found}", span)
        reads = node.get("in")
        out = node.get("out")
        carry = self.values(node.get("carry"), lambda entry: self.shape(entry.value))
        self.block_keys(name, node)
        return model.Row(
            name=name,
            span=span,
            op=_text(node.get("op")),
            use=self.use(span, node) if "use" in kinds else None,
            slot=_text(node.get("slot")),
            inputs=tuple(ref for ref in map(self.ref, _items(reads)) if ref is not None) if reads is not None else None,
            out=self.shape(out) if out is not None else None,
            params=self.params(_text(node.get("op")), node),
            param_spans=spans,
            repeat=self.expression(node.get("repeat")),
            scan=_text(node.get("scan")),
            carry=carry,
            when=_text(node.get("when")),
            note=_line(node.get("note")),
        )

    def block_keys(self, name: str, node: MappingNode) -> None:
        """Check the keys of a row that go together or exclude each other."""
        given = {entry.key.text: entry.key.span for entry in node.entries}
        for key in ("with", "options", "slots"):
            if key in given and "use" not in given and "slot" in given:
                note = "what fills a slot is given where the slot is declared, under `slots`, or by the spec that uses this one"
                self.problems.add(f"row `{name}` fills a slot, so `{key}` does not belong here", given[key], note)
        if "repeat" in given and "scan" in given:
            self.problems.add(f"row `{name}` has both `repeat` and `scan`", given["scan"], "use a spec that repeats within one that scans")
        elif "carry" in given and "scan" not in given:
            self.problems.add(f"row `{name}` has `carry` without `scan`", given["carry"])
        elif "scan" in given and "carry" not in given:
            note = "carry names the state and its shape: `carry: {state: [b, d]}`"
            self.problems.add(f"row `{name}` has `scan` without `carry`", given["scan"], note)

    def params(self, op: str, node: MappingNode) -> dict[str, Any]:
        if not op:
            return {}
        declared = ops()[op].parameters()
        found: dict[str, Any] = {}
        for entry in node.entries:
            key = entry.key.text
            if key in _ROW_KEYS:
                continue
            raw = Raw(plain(entry.value), entry.value.text if isinstance(entry.value, Scalar) else "", entry.value.span)
            parsed = self.guard(entry.value.span, lambda raw=raw, key=key: declared[key]["kind"].parse(raw))  # type: ignore[misc]  # bound now
            found[key] = parsed
        return found

    def condition(self, node: Node) -> model.Condition | None:
        text = _text(node)
        ast: Ast | None = self.guard(node.span, lambda: parse_condition(text))
        return None if ast is None else model.Condition(text, ast, node.span)

    def preset(self, name: str, span: Span, node: Node) -> model.Preset:
        assert isinstance(node, MappingNode)
        sizes, expect = node.get("set"), node.get("expect")
        expected = {e.key.text: e.value.span for e in expect.entries} if isinstance(expect, MappingNode) else {}
        named = {e.key.text: e.key.span for e in sizes.entries} if isinstance(sizes, MappingNode) else {}
        cite = " ".join(_words(node.get("cite")))
        return model.Preset(
            name, _numbers(sizes), _numbers(expect), cite, _line(node.get("note")), span, named, expected, _cite_spans(node)
        )

    def claim(self, node: Node) -> model.Claim | None:
        assert isinstance(node, MappingNode)
        before = len(self.problems)
        built = claim(node, self)
        return built if len(self.problems) == before else None


def _entries(node: Node | None) -> tuple[Entry, ...]:
    return tuple(node.entries) if isinstance(node, MappingNode) else ()


def _names(node: MappingNode) -> dict[tuple[str, str], Span]:
    """Return the places of the keys in the sections of a used spec."""
    sections = {key: node.get(key) for key in ("with", "options", "slots")}
    return {(key, e.key.text): e.key.span for key, part in sections.items() if isinstance(part, MappingNode) for e in part.entries}


def _cite_spans(node: MappingNode) -> dict[str, Span]:
    return {item.text: item.span for item in _items(node.get("cite")) if isinstance(item, Scalar)}


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, SequenceNode) else (node,)


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _line(node: Node | None) -> str:
    """Return a text for people in one line, as tables, headings and comments have it."""
    return " ".join(_text(node).split())


def _words(node: Node | None) -> list[str]:
    return [_text(item) for item in _items(node)]


def _numbers(node: Node | None) -> dict[str, int]:
    values = plain(node) if node is not None else {}
    return {name: int(value) for name, value in values.items()}  # whole by the schema, but perhaps written as 1.0
