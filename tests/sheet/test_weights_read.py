"""Which weights a pass reads whole: against the tensors that PyTorch's kernels are given while the module runs."""

from __future__ import annotations

import random

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.measure.kernel import KernelMode
from generator.proof.measure.parameters import WholeParameters
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sampling import sample
from tests.support.builtin import builtin_library

SOME = ("mlp", "llama", "gpt2", "albert", "mixtral", "mamba", "vit", "transformer", "deepseek_v3", "bert_lora", "gemma3")
"""Tied heads, shared layers, experts, recurrences, encoders that run once, adapters."""


WITH_ENCODERS = ("transformer", "t5")


def assert_read(name: str, bench: Workbench) -> None:
    """Compare at random sizes what the formula says with what is read while the module runs."""
    sheet = bench.compiled(name).sheet
    draws = (sample(sheet, random.Random(f"{name} {number}")) for number in range(20))
    # Where a table has as many rows as are looked up, a view of a part has all of it.
    sizes = next(one for one in draws if all(one.get("P", 0) not in (value, 1) for key, value in one.items() if key != "P"))
    instance = Instance.of(bench, name, sizes).where_fused
    read = WholeParameters(instance.module)
    with instance.mode, KernelMode(observers=[read]):
        instance.runner()(*instance.inputs)
    derived = sum(evaluate(count, sizes) for count in sheet.weights_read.values())
    if name in WITH_ENCODERS:
        assert 0 < derived <= read.scalars, (name, sizes)  # in later steps, weights tied to a row that runs in the first alone are left out
    else:
        assert derived == read.scalars, (name, sizes)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_what_is_read_whole_is_what_kernels_are_given(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        assert_read(name, bench)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", builtin_library().names)
def test_what_is_read_whole_in_every_spec(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        assert_read(name, bench)
