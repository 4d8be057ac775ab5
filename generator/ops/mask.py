"""Hiding positions from a softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Ge

from generator.formulas.places import compared, index
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace import pointwise
from generator.trace.create import triangle
from generator.trace.hidden import Hides
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Mask(Op):
    """Fill hidden positions with -infinity, so that the softmax that follows gives them the weight 0.

    causal: `in: scores`. Hides the future in scores [..., n, m]: the queries are the last n of the m tokens (m >= n), so that query i may
    look at the first m - n + i + 1 keys. The mask [n, m] is made in the module.
    padding: `in: [scores, hidden]`. `hidden` is a bool tensor, true where a key must not be looked at. Its last axis is the last one of the
    scores and its other axes are the first ones; between them it is the same for all: hidden [b, m] serves all heads and queries of scores
    [b, h, n, m]. Axes of size one stretch. A query from which all keys are hidden gets no numbers (nan).

    No arithmetic. Kept for the backward pass: the mask, one byte an element. Traffic: the scores read and written, the mask read; a
    causal mask is also written, read and written.
    """

    name: ClassVar[str] = "mask"
    arity: ClassVar[tuple[int, int | None]] = (1, 2)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "bool")

    kind: Choice = param(ChoiceKind(("causal", "padding")), "causal: hide later tokens; padding: hide what a second input says")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Fill with the mask."""
        scores = inputs[0]
        if self.kind.option is not None:
            raise OpError(
                "the kind of a mask is written out",
                f"for a mask that an option may switch off, write `when: {self.kind.option}`",
                at="kind",
            )
        if self.kind.value == "causal":
            if len(inputs) > 1:
                raise OpError(
                    f"a causal mask reads the scores alone; `{row.name}` also reads {row.input_names[1]}",
                    "did you mean kind: padding?",
                    at="in",
                )
            if scores.rank < 2:
                raise OpError(
                    f"`{row.name}` needs scores with an axis of queries and one of keys",
                    f"{row.input_names[0]} is {row.show(scores.shape)}",
                    at="in",
                )
            n, m = scores.shape[-2:]
            if (m - n).is_negative:  # the first queries have nothing to look at
                raise OpError(
                    f"`{row.name}` is causal, but has {row.text(n)} queries for {row.text(m)} keys",
                    f"{row.input_names[0]} is {row.show(scores.shape)}",
                    at="in",
                )
            row.require(Ge(m, n))
            past = Hides(compared("<=", index(scores.rank - 1), index(scores.rank - 2) + m - n))
            future = triangle(row.t, n, m)
            row.t.name(future=future)
            return pointwise.masked_fill(row.t, scores, future, past)
        if len(inputs) < 2:
            raise OpError(
                f"a padding mask needs a second input, true where a key is hidden; `{row.name}` reads {row.input_names[0]} alone", at="in"
            )
        return pointwise.masked_fill(row.t, scores, laid_over(row, row.input_names[0], scores.shape, (row.input_names[1], inputs[1])))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Queries are the last of the tokens that are keys; what is hidden is read from the keys."""
        return Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The mask."""
        if self.kind.value == "padding":
            scores, hidden = c.tensors
            return {"diagonal": None, "hidden": spread(c.inputs[1], hidden.rank, scores.rank)}
        n, m = c.tensors[0].shape[-2:]
        return {"diagonal": "1" if n == m else f"{c.target}_past + 1", "past": n != m, "target": c.target, "hidden": f"{c.target}_future"}


def laid_over(row: RowScope, name: str, scores: Shape, given: tuple[str, Tensor]) -> Tensor:
    """Return a mask with axes of size one where it is the same for all scores. Raises OpError.

    Args:
        name, scores: what the scores are called, and their shape.
        given: the mask and its name.
    """
    mask, hidden = given
    for _ in range(len(scores) - hidden.rank):
        hidden = hidden.unsqueeze(-2) if hidden.rank else hidden.unsqueeze(0)
    if hidden.rank != len(scores) or not all(a == 1 or row.same(a, b) for a, b in zip(hidden.shape, scores, strict=True)):
        raise OpError(
            f"`{row.name}` cannot lay {mask} over {name}: its last axis must be the keys, its other axes the first ones of {name}",
            f"{name} is {row.show(scores)}; {mask} is {row.show(given[1].shape)}",
            f"did you mean {mask} to be {row.show((*scores[: len(scores) - 1][:1], scores[-1]))}?",
            at="in",
        )
    return hidden


def spread(mask: str, rank: int, scores: int) -> str:
    """Return a mask of some axes, as Python, laid over scores of more."""
    index = [":"] * (rank - 1) + ["None"] * (scores - rank) + [":"]
    return f"{mask}[{', '.join(index)}]" if scores > rank else mask
