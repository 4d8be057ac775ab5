"""What weights start as: a number, or a word for how they are drawn, as torch.nn.init calls it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generator.spec.keys import KeyKind, Reader
from generator.spec.values import Expression
from generator.spec.yaml_nodes import Mapping as MappingNode
from generator.spec.yaml_nodes import Node, Scalar
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed

# Each with whether it has an argument, in parentheses: the standard deviation of `normal` and `truncated`, the bound of `uniform`.
KINDS: Mapping[str, bool] = {
    "zeros": False,
    "ones": False,
    "constant": True,
    "normal": True,
    "truncated": True,
    "uniform": True,
    "xavier": False,
    "xavier_normal": False,
    "kaiming": False,
    "kaiming_normal": False,
}
KNOWN = f"known words: {listed([word for word in KINDS if '_' not in word])}; or a number"
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True)
class Initial:
    """What one weight starts as.

    Args:
        kind: a word of KINDS; the name of an option that is the number, or a mistake, where it is no such word.
        argument: what stands in parentheses, or the number itself.
    """

    kind: str
    argument: Expression | None
    span: Span

    def mistakes(self) -> Iterator[Problem]:
        """Yield what is wrong with the word and what stands behind it."""
        if self.kind not in KINDS:
            if self.argument is not None:
                notes = (*did_you_mean(self.kind, KINDS), KNOWN)
                yield Problem(f"weights cannot start as `{self.kind}`", self.span, notes)
        elif KINDS[self.kind] and self.argument is None:
            example = {"constant": "0.5", "uniform": "d**-0.5"}.get(self.kind, "0.02")
            yield Problem(f"`{self.kind}` needs a number in parentheses", self.span, (f"such as {self.kind}({example})",))
        elif not KINDS[self.kind] and self.argument is not None:
            yield Problem(f"`{self.kind}` takes no number", self.span, (f"did you mean {self.kind}?",))


def _read(reader: Reader, _key: Scalar, node: Node) -> Any:
    if isinstance(node, MappingNode):
        found = {entry.key.text: _one(reader, entry.value) for entry in node.entries}
        return {name: value for name, value in found.items() if value is not None}
    one = _one(reader, node)
    return {} if one is None else {"weight": one}


def _one(reader: Reader, node: Node) -> Initial | None:
    if not isinstance(node, Scalar):
        return None
    called = _CALL.fullmatch(node.text)
    if called is not None and called[1] not in ("ceil", "floor", "min", "max", "log2", "sqrt"):
        inner = Scalar(called[2], called[2], node.span.inside(called.start(2), len(called[2])), "plain")
        argument = reader.expression(inner) if called[2].strip() else None
        return None if argument is None and called[2].strip() else Initial(called[1], argument, node.span)
    if node.text.strip().isidentifier():
        return Initial(node.text.strip(), None, node.span)
    number = reader.expression(node)
    return None if number is None else Initial("constant", number, node.span)


_ONE = {"type": ["number", "string"]}
INITIAL = KeyKind(
    lambda: {"type": ["number", "string", "object"], "additionalProperties": _ONE, "examples": [0, "normal(0.02)"]}, _read, dict
)
