"""The value of a table as Python: tensors of the numbers of all places at once, and plain numbers of sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.text.expression_tree import (
    ATOM,
    BINDING,
    COMPARISON,
    POWER,
    UNARY,
    Ast,
    Binary,
    Bool,
    Call,
    Compare,
    Name,
    Number,
    Unary,
    fold,
)

_OF_BITS = {"and": "&", "or": "|"}


@dataclass(frozen=True)
class Snippet:
    """A part of the code.

    Args:
        binding: how tightly its operator binds.
        is_tensor: whether it depends on the place.
        is_whole: whether its numbers are whole, and kept as such.
        is_constant: whether it is a plain number that is not negative.
    """

    text: str
    binding: int
    is_tensor: bool
    is_whole: bool
    is_constant: bool = False

    def within(self, least: int) -> str:
        """Return the text as an operand of something that binds as tightly as `least`."""
        return self.text if self.binding >= least else f"({self.text})"


class TableCode:
    """Writes a formula.

    Args:
        indices: the variable for each number of a place.
        size: prints a size by its name, beside an operator.
    """

    def __init__(self, indices: Mapping[str, str], size: Callable[[str], str]) -> None:
        self.indices = indices
        self.size = size

    def of(self, ast: Ast) -> Snippet:
        """Return the code of a formula."""
        return fold(ast, self._visit)

    def _visit(self, node: Ast, operands: list[Snippet]) -> Snippet:
        if isinstance(node, Number):
            whole = node.value.denominator == 1
            return Snippet(str(node.value.numerator) if whole else repr(float(node.value)), ATOM, False, whole, True)
        if isinstance(node, Name):
            is_index = node.id in self.indices
            return Snippet(self.indices[node.id] if is_index else self.size(node.id), ATOM, is_index, True)
        if isinstance(node, Unary):
            return replace(operands[0], text=f"-{operands[0].within(UNARY)}", binding=UNARY, is_constant=False)
        if isinstance(node, Call):
            return _call(node.function, operands)
        return _binary(node, *operands)


def _binary(node: Binary | Compare | Bool, left: Snippet, right: Snippet) -> Snippet:
    is_tensor, is_whole = left.is_tensor or right.is_tensor, left.is_whole and right.is_whole
    binding = BINDING[node.op]
    if isinstance(node, Bool):
        operator = _OF_BITS[node.op] if is_tensor else node.op
        least = ATOM if is_tensor else binding + 1
        return Snippet(f"{left.within(least)} {operator} {right.within(least)}", binding, is_tensor, True)
    if node.op == "**":
        if is_whole and not right.is_constant:  # whole numbers have no negative powers there
            left, is_whole = _as_float(left), False
        return Snippet(f"{left.within(POWER + 1)} ** {right.within(UNARY)}", POWER, is_tensor, is_whole)
    text = f"{left.within(binding if binding > COMPARISON else binding + 1)} {node.op} {right.within(binding + 1)}"
    return Snippet(text, binding, is_tensor, is_whole and node.op != "/")


def _as_float(piece: Snippet) -> Snippet:
    if piece.is_tensor:
        return Snippet(f"{piece.within(ATOM)}.float()", ATOM, True, False)
    return Snippet(f"{piece.text}.0" if piece.is_constant else f"float({piece.text})", ATOM, False, False)


def _call(function: str, operands: Sequence[Snippet]) -> Snippet:
    is_tensor = any(piece.is_tensor for piece in operands)
    if function == "where":
        condition, yes, no = operands
        is_whole = yes.is_whole and no.is_whole
        if not condition.is_tensor:
            return Snippet(f"({yes.text} if {condition.text} else {no.text})", ATOM, is_tensor, is_whole)
        return Snippet(f"torch.where({condition.text}, {yes.text}, {no.text})", ATOM, True, is_whole)
    if function in ("min", "max"):
        return _extreme(function, operands)
    (x,) = operands
    if function in ("floor", "ceil") and x.is_whole:
        return x
    is_whole = function == "abs" and x.is_whole
    if is_tensor:
        return Snippet(f"{x.within(ATOM)}.{function}()", ATOM, True, is_whole)
    return Snippet(f"{'' if function == 'abs' else 'math.'}{function}({x.text})", ATOM, False, is_whole or function in ("floor", "ceil"))


def _extreme(function: str, operands: Sequence[Snippet]) -> Snippet:
    """The least or greatest: of plain numbers first, then of tensors, each of which is bounded by a number or another tensor."""
    is_whole = all(piece.is_whole for piece in operands)
    plain = [piece for piece in operands if not piece.is_tensor]
    bound = plain[0] if len(plain) == 1 else Snippet(f"{function}({', '.join(piece.text for piece in plain)})", ATOM, False, is_whole)
    tensors = [piece for piece in operands if piece.is_tensor]
    if not tensors:
        return bound
    text, binding = tensors[0].text, tensors[0].binding
    for other in tensors[1:]:
        text, binding = f"torch.{function}imum({text}, {other.text})", ATOM
    if plain:
        inner = text if binding >= ATOM else f"({text})"
        text = f"{inner}.clamp({'max' if function == 'min' else 'min'}={bound.text})"  # the least of two is at most the one
    return Snippet(text, ATOM, True, is_whole)
