"""Parameters are counted by identity."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from generator.proof.measure import KernelMode, Parameters, UsedParameters, parameters
from generator.proof.measure.parameters import ReadParameters
from tests.proof.measure.plain import conv_net


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


class Experts(nn.Module):
    """A gate and four experts, of which a run takes one."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(6, 4, bias=False)
        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        chosen = int(self.gate(x).sum(0).argmax())
        result: Tensor = self.experts[chosen](x)
        return result


def used(module: nn.Module, *inputs: Tensor) -> int:
    seen = UsedParameters(module)
    with KernelMode(observers=[seen]):
        module(*inputs)
    return seen.scalars


def test_an_expert_that_is_not_chosen_is_not_used() -> None:
    assert used(Experts(), torch.randn(2, 6)) == 24 + (36 + 6)
    assert parameters(Experts()).trainable == 24 + 4 * (36 + 6)


def test_a_weight_read_by_a_view_or_by_rows_is_used_whole_and_a_tied_one_once() -> None:
    model = nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 7, bias=False))
    model[1].weight = model[0].weight
    assert used(model, torch.tensor([[1, 2]])) == 35


def test_a_frozen_weight_is_used_and_one_that_nothing_reads_is_not() -> None:
    model = nn.Linear(3, 4)
    model.bias.requires_grad_(False)
    model.register_parameter("forgotten", nn.Parameter(torch.ones(9)))
    assert used(model, torch.randn(2, 3)) == 16


class Stacked(nn.Module):
    """Three experts in one parameter, of which one is read at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.Parameter(torch.ones(3, 4, 4))
        self.unused = nn.Parameter(torch.ones(5))

    def forward(self, x: Tensor, chosen: list[int]) -> Tensor:
        for i in chosen:
            x = x @ self.experts[i].T
        return x


@pytest.mark.parametrize(("chosen", "scalars"), [([], 0), ([1], 16), ([2, 2], 16), ([0, 2], 32), ([2, 1, 0], 48)])
def test_of_a_parameter_that_is_read_in_parts_the_parts_count_once(chosen: list[int], scalars: int) -> None:
    module = Stacked()
    read = ReadParameters(module)
    with KernelMode(observers=[read]):
        module(torch.ones(2, 4), chosen)
    assert (read.scalars(module.experts), read.scalars(module.unused)) == (scalars, 0)


def test_of_grouped_products_the_groups_that_have_rows_are_read() -> None:
    module = Stacked()
    read = ReadParameters(module)
    with KernelMode(observers=[read]):
        functional.grouped_mm(torch.ones(8, 4), module.experts.transpose(1, 2), offs=torch.tensor([4, 4, 8], dtype=torch.int32))
    assert read.scalars(module.experts) == 32
