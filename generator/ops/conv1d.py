"""Convolution over a sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.convolution import Convolution


@dataclass(frozen=True)
class Conv1d(Convolution):
    """A learned kernel slides over a sequence: `{op: conv1d, channels: d, kernel: 3, padding: same}`.

    x [b, c, n] -> [b, channels, floor((n + 2 padding - dilation (kernel - 1) - 1) / stride) + 1]; transposed: [b, channels,
    (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1]. Parameters: channels * c / groups * kernel, and
    channels with bias. MACs: c / groups * kernel for each element of the result, those that fall on padding included; transposed:
    channels / groups * kernel for each element of x. The bias adds one operation for each element of the result. Backward: as many
    MACs again for x and for the weight, where they need a gradient (PyTorch's FlopCounterMode counts the weight's times the number
    of groups too much; the verification does not). Kept for the backward pass: x. `padding: same` with an even kernel first copies
    x to add the odd zero at the end.
    """

    name: ClassVar[str] = "conv1d"
    axes: ClassVar[int] = 1
