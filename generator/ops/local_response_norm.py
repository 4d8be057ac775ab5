"""Local response normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, SIZE, NumberOption
from generator.ops.windows import check_positions
from generator.trace import normalise
from generator.trace.tensor import Tensor

MOST_AXES = 2  # of positions


@dataclass(frozen=True)
class LocalResponseNorm(Op):
    """x / (k + alpha * mean of x^2 over neighbouring channels)^beta (Krizhevsky et al., 2012), as nn.LocalResponseNorm.

    x [b, c, n] or [b, c, h, w]. No parameters. PyTorch's chain: square, zeros around the channels, mean of each window of `size` channels,
    times alpha, plus k, power, quotient: size + 6 operations an element. Kept for the backward pass: x, the padded squares, the sum
    and its power.
    """

    name: ClassVar[str] = "local_response_norm"

    size: Expr = param(SIZE, "number of neighbouring channels, the own one among them", example=5)
    alpha: NumberOption = param(NUMBER, "factor of the mean", default=1e-4)
    beta: NumberOption = param(NUMBER, "exponent", default=0.75)
    k: NumberOption = param(NUMBER, "added to the mean", default=1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Divide each element by what its neighbours come to."""
        (x,) = inputs
        check_positions(row, x, MOST_AXES)
        size = row.whole(self.size, at="size")
        if (size - 1).is_negative:
            raise OpError(f"`size` of `{row.name}` must be at least 1; it is {row.text(size)}", at="size")
        row.require(Ge(size, 1))
        return normalise.local_response_norm(row.t, x, size, is_scaled=not (self.alpha.option is None and self.alpha.value == 1))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along channels."""
        return Along.mixing(axis == 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The number of channels, and what is not the default."""
        settings = [c.size(self.size)]
        for name, usual in (("alpha", 1e-4), ("beta", 0.75), ("k", 1)):
            value: NumberOption = getattr(self, name)
            if value.option is not None or value.value != usual:
                settings.append(f"{name}={c.run_option(value)}")
        return {"settings": settings}
