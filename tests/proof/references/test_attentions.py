"""Attentions whose public implementations have no weights to load compute the same from the same queries, keys and values."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from generated.modules.efficient_attention import EfficientAttention
from generated.modules.local_window_attention import LocalWindowAttention
from generator.proof.verify.instance import default_dtype
from generator.proof.verify.references.efficient_attentions import import_quietly

pytestmark = pytest.mark.slow

LIMITS = {torch.float64: 1e-9, torch.float32: 1e-4}


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> Iterator[torch.dtype]:
    torch.manual_seed(0)
    with default_dtype(request.param):
        yield request.param


def package(name: str) -> Any:
    if not find_spec(name):
        pytest.skip(f"{name} is not installed")
    return import_quietly(name)


def project_alike(own: nn.Module, other: nn.Module) -> None:
    own.load_state_dict({name.removeprefix("to_"): w for name, w in other.state_dict().items() if name.startswith("to_")})


def test_efficient_attention_computes_what_performer_pytorch_computes_without_projection(dtype: torch.dtype) -> None:
    other = package("performer_pytorch").SelfAttention(24, heads=4, dim_head=6, no_projection=True, attn_out_bias=False).to(dtype)
    own = EfficientAttention(embed_dim=24, num_heads=4, bias=False)
    project_alike(own, other)
    x = torch.randn(2, 11, 24)
    assert (own(x) - other(x)).abs().max().item() < LIMITS[dtype]


@pytest.mark.parametrize("exact", [False, True])
def test_local_window_attention_computes_what_local_attention_computes(dtype: torch.dtype, exact: bool) -> None:
    local = package("local_attention").LocalAttention(window_size=3, exact_windowsize=exact)
    own = LocalWindowAttention(embed_dim=24, num_heads=4, w=3, exact=exact)
    x = torch.randn(2, 12, 24)

    def heads(y: Tensor) -> Tensor:
        return y.unflatten(-1, (4, 6)).transpose(1, 2)

    mixed = local(heads(own.q(x)), heads(own.k(x)), heads(own.v(x)))
    expected = own.out(mixed.transpose(1, 2).flatten(2))
    assert (own(x) - expected).abs().max().item() < LIMITS[dtype]
