"""U-Net of DDPM.

Generated from models/ddpm.yaml (sha256 72e7dc94c18bd4ce); edit the spec, not this file (content 86e190d19a5547d0).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .ddpm_attending_unit import DdpmAttendingUnit
from .ddpm_attention import DdpmAttention
from .ddpm_joining_unit import DdpmJoiningUnit
from .ddpm_larger import DdpmLarger
from .ddpm_smaller import DdpmSmaller
from .ddpm_unit import DdpmUnit


class Ddpm(nn.Module):
    """U-Net of DDPM (Ho et al., 2020).

    The network that takes noise out of images in a denoising diffusion model: residual units on four sizes of the
    image, down and up again, with what was computed on the way down joined in on the way up. The units learn of the
    time step; attention works on half the size.

    Sizes: b batch size, c channels of the image, H height of the image, W width of the image, C (channels) channels of
        the units on the whole image, G (groups) groups of the norms.
    Parameters: 2178*C**2 + 18*c*C + 430*C + c.
    MACs: 1281*b*H**2*W**2*C/1024 + 1441*b*H*W*C**2/4 + 18*b*c*H*W*C + 176*b*C**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "ddpm-cifar10": {"c": 3, "channels": 128, "groups": 32},
    }

    SIZES: ClassVar[dict[str, str]] = {"C": "channels", "G": "groups"}

    def __init__(
        self,
        *,
        c: int,
        channels: int,
        groups: int = 32,
        dropout: float = 0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if channels % groups != 0:
            raise ValueError(f"channels % groups == 0 must hold; found channels = {channels}, groups = {groups}")
        factory = {"device": device, "dtype": dtype}
        self.time_up = nn.Linear(channels, 4 * channels, **factory)
        self.time = nn.Linear(4 * channels, 4 * channels, **factory)
        self.stem = nn.Conv2d(c, channels, 3, padding=1, **factory)
        self.down1a = DdpmUnit(k=channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.down1b = DdpmUnit(k=channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.half_ = DdpmSmaller(k=channels, **factory)
        self.down2a = DdpmAttendingUnit(
            m=2 * channels,
            G=groups,
            k=channels,
            t=4 * channels,
            dropout=dropout,
            **factory,
        )
        self.down2b = DdpmAttendingUnit(
            m=2 * channels,
            G=groups,
            k=2 * channels,
            t=4 * channels,
            dropout=dropout,
            unit=DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory),
            **factory,
        )
        self.quarter = DdpmSmaller(k=2 * channels, **factory)
        self.down3a = DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.down3b = DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.eighth = DdpmSmaller(k=2 * channels, **factory)
        self.down4a = DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.down4b = DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.middle1 = DdpmAttendingUnit(
            m=2 * channels,
            G=groups,
            k=2 * channels,
            t=4 * channels,
            dropout=dropout,
            unit=DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory),
            **factory,
        )
        self.middle2 = DdpmUnit(k=2 * channels, t=4 * channels, G=groups, dropout=dropout, **factory)
        self.up4a = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up4b = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up4c = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.larger4 = DdpmLarger(k=2 * channels, **factory)
        self.up3a = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up3b = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up3c = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.larger3 = DdpmLarger(k=2 * channels, **factory)
        self.up2a = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.attention2a = DdpmAttention(k=2 * channels, G=groups, **factory)
        self.up2b = DdpmJoiningUnit(
            k=2 * channels,
            s=2 * channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.attention2b = DdpmAttention(k=2 * channels, G=groups, **factory)
        self.up2c = DdpmJoiningUnit(
            k=2 * channels,
            s=channels,
            m=2 * channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.attention2c = DdpmAttention(k=2 * channels, G=groups, **factory)
        self.larger2 = DdpmLarger(k=2 * channels, **factory)
        self.up1a = DdpmJoiningUnit(
            k=2 * channels,
            s=channels,
            m=channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up1b = DdpmJoiningUnit(
            k=channels,
            s=channels,
            m=channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.up1c = DdpmJoiningUnit(
            k=channels,
            s=channels,
            m=channels,
            t=4 * channels,
            G=groups,
            dropout=dropout,
            **factory,
        )
        self.norm = nn.GroupNorm(groups, channels, eps=1e-06, **factory)
        self.noise = nn.Conv2d(channels, c, 3, padding=1, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Ddpm:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, x: Tensor, steps: Tensor) -> Tensor:
        _, _, H, W = x.shape
        if H % 8 != 0:
            raise ValueError(f"H % 8 == 0 must hold; found H = {H}")
        if W % 8 != 0:
            raise ValueError(f"W % 8 == 0 must hold; found W = {W}")
        time_up = self.time_up(steps)                                     # b (4*C)
        time_active = F.silu(time_up)                                     # b (4*C)
        time = self.time(time_active)                                     # b (4*C)
        stem = self.stem(x)                                               # b C H W
        down1a = self.down1a(stem, time)                                  # b C H W
        down1b = self.down1b(down1a, time)                                # b C H W
        half = self.half_(down1b)                                         # b C (H/2) (W/2)
        down2a = self.down2a(half, time)                                  # b (2*C) (H/2) (W/2)
        down2b = self.down2b(down2a, time)                                # b (2*C) (H/2) (W/2)
        quarter = self.quarter(down2b)                                    # b (2*C) (H/4) (W/4)
        down3a = self.down3a(quarter, time)                               # b (2*C) (H/4) (W/4)
        down3b = self.down3b(down3a, time)                                # b (2*C) (H/4) (W/4)
        eighth = self.eighth(down3b)                                      # b (2*C) (H/8) (W/8)
        down4a = self.down4a(eighth, time)                                # b (2*C) (H/8) (W/8)
        down4b = self.down4b(down4a, time)                                # b (2*C) (H/8) (W/8)
        middle1 = self.middle1(down4b, time)                              # b (2*C) (H/8) (W/8)
        middle2 = self.middle2(middle1, time)                             # b (2*C) (H/8) (W/8)
        up4a = self.up4a(middle2, down4b, time)                           # b (2*C) (H/8) (W/8)
        up4b = self.up4b(up4a, down4a, time)                              # b (2*C) (H/8) (W/8)
        up4c = self.up4c(up4b, eighth, time)                              # b (2*C) (H/8) (W/8)
        larger4 = self.larger4(up4c)                                      # b (2*C) (H/4) (W/4)
        up3a = self.up3a(larger4, down3b, time)                           # b (2*C) (H/4) (W/4)
        up3b = self.up3b(up3a, down3a, time)                              # b (2*C) (H/4) (W/4)
        up3c = self.up3c(up3b, quarter, time)                             # b (2*C) (H/4) (W/4)
        larger3 = self.larger3(up3c)                                      # b (2*C) (H/2) (W/2)
        up2a = self.up2a(larger3, down2b, time)                           # b (2*C) (H/2) (W/2)
        attention2a = self.attention2a(up2a)                              # b (2*C) (H/2) (W/2)
        up2b = self.up2b(attention2a, down2a, time)                       # b (2*C) (H/2) (W/2)
        attention2b = self.attention2b(up2b)                              # b (2*C) (H/2) (W/2)
        up2c = self.up2c(attention2b, half, time)                         # b (2*C) (H/2) (W/2)
        attention2c = self.attention2c(up2c)                              # b (2*C) (H/2) (W/2)
        larger2 = self.larger2(attention2c)                               # b (2*C) H W
        up1a = self.up1a(larger2, down1b, time)                           # b C H W
        up1b = self.up1b(up1a, down1a, time)                              # b C H W
        up1c = self.up1c(up1b, stem, time)                                # b C H W
        norm = self.norm(up1c)                                            # b C H W
        active = F.silu(norm)                                             # b C H W
        noise = self.noise(active)                                        # b c H W
        return noise
