"""Convolution over a sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, expand

from generator.ops.base import Along, CodeScope, OpError, RowScope, param
from generator.ops.convolution import ZEROS, Convolution
from generator.ops.params import FLAG, Flag
from generator.trace.join import preceded
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Conv1d(Convolution):
    """A learned kernel slides over a sequence: `{op: conv1d, channels: d, kernel: 3, padding: same}`.

    x [b, c, n] -> [b, channels, floor((n + 2 padding - dilation (kernel - 1) - 1) / stride) + 1]; transposed: [b, channels,
    (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1]. Parameters: channels * c / groups * kernel, and
    channels with bias. MACs: c / groups * kernel for each element of the result, those that fall on padding included; transposed:
    channels / groups * kernel for each element of x. The bias adds one operation for each element of the result. Backward: as many
    MACs again for x and for the weight, where they need a gradient (PyTorch's FlopCounterMode counts the weight's times the number
    of groups too much; the verification does not). Kept for the backward pass: x. `padding: same` with an even kernel first copies
    x to add the odd zero at the end. So does a `padding_mode` other than zeros, as `op: pad` does, and the copy is kept. With
    `weight_norm` a filter has a parameter more, its length; the weight is made anew in each pass (3 operations a number and 2 a filter),
    and kept with the lengths of the directions. With `norm_places` beside it each place of the kernel has a length, and no filter has.

    causal: a position sees itself and what is in front of it, zeros before the first: [b, channels, n]. x is copied behind the last
    dilation (kernel - 1) positions of earlier steps, which are state, also where they are zeros.
    """

    name: ClassVar[str] = "conv1d"
    axes: ClassVar[int] = 1
    called: ClassVar[Mapping[str, str]] = {"convtranspose1d": "transposed: true"}

    causal: Flag = param(FLAG, "see earlier positions alone, and keep the last of them between decoding steps", default=False)

    norm_places: Flag = param(
        FLAG, "beside weight_norm: learn the length of each place of the kernel, and not of each filter", default=False
    )

    @property
    def lengths_along(self) -> int:
        """The filters, or the places of the kernel."""
        return 2 if self.norm_places.value else super().lengths_along

    @property
    def reach(self) -> Expr:
        """How many positions in front of its own one sees."""
        return expand(self.dilation[0] * (self.kernel[0] - 1))

    @property
    def keeps_state(self) -> bool:
        """Where it sees earlier positions."""
        return self.causal.value and self.reach != 0

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check what a causal convolution cannot have, and whose lengths are learned, then convolve."""
        if self.norm_places.option:
            raise OpError("`norm_places` must be true or false itself, not an option: it decides the weights", at="norm_places")
        if self.norm_places and not self.weight_norm:
            raise OpError(f"`{row.name}` has no lengths that places could have", "say it beside weight_norm: true", at="norm_places")
        if self.causal.option:
            raise OpError("`causal` must be true or false itself, not an option: it decides the shape", at="causal")
        if self.causal:
            self._check_causal(row)
        return super().run(row, *inputs)

    def _check_causal(self, row: RowScope) -> None:
        if self.transposed:
            raise OpError("a transposed convolution is not `causal`", at="causal")
        if self.padding != (0,) or self.padding_mode.value != ZEROS:
            at = "padding" if self.padding != (0,) else "padding_mode"
            raise OpError(f"`{row.name}` is causal: earlier inputs stand in front of it, not padding", f"leave `{at}` away", at=at)
        if self.stride != (1,):
            step = row.show(self.stride)[1:-1]
            raise OpError(
                f"`{row.name}` is causal and moves by {step}; a step of decoding brings one position",
                "leave `stride` away; or leave `causal` away, and put the zeros in front by `op: pad`",
                at="stride",
            )

    def _uneven(self, row: RowScope, x: Tensor) -> Tensor:
        """Put what earlier steps have kept in front."""
        return preceded(row.t, x, 2, self.reach) if self.keeps_state else super()._uneven(row, x)

    def kept_along(self, row: RowScope, inputs: tuple[Tensor, ...]) -> int | None:
        """The positions."""
        return 2 if self.keeps_state else None

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """As other convolutions; the positions that a causal one sees are kept, and one with all of its padding in front looks back."""
        if axis == 2 and self.causal:
            return Along.EACH
        mixed = super().along(row, inputs, operand, axis)
        looks_back = axis == 2 and not self.transposed and self.stride == (1,) and self._front() == self.reach
        return Along.BACK if looks_back and mixed is Along.MIXES else mixed

    def _front(self) -> Expr | None:
        """Return the padding, where it is a number of zeros: with K - 1 of them the first n results are those of a causal convolution."""
        padding: Shape | str = self.padding
        return None if isinstance(padding, str) or self.padding_mode.value != ZEROS else padding[0]

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The module, its arguments, and what it reads."""
        found = super().code(c)
        if self.keeps_state:
            found["read"] = f'preceded({c.state}, "{c.key}", {c.inputs[0]}, 2, {c.size(self.reach)})'
        return found
