"""Recurrent layers against torch's nn.LSTM and nn.GRU, which compute all steps in one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, tokens

LENGTH = 7


def _results(layer: nn.Module, x: Tensor) -> Sequence[Tensor]:
    """All steps; behind those of one direction the states after the last."""
    y, states = layer(x)
    if layer.bidirectional:
        return [y]
    if isinstance(layer, nn.GRU):
        return [y]
    return [y, *(state[0] for state in states)]


def _small(kind: Callable[..., nn.Module], bidirectional: bool, dtype: torch.dtype) -> Small:
    layer = kind(5, 6, batch_first=True, bidirectional=bidirectional, dtype=dtype)
    x = torch.randn(3, LENGTH, 5, dtype=dtype)
    steps = (4, 1, 2) if len(_results(layer, x)) == 1 and not bidirectional else ()  # states have no axis to cut
    return Small({"n": LENGTH, "k": 5, "d": 6}, layer, (x,), lambda: _results(layer, x), steps)


class RecurrentLanguageModel(nn.Module):
    """Layers of torch between an embedding and a head, as in PyTorch's example of a language model of words."""

    def __init__(self, kind: Callable[..., nn.Module], vocabulary: int, width: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = kind(width, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, vocabulary)

    def forward(self, words: Tensor) -> Tensor:
        """Return scores [b, n, V] of words [b, n]."""
        scores: Tensor = self.head(self.layers(self.embedding(words))[0])
        return scores


def _small_language_model(kind: Callable[..., nn.Module], dtype: torch.dtype) -> Small:
    other = RecurrentLanguageModel(kind, 23, 5, 6, 2).to(dtype)
    words = torch.randint(0, 23, (3, LENGTH))
    return Small({"V": 23, "k": 5, "d": 6, "L": 2}, other, (words,), lambda: [other(words)], (4, 1, 2))


def _full_language_models() -> Sequence[FullSize]:
    """Return the published sizes, which read texts of two lengths."""

    def given(b: int, n: int) -> Mapping[str, Tensor]:
        return {"words": tokens(b, n)}

    return [
        FullSize(preset, {"b": b, "n": n}, partial(RecurrentLanguageModel, nn.LSTM, 10000, width, width, 2), partial(given, b, n))
        for preset, width in (("zaremba-lstm-medium", 650), ("zaremba-lstm-large", 1500))
        for b, n in ((20, 35), (1, 9))
    ]


LAYERS = tuple(
    PublicModel(f"{'bidirectional_' if both else ''}{name}", "torch", "torch", f"nn.{kind.__name__}", partial(_small, kind, both))
    for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU))
    for both in (False, True)
)
IMPLEMENTATIONS = (
    *LAYERS,
    PublicModel("lstm_language_model", "torch", "torch", "nn.LSTM", partial(_small_language_model, nn.LSTM), _full_language_models),
    PublicModel("gru_language_model", "torch", "torch", "nn.GRU", partial(_small_language_model, nn.GRU)),
)
