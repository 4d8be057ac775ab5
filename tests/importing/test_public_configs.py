"""Configurations that the library itself writes, its defaults and random ones, against the models that it builds from them."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest

from archsheet import Cost
from generator.importing.config import config_of
from generator.importing.found import Imported, imported, rules
from generator.sheet.asked import with_choices
from generator.sheet.compiled import derive
from generator.sheet.costing import cost_of
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from generator.text.source import Source
from tests.importing.configs import DEBERTA, DRAWS, GRANITE_SCALES, SEED, STABLE, UNSAID, VARIED, counted, products, saved
from tests.support.builtin import builtin_library

OFTEN = 1  # of the drawn configurations are compared by `make test`, all by `make test-all`
TEXTS = (
    "albert",
    "bert",
    "falcon",
    "fnet",
    "gemma2",
    "gemma3_text",
    "gpt2",
    "gpt_neox",
    "gptj",
    "llama",
    "mistral",
    "phi3",
    "qwen2",
    "qwen3",
)
TEXTS += ("deberta-v2", "modernbert", "distilbert", "electra", "roberta", "bloom", "gpt_neo", "mpt", "roformer", "stablelm")


@cache
def sheet_of(library: Library, name: str, options: tuple[tuple[str, Any], ...]) -> Any:
    chosen, _ = with_choices(library, name, dict(options))
    return derive(chosen, name)[0].sheet


def read(values: dict[str, Any]) -> Imported:
    return imported(config_of(Source("config.json", json.dumps(values, indent=2))), builtin_library())


def cost(found: Imported, **sizes: int) -> Cost:
    sheet = sheet_of(builtin_library(), found.name, tuple(sorted(found.mapped.options.items())))
    # A length that is by default that of the published texts may be more than there are positions in a drawn configuration.
    has_length = any(size.name == "n" and size.value is not None for size in sheet.sizes)
    bounded = {"n": found.mapped.sizes["P"]} if has_length and "P" in found.mapped.sizes else {}
    return cost_of(sheet, None, {**bounded, **found.mapped.sizes, **sizes})


def drawn(kind: str) -> list[dict[str, Any]]:
    """Return the settings of the default configuration, and of some drawn at random."""
    rng = random.Random(f"{SEED} {kind}")
    return [UNSAID.get(kind, {}), *(DRAWS[kind](rng) for _ in range(VARIED))]


def cases() -> list[Any]:
    marks = [pytest.mark.slow, pytest.mark.exhaustive]
    return [
        pytest.param(kind, at, id=f"{kind}-{at}", marks=[pytest.mark.slow] if at <= OFTEN else marks)
        for kind in DRAWS
        for at in range(VARIED + 1)
    ]


@pytest.mark.parametrize(("kind", "at"), cases())
def test_parameters_and_products_are_those_of_the_library(kind: str, at: int) -> None:
    settings = drawn(kind)[at]
    found = read(saved(kind, **settings))
    assert found.unknown == ()
    model = found.mapped.rule.model
    assert cost(found).trainable_params == counted(kind, model, settings)
    if at and kind in TEXTS:
        n = min(found.mapped.sizes["P"], 11)
        assert cost(found, b=2, n=n).matmul_flops == products(kind, model, settings, 2, n)


TIED = {"vocab_size": 151936, "tie_word_embeddings": True, "max_position_embeddings": 32768}
# Published configurations whose head is tied, which the comparisons with transformers leave out: the keys that differ from the defaults.
PUBLISHED: dict[str, tuple[str, dict[str, Any]]] = {
    "llama-3.2-3b": ("llama", {
        "vocab_size": 128256, "hidden_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 24, "num_key_value_heads": 8,
        "head_dim": 128, "intermediate_size": 8192, "max_position_embeddings": 131072, "tie_word_embeddings": True}),
    "qwen2.5-0.5b": ("qwen2", {
        **TIED, "hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
        "intermediate_size": 4864}),
    "mamba-codestral-7b": ("mamba2", {}),
    "qwen2.5-3b": ("qwen2", {
        **TIED, "hidden_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 2,
        "intermediate_size": 11008}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("preset", PUBLISHED)
def test_published_configurations_make_the_presets_of_that_name(preset: str) -> None:
    kind, settings = PUBLISHED[preset]
    found = read(saved(kind, **settings))
    own = builtin_library().spec(found.name).presets[preset]
    assert own.sizes.items() <= found.mapped.sizes.items()
    assert own.options == found.mapped.options
    assert own.expect["params"] == cost(found).params == counted(kind, found.mapped.rule.model, settings)


@pytest.mark.slow
def test_what_the_defaults_of_the_library_leave_out_is_what_an_empty_file_gets() -> None:
    """A key that `defaults` names may be absent: the library then takes the same."""
    for spec, rule in rules(builtin_library()):
        for kind in rule.model_type:
            whole = saved(kind, **UNSAID.get(kind, {}))
            left = {key: value for key, value in whole.items() if key not in rule.defaults or rule.formula(rule.defaults[key]) is not None}
            try:
                full, less = read(whole), read(left)
            except ProblemsError:
                continue  # the defaults are those of another spec for the same kind
            if full.name == spec.name:
                assert (less.name, less.mapped.sizes, less.mapped.options) == (full.name, full.mapped.sizes, full.mapped.options), kind


@pytest.mark.slow
def test_what_follows_from_another_key_does_so_in_the_library_too() -> None:
    """A key that `defaults` works out of another one may be absent where that other one is not as usual."""
    tried = 0
    for _, rule in rules(builtin_library()):
        for kind in (one for one in rule.model_type if one in DRAWS):
            usual = saved(kind)
            follow = {key: value for key, value in rule.defaults.items() if isinstance(value, str) and rule.formula(value) is not None}
            for key, other in ((key, other) for key, value in follow.items() for other in usual if other != key and other in value):
                if type(usual[other]) is int:
                    whole = saved(kind, **{**UNSAID.get(kind, {}), other: 2 * usual[other]})
                    assert _read_as({name: value for name, value in whole.items() if name != key}) in (_read_as(whole), None), key
                    tried += 1
    assert tried > 40


def _read_as(values: dict[str, Any]) -> Any:
    """Return what a configuration is read as; None where it is refused."""
    try:
        found = read(values)
    except ProblemsError:
        return None
    return found.name, found.mapped.sizes, found.mapped.options


# Files under the names of keys that earlier versions of the library wrote, and that published weights still have.
EARLIER: dict[str, dict[str, Any]] = {
    "bloom-7b1": {
        "model_type": "bloom", "n_embed": 4096, "n_layer": 30, "num_attention_heads": 32, "vocab_size": 250880, "seq_length": 2048,
        "offset_alibi": 100, "masked_softmax_fusion": True, "skip_bias_add": True, "pretraining_tp": 4},
    "pythia-2.8b": {
        "model_type": "gpt_neox", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 10240,
        "max_position_embeddings": 2048, "rotary_pct": 0.25, "rotary_emb_base": 10000, "vocab_size": 50304, "hidden_act": "gelu"},
    "t5-v1.1-base": {
        "model_type": "t5", "d_model": 768, "d_kv": 64, "d_ff": 2048, "num_layers": 12, "num_decoder_layers": 12, "num_heads": 12,
        "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "vocab_size": 32128, "relative_attention_num_buckets": 32},
    "deberta-v3-base": {
        "model_type": "deberta-v2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
        "vocab_size": 128100, "max_position_embeddings": 512, "relative_attention": True, "position_buckets": 256,
        "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p", "position_biased_input": False,
        "max_relative_positions": -1, "type_vocab_size": 0, "layer_norm_eps": 1e-7, "hidden_act": "gelu"},
    "stablelm-3b-4e1t": {
        "model_type": "stablelm", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
        "intermediate_size": 6912, "max_position_embeddings": 4096, "partial_rotary_factor": 0.25, "vocab_size": 50304},
    "falcon-7b": {
        "model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "vocab_size": 65024,
        "multi_query": True, "parallel_attn": True, "new_decoder_architecture": False, "alibi": False, "bias": False},
}  # fmt: skip


@pytest.mark.parametrize("preset", EARLIER)
def test_keys_of_earlier_versions_make_the_presets_of_that_name(preset: str) -> None:
    found = read(EARLIER[preset])
    assert preset in found.same
    assert found.unknown == ()


# What transformers builds from these settings no spec says.
UNSAYABLE: list[tuple[str, str, dict[str, Any]]] = [
    ("gemma2", "attn_logit_softcapping", {"attn_logit_softcapping": None}),
    ("gemma2", "final_logit_softcapping", {"final_logit_softcapping": 20.0}),
    ("phi3", "rope_parameters_partial_rotary_factor", {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}}),
    ("olmoe", "clip_qkv", {"clip_qkv": 8.0}),
    ("olmoe", "norm_topk_prob", {"norm_topk_prob": True}),
    ("gpt_neox", "use_parallel_residual", {"use_parallel_residual": False}),
    ("stablelm", "use_parallel_residual", {"use_parallel_residual": True}),
    ("stablelm", "qk_layernorm", {"qk_layernorm": True}),
    ("falcon", "alibi", {"alibi": True}),
    ("falcon", "new_decoder_architecture", {"multi_query": False}),
    ("falcon", "num_ln_in_parallel_attn", {"new_decoder_architecture": True, "num_ln_in_parallel_attn": 1}),
    ("deberta-v2", "pos_att_type", {**DEBERTA, "pos_att_type": ["c2p"]}),
    ("deberta-v2", "conv_kernel_size", {**DEBERTA, "conv_kernel_size": 3}),
    ("sam_vision_model", "global_attn_indexes_2", {"global_attn_indexes": [2, 6, 8, 11]}),
    ("bloom", "apply_residual_connection_post_layernorm", {"apply_residual_connection_post_layernorm": True}),
    ("mpt", "attn_config_clip_qkv", {"attn_config": {"clip_qkv": 6.0}}),
    ("mpt", "attn_config_alibi", {"attn_config": {"alibi": False}}),
    ("gpt_neo", "attention_layers", {"num_layers": 2, "attention_types": [[["local", "global"], 1]]}),
    ("gpt_oss", "swiglu_limit", {"swiglu_limit": 10.0}),
    ("granitemoe", "residual_multiplier", {**GRANITE_SCALES, "residual_multiplier": 1.0}),
    ("t5", "feed_forward_proj", {"feed_forward_proj": "gelu"}),
    ("t5", "num_decoder_layers", {"num_decoder_layers": 2}),
    ("switch_transformers", "dense_act_fn", {"dense_act_fn": "gelu"}),
    ("switch_transformers", "num_sparse_decoder_layers", {"num_sparse_decoder_layers": 4}),
    ("switch_transformers", "router_bias", {"router_bias": True}),
    ("wav2vec2", "do_stable_layer_norm", {"do_stable_layer_norm": True}),
    ("wav2vec2", "adapter_attn_dim", {**STABLE, "adapter_attn_dim": 8}),
    ("wav2vec2", "mask_feature_prob", {"mask_feature_prob": 0.1}),
    ("wav2vec2", "conv_stride_3", {"conv_stride": [5, 2, 3, 2, 2, 2, 2]}),
    ("wav2vec2", "add_adapter", {"add_adapter": True}),
    ("bart", "decoder_layers", {"decoder_layers": 2}),
    ("bart", "scale_embedding", {"scale_embedding": True}),
    ("modernbert", "norm_bias", {"norm_bias": True}),
    ("modernbert", "layer_types", {"num_hidden_layers": 2, "layer_types": ["full_attention", "full_attention"]}),
    ("whisper", "decoder_layers", {"decoder_layers": 2}),
    ("whisper", "apply_spec_augment", {"apply_spec_augment": True}),
    ("roberta", "hidden_act", {"hidden_act": "relu"}),
    ("distilbert", "activation", {"activation": "relu"}),
    ("electra", "hidden_act", {"hidden_act": "gelu_new"}),
    ("siglip", "text_config_projection_size", {"text_config": {"projection_size": 40}}),
    ("mamba2", "hidden_act", {"hidden_act": "gelu"}),
    ("recurrent_gemma", "attention_bias", {"attention_bias": True}),
    ("recurrent_gemma", "block_types", {"block_types": ["attention", "recurrent"]}),
    ("xlstm", "use_bias", {"use_bias": True}),
    ("xlstm", "weight_mode", {"weight_mode": "fused"}),
    ("falcon_mamba", "use_bias", {"use_bias": True}),
    ("olmo_hybrid", "linear_allow_neg_eigval", {"linear_allow_neg_eigval": False}),
    ("olmo_hybrid", "rope_parameters_rope_theta", {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}),
    ("rwkv", "attention_hidden_size", {"attention_hidden_size": 10}),
    ("qwen3_next", "norm_topk_prob", {"norm_topk_prob": False}),
    ("qwen3_next", "layer_types", {"num_hidden_layers": 2, "layer_types": ["full_attention", "linear_attention"]}),
    ("jamba", "attn_layer_offset", {"attn_layer_offset": 3}),
    ("jamba", "expert_layer_period", {"expert_layer_period": 4}),
    ("jamba", "mamba_proj_bias", {"mamba_proj_bias": True}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "key", "settings"), UNSAYABLE, ids=[f"{kind}-{key}" for kind, key, _ in UNSAYABLE])
def test_what_no_spec_says_is_an_error_that_names_the_key(kind: str, key: str, settings: dict[str, Any]) -> None:
    with pytest.raises(ProblemsError, match=rf"has nothing for `{key}`"):
        read(saved(kind, **settings))


@pytest.mark.slow
def test_a_formula_tells_two_specs_for_one_kind_apart() -> None:
    assert read(saved("electra", hidden_size=48, num_attention_heads=4, embedding_size=48)).name == "electra"
    assert read(saved("electra", hidden_size=48, num_attention_heads=4, embedding_size=40)).name == "electra_small"


def test_every_kind_is_drawn() -> None:
    assert {kind for _, rule in rules(builtin_library()) for kind in rule.model_type} == {*DRAWS}
