"""Networks written by hand as anyone would, to measure the counters against arithmetic done on paper."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

DEVICES = ("cpu", "meta")


class Attention(nn.Module):
    """Multi-head attention as in a textbook; inputs [b, n, d]."""

    def __init__(self, d: int, h: int, *, device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.h, self.e = h, d // h
        self.q, self.k, self.v, self.out = (nn.Linear(d, d, device=device, dtype=dtype) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (self.h, self.e)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1)
        weights = (scores * self.e**-0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class DroppingBlock(nn.Module):
    """The transformer layer whose memory Korthikanti et al. (2022) count in equation 1: three dropouts, with masks of one byte."""

    def __init__(self, d: int, h: int, *, device: str = "cpu", dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.h, self.e = h, d // h
        self.norm1, self.norm2 = (nn.LayerNorm(d, device=device, dtype=dtype) for _ in range(2))
        self.q, self.k, self.v, self.out = (nn.Linear(d, d, device=device, dtype=dtype) for _ in range(4))
        self.up = nn.Linear(d, 4 * d, device=device, dtype=dtype)
        self.down = nn.Linear(4 * d, d, device=device, dtype=dtype)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        q, k, v = (layer(y).unflatten(-1, (self.h, self.e)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        weights = _dropped((q @ k.transpose(-2, -1) * self.e**-0.5).softmax(-1))
        x = x + _dropped(self.out((weights @ v).transpose(1, 2).flatten(2)))
        return x + _dropped(self.down(functional.gelu(self.up(self.norm2(x)))))


def _dropped(x: Tensor) -> Tensor:
    return torch.native_dropout(x, 0.1, True)[0]


def conv_net(*, device: str = "cpu", dtype: torch.dtype = torch.float32) -> nn.Sequential:
    """A small image classifier: images [b, 3, 8, 8], 5 classes; its second convolution has 4 groups."""
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1, groups=4),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
    )
    return net.to(device=device, dtype=dtype)


def encoder_layer(*, device: str = "cpu", dtype: torch.dtype = torch.float32) -> nn.TransformerEncoderLayer:
    """torch's own layer, d = 8, 2 heads, feed-forward width 16, pre-norm, ReLU, no dropout."""
    return nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True, device=device, dtype=dtype)
