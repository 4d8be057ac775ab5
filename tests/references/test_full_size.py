"""Full-size presets against the public implementations, built on meta from their own configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.support.timm_models import import_timm
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from generator import load

pytestmark = pytest.mark.slow
transformers = pytest.importorskip("transformers")

BERT = {
    "bert-base": {},
    "bert-large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
}
GPT2 = {
    "gpt2": {},
    "gpt2-medium": {"n_embd": 1024, "n_layer": 24, "n_head": 16},
    "gpt2-large": {"n_embd": 1280, "n_layer": 36, "n_head": 20},
    "gpt2-xl": {"n_embd": 1600, "n_layer": 48, "n_head": 25},
}
VIT = ["vit-tiny-patch16-224", "vit-small-patch16-224", "vit-base-patch16-224", "vit-large-patch16-224"]


def on_meta(build: Callable[[], nn.Module]) -> nn.Module:
    with torch.device("meta"):
        return build().eval()


def flops(model: nn.Module, *args: Any, **kwargs: Any) -> int:
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        model(*args, **kwargs)
    return counter.get_total_flops()


def parameters(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def tokens(batch: int, length: int) -> torch.Tensor:
    return torch.zeros(batch, length, dtype=torch.int64, device="meta")


def mask(batch: int, length: int) -> torch.Tensor:
    """A ready mask: transformers looks into one that it makes itself, which meta tensors do not allow."""
    return torch.zeros(batch, 1, length, length, device="meta")


@pytest.mark.parametrize("preset", BERT)
def test_bert_has_the_parameters_and_flops_of_transformers(preset: str) -> None:
    model = on_meta(lambda: transformers.BertModel(transformers.BertConfig(**BERT[preset], attn_implementation="eager")))
    bert = load("bert")
    assert bert.cost(preset=preset, b=1, n=2).params == parameters(model)
    for batch, length in ((1, 128), (3, 509)):
        measured = flops(model, input_ids=tokens(batch, length), attention_mask=mask(batch, length))
        assert bert.cost(preset=preset, b=batch, n=length).matmul_flops == measured


@pytest.mark.parametrize("preset", GPT2)
def test_gpt2_has_the_parameters_and_flops_of_transformers(preset: str) -> None:
    model = on_meta(lambda: transformers.GPT2LMHeadModel(transformers.GPT2Config(**GPT2[preset], attn_implementation="eager")))
    gpt2 = load("gpt2")
    assert gpt2.cost(preset=preset, b=1, n=2).params == parameters(model)
    for batch, length in ((1, 128), (3, 1021)):
        measured = flops(model, input_ids=tokens(batch, length), attention_mask=mask(batch, length), use_cache=False)
        assert gpt2.cost(preset=preset, b=batch, n=length).matmul_flops == measured


@pytest.mark.parametrize("preset", VIT)
def test_vit_has_the_parameters_and_flops_of_timm(preset: str) -> None:
    timm = import_timm()
    vit = load("vit")
    for batch, side in ((1, 224), (3, 384)):
        model = on_meta(lambda side=side: timm.create_model(preset.replace("-", "_"), img_size=side))
        cost = vit.cost(preset=preset, b=batch, s=side)
        assert cost.params == parameters(model)
        assert cost.matmul_flops == flops(model, torch.zeros(batch, 3, side, side, device="meta"))
