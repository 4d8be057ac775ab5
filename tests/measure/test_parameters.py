"""Parameters are counted by identity."""

from __future__ import annotations

import torch
from torch import nn

from generator.measure import Parameters, parameters
from tests.measure.plain import conv_net


def test_a_tied_weight_counts_once_and_a_frozen_one_apart() -> None:
    model = nn.ModuleDict({"table": nn.Embedding(7, 5), "head": nn.Linear(5, 7)})
    model["head"].weight = model["table"].weight
    assert parameters(model) == Parameters(trainable=35 + 7, frozen=0, buffers=0)
    model["head"].bias.requires_grad_(False)
    assert parameters(model) == Parameters(trainable=35, frozen=7, buffers=0)


def test_buffers_are_no_parameters() -> None:
    # convolutions 8*27 and 8*18+8, norm 2*8, head 5*8+5; running mean and variance and the count of batches
    assert parameters(conv_net()) == Parameters(trainable=216 + 152 + 16 + 45, frozen=0, buffers=8 + 8 + 1)
    module = nn.Module()
    module.register_buffer("mask", torch.ones(3, 3), persistent=False)
    assert parameters(module).buffers == 9
