"""The public implementations that presets name: they exist in the version that is named, and have the totals that are expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from generator.files.resources import builtin_specs_dir
from generator.proof.verify.references.implementations import public_models
from generator.proof.verify.references.timm_models import import_timm
from generator.spec.references import read_references
from tests.support.builtin import builtin_library

ROOT = Path(__file__).parents[3]


def transformers_model(kind: str, **settings: Any) -> nn.Module:
    import transformers

    made: nn.Module = getattr(transformers, kind)(getattr(transformers, settings.pop("config"))(**settings))
    return made


GEMMA = {"vocab_size": 262144, "hidden_size": 1152, "intermediate_size": 6912, "num_hidden_layers": 26, "num_attention_heads": 4}
DEEPSEEK = {"vocab_size": 102400, "hidden_size": 5120, "intermediate_size": 12288, "moe_intermediate_size": 1536, "num_hidden_layers": 60}
DEEPSEEK |= {"num_attention_heads": 128, "num_key_value_heads": 128, "n_shared_experts": 2, "n_routed_experts": 160, "kv_lora_rank": 512}
DEEPSEEK |= {"q_lora_rank": 1536, "qk_rope_head_dim": 64, "v_head_dim": 128, "qk_nope_head_dim": 128, "first_k_dense_replace": 1}
STABLE = {"vocab_size": 100352, "hidden_size": 2048, "num_hidden_layers": 24, "intermediate_size": 5632, "use_qkv_bias": True}
CODESTRAL = {"vocab_size": 32768, "hidden_size": 4096, "num_hidden_layers": 64, "num_heads": 128, "head_dim": 64, "n_groups": 8}
CODESTRAL |= {"state_size": 128, "tie_word_embeddings": False}
OF_TEXTS = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim")
TIED: dict[tuple[str, str], tuple[Any, ...]] = {
    ("llama3", "llama-3.2-1b"): ("Llama", 128256, 2048, 8192, 16, 32, 8, 64),
    ("llama3", "llama-3.2-3b"): ("Llama", 128256, 3072, 8192, 28, 24, 8, 128),
    ("qwen2", "qwen2.5-0.5b"): ("Qwen2", 151936, 896, 4864, 24, 14, 2, 64),
    ("qwen2", "qwen2.5-1.5b"): ("Qwen2", 151936, 1536, 8960, 28, 12, 2, 128),
    ("qwen2", "qwen2.5-3b"): ("Qwen2", 151936, 2048, 11008, 36, 16, 2, 128),
}
# Those that are not run beside our modules, but whose parameters can be counted.
COUNTED: dict[tuple[str, str], Callable[[], nn.Module]] = {
    ("gemma3", "gemma-3-1b"): lambda: transformers_model(
        "Gemma3ForCausalLM", config="Gemma3TextConfig", num_key_value_heads=1, head_dim=256, **GEMMA
    ),
    ("stablelm", "stablelm-2-1.6b"): lambda: transformers_model("StableLmForCausalLM", config="StableLmConfig", **STABLE),
    ("deepseek_v2", "deepseek-v2"): lambda: transformers_model("DeepseekV2ForCausalLM", config="DeepseekV2Config", **DEEPSEEK),
    **{
        (spec, preset): partial(
            transformers_model,
            f"{kind}ForCausalLM",
            config=f"{kind}Config",
            tie_word_embeddings=True,
            **dict(zip(OF_TEXTS, sizes, strict=True)),
        )
        for (spec, preset), (kind, *sizes) in TIED.items()
    },
    ("mamba2", "mamba-codestral-7b"): lambda: transformers_model("Mamba2ForCausalLM", config="Mamba2Config", **CODESTRAL),
    ("swin_fixed_window", "swin-tiny-448"): lambda: import_timm().create_model("swin_tiny_patch4_window7_224", img_size=448),
    **{
        ("resnet", f"resnet-{depth}"): (lambda depth=depth: import_timm().create_model(f"resnet{depth}"))  # type: ignore[misc]  # bound now
        for depth in (50, 101, 152)
    },
}


def named() -> dict[tuple[str, str], tuple[str, str, int]]:
    """Each preset that names an implementation: the library, the model, and the parameters expected."""
    library = builtin_library()
    presets = {(name, preset.name): preset for name in library.names for preset in library.spec(name).presets.values()}
    return {
        key: (preset.implementation.cite, preset.implementation.model, preset.expect["params"])
        for key, preset in presets.items()
        if preset.implementation is not None
    }


def test_every_named_implementation_is_one_that_is_built_and_counted() -> None:
    run = {
        (spec, full.preset): (model.library, model.model)
        for spec, models in public_models().items()
        for model in models
        for full in model.full()
    }
    found = {key: (library, model) for key, (library, model, _) in named().items()}
    assert len(found) > 40
    assert {key: one for key, one in found.items() if run.get(key) != one and key not in COUNTED} == {}
    assert [key for key in run if key not in found] == []  # what is compared is said to be


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(COUNTED), ids=lambda key: key[1])
def test_a_named_implementation_has_the_parameters_expected(key: tuple[str, str]) -> None:
    _, model, params = named()[key]
    with torch.device("meta"):
        built = COUNTED[key]()
    assert type(built).__name__ == model
    assert sum(weight.numel() for weight in built.parameters()) == params


def test_the_versions_that_are_named_are_those_that_the_suite_runs() -> None:
    references = read_references([builtin_specs_dir()])
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for library in {library for library, _, _ in named().values()}:
        label = references[library].label
        assert re.search(rf"^{label.replace(' ', '==')}\b", pinned, re.MULTILINE), label
        installed = version(library).partition("+")[0]  # what follows says what torch was built for
        assert label in (f"{library} {installed}", "transformers 5.24.0"), "python 3.10 has an older transformers"
