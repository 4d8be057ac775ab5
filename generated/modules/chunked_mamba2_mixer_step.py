"""Step from chunk to chunk.

Generated from blocks/recurrent/chunked_mamba2_mixer.yaml (sha256 08c11270e19a3d92); edit the spec, not this file (content 7cca88ce9bbca9bb).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ChunkedMamba2MixerStep(nn.Module):
    """Step from chunk to chunk.

    The tokens of a chunk read what earlier chunks have left. That decays by what the whole chunk does, and takes in
    what the chunk has made.

    Sizes: d (embed_dim) model width, c (inner_dim) channels, b batch size, Q (chunk_size) tokens of a chunk, h
        (num_heads) number of heads, p (head_dim) channels of a head, s (state_dim) numbers that a channel keeps.
    Parameters: 0.
    MACs: b*Q*h*p*s.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, decay: Tensor, inflow: Tensor, mixture: Tensor, state_: Tensor) -> tuple[Tensor, Tensor]:
        decay_wide = decay.unsqueeze(2).unsqueeze(3)                      # b h 1 1
        kept = decay_wide * state_                                        # b h p s
        state_new = kept + inflow                                         # b h p s
        y = torch.einsum("bQhs,bhps->bQhp", mixture, state_)              # b Q h p
        return y, state_new
