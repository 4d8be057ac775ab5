"""Positive random features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sympy import Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace import matmul
from generator.trace.pointwise import binary, scalar, unary
from generator.trace.reduce import reduce_axes
from generator.trace.tensor import Tensor

POSITIVE = '''
def positive_features(x: Tensor, projection: Tensor, over: tuple[int, ...]) -> Tensor:
    """exp(w x - |x|**2 / 2) / sqrt(m) of x / e**(1/4) for the m directions w, divided by its greatest value `over` the given axes."""
    x = x * x.shape[-1] ** -0.25
    products = F.linear(x, projection)
    exponents = products - x.square().sum(-1, keepdim=True) / 2
    greatest = products.detach().amax(over, keepdim=True)
    return ((exponents - greatest).exp() + 1e-4) * projection.shape[0] ** -0.5'''


@dataclass(frozen=True)
class RandomFeatures(Op):
    """Positive features whose products approximate exp(q k / sqrt(e)): `{op: random_features, in: [q, directions], of: queries}`.

    x [..., n, e] and directions [m, e] of an `op: random_projection` -> [..., n, m]: exp(w x - |x|^2 / 2 - c) / sqrt(m), with x scaled by
    e^(-1/4) and 1e-4 added to each exponential (Choromanski et al., 2021, lemma 1 and its stabiliser). c is the greatest w x, of each
    query or of all keys of a head: a factor that cancels when the attention is divided by its sum. MACs: m for each element of x.
    Other operations: 3 an element of x, 6 an element of the result, and one a row. Kept for the backward pass: the scaled x and the
    exponentials.
    """

    name: ClassVar[str] = "random_features"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)

    of: Choice = param(ChoiceKind(("queries", "keys")), "queries: c is the greatest of each row; keys: of all positions of a head")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Project, subtract half the squares and the greatest, take exponentials."""
        x, directions = inputs
        if directions.rank != 2 or x.rank < 3 or not row.same(directions.shape[1], x.shape[-1]):
            shapes = "; ".join(f"{name} is {row.show(tensor.shape)}" for name, tensor in zip(row.input_names, inputs, strict=True))
            raise OpError(f"`{row.name}` needs x [..., n, e] and directions [m, e]", shapes, at="in")
        if self.of.option is not None:
            raise OpError("whether these are features of queries or of keys is written out", at="of")
        with row.t.held(keeps_all=False) as result:
            result.append(self._features(row, x, directions))
        return result[0]

    def _features(self, row: RowScope, x: Tensor, directions: Tensor) -> Tensor:
        """Return the features, as the function POSITIVE computes them."""
        t = row.t
        # A factor that is 1 is no operation, here and at the end.
        x = scalar(t, "mul", x, is_identity=row.same(x.shape[-1], Integer(1)))
        products = matmul.linear(t, x, directions, None)
        squares = reduce_axes(t, "sum", unary(t, "square", x), (-1,), keep=True)
        t.name(x=x, products=products)
        exponents = binary(t, "sub", products, scalar(t, "div", squares))
        t.name(exponents=exponents)
        greatest = reduce_axes(t, "amax", replace(products, needs_grad=False), (-1,) if self.of.value == "queries" else (-2, -1), keep=True)
        t.name(greatest=greatest)
        features = unary(t, "exp", binary(t, "sub", exponents, greatest))
        return scalar(t, "mul", scalar(t, "add", features), is_identity=row.same(directions.shape[0], Integer(1)))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the features; the greatest of the keys is that of all tokens."""
        return Along.mixing(axis >= inputs[operand].rank - (1 if self.of.value == "queries" or operand else 2))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axes over which the greatest is taken."""
        c.need(POSITIVE)
        return {"over": "(-1,)" if self.of.value == "queries" else "(-2, -1)"}
