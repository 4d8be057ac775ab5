"""GRU language model.

Generated from models/gru_language_model.yaml (sha256 cb19218dbf182102); edit the spec, not this file (content c23d5d03960c4282).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from ._state import substate
from .stacked_gru import StackedGru


class GruLanguageModel(nn.Module):
    """GRU language model (Cho et al., 2014).

    Layers of gated recurrent units between an embedding and a head. Counted as lstm_language_model.

    Sizes: b batch size, n new tokens, V (vocab_size) vocabulary size, d (hidden_size) width of the state, k (embed_dim)
        width of the embedding, L (num_layers) number of layers.
    Parameters: 6*d**2*L + 6*d*L - 3*d**2 + 3*d*k + V*d + V*k + V.
    MACs: 6*b*n*d**2*L - 3*b*n*d**2 + 3*b*n*d*k + b*n*V*d.
    KV cache and state: b*d*L.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        embed_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        embed_dim = hidden_size if embed_dim is None else embed_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.stack = StackedGru(
            input_size=embed_dim,
            hidden_size=hidden_size,
            num_layers=num_layers,
            recompute=recompute,
            **factory,
        )
        self.logits = nn.Linear(hidden_size, vocab_size, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.GRU).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gru_language_model"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n k
        stack = self.stack(token_embedding, substate(state, "stack"))     # b n d
        logits = self.logits(stack)                                       # b n V
        return logits
