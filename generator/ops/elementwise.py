"""Functions of one number that are no nonlinearities of networks by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from generator.ops.activation import Function, OneOfFunctions, one_kernel
from generator.ops.base import param
from generator.ops.params import Choice, ChoiceKind

FUNCTIONS: dict[str, Function] = {
    name: one_kernel(f"{{x}}.{name}()", name) for name in ("exp", "log", "sqrt", "rsqrt", "neg", "abs", "square", "sin", "cos")
}


@dataclass(frozen=True)
class Elementwise(OneOfFunctions):
    """A function of each element: exp, log, sqrt, rsqrt (1 / sqrt(x)), neg (-x), abs, square, sin, cos.

    One operation an element. Kept for the backward pass: the result (exp, sqrt, rsqrt), nothing (neg), or the input.
    """

    name: ClassVar[str] = "elementwise"
    functions: ClassVar[Mapping[str, Function]] = FUNCTIONS

    kind: Choice = param(ChoiceKind(tuple(FUNCTIONS)), "which function, or the option that chooses it")
