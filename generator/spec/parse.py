"""From a file's tree to a Spec. Every key is consumed; every expression is parsed; all problems are collected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from generator.ops.params import BindError, Raw
from generator.ops.registry import ops
from generator.spec import model
from generator.spec.checkpoint import checkpoint
from generator.spec.expressions import Ast, ExpressionError, expression_problem, parse_condition, parse_expression
from generator.spec.problems import Problems
from generator.spec.source import Source, Span
from generator.spec.validation import validate
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Node, Scalar, plain, read_yaml
from generator.spec.yaml_reader import Sequence as SequenceNode

T = TypeVar("T")
_ROW_KEYS = ("in", "out", "when", "note", "op", "use", "slot", "with", "options", "slots", "repeat", "scan", "carry")


def parse_spec(name: str, source: Source) -> model.Spec:
    """Read one file.

    Raises:
        ProblemsError: with all problems that can be seen without looking at other specs.
    """
    tree = read_yaml(source)
    problems = Problems()
    problems.extend(validate(tree))
    problems.raise_if_any()
    assert isinstance(tree, MappingNode)  # the schema says so
    spec = _Parser(problems).spec(name, source, tree)
    problems.raise_if_any()
    return spec


class _Parser:
    """Turns nodes that the schema has accepted into the parts of a Spec."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def spec(self, name: str, source: Source, tree: MappingNode) -> model.Spec:
        where = tree.get("where")
        cite = tree.get("cite")
        return model.Spec(
            name=name,
            source=source,
            title=_text(tree.get("title")),
            description=" ".join(_text(tree.get("description")).split()),
            cite=tuple(_words(cite)),
            dims=self.each(tree.get("dims"), self.dim),
            options=self.each(tree.get("options"), self.option),
            inputs=self.each(tree.get("inputs"), self.input),
            slots=self.each(tree.get("slots"), self.slot),
            rows=self.each(tree.get("layers"), self.row),
            outputs=tuple(self.ref(node) for node in _items(tree.get("outputs"))),
            where=tuple(c for c in (self.condition(node) for node in _items(where)) if c is not None),
            presets=self.each(tree.get("presets"), self.preset),
            claims=tuple(c for c in (self.claim(node) for node in _items(tree.get("claims"))) if c is not None),
            span=tree.span,
            checkpoints=self.each(tree.get("checkpoint"), checkpoint),
        )

    def each(self, node: Node | None, build: Callable[[str, Span, Node], T]) -> dict[str, T]:
        if not isinstance(node, MappingNode):
            return {}
        return {entry.key.text: build(entry.key.text, entry.key.span, entry.value) for entry in node.entries}

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
            return model.Dim(name, node.text, "free", None, span)
        assert isinstance(node, MappingNode)
        value, default = self.expression(node.get("value")), self.expression(node.get("default"))
        if value and default:
            self.problems.add(f"size `{name}` has both a value and a default", span, "`value` always holds; `default` may be overridden")
        kind = "derived" if value else "default" if default else "free"
        return model.Dim(name, _text(node.get("is")), kind, value or default, span)  # type: ignore[arg-type]  # a literal by construction

    def option(self, name: str, span: Span, node: Node) -> model.Option:
        assert isinstance(node, MappingNode)
        default = plain(node.get("default"))  # type: ignore[arg-type]  # required by the schema
        choices = tuple(_words(node.get("choices")))
        if choices and default not in choices:
            self.problems.add(f"the default `{default}` of option `{name}` is not among its choices", span, f"choices: {', '.join(choices)}")
        return model.Option(name, _text(node.get("is")), default, choices, span)

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
        return model.Input(name, shape, dtype, wants, _text(node.get("is")), span, below)  # type: ignore[arg-type]  # dtype by the schema

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
        slots = self.each(node.get("slots"), lambda _, where, value: self.use(where, value))
        sizes = self.each(node.get("with"), lambda _, __, value: self.expression(value))
        return model.Use(
            target.text,
            target.span,
            {k: v for k, v in sizes.items() if v is not None},
            {entry.key.text: plain(entry.value) for entry in entries},
            {k: v for k, v in slots.items() if v is not None},
            {entry.key.text: entry.value.span for entry in entries},
        )

    def slot(self, name: str, span: Span, node: Node) -> model.Slot:
        use = self.use(span, node) or model.Use("", span)
        if not isinstance(node, MappingNode):
            return model.Slot(name, use, "", span)
        state = node.get("state")
        return model.Slot(name, use, _text(node.get("is")), span, state is not None and bool(plain(state)))

    def ref(self, node: Node) -> model.Ref:
        text = _text(node)
        name, _, part = text.partition(".")
        return model.Ref(name, part, node.span)

    def row(self, name: str, span: Span, node: Node) -> model.Row:
        assert isinstance(node, MappingNode)
        spans = {entry.key.text: entry.value.span for entry in node.entries}
        kinds = [key for key in ("op", "use", "slot") if node.get(key) is not None]
        if len(kinds) != 1:
            found = " and ".join(f"`{kind}`" for kind in kinds) or "none"
            self.problems.add(f"row `{name}` needs exactly one of `op`, `use` and `slot`; found {found}", span)
        reads = node.get("in")
        out = node.get("out")
        carry = self.each(node.get("carry"), lambda _, __, value: self.shape(value))
        if carry and node.get("scan") is None:
            self.problems.add(f"row `{name}` has `carry` without `scan`", span)
        return model.Row(
            name=name,
            span=span,
            op=_text(node.get("op")),
            use=self.use(span, node) if "use" in kinds else None,
            slot=_text(node.get("slot")),
            inputs=tuple(self.ref(item) for item in _items(reads)) if reads is not None else None,
            out=self.shape(out) if out is not None else None,
            params=self.params(_text(node.get("op")), node),
            param_spans=spans,
            repeat=self.expression(node.get("repeat")),
            scan=_text(node.get("scan")),
            carry=carry,
            when=_text(node.get("when")),
            note=_text(node.get("note")),
        )

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
        spans = {e.key.text: e.value.span for part in (sizes, expect) if isinstance(part, MappingNode) for e in part.entries}
        cite = " ".join(_words(node.get("cite")))
        return model.Preset(name, _numbers(sizes), _numbers(expect), cite, _text(node.get("note")), span, spans)

    def claim(self, node: Node) -> model.Claim | None:
        assert isinstance(node, MappingNode)
        equals = self.expression(node.get("equals"))
        if equals is None:
            return None
        cite = " ".join(_words(node.get("cite")))
        texts = {key: _text(node.get(key)) for key in ("of", "row", "note", "erratum")}
        return model.Claim(texts["of"], texts["row"], equals, cite, texts["note"], texts["erratum"], node.span)


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.items if isinstance(node, SequenceNode) else (node,)


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _words(node: Node | None) -> list[str]:
    return [_text(item) for item in _items(node)]


def _numbers(node: Node | None) -> Mapping[str, int]:
    return plain(node) if node is not None else {}  # type: ignore[return-value]  # whole numbers by the schema


