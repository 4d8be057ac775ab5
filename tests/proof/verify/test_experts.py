"""Mixtures of experts: what is derived for an even spread of tokens is what modules do, however values spread them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from generator.proof.measure.parameters import parameters
from generator.proof.measure.saved import saved
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import check_instance
from generator.proof.verify.peaks import compare_peaks
from generator.proof.verify.references import mixtral
from generator.proof.verify.sample_sizes import sample
from generator.proof.verify.verification import MOST_RUNS, runnable
from generator.spec.library import Library, spec_files

FIXTURES = Path(__file__).parents[2] / "fixtures" / "experts"
NAMES = sorted(file.stem for file in spec_files(FIXTURES))
SIZES = {"b": 1, "n": 8, "d": 16, "f": 24, "E": 4, "k": 2}


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(Library([FIXTURES])) as open_bench:
        yield open_bench


@pytest.mark.parametrize("name", NAMES)
def test_the_generated_module_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    rng = random.Random(name)
    for _ in range(3):
        sizes = sample(bench.compiled(name).sheet, rng)
        wrong = [check for check in check_instance(Instance.of(bench, name, sizes)) if not check.equal]
        assert not wrong, f"{name} at {sizes}: {wrong}"


@pytest.mark.parametrize("name", NAMES)
def test_the_peak_of_an_even_spread_is_the_simulated_one(bench: Workbench, name: str) -> None:
    found = compare_peaks(bench, name, sample(bench.compiled(name).sheet, random.Random(name)))
    assert found.is_exact, found


def test_the_worked_numbers(bench: Workbench) -> None:
    """d*E of the router and 3*d*f of each of k experts are active; a loop over experts keeps 2,528 elements for the backward pass."""
    instance = Instance.of(bench, "gated_experts", SIZES)
    assert instance.derived("params") == 16 * 4 + 3 * 16 * 24 * 4 == 4672
    assert instance.derived("active_params") == 16 * 4 + 3 * 16 * 24 * 2 == 2368
    assert instance.derived("matmul_flops") == 37_888
    assert instance.derived("saved_elements") == 2_528


@pytest.mark.parametrize(
    "sizes",
    [SIZES, {**SIZES, "b": 3, "n": 5, "E": 7, "k": 3}, {**SIZES, "n": 2, "E": 9}],
    ids=["even", "uneven", "more experts than choices"],
)
@pytest.mark.parametrize("seed", range(3))
def test_totals_do_not_depend_on_which_experts_are_chosen(bench: Workbench, sizes: dict[str, int], seed: int) -> None:
    torch.manual_seed(seed)
    wrong = [check for check in check_instance(Instance.of(bench, "gated_experts", sizes, device="cpu")) if not check.equal]
    assert not wrong


def by_hand(module: Any, x: Tensor, k: int) -> Tensor:
    """Each token by itself: its k greatest probabilities times what these experts make of it."""
    result = torch.zeros_like(x)
    for b, n in torch.cartesian_prod(torch.arange(x.shape[0]), torch.arange(x.shape[1])).tolist():
        values, indices = module.router(x[b, n]).softmax(-1).topk(k)
        for value, index in zip(values, indices.tolist(), strict=True):
            result[b, n] += value * module.y[index](x[b, n][None, None])[0, 0]
    return result


def test_outputs_and_gradients_are_those_of_each_token_by_itself(bench: Workbench) -> None:
    torch.manual_seed(0)
    module: Any = bench.build("gated_experts", SIZES, dtype=torch.float64)
    x = torch.randn(3, 7, 16, dtype=torch.float64)
    direction = torch.randn_like(x)
    gradients = []
    for result in (module(x), by_hand(module, x, 2)):
        module.zero_grad()
        (result * direction).sum().backward()
        gradients.append([result.detach(), *(p.grad if p.grad is not None else torch.zeros_like(p) for p in module.parameters())])
    torch.testing.assert_close(*gradients)
    assert gradients[0][1].abs().max() > 0  # of the router


def test_gathered_weights_compute_the_same_and_keep_eight_times_as_much(bench: Workbench) -> None:
    """The same as a batch of products with the weights of each token, gathered: what a loop over experts spares."""
    module: Any = bench.build("gated_experts", SIZES)

    def gathered(x: Tensor) -> Tensor:
        tokens = x.flatten(0, 1)
        values, indices = module.router(tokens).softmax(-1).topk(2)
        gate, up, down = (torch.stack([getattr(expert, name).weight for expert in module.y])[indices] for name in ("gate", "up", "down"))
        inner = torch.einsum("td,tkfd->tkf", tokens, gate)
        product = torch.nn.functional.silu(inner) * torch.einsum("td,tkfd->tkf", tokens, up)
        return (torch.einsum("tkf,tkdf->tkd", product, down) * values[..., None]).sum(1).view_as(x)

    x = torch.randn(1, 8, 16, requires_grad=True)
    torch.testing.assert_close(gathered(x), module(x))
    counts = []
    for fn in (gathered, module):
        counter = FlopCounterMode(display=False)
        with counter:
            fn(x)
        counts.append(counter.get_total_flops())
    assert counts[0] == counts[1] == 37_888
    assert saved(gathered, x, parameters=module.parameters()).elements > 7 * saved(module, x).elements
    assert parameters(module).trainable == 4672


def test_presets_of_many_experts_are_run_with_fewer_layers(bench: Workbench) -> None:
    sheet = bench.compiled("deepseek_v2_lite").sheet
    (preset,) = sheet.presets
    assert preset.sizes.keys() - runnable(sheet, preset.sizes, MOST_RUNS) == {"L"}
    llama = bench.compiled("llama").sheet
    assert all(runnable(llama, one.sizes, MOST_RUNS) == one.sizes for one in llama.presets)


def test_the_mixture_of_transformers_multiplies_as_much(bench: Workbench) -> None:
    """Its loop over experts, run on values: FLOPs of the router and of the k experts of each token."""
    torch.manual_seed(0)
    small = mixtral.IMPLEMENTATIONS[0].small(torch.float32)
    other: Any = small.other
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        other.model.layers[0].mlp(torch.randn(2, 17, 24))
    sizes = {"b": 2, "n": 17, "d": 24, "f": 20, "E": 5, "k": 2}
    assert counter.get_total_flops() == Instance.of(bench, "mixture_of_experts", sizes).derived("matmul_flops")


def test_an_expert_that_is_full_makes_nothing_of_further_tokens(bench: Workbench) -> None:
    torch.manual_seed(0)
    module: Any = bench.build("switch_layer", {"d": 8, "f": 12, "E": 4, "c": 3}, dtype=torch.float64)
    x = torch.randn(2, 6, 8, dtype=torch.float64)
    expected, taken, dropped = torch.zeros(12, 8, dtype=torch.float64), [0] * 4, 0
    for place, token in enumerate(x.flatten(0, 1)):
        gate, index = module.routing.logits(token).softmax(-1).max(0)
        taken[index] += 1
        if taken[index] > 3:
            dropped += 1
        else:
            expected[place] = gate * module.experts[index](token[None, None])[0, 0]
    assert dropped > 0
    torch.testing.assert_close(module(x), expected.view_as(x))
    with pytest.raises(ValueError, match="num_experts\\*capacity must hold"):
        module(torch.cat((x, x)))
