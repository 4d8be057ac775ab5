"""Performer attention.

Generated from blocks/attention/performer_attention.yaml (sha256 2df645f711400dde); edit the spec, not this file (content f3325095ce71bb85).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._reference import load_reference, weight_names


def orthogonal_projection(count: int, width: int) -> Tensor:
    """Draw `count` Gaussian directions, orthogonal to each other within each `width` of them (Choromanski et al., 2021, section 2.4)."""
    blocks = [torch.linalg.qr(torch.randn(width, width)).Q.T for _ in range(-(-count // width))]
    return torch.cat(blocks)[:count] * torch.randn(count, width).norm(dim=1, keepdim=True)


def positive_features(x: Tensor, projection: Tensor, over: tuple[int, ...]) -> Tensor:
    """exp(w x - |x|**2 / 2) / sqrt(m) of x / e**(1/4) for the m directions w, divided by its greatest value `over` the given axes."""
    x = x * x.shape[-1] ** -0.25
    products = F.linear(x, projection)
    exponents = products - x.square().sum(-1, keepdim=True) / 2
    greatest = products.detach().amax(over, keepdim=True)
    return ((exponents - greatest).exp() + 1e-4) * projection.shape[0] ** -0.5


class PerformerAttention(nn.Module):
    """Performer attention (Choromanski et al., 2021).

    The exponential of a scaled product of query and key is the expected product of m positive random features of each
    (FAVOR+), so that keys and values are summed once, as in linear attention, in a matrix of m times e for each head.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, m number of random
        features, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 4*b*n*d*m + b*n*h*m.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        m: int,
        bias: bool = True,
        out_bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.register_buffer("projection", orthogonal_projection(m, head_dim).to(**factory))
        self.out = nn.Linear(embed_dim, embed_dim, bias=out_bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "performer_pytorch") -> None:
        """Load the state dict of a public implementation: performer_pytorch (SelfAttention).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("performer_attention"), layout)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        q_features = positive_features(q_heads, self.projection, (-1,))   # b h n m
        k_features = positive_features(k_heads, self.projection, (-2, -1))  # b h n m
        kv = k_features.transpose(-2, -1) @ v_heads                       # b h m e
        key_sum = k_features.sum(2, keepdim=True)                         # b h 1 m
        numerator = q_features @ kv                                       # b h n e
        denominator = q_features @ key_sum.transpose(-2, -1)              # b h n 1
        context = numerator / denominator                                 # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
