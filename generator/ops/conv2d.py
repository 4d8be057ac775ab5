"""Convolution over an image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from generator.ops.convolution import Convolution


@dataclass(frozen=True)
class Conv2d(Convolution):
    """A learned kernel slides over an image: `{op: conv2d, channels: d, kernel: p, stride: p}` cuts it into embedded patches.

    x [b, c, h, w] -> [b, channels, ...]; each axis of positions as in conv1d. Parameters: channels * c / groups * the kernel's area,
    and channels with bias. MACs: c / groups times the area for each element of the result, those that fall on padding included;
    transposed: channels / groups times the area for each element of x. The bias adds one operation for each element of the result.
    Backward: as many MACs again for x and for the weight, where they need a gradient (PyTorch's FlopCounterMode counts the weight's
    times the number of groups too much; the verification does not). Kept for the backward pass: x. `padding: same` with an even
    kernel first copies x to add the odd zero at the end.

    The result is taken to be contiguous, as on meta tensors; a CPU or GPU keeps it channels last where x is, which moves later copies.
    """

    name: ClassVar[str] = "conv2d"
    axes: ClassVar[int] = 2
    called: ClassVar[Mapping[str, str]] = {"convtranspose2d": "transposed: true"}
