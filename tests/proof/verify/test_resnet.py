"""ResNet against timm: parameters and operations of the published sizes."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from archsheet import load
from generator.proof.verify.references.timm_models import import_timm


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet-50", "resnet-101"])
def test_counts_are_those_of_timm(name: str) -> None:
    with torch.device("meta"):
        theirs = import_timm().create_model(name.replace("-", ""))
    ours = load("resnet").cost(name, b=2)
    assert ours.params == sum(weight.numel() for weight in theirs.parameters())
    counter = FlopCounterMode(display=False)
    with counter:
        theirs(torch.zeros((2, 3, 224, 224), device="meta"))
    assert ours.matmul_flops == counter.get_total_flops()
