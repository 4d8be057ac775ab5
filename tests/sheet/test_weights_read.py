"""Which weights a pass reads whole: against the tensors that PyTorch's kernels are given while the module runs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from generator.formulas.evaluate import evaluate
from generator.proof.measure.kernel import KernelMode
from generator.proof.measure.parameters import WholeParameters
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import sample
from generator.questions.memory.fits import MemorySetting
from generator.questions.memory.stored_formats import stored_format
from generator.questions.time.work import forward_work
from generator.sheet.compiled import compile_spec
from generator.sheet.costing import Cost
from generator.spec.library import Library
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


@pytest.mark.parametrize(("kind", "expected"), [("linear", {"inputs": 24, "results": 30}), ("view", {"inputs": 0, "results": 0})])
def test_only_what_is_read_and_written_counts_at_the_ends(kind: str, expected: dict[str, int], tmp_path: Path) -> None:
    """A result that is a view of the input moves nothing; of a linear layer of 6 rows from 4 to 5 numbers both ends move."""
    row = {"linear": "{op: linear, out: [b, n, k]}", "view": "{op: rearrange, to: b n d -> b d n}"}[kind]
    text = f"title: T\ndims: {{b: batch size, n: length, d: width, k: width}}\ninputs: {{x: [b, n, d]}}\nlayers:\n  y: {row}\n"
    (tmp_path / "ends.yaml").write_text(text)
    sheet = compile_spec(Library([tmp_path / "ends.yaml"]), "ends").sheet
    sizes = {"b": 2, "n": 3, "d": 4, "k": 5}
    assert {key: evaluate(count, sizes) for key, count in sheet.ends_moved.items()} == expected


def assert_below_unfused(name: str, bench: Workbench) -> None:
    """What a pass cannot do without is no more than what its unfused operations do, which `gen verify` measures."""
    sheet = bench.compiled(name).sheet
    memory = MemorySetting("float32", stored_format("float32"), stored_format("float32"))
    for number in range(3):
        cost = Cost(sheet.name, None, sample(sheet, random.Random(f"{name} {number}")), sheet)
        work = forward_work(cost, memory)
        assert work.flops <= cost.value("matmul_flops"), (name, cost.dims)
        assert work.bytes <= 4 * cost.value("traffic_elements"), (name, cost.dims, work.moved)


@pytest.mark.parametrize("name", SOME)
def test_the_least_is_below_what_unfused_operations_do(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        assert_below_unfused(name, bench)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", builtin_library().names)
def test_the_least_is_below_what_unfused_operations_do_in_every_spec(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        assert_below_unfused(name, bench)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", builtin_library().names)
def test_what_is_read_whole_in_every_spec(name: str) -> None:
    with Workbench(builtin_library()) as bench:
        assert_read(name, bench)
