"""Nonlinearities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace import pointwise
from generator.trace.tensor import Tensor

# name: the PyTorch function, and the kernels it runs
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "relu": ("F.relu", ("relu",)),
    "gelu": ("F.gelu", ("gelu",)),
    "gelu_tanh": ("gelu_tanh", ("gelu_tanh",)),
    "silu": ("F.silu", ("silu",)),
    "tanh": ("torch.tanh", ("tanh",)),
    "sigmoid": ("torch.sigmoid", ("sigmoid",)),
    "elu_plus_one": ("elu_plus_one", ("elu", "add 1")),
    "softplus": ("F.softplus", ("softplus",)),
    "exp": ("torch.exp", ("exp",)),
}


@dataclass(frozen=True)
class Activation(Op):
    """An elementwise nonlinearity: relu, gelu (exact), gelu_tanh, silu, tanh, sigmoid, elu_plus_one, softplus, exp.

    Operations an element by the table of vector operations. Kept for the backward pass: the result (relu, tanh, sigmoid, exp) or the input.
    """

    name: ClassVar[str] = "activation"

    kind: Choice = param(ChoiceKind(tuple(FUNCTIONS)), "which function, or the option that chooses it")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Apply the function."""
        (x,) = inputs
        for kernel in FUNCTIONS[self.kind.value][1]:
            x = pointwise.scalar(row.t, kernel, x) if kernel == "add 1" else pointwise.unary(row.t, kernel, x)
        return x

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The call, chosen at construction where an option decides."""
        if self.kind.option is not None:
            c.need("activations")
            return {"chosen": c.option(self.kind), "call": f"self.{c.name}"}
        function = FUNCTIONS[self.kind.value][0]
        if not function.startswith(("F.", "torch.")):
            c.need(function)
        return {"chosen": None, "call": function}
