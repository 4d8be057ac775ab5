"""Nonlinearities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace.pointwise import binary, scalar, unary
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


@dataclass(frozen=True)
class Function:
    """A function of each element.

    Args:
        expression: as PyTorch, of {x}.
        run: launches its kernels.
    """

    expression: str
    run: Callable[[Tracer, Tensor], Tensor]


def one_kernel(expression: str, kernel: str) -> Function:
    """Return a function that PyTorch runs as one kernel."""
    return Function(expression, lambda t, x: unary(t, kernel, x))


FUNCTIONS: dict[str, Function] = {
    "relu": one_kernel("F.relu({x})", "relu"),
    "relu6": one_kernel("F.relu6({x})", "hardtanh"),
    "leaky_relu": one_kernel("F.leaky_relu({x})", "leaky_relu"),
    "elu": one_kernel("F.elu({x})", "elu"),
    "elu_plus_one": Function("F.elu({x}) + 1", lambda t, x: scalar(t, "add", unary(t, "elu", x))),
    "celu": one_kernel("F.celu({x})", "celu"),
    "selu": one_kernel("F.selu({x})", "selu"),
    "gelu": one_kernel("F.gelu({x})", "gelu"),
    "gelu_tanh": one_kernel('F.gelu({x}, approximate="tanh")', "gelu_tanh"),
    "quick_gelu": Function("{x} * (1.702 * {x}).sigmoid()", lambda t, x: binary(t, "mul", x, unary(t, "sigmoid", scalar(t, "mul", x)))),
    "silu": one_kernel("F.silu({x})", "silu"),
    "mish": one_kernel("F.mish({x})", "mish"),
    "hardswish": one_kernel("F.hardswish({x})", "hardswish"),
    "hardsigmoid": one_kernel("F.hardsigmoid({x})", "hardsigmoid"),
    "hardshrink": one_kernel("F.hardshrink({x})", "hardshrink"),
    "softshrink": one_kernel("F.softshrink({x})", "softshrink"),
    "hardtanh": one_kernel("F.hardtanh({x})", "hardtanh"),
    "tanh": one_kernel("{x}.tanh()", "tanh"),
    "tanhshrink": Function("F.tanhshrink({x})", lambda t, x: binary(t, "sub", x, unary(t, "tanh", x))),
    "sigmoid": one_kernel("{x}.sigmoid()", "sigmoid"),
    "logsigmoid": one_kernel("F.logsigmoid({x})", "log_sigmoid_forward"),
    "softplus": one_kernel("F.softplus({x})", "softplus"),
    "softsign": Function("F.softsign({x})", lambda t, x: binary(t, "div", x, scalar(t, "add", unary(t, "abs", x)))),
    "exp": one_kernel("{x}.exp()", "exp"),
}


@dataclass(frozen=True)
class OneOfFunctions(Op):
    """Apply one of some functions to each element.

    Class attributes:
        functions: by the word that chooses them.
    """

    pointwise: ClassVar[bool] = True
    functions: ClassVar[Mapping[str, Function]]
    kind: Choice

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Apply the function."""
        (x,) = inputs
        return self.functions[self.kind.value].run(row.t, x)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The expression; a table of functions where an option chooses."""
        if self.kind.option is None:
            return {"chosen": None, "expression": self.functions[self.kind.value].expression.format(x=c.inputs[0])}
        words = c.choices(self.kind.option, tuple(self.functions))
        entries = (f'    "{word}": {_function(self.functions[word].expression)},' for word in words)
        c.need("ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {", entries)
        return {"chosen": c.option(self.kind), "expression": f"self.{c.name}({c.inputs[0]})"}


def _function(expression: str) -> str:
    """Return the function that an expression in x computes, as Python."""
    return expression.removesuffix("({x})") if expression.endswith("({x})") else f"lambda x: {expression.format(x='x')}"


@dataclass(frozen=True)
class Activation(OneOfFunctions):
    """An elementwise nonlinearity, such as gelu (exact) or gelu_tanh. Other functions of one number are kinds of `elementwise`.

    Operations an element by the table of vector operations. Kept for the backward pass: the result (relu, tanh, sigmoid, exp) or the
    input. Four run as several kernels, each of which reads, writes and keeps: elu_plus_one (elu, + 1), quick_gelu (x * sigmoid(1.702 x)),
    softsign (x / (1 + |x|)) and tanhshrink (x - tanh x); logsigmoid also writes and keeps exp(-|x|).
    """

    name: ClassVar[str] = "activation"
    functions: ClassVar[Mapping[str, Function]] = FUNCTIONS

    kind: Choice = param(ChoiceKind(tuple(FUNCTIONS)), "which function, or the option that chooses it")
