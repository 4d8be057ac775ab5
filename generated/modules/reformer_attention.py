"""Reformer attention.

Generated from blocks/attention/reformer_attention.yaml (sha256 6005ad32ecad5169); edit the spec, not this file (content 00a1a79c6b8a9222).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names


def lsh_buckets(x: Tensor, rotations: Tensor) -> Tensor:
    """Hash vectors x [b, h, n, e] in rounds by rotations [h, e, rounds, buckets/2]: [b, h, rounds*n] (Kitaev et al., 2020, section 2).

    The bucket of a vector is the direction nearest to it, of the rotated axes and their opposites; each round has buckets of its own.
    """
    rotated = torch.einsum("bhne,herc->bhrnc", x.detach(), rotations)
    buckets = torch.cat((rotated, -rotated), -1).argmax(-1)
    rounds = torch.arange(buckets.shape[2], device=x.device) * 2 * rotations.shape[3]
    return (buckets + rounds[:, None]).flatten(2)


class ReformerAttention(nn.Module):
    """Reformer attention (Kitaev et al., 2020).

    Queries and keys are one (shared QK). They are hashed in r rounds into k buckets, sorted by bucket, and cut into
    chunks of m; each chunk sees itself and the one before it. Rounds are averaged with the weights that a softmax over
    all of them would give. A position sees itself only if it sees nothing else; there is no causal mask and no mask for
    other buckets.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, r rounds of
        hashing, k buckets of a round, m chunk length, e (head_dim) head width.
    Parameters: 3*d*h*e + 2*h*e + d.
    MACs: 4*b*n*h*r*m*e + b*n*h*r*k*e/2 + 3*b*n*d*h*e.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        r: int,
        k: int,
        m: int,
        head_dim: int | None = None,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        if k % 2 != 0:
            raise ValueError(f"k % 2 == 0 must hold; found k = {k}")
        self.num_heads, self.r, self.m, self.head_dim = num_heads, r, m, head_dim
        factory = {"device": device, "dtype": dtype}
        self.qk = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.register_buffer("buckets", torch.randn(num_heads, head_dim, r, k // 2, **factory))
        self.k_unit = nn.RMSNorm(head_dim, eps=1e-06, elementwise_affine=False, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (LSHSelfAttention and ReformerSelfOutput).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("reformer_attention"), layout)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.m != 0:
            raise ValueError(f"n % m == 0 must hold; found n = {n}, m = {self.m}")
        if n < 2 * self.m:
            raise ValueError(f"n >= 2*m must hold; found n = {n}, m = {self.m}")
        qk = self.qk(x)                                                   # b n (h*e)
        v = self.v(x)                                                     # b n (h*e)
        qk_heads = qk.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        buckets = lsh_buckets(qk_heads, self.buckets)                     # b h (n*r)
        sort_order = buckets.argsort(stable=True, dim=-1)                 # b h (n*r)
        unsort_order = sort_order.argsort(stable=True, dim=-1)            # b h (n*r)
        positions = sort_order % n                                        # b h (n*r)
        qk_sorted = qk_heads.gather(2, positions[..., None].expand(-1, -1, -1, *qk_heads.shape[3:]))  # b h (n*r) e
        v_sorted = v_heads.gather(2, positions[..., None].expand(-1, -1, -1, *v_heads.shape[3:]))  # b h (n*r) e
        q_chunks = qk_sorted.unflatten(2, (-1, self.m))                   # b h (n*r/m) m e
        v_chunks = v_sorted.unflatten(2, (-1, self.m))                    # b h (n*r/m) m e
        q_positions = positions.unflatten(-1, (-1, self.m))               # b h (n*r/m) m
        k_unit = self.k_unit(q_chunks)                                    # b h (n*r/m) m e
        k_chunks = k_unit * self.head_dim**-0.5                           # b h (n*r/m) m e
        k_before = k_chunks.roll(1, 2)                                    # b h (n*r/m) m e
        k_near = torch.cat((k_before, k_chunks), 3)                       # b h (n*r/m) (2*m) e
        v_before = v_chunks.roll(1, 2)                                    # b h (n*r/m) m e
        v_near = torch.cat((v_before, v_chunks), 3)                       # b h (n*r/m) (2*m) e
        positions_before = q_positions.roll(1, 2)                         # b h (n*r/m) m
        k_positions = torch.cat((positions_before, q_positions), -1)      # b h (n*r/m) (2*m)
        scores = q_chunks @ k_near.transpose(-2, -1)                      # b h (n*r/m) m (2*m)
        masked = scores.masked_fill(q_positions[..., :, None] == k_positions[..., None, :], -100000.0)  # b h (n*r/m) m (2*m)
        logsumexp = masked.logsumexp(-1, keepdim=True)                    # b h (n*r/m) m 1
        log_weights = masked - logsumexp                                  # b h (n*r/m) m (2*m)
        weights = log_weights.exp()                                       # b h (n*r/m) m (2*m)
        context = weights @ v_near                                        # b h (n*r/m) m e
        context_sorted = context.flatten(2, 3)                            # b h (n*r) e
        context_unsorted = context_sorted.gather(
            2,
            unsort_order[..., None].expand(-1, -1, -1, *context_sorted.shape[3:]),
        )                                                                 # b h (n*r) e
        logsumexp_sorted = logsumexp.squeeze(4).flatten(2, 3)             # b h (n*r)
        logsumexp_unsorted = logsumexp_sorted.gather(-1, unsort_order)    # b h (n*r)
        context_rounds = context_unsorted.unflatten(2, (self.r, n))       # b h r n e
        logsumexp_rounds = logsumexp_unsorted.unflatten(-1, (self.r, n))  # b h r n
        round_weights = logsumexp_rounds.softmax(2)                       # b h r n
        round_weights_column = round_weights.unsqueeze(4)                 # b h r n 1
        weighted = context_rounds * round_weights_column                  # b h r n e
        combined = weighted.sum(2)                                        # b h n e
        merged_heads = combined.transpose(1, 2).flatten(2, 3)             # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
