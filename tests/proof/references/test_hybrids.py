"""Products of recurrent and hybrid models against transformers: where it does otherwise, by how much."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from generator.api import load
from generator.proof.verify.references import falcon_mamba, jamba, olmo_hybrid, qwen3_next, recurrent_gemma, xlstm


def products(other: nn.Module, n: int) -> int:
    """Return the FLOPs of a pass over two texts of n tokens: which experts these choose is up to the values, how many is not."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        other(input_ids=torch.randint(0, 97, (2, n)))
    return int(counter.get_total_flops())


def cut_off(channels: int, kernel: int) -> int:
    """Return the FLOPs of a convolution that pads on both sides and makes kernel - 1 results more than are read, for two texts."""
    return 2 * 2 * channels * kernel * (kernel - 1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 9])
def test_matmul_flops_of_jamba_are_those_of_transformers_but_for_positions_that_it_cuts_off(n: int) -> None:
    torch.manual_seed(0)
    counted = products(jamba.model(**jamba.CONFIGURATION, attn_implementation="eager").eval(), n)
    sizes, mixers = jamba.SMALL, 7
    assert load("jamba").cost(b=2, n=n, **sizes).matmul_flops == counted - mixers * cut_off(sizes["c"], sizes["K"])


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 9])
@pytest.mark.parametrize(("name", "reference"), [("qwen3_next", qwen3_next), ("olmo_hybrid", olmo_hybrid)])
def test_matmul_flops_of_delta_rules_are_those_of_transformers_and_of_the_steps_that_it_writes_as_sums(
    name: str, reference: Any, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs: Any = import_module(f"transformers.models.{name}.modeling_{name}")
    monkeypatch.setattr(theirs, "torch_chunk_gated_delta_rule", theirs.torch_recurrent_gated_delta_rule)
    torch.manual_seed(0)
    counted = products(reference.model(**reference.CONFIGURATION, attn_implementation="eager").eval(), n)
    sizes, mixers = reference.SMALL, 4
    heads, key, value = (sizes[size] for size in "Hsp")
    near = cut_off(2 * sizes["G"] * key + heads * value, sizes["K"])
    # what a state holds for the key, and what it says to the query: two contractions, which transformers writes as a product and a sum
    steps = 2 * 2 * 2 * n * heads * key * value
    assert load(name).cost(b=2, n=n, **sizes).matmul_flops == counted + mixers * (steps - near)


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 9])
def test_matmul_flops_of_recurrent_gemma_are_those_of_transformers_but_for_positions_that_it_cuts_off(n: int) -> None:
    counted = products(recurrent_gemma.model(**recurrent_gemma.CONFIGURATION, attn_implementation="eager").eval(), n)
    sizes, recurrences = recurrent_gemma.SMALL, 4
    assert load("recurrent_gemma").cost(b=2, n=n, **sizes).matmul_flops == counted - recurrences * cut_off(sizes["c"], sizes["K"])


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 9])
def test_matmul_flops_of_falcon_mamba_are_those_of_transformers_but_for_positions_that_it_cuts_off(n: int) -> None:
    counted = products(falcon_mamba.model(**falcon_mamba.CONFIGURATION).eval(), n)
    sizes = falcon_mamba.SMALL
    assert load("falcon_mamba").cost(b=2, n=n, **sizes).matmul_flops == counted - sizes["L"] * cut_off(sizes["c"], sizes["K"])


@pytest.mark.slow
@pytest.mark.parametrize("n", [4, 9])
def test_matmul_flops_of_xlstm_are_those_of_transformers_but_for_what_it_writes_as_products_of_one_term(n: int) -> None:
    counted = products(xlstm.model(**xlstm.CONFIGURATION).eval(), n)
    sizes = xlstm.SMALL
    # each number of a matrix that is written for a key and a value is one multiplication, and nothing is added up
    written = 2 * 2 * n * sizes["L"] * sizes["h"] * sizes["e"] * sizes["p"]
    assert load("xlstm").cost(b=2, n=n, **sizes).matmul_flops == counted - written
