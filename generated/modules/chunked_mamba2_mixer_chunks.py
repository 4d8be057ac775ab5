"""State space in chunks.

Generated from blocks/recurrent/chunked_mamba2_mixer.yaml (sha256 0bd5b73dbf8f2a09); edit the spec, not this file (content 58450e36b6902223).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import keep, recall
from .chunked_mamba2_mixer_step import ChunkedMamba2MixerStep


class ChunkedMamba2MixerChunks(nn.Module):
    """State space in chunks.

    Decays, what is read, and where it is written and read, of all tokens, to what each head says. n is a multiple of Q.

    Sizes: d (embed_dim) model width, c (inner_dim) channels, b batch size, n new tokens, Q (chunk_size) tokens of a
        chunk, z (num_chunks) = n/Q number of chunks, h (num_heads) number of heads, p (head_dim) channels of a head, s
        (state_dim) numbers that a channel keeps, G (num_groups) groups of heads.
    Parameters: 0.
    MACs: 2*b*n*h*p*s + b*n*Q*h*p + b*n*Q*h*s.
    KV cache and state: b*h*p*s.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(self, *, chunk_size: int) -> None:
        super().__init__()
        self.chunk_size = chunk_size
        self.handed = ChunkedMamba2MixerStep()

    def forward(self, exponent: Tensor, taken: Tensor, write: Tensor, mixture: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b, n, num_heads = exponent.shape
        head_dim = taken.shape[3]
        _, _, num_groups, state_dim = write.shape
        if n % self.chunk_size != 0:
            raise ValueError(f"n % chunk_size == 0 must hold; found n = {n}, chunk_size = {self.chunk_size}")
        if num_heads % num_groups != 0:
            raise ValueError(
                "num_heads % num_groups == 0 must hold; "
                f"found num_heads = {num_heads}, num_groups = {num_groups}"
            )
        if n < 2 * self.chunk_size:
            raise ValueError(f"n >= 2*chunk_size must hold; found n = {n}, chunk_size = {self.chunk_size}")
        num_chunks = n // self.chunk_size
        taken_chunks = taken.unflatten(1, (num_chunks, self.chunk_size))  # b z Q h p
        write_wide = write.unsqueeze(3)                                   # b n G 1 s
        write_each = write_wide.expand(-1, -1, -1, num_heads // num_groups, -1)  # b n G (h/G) s
        write_chunks = write_each.unflatten(1, (num_chunks, self.chunk_size)).flatten(3, 4)  # b z Q h s
        mixture_wide = mixture.unsqueeze(3)                               # b n G 1 s
        mixture_each = mixture_wide.expand(-1, -1, -1, num_heads // num_groups, -1)  # b n G (h/G) s
        mixture_chunks = mixture_each.unflatten(1, (num_chunks, self.chunk_size)).flatten(3, 4)  # b z Q h s
        exponent_chunks = exponent.unflatten(1, (num_chunks, self.chunk_size)).transpose(2, 3)  # b z h Q
        total = exponent_chunks.cumsum(-1)                                # b z h Q
        later = total.unsqueeze(4)                                        # b z h Q 1
        earlier = total.unsqueeze(3)                                      # b z h 1 Q
        between = later - earlier                                         # b z h Q Q
        seen_j = torch.arange(between.shape[4], device=between.device)
        seen_i = torch.arange(between.shape[3], device=between.device)[:, None]
        seen_hidden = seen_j > seen_i
        seen = between.masked_fill(seen_hidden, float("-inf"))            # b z h Q Q
        decays = seen.exp()                                               # b z h Q Q
        scores = torch.einsum("bzihs,bzjhs->bzhij", mixture_chunks, write_chunks)  # b z h Q Q
        weights = scores * decays                                         # b z h Q Q
        inside = torch.einsum("bzhij,bzjhp->bzihp", weights, taken_chunks)  # b z Q h p
        end = total[..., self.chunk_size - 1:]                            # b z h 1
        to_end = end - total                                              # b z h Q
        left = to_end.exp()                                               # b z h Q
        left_wide = left.transpose(2, 3).unsqueeze(4)                     # b z Q h 1
        write_left = write_chunks * left_wide                             # b z Q h s
        made = torch.einsum("bzjhp,bzjhs->bzhps", taken_chunks, write_left)  # b z h p s
        end_decay = end.exp()                                             # b z h 1
        end_decays = end_decay.squeeze(3)                                 # b z h
        handed_state = recall(state, "handed.state", end_decays.new_zeros(b, num_heads, head_dim, state_dim))  # b h p s
        handed_collected = []
        for handed_decay, handed_inflow, handed_mixture in zip(end_decays.unbind(1), made.unbind(1), mixture_chunks.unbind(1), strict=True):
            handed_step, handed_state = self.handed(handed_decay, handed_inflow, handed_mixture, handed_state)
            handed_collected.append(handed_step)
        keep(state, "handed.state", handed_state)
        handed_steps = torch.stack(handed_collected, 1)                   # b z Q h p
        since = total.exp()                                               # b z h Q
        since_wide = since.transpose(2, 3).unsqueeze(4)                   # b z Q h 1
        outside = handed_steps * since_wide                               # b z Q h p
        sum_ = inside + outside                                           # b z Q h p
        y = sum_.flatten(1, 2)                                            # b n h p
        return y
