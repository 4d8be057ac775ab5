"""Hiding scores by a condition on their positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, zoo

from generator.formulas.places import ALWAYS, Condition, both, compared, either, index, opposite
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import TEXT, Kind, ParamScope, Raw
from generator.ops.pattern import parse_axes
from generator.text.expression_tree import ATOM, BINDING, Ast, Call, Compare, Name, Unary, fold, names
from generator.text.expression_values import symbolic
from generator.text.expressions import parse_condition
from generator.text.suggest import did_you_mean, listed
from generator.trace import index_arithmetic, pointwise
from generator.trace.hidden import Hides
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Bound:
    """A condition on indices, and the sizes that it may name beside them."""

    ast: Ast
    sizes: Mapping[str, Expr]


class ConditionKind(Kind):
    """A condition on the indices of a tensor's axes, such as `j > i`."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a value."""
        return {"type": "string"}

    def parse(self, raw: Raw) -> Ast:
        """Parse the condition."""
        return parse_condition(raw.text)

    def bind(self, parsed: Any, scope: ParamScope) -> Bound:
        """Keep the sizes for later: which names are indices is known once the axes are."""
        return Bound(parsed, scope.sizes)


CONDITION = ConditionKind()
LOGICAL = {"and": "&", "or": "|"}  # on tensors


@dataclass(frozen=True)
class Hide(Op):
    """Fill the scores whose positions satisfy a condition with -infinity, so that the softmax that follows gives them the weight 0.

    `{op: hide, axes: b h i j, where: j > i or i - j >= w}` hides the future, and what lies w or more behind. `axes` names the axes; names
    that are no sizes of the spec stand in the condition for the index along that axis, from 0. Beside them it may use sizes, + - * // %,
    comparisons, `and` and `or`. A row of scores that is hidden entirely gives no numbers (nan).

    No arithmetic but on indices, which is not counted. Kept for the backward pass: the mask, one byte an element, as large as the axes that
    the condition names. Traffic: the indices and the mask as PyTorch makes them, then the scores read and written and the mask read.
    """

    name: ClassVar[str] = "hide"

    axes: str = param(TEXT, "a name for each axis, such as b h i j", example="b h i j")
    where: Bound = param(CONDITION, "which scores are hidden, such as `j > i`", example="j > i")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Make the mask, then fill."""
        (scores,) = inputs
        places = self._places(row, scores)
        if any(value.has(zoo) for value in _formulas(self.where)):
            raise OpError("the condition divides by zero", at="where")
        hidden = index_arithmetic.mask(row.t, self.where.ast, places, scores.shape)
        row.t.name(hidden=hidden)
        indices = {name: index(axis) for name, axis in places.items()}
        return pointwise.masked_fill(row.t, scores, hidden, Hides(opposite(condition_on(self.where, indices))))

    def formulas(self) -> Iterator[tuple[str, tuple[Expr, ...]]]:
        """What the condition says of sizes alone, and one over what it divides indices by."""
        yield "where", tuple(_formulas(self.where))

    def _places(self, row: RowScope, scores: Tensor) -> dict[str, int]:
        """Return the axis of each index that the condition names. Raises OpError."""
        groups = parse_axes(self.axes, at="axes").groups
        found = f"{row.input_names[0]} is {row.show(scores.shape)}"
        if any(len(group) != 1 for group in groups) or len(groups) != scores.rank:
            raise OpError(f"`axes` gives one name for each axis, {scores.rank} in all; found `{self.axes}`", found, at="axes")
        labels = [group[0] for group in groups]
        for label, size in zip(labels, scores.shape, strict=True):
            if label in row.sizes and not row.same(row.sizes[label], size):
                raise OpError(
                    f"axis `{label}` of {row.input_names[0]} is {row.text(size)}, but {label} is {row.text(row.sizes[label])}",
                    found,
                    at="axes",
                )
        free = {label: axis for axis, label in enumerate(labels) if label not in row.sizes}
        used = names(self.where.ast)
        unknown = [name for name in used if name not in free and name not in row.sizes]
        if unknown:
            known = [*free, *row.sizes]
            raise OpError(f"`{unknown[0]}` is no axis and no size", *did_you_mean(unknown[0], known), f"axes: {listed(free)}", at="where")
        places = {name: free[name] for name in used if name in free}
        if not places:
            raise OpError("the condition names no index of an axis", f"axes: {listed(free)}", at="where")
        self._check_operators(places)
        return places

    def _check_operators(self, places: Mapping[str, int]) -> None:
        """Raise OpError for what whole numbers in a tensor cannot do."""

        def visit(node: Ast, operands: list[bool]) -> bool:
            """Say whether a node depends on an index."""
            if isinstance(node, Name):
                return node.id in places
            if any(operands) and (isinstance(node, Call) or getattr(node, "op", "") in ("/", "**")):
                word = node.function if isinstance(node, Call) else getattr(node, "op", "")
                raise OpError(f"`{word}` does not work on an index; use + - * // and %", at="where")
            if not all(operands) and getattr(node, "op", "") in ("and", "or"):
                raise OpError("each side of `and` and `or` must depend on an index", at="where")
            return any(operands)

        fold(self.where.ast, visit)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Positions are counted, unless the condition names more sizes than that axis: such as j > i + m - n."""
        label = parse_axes(self.axes, at="axes").groups[axis][0]
        used = names(self.where.ast)
        if label not in used or label in row.sizes:
            return Along.EACH
        sizes = {size for name in used if name in row.sizes for size in row.sizes[name].free_symbols}
        return Along.EACH if sizes - inputs[0].shape[axis].free_symbols else Along.COUNTS

    def code(self, c: CodeScope) -> dict[str, Any]:
        """One line for each index, one for the mask."""
        (scores,) = c.tensors
        labels = [group[0] for group in parse_axes(self.axes, at="axes").groups]
        indices = []
        for label in names(self.where.ast):
            if label in labels and label not in c.sizes:
                behind = scores.rank - 1 - labels.index(label)
                view = f"[:{', None' * behind}]" if behind else ""
                indices.append(
                    (f"{c.target}_{label}", f"torch.arange({c.inputs[0]}.shape[{labels.index(label)}], device={c.inputs[0]}.device){view}")
                )
        variables = {name.removeprefix(f"{c.target}_"): name for name, _ in indices}
        return {"indices": indices, "hidden": f"{c.target}_hidden", "condition": printed(self.where, variables, c)}


def condition_on(where: Bound, indices: Mapping[str, Expr]) -> Condition:
    """Return a condition as bounds on the indices that its names stand for."""
    known = {**where.sizes, **indices}

    def visit(node: Ast, operands: list[Condition]) -> Condition:
        """Return the bounds of a comparison, or of several joined; what stands for a number is not read."""
        if isinstance(node, Compare):
            return compared(node.op, symbolic(node.left, known), symbolic(node.right, known))
        return {"and": both, "or": either}[node.op](*operands) if getattr(node, "op", "") in LOGICAL else ALWAYS  # type: ignore[union-attr]

    return fold(where.ast, visit)


def _formulas(where: Bound) -> list[Expr]:
    """Return the parts of a condition that are made of sizes alone, and one over those that an index is divided by."""
    found: list[Expr] = []

    def visit(node: Ast, operands: list[Ast | None]) -> Ast | None:
        """Return a node that is made of sizes alone; None for others."""
        if isinstance(node, Name):
            return node if node.id in where.sizes else None
        if all(operand is not None for operand in operands):
            return node
        for place, operand in enumerate(operands):
            if operand is not None:
                value = symbolic(operand, where.sizes)
                found.append(1 / value if place == 1 and getattr(node, "op", "") in ("//", "%") else value)
        return None

    fold(where.ast, visit)
    return found


def printed(where: Bound, variables: Mapping[str, str], c: CodeScope) -> str:
    """Return a condition on tensors of indices as Python: `(j > i) | (i - j >= self.w)`."""

    def visit(node: Ast, operands: list[tuple[str, int, bool]]) -> tuple[str, int, bool]:
        """Return a node's text, how tightly its operator binds, and whether it depends on an index."""
        if isinstance(node, Name) and node.id in variables:
            return variables[node.id], ATOM, True
        if not any(depends for _, _, depends in operands):
            return c.operand(symbolic(node, where.sizes)), ATOM, False
        if isinstance(node, Unary):
            return f"-{_wrapped(operands[0], BINDING['**'])}", BINDING["*"], True
        op = str(node.op)  # type: ignore[union-attr]  # calls were refused when the row was traced
        if op in LOGICAL:
            left, right = (f"({text})" for text, _, _ in operands)
            return f"{left} {LOGICAL[op]} {right}", BINDING[op], True
        binding = BINDING[op]
        left, right = _wrapped(operands[0], binding), _wrapped(operands[1], binding + 1)
        return f"{left} {op} {right}", binding, True

    return fold(where.ast, visit)[0]


def _wrapped(operand: tuple[str, int, bool], least: int) -> str:
    text, binding, _ = operand
    return text if binding >= least else f"({text})"
