"""What optimisers keep by the shapes of weights: against those of PyTorch and bitsandbytes, after a step of whole models."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from torch import nn

from generator.api import load
from generator.cli import main
from generator.questions.memory.optimisers import BY_SHAPE
from generator.text.errors import SizeError

LLAMA = {"b": 1, "n": 4, "d": 64, "L": 3, "h": 4, "g": 2, "e": 16, "f": 80, "V": 96, "P": 8}
MIXTRAL = {"b": 1, "n": 4, "d": 64, "L": 2, "h": 4, "g": 2, "e": 16, "f": 72, "V": 32, "P": 8, "E": 4, "k": 2}
VIT = {"b": 1, "s": 32, "p": 8, "d": 64, "L": 2, "h": 4, "f": 96, "K": 10}
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "grouped heads": ("llama3", LLAMA, {}),
    "a head tied to the embedding": ("llama3", LLAMA, {"tied": True}),
    "experts": ("mixtral", MIXTRAL, {}),
    "a convolution": ("vit", VIT, {}),
}
HEADS = ("token_embedding", "logits")


def _muon(module: nn.Module) -> list[torch.optim.Optimizer]:
    """As its documentation says: hidden matrices, and AdamW for all else, tables and heads among it."""
    hidden = [weight for name, weight in module.named_parameters() if weight.ndim == 2 and not name.startswith(HEADS)]
    others = [weight for weight in module.parameters() if not any(weight is one for one in hidden)]
    return [torch.optim.Muon(hidden), torch.optim.AdamW(others)]


def _in_8_bits(module: nn.Module) -> list[torch.optim.Optimizer]:
    import bitsandbytes

    return [bitsandbytes.optim.AdamW8bit(module.parameters())]


PUBLIC = {"adafactor": lambda module: [torch.optim.Adafactor(module.parameters())], "muon": _muon, "adam8bit": _in_8_bits}


def _kept(optimisers: list[torch.optim.Optimizer]) -> int:
    """Return the bytes of all states, what they share once, without counters of steps."""
    found = {
        one.data_ptr(): one.nbytes
        for optimiser in optimisers
        for state in optimiser.state.values()
        for key, one in state.items()
        if isinstance(one, torch.Tensor) and key != "step"
    }
    return sum(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("optimiser", BY_SHAPE)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_states_are_what_optimisers_keep_after_a_step(optimiser: str, model: str, dtype: str) -> None:
    name, sizes, options = MODELS[model]
    spec = load(name, **options)
    weights = {key: value for key, value in sizes.items() if key not in ("b", "n")}
    module = spec.module(**weights, dtype=getattr(torch, dtype))
    optimisers = PUBLIC[optimiser](module)
    for weight in module.parameters():
        weight.grad = torch.ones_like(weight)  # whatever they are, each weight has its state
    for one in optimisers:
        one.step()
    assert spec.memory(dtype=dtype, train=optimiser, **sizes).to_dict()["optimiser_bytes"] == _kept(optimisers)


def test_shapes_are_not_known_of_parts_on_devices(capsys: pytest.CaptureFixture[str]) -> None:
    for optimiser in BY_SHAPE:
        with pytest.raises(SizeError, match=f"`{optimiser}` keeps depends on the shapes of weights"):
            load("mlp").memory(b=1, n=1, d=8, f=8, train=optimiser, data=2)
    with pytest.raises(SizeError, match="unknown optimiser `adam8bits`") as error:
        load("mlp").memory(b=1, n=1, d=8, f=8, train="adam8bits")
    assert error.value.notes[0].startswith("did you mean `adam8bit`")
    assert main(["time", "mlp", "b=1", "n=1", "d=8", "f=8", "--train", "adafactor", "--device", "a100", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
