"""Nonlinearities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace import pointwise
from generator.trace.tensor import Tensor

# name: the PyTorch expression, and the kernels it runs
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "relu": ("F.relu({x})", ("relu",)),
    "gelu": ("F.gelu({x})", ("gelu",)),
    "gelu_tanh": ('F.gelu({x}, approximate="tanh")', ("gelu_tanh",)),
    "silu": ("F.silu({x})", ("silu",)),
    "tanh": ("{x}.tanh()", ("tanh",)),
    "sigmoid": ("{x}.sigmoid()", ("sigmoid",)),
    "elu_plus_one": ("F.elu({x}) + 1", ("elu", "add 1")),
    "softplus": ("F.softplus({x})", ("softplus",)),
    "exp": ("{x}.exp()", ("exp",)),
}


@dataclass(frozen=True)
class Activation(Op):
    """An elementwise nonlinearity: relu, gelu (exact), gelu_tanh, silu, tanh, sigmoid, elu_plus_one, softplus, exp.

    Operations an element by the table of vector operations. Kept for the backward pass: the result (relu, tanh, sigmoid, exp) or the input.
    """

    name: ClassVar[str] = "activation"
    pointwise: ClassVar[bool] = True

    kind: Choice = param(ChoiceKind(tuple(FUNCTIONS)), "which function, or the option that chooses it")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Apply the function."""
        (x,) = inputs
        for kernel in FUNCTIONS[self.kind.value][1]:
            x = pointwise.scalar(row.t, kernel, x) if kernel == "add 1" else pointwise.unary(row.t, kernel, x)
        return x

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The expression; a table of functions where an option chooses."""
        if self.kind.option is None:
            return {"chosen": None, "expression": FUNCTIONS[self.kind.value][0].format(x=c.inputs[0])}
        entries = "".join(f'    "{word}": {_function(code)},\n' for word, (code, _) in FUNCTIONS.items())
        c.need(f"ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {{\n{entries}}}")
        return {"chosen": c.option(self.kind), "expression": f"self.{c.name}({c.inputs[0]})"}


def _function(expression: str) -> str:
    """Return the function that an expression in x computes, as Python."""
    return expression.removesuffix("({x})") if expression.endswith("({x})") else f"lambda x: {expression.format(x='x')}"
