"""Blocks that run once more in the backward pass: what is kept, the highest moment and the FLOPs, against `torch.utils.checkpoint`."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from generator.formulas.evaluate import evaluate
from generator.proof.measure.saved import saved
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.peaks import compare_peaks
from generator.proof.verify.sample_sizes import sample
from generator.proof.verify.state import without_past
from generator.proof.verify.variants import FORMATS, WideStatistics
from generator.quantities import MATMUL_FLOPS
from generator.questions.memory.recomputation import again, recompute_of, recomputed
from generator.sheet.costing import cost_of
from generator.sheet.number_formats import ITEM_BYTES, item_bytes
from generator.sheet.pass_peak import PeakMemory
from generator.text.errors import SizeError
from tests.support.builtin import builtin_library

RULES = ["blocks", "attention", "every:2"]
GPT2 = {"b": 2, "n": 8, "m": 8, "d": 12, "L": 4, "h": 3, "f": 20, "V": 30, "P": 16}
SIZES: Mapping[str, Mapping[str, int]] = {"gpt2": GPT2, "bert": {"b": 2, "n": 6, "d": 12, "L": 3, "h": 3, "f": 20, "V": 30, "P": 8, "T": 2}}
# Stacks of one kind of layers and of several, encoders and decoders, experts, fused attention, windows of images, and shared weights.
MANY = ["bert", "llama3", "vit", "t5", "gemma2", "modernbert", "mixtral", "transformer", "swin"]
COUNTED = ["llama3", "vit", "t5"]


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def _sizes(bench: Workbench, name: str) -> Mapping[str, int]:
    return without_past(bench, name, SIZES.get(name) or sample(bench.compiled(name).sheet, random.Random(name)))


def _flops_of_a_step(bench: Workbench, name: str, sizes: Mapping[str, int], rule: str) -> int:
    """Count the FLOPs of both passes on meta tensors, where fused attention is counted too."""
    own = Instance.of(bench, name, sizes, recompute=rule)
    with own.mode, FlopCounterMode(display=False) as counted:
        made = own.module(*own.leaves())
        outputs: tuple[Tensor, ...] = made if isinstance(made, tuple) else (made,)
        torch.autograd.backward([x.sum() for x in outputs if x.requires_grad])
    return int(counted.get_total_flops())


def _compare(bench: Workbench, name: str, rule: str, dtype: str) -> None:
    sizes = _sizes(bench, name)
    recompute = recompute_of(rule)
    assert recompute is not None
    peak = compare_peaks(bench, name, sizes, dtype=dtype, recompute=recompute)
    assert peak.is_exact, peak
    own = Instance.of(bench, name, sizes, dtype=FORMATS[dtype], recompute=rule).where_fused
    with own.mode, WideStatistics():
        kept = saved(own.runner(), *own.leaves()).bytes
    replayed = PeakMemory(bench.library, bench.library.spec(name), recompute=recompute).at(dtype, sizes)
    assert replayed is not None
    assert evaluate(replayed.bytes_kept(item_bytes(ITEM_BYTES[dtype])), sizes) == kept


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_what_is_kept_and_the_highest_moment_are_those_of_torch(bench: Workbench, rule: str) -> None:
    _compare(bench, "gpt2", rule, "bfloat16" if rule == "attention" else "float32")


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_flops_that_run_once_more_are_those_that_torch_counts(bench: Workbench, rule: str) -> None:
    _compare_flops(bench, "gpt2", rule)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", MANY)
def test_memory_of_many_models_is_that_of_torch(bench: Workbench, name: str, rule: str, dtype: str) -> None:
    _compare(bench, name, rule, dtype)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", COUNTED)
def test_flops_of_many_models_are_those_that_torch_counts(bench: Workbench, name: str, rule: str) -> None:
    _compare_flops(bench, name, rule)


def _compare_flops(bench: Workbench, name: str, rule: str) -> None:
    sizes = _sizes(bench, name)
    more = _flops_of_a_step(bench, name, sizes, rule) - _flops_of_a_step(bench, name, sizes, "none")
    sheet = bench.compiled(name).sheet
    cost = cost_of(sheet, None, {size.name: sizes[size.name] for size in sheet.sizes if size.kind != "derived"}, "float32")
    assert again(cost, recompute_of(rule), MATMUL_FLOPS.key) == more > 0


def test_blocks_that_run_once_more_give_the_same_gradients(bench: Workbench) -> None:
    plain = bench.build("gpt2", GPT2)
    tokens = torch.randint(0, GPT2["V"], (2, 8), generator=torch.Generator().manual_seed(0))
    gradients = []
    for rule in ("none", "blocks", "attention", "every:2"):
        model = copy.deepcopy(bench.build("gpt2", GPT2, recompute=rule))  # a copy runs its own layers once more
        model.load_state_dict(plain.state_dict())
        model(tokens).square().sum().backward()
        gradients.append([weight.grad for weight in model.parameters()])
    for others in gradients[1:]:
        assert all(torch.equal(one, other) for one, other in zip(gradients[0], others, strict=True))


def test_where_nothing_runs_once_more_the_replay_keeps_what_the_sums_say(bench: Workbench) -> None:
    sheet = bench.compiled("gpt2").sheet
    replayed = sheet.peak.at("float32", GPT2)
    assert replayed is not None
    assert evaluate(replayed.bytes_kept(item_bytes(4)), GPT2) == evaluate(sheet.saved.bytes("float32"), GPT2)


@pytest.mark.parametrize("text", ["block", "every", "every:0", "every:x", "all"])
def test_a_rule_that_there_is_not_is_refused_by_both_sides(bench: Workbench, text: str) -> None:
    with pytest.raises(SizeError, match="does not say what runs once more"):
        recompute_of(text)
    with pytest.raises(ValueError, match="recompute is none, blocks, attention, or every:k"):
        bench.build("gpt2", GPT2, recompute=text)


def test_one_of_layers_that_share_their_weights_cannot_run_once_more_alone(bench: Workbench) -> None:
    sheet, rule = bench.compiled("albert").sheet, recompute_of("every:2")
    assert rule is not None
    with pytest.raises(SizeError, match="layers of `blocks` share their weights"):
        recomputed(cost_of(sheet, "albert-base", {"b": 1, "n": 8}, "float32"), rule)
    with pytest.raises(ValueError, match="layers share their weights"):
        bench.build(
            "albert", dict(next(one for one in sheet.presets if one.name == "albert-base").sizes), device="meta", recompute="every:2"
        )
