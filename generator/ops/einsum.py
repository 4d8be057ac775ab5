"""Contractions in einops notation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import TEXT
from generator.ops.pattern import apart, letters, parse_arrow, parse_axes
from generator.trace import matmul
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Step:
    """A contraction of one or two operands: the labels of each, and of what it gives."""

    terms: list[tuple[str, ...]]
    result: tuple[str, ...]


@dataclass(frozen=True)
class Einsum(Op):
    """A contraction: `eq: "b h i e, b h j e -> b h i j"`.

    MACs: the product of the sizes of all labels. Kept for the backward pass: each operand that the other's gradient needs.
    A label is the axis that it stands for, whatever sizes are called, and has one size in all operands. A plain batched matrix product is
    written `a @ b`.

    Three and more tensors are contracted from left to right, two at a time, and a label that neither a later one nor the result has
    is summed as soon as it can be: `b i, o i j, b j -> b o` is `b i, o i j -> b o j`, then `b o j, b j -> b o`, as nn.Bilinear does.
    Write the operands in the order that costs least. A label that stands twice in one operand takes its diagonal: `b i i -> b` is a trace.
    """

    name: ClassVar[str] = "einsum"
    arity: ClassVar[tuple[int, int | None]] = (1, None)

    eq: str = param(TEXT, "the equation, such as `b h i e, b h j e -> b h i j` (in quotes: it has commas)", example="b i e, b j e -> b i j")

    def terms(self) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
        """Return the labels of each operand and of the result. Raises OpError."""
        left, right = parse_arrow(self.eq, at="eq")
        operands = [parse_axes(term, at="eq", twice_allowed=True) for term in left.split(",")]
        result = parse_axes(right, at="eq")
        for axes in (*operands, result):
            if any(len(group) != 1 for group in axes.groups):
                raise OpError("an einsum has no groups and no 1; rearrange the operands first", at="eq")
        unknown = [label for label in result.labels if not any(label in term.labels for term in operands)]
        if unknown:
            raise OpError(f"`{unknown[0]}` stands in the result of `{self.eq}` but in no operand", *apart(self.eq), at="eq")
        return [term.labels for term in operands], result.labels

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Unify the labels, then contract."""
        terms, result = self.terms()
        if len(terms) != len(inputs):
            raise OpError(f"`{self.eq}` has {counted(len(terms), 'operand')}, but the row has {counted(len(inputs), 'input')}", at="in")
        self._unify(row, terms, inputs)
        out, *others = inputs
        for step in steps(terms, result):
            operands = [out, *others[: len(step.terms) - 1]]
            others = others[len(step.terms) - 1 :]
            plan = matmul_plan(step.terms, step.result)
            if plan is None:
                out = matmul.einsum(row.t, step.terms, step.result, operands)
            else:
                a, b = (x.transpose(-2, -1) if flip else x for x, flip in zip(operands, plan, strict=True))
                out = matmul.matmul(row.t, a, b)
        return out

    def _unify(self, row: RowScope, terms: list[tuple[str, ...]], inputs: tuple[Tensor, ...]) -> None:
        known: dict[str, tuple[Expr, str]] = {}
        shapes = "; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names, inputs, strict=True))
        for labels, x, name in zip(terms, inputs, row.input_names, strict=True):
            if len(labels) != x.rank:
                raise OpError(
                    f"`{' '.join(labels)}` has {counted(len(labels), 'axis', 'axes')}, but {name} has {x.rank}",
                    shapes,
                    *apart(self.eq),
                    at="eq",
                )
            for place, (label, size) in enumerate(zip(labels, x.shape, strict=True)):
                if row.names_another_axis(x, place, label):
                    raise OpError(_misnamed(row, label, size, name), shapes, at="eq")
                other, owner = known.setdefault(label, (size, name))
                if not row.same(other, size):
                    wrong = [one for one in ((other, owner), (size, name)) if not row.same(row.sizes.get(label, one[0]), one[0])]
                    if len(wrong) == 1:
                        raise OpError(_misnamed(row, label, *wrong[0]), shapes, at="eq")
                    verb = "contracts" if label not in self.terms()[1] else "aligns"
                    clash = f"`{row.name}` {verb} axis {label} of {owner} with axis {label} of {name}, but their sizes differ"
                    raise OpError(clash, shapes, at="eq")

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the axes that are summed away."""
        terms, result = self.terms()
        return Along.mixing(terms[operand][axis] not in result)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Matrix products where that is what it is, else einsums with one-letter labels."""
        text, *others = c.inputs
        for place, step in enumerate(steps(*self.terms())):
            operands = [text, *others[: len(step.terms) - 1]]
            others = others[len(step.terms) - 1 :]
            plan = matmul_plan(step.terms, step.result)
            if plan is not None:
                whole = [f"({text})" if place and plan[0] and " @ " in text else text, *operands[1:]]
                text = " @ ".join(x + (".transpose(-2, -1)" if flip else "") for x, flip in zip(whole, plan, strict=True))
            else:
                short = _short(step.terms, step.result)
                left = ",".join("".join(short[x] for x in term) for term in step.terms)
                text = f'torch.einsum("{left}->{"".join(short[x] for x in step.result)}", {", ".join(operands)})'
        return {"expression": text}


def _misnamed(row: RowScope, label: str, found: Expr, name: str) -> str:
    wanted = row.text(row.sizes[label])
    return f"axis `{label}` of {name} is {row.text(found)}, not {label}" + ("" if wanted == label else f" ({wanted})")


def steps(terms: list[tuple[str, ...]], result: tuple[str, ...]) -> list[Step]:
    """Return the contractions of two operands, from left to right, that come to one of many."""
    if len(terms) < 3:
        return [Step(terms, result)]
    needed = {*result, *(label for term in terms[2:] for label in term)}
    kept = tuple(label for label in dict.fromkeys((*terms[0], *terms[1])) if label in needed)
    return [Step(terms[:2], kept), *steps([kept, *terms[2:]], result)]


def _short(terms: list[tuple[str, ...]], result: tuple[str, ...]) -> dict[str, str]:
    """Give each label a letter.

    torch.einsum sums labels in alphabetical order, and copies an operand where that is not its order in memory: so keep to that.
    """
    labels = [label for term in (*terms, result) for label in term]
    short = letters(labels)
    summed = [short[label] for label in dict.fromkeys(labels) if label not in result]
    if summed == sorted(summed):
        return short
    return dict(zip(dict.fromkeys(labels), "abcdefghijklmnopqrstuvwxyz", strict=False))


def matmul_plan(terms: list[tuple[str, ...]], result: tuple[str, ...]) -> tuple[bool, bool] | None:
    """Say whether `a @ b` computes this: which operand is transposed first; None where it is no plain matrix product."""
    if len(terms) != 2 or len(terms[0]) != len(terms[1]) or len(terms[0]) != len(result) or len(result) < 2:
        return None
    a, b = terms
    batch = result[:-2]
    if a[:-2] != batch or b[:-2] != batch:
        return None
    row, column = result[-2:]
    for flip_a in (False, True):
        for flip_b in (False, True):
            i, k = reversed(a[-2:]) if flip_a else a[-2:]
            k2, j = reversed(b[-2:]) if flip_b else b[-2:]
            if (i, j) == (row, column) and k == k2 and k not in result:
                return flip_a, flip_b
    return None
