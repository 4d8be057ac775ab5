"""Every public implementation that is known: the same outputs, gradients, parameters and FLOPs as the generated module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references import transformer
from generator.proof.verify.references.implementation import PublicModel
from generator.proof.verify.references.implementations import public_models
from generator.proof.verify.references.module_comparison import compare
from generator.proof.verify.references.reference_runs import reference_checks
from generator.spec.library import Library
from tests.support.builtin import builtin_library
from tests.support.small_specs import LAYER, write_specs


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


# Of these, public implementations are built in all published sizes too.
FULL_SIZE = {"albert", "bert", "cvt", "gpt2", "llama", "llama3", "longformer", "mamba", "min_gpt", "mistral", "qwen2"}
FULL_SIZE |= {"gemma", "gemma2", "llama2", "mistral_nemo", "olmoe", "opt", "phi3", "phi4", "qwen3_moe"}
FULL_SIZE |= {
    "bart",
    "modernbert",
    "whisper",
    "t5",
    "t5_v1_1",
    "distilbert",
    "electra",
    "electra_small",
    "gpt_oss",
    "granite_moe",
    "roberta",
}
FULL_SIZE |= {
    "falcon_mamba",
    "jamba",
    "olmo_hybrid",
    "lstm_language_model",
    "mamba2",
    "qwen3_next",
    "recurrent_gemma",
    "rwkv",
    "siglip",
    "xlstm",
}
FULL_SIZE |= {"bloom", "falcon", "falcon_7b", "gpt_neo", "gpt_neox", "gptj", "mpt", "stablelm"}
FULL_SIZE |= {"qwen3", "deepseek_v2_lite", "deepseek_v3", "fnet", "mixtral", "reformer", "roformer", "swin", "vit"}
FULL_SIZE |= {"clip", "convnext", "convnext_v2", "deit", "dinov2", "efficientnet", "gmlp", "mlp_mixer"}
FULL_SIZE |= {"deberta_v3", "sam_encoder", "switch_transformer", "wav2vec2", "wav2vec2_stable"}
FULL_SIZE |= {"mobilenet_v2", "mobilenet_v3", "mobilenet_v3_small", "regnet_x", "regnet_y", "resmlp", "pvt_v2", "segformer"}
# These compute the same by other products (overlapping chunks, a product at each token of a scan), or cannot run without values (which
# tokens choose an expert?), so that matmul FLOPs are not compared.
OTHER_PRODUCTS = {
    "gpt_oss",
    "granite_moe",
    "jamba",
    "olmoe",
    "qwen3_moe",
    "qwen3_next",
    "recurrent_gemma",
    "xlstm",
    "falcon_mamba",
    "olmo_hybrid",
    "deepseek_v2_lite",
    "deepseek_v3",
    "longformer",
    "mamba",
    "mamba2",
    "mixtral",
    "switch_transformer",
}
FROZEN = {"deepseek_v3", "whisper"}  # some of whose weights are frozen here and there: both counts are compared


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(public_models()))
def test_a_generated_module_computes_and_costs_what_the_public_implementation_does(bench: Workbench, spec: str) -> None:
    absent = {model.library for model in public_models()[spec] if not model.is_installed}
    if absent:
        pytest.skip(f"not installed: {', '.join(sorted(absent))}")
    checks, not_run = reference_checks(bench, spec)
    assert not_run == ()
    assert [check for check in checks if not check.equal] == []
    said = [check.what for check in checks]
    kinds = {what.split(" ")[0].strip(",") for what in said}
    assert kinds == {"outputs", "gradients"} | ({"params", "matmul_flops"} if spec in FULL_SIZE else set()) - (
        {"matmul_flops"} if spec in OTHER_PRODUCTS else set()
    ) | ({"trainable_params"} if spec in FROZEN else set())
    assert {what.rpartition(", ")[2] for what in said if what.startswith("outputs")} == {"float64", "float32"}
    presets = [preset.name for preset in bench.compiled(spec).sheet.presets] if spec in FULL_SIZE else []
    assert [preset for preset in presets if not any(f"{what} at".startswith(f"params of {preset} at") for what in said)] == []


# ---- the comparison itself notices what is wrong ------------------------------------------------------------------------------------


def distances(bench: Workbench, spoil: str) -> tuple[float, float, str]:
    """Return how far outputs and gradients are apart, and the worst parameter, after something was spoilt on the other side."""
    with torch.random.fork_rng(), default_dtype(torch.float64):
        torch.manual_seed(0)
        model = transformer.IMPLEMENTATIONS[0]
        small = model.small(torch.float64)
        own = bench.build("transformer", small.sizes)
        own.load_reference(small.other.state_dict(), model.layout)
        run = small.run
        if spoil == "weight":
            with torch.no_grad():
                small.other.transformer.decoder.layers[1].linear1.bias[3] += 1e-3
        if spoil == "gradient":
            bias = small.other.transformer.encoder.layers[0].linear1.bias
            bias.register_hook(lambda gradient: gradient + 1e-3)
        outputs, gradients = compare(own, small.other, model.layout, lambda: [own(*small.inputs)], run)
        return outputs.value, gradients.value, gradients.where


@pytest.mark.slow
def test_equal_models_are_close_and_spoilt_ones_are_not(bench: Workbench) -> None:
    assert max(distances(bench, "")[:2]) < 1e-9
    outputs, gradients, _ = distances(bench, "weight")
    assert outputs > 1e-9
    assert gradients > 1e-9
    outputs, gradients, where = distances(bench, "gradient")
    assert outputs < 1e-9
    assert gradients > 1e-6
    assert where == "encoder.0.mlp.up.bias"


class OneLayer(nn.Module):
    def __init__(self, error: float) -> None:
        super().__init__()
        self.inner, self.error = nn.Linear(3, 4), error

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + self.error


CHECKPOINT = "checkpoint:\n  torch: {model: OneLayer, weights: {y: inner}}\n  elsewhere: {model: Layer, weights: {y: inner}}\n"


def one_layer_checks(folder: Path, models: Sequence[PublicModel], monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], tuple[str, ...]]:
    monkeypatch.setattr("generator.proof.verify.references.reference_runs.public_models", lambda: {"layer": tuple(models)})
    with Workbench(Library([write_specs(folder, layer=LAYER + CHECKPOINT)])) as bench:
        checks, not_run = reference_checks(bench, "layer")
    return [f"{check.what}: {check.found or 'as it must be'}" for check in checks], not_run


def one_layer(error: float, library: str = "torch", layout: str = "torch") -> PublicModel:
    from generator.proof.verify.references.implementation import Small

    def small(dtype: torch.dtype) -> Small:
        other, x = OneLayer(error).to(dtype), torch.randn(2, 3, dtype=dtype)
        return Small({"k": 3, "m": 4}, other, (x,), lambda: [other(x)])

    return PublicModel("layer", layout, library, "OneLayer", small)


def test_what_was_compared_and_what_could_not_be_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks, not_run = one_layer_checks(
        tmp_path, [one_layer(0.0), one_layer(0.0, library="no_such_library", layout="elsewhere")], monkeypatch
    )
    assert [check.rpartition(": ")[2] for check in checks] == ["as it must be"] * 4
    assert not_run == ("no_such_library OneLayer: no_such_library is not installed",)


def test_a_difference_is_told_by_its_size_and_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks, not_run = one_layer_checks(tmp_path, [one_layer(0.5)], monkeypatch)
    assert checks[0] == "outputs, float64: differ by 0.5 in output 0"
    assert checks[1] == "gradients of 2 parameters, float64: as it must be"
    assert not_run == ("elsewhere Layer: no code here builds it",)
