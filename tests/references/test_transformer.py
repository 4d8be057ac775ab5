"""The Transformer of 2017 computes what torch's nn.Transformer computes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from tests.references.compare import compare
from torch import Tensor, nn

from generated.modules.transformer import Transformer
from generator.verify.instance import default_dtype

pytestmark = pytest.mark.slow


class Reference(nn.Module):
    """nn.Transformer between a shared embedding with sinusoids and a tied head. The paper has no norm behind the last layer; torch's has."""

    def __init__(self, d: int, h: int, f: int, layers: int, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, h, f, 0.0, batch_first=True), layers, enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d, h, f, 0.0, batch_first=True), layers)
        self.transformer = nn.Transformer(d, h, batch_first=True, custom_encoder=encoder, custom_decoder=decoder)

    def embed(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) * self.embedding.embedding_dim**0.5
        return x + sinusoids(tokens.shape[1], x.shape[-1]).to(x)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1], dtype=self.embedding.weight.dtype)
        y = self.transformer(self.embed(source), self.embed(target), tgt_mask=mask, tgt_is_causal=True)
        return y @ self.embedding.weight.T


def sinusoids(length: int, d: int) -> Tensor:
    """Section 3.5, element by element."""
    table = torch.zeros(length, d, dtype=torch.float64)
    for position in range(length):
        for i in range(d):
            angle = torch.tensor(position / 10000 ** (2 * (i // 2) / d), dtype=torch.float64)
            table[position, i] = angle.sin() if i % 2 == 0 else angle.cos()
    return table


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> Iterator[torch.dtype]:
    torch.manual_seed(0)
    with default_dtype(request.param):
        yield request.param


def test_the_transformer_computes_what_nn_transformer_computes(dtype: torch.dtype) -> None:
    other = Reference(d=24, h=4, f=56, layers=3, vocabulary=97).to(dtype)
    own = Transformer(d=24, L=3, h=4, V=97, f=56, P=31)
    own.load_reference(other.state_dict())
    source, target = torch.randint(0, 97, (2, 11)), torch.randint(0, 97, (2, 7))
    compare(own, other, lambda: [own(source, target)], lambda: [other(source, target)], dtype)
