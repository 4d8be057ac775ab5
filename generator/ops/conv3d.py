"""Convolution over a video or a volume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from generator.ops.convolution import Convolution


@dataclass(frozen=True)
class Conv3d(Convolution):
    """A learned kernel slides over the frames of a video or the slices of a volume: `{op: conv3d, channels: d, kernel: 3, padding: 1}`.

    x [b, c, t, h, w] -> [b, channels, ...]; each axis of positions as in conv1d. Parameters: channels * c / groups * the kernel's
    volume, and channels with bias. MACs: c / groups times the volume for each element of the result, those that fall on padding
    included; transposed: channels / groups times the volume for each element of x. All else as in conv2d.
    """

    name: ClassVar[str] = "conv3d"
    axes: ClassVar[int] = 3
    called: ClassVar[Mapping[str, str]] = {"convtranspose3d": "transposed: true"}
