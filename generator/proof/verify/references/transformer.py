"""The Transformer of 2017 against torch's nn.Transformer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import PublicModel, Small


class PlainTransformer(nn.Module):
    """nn.Transformer between a shared embedding with sinusoids and a tied head, in the paper's form: no norm behind the last layers."""

    def __init__(self, d: int, h: int, f: int, layers: int, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, h, f, 0.0, batch_first=True), layers, enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, h, f, 0.0, batch_first=True), layers)
        self.transformer = nn.Transformer(d, h, batch_first=True, custom_encoder=encoder, custom_decoder=decoder)

    def embed(self, tokens: Tensor) -> Tensor:
        """Return scaled embeddings with positions."""
        x: Tensor = self.embedding(tokens) * self.embedding.embedding_dim**0.5
        return x + sinusoids(tokens.shape[1], x.shape[-1]).to(x)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits."""
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=self.embedding.weight.dtype)
        y: Tensor = self.transformer(self.embed(source), self.embed(target), tgt_mask=mask, tgt_is_causal=True)
        logits: Tensor = y @ self.embedding.weight.T
        return logits


def sinusoids(length: int, d: int) -> Tensor:
    """Section 3.5 of the paper, element by element."""
    table = torch.zeros(length, d, dtype=torch.float64)
    for position in range(length):
        for i in range(d):
            angle = torch.tensor(position / 10000 ** (2 * (i // 2) / d), dtype=torch.float64)
            table[position, i] = angle.sin() if i % 2 == 0 else angle.cos()
    return table


def _small(dtype: torch.dtype) -> Small:
    other = PlainTransformer(d=24, h=4, f=56, layers=3, vocabulary=97).to(dtype)
    source, target = torch.randint(0, 97, (2, 11)), torch.randint(0, 97, (2, 7))
    sizes = {"d": 24, "L": 3, "h": 4, "V": 97, "f": 56, "P": 31}
    return Small(sizes, other, (source, target), lambda: [other(source, target)])


IMPLEMENTATIONS = (
    PublicModel(
        "transformer",
        "torch",
        "torch",
        "nn.Transformer",
        _small,
        note="between an embedding with sinusoids and a tied head, which it does not have itself",
    ),
)
