"""LSTM language model.

Generated from models/lstm_language_model.yaml (sha256 a62dffb366bee0c5); edit the spec, not this file (content 5b37251fbf2e40fb).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from ._state import substate
from .stacked_lstm import StackedLstm


class LstmLanguageModel(nn.Module):
    """LSTM language model (Zaremba et al., 2014).

    Layers of a long short-term memory between an embedding and a head, as before Transformers. What is kept between
    steps does not grow. Counted as the recurrence runs, step after step; PyTorch multiplies the inputs of all steps at
    once, in the same products.

    Sizes: b batch size, n new tokens, V (vocab_size) vocabulary size, d (hidden_size) width of the state, k (embed_dim)
        width of the embedding, L (num_layers) number of layers.
    Parameters: 8*d**2*L + 8*d*L - 4*d**2 + 4*d*k + V*d + V*k + V.
    MACs: 8*b*n*d**2*L - 4*b*n*d**2 + 4*b*n*d*k + b*n*V*d.
    KV cache and state: 2*b*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "zaremba-lstm-medium": {"vocab_size": 10000, "hidden_size": 650, "num_layers": 2},
        "zaremba-lstm-large": {"vocab_size": 10000, "hidden_size": 1500, "num_layers": 2},
    }

    SIZES: ClassVar[dict[str, str]] = {"V": "vocab_size", "d": "hidden_size", "L": "num_layers", "k": "embed_dim"}

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
        self.stack = StackedLstm(
            input_size=embed_dim,
            hidden_size=hidden_size,
            num_layers=num_layers,
            recompute=recompute,
            **factory,
        )
        self.logits = nn.Linear(hidden_size, vocab_size, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> LstmLanguageModel:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.LSTM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("lstm_language_model"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n k
        stack = self.stack(token_embedding, substate(state, "stack"))     # b n d
        logits = self.logits(stack)                                       # b n V
        return logits
