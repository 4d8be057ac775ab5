"""Configurations of public models drawn at random, and their models on meta tensors: the truth that imports are held against."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch

Draw = Callable[[random.Random], dict[str, Any]]
TOWER = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
VARIED = 10
SEED = 20
DEBERTA = {
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
}  # fmt: skip
STABLE = {"feat_extract_norm": "layer", "conv_bias": True, "do_stable_layer_norm": True}  # wav2vec 2.0 with norms in front
GRANITE_SCALES = {"embedding_multiplier": 12.0, "residual_multiplier": 0.2, "attention_multiplier": 0.1, "logits_scaling": 6.0}


def default(kind: str) -> Any:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    return CONFIG_MAPPING[kind]


def saved(kind: str, **settings: Any) -> dict[str, Any]:
    """Return what transformers writes into config.json for a model with these settings."""
    import json

    found: dict[str, Any] = json.loads(default(kind)(**settings).to_json_string())
    return found


def counted(kind: str, model: str, settings: dict[str, Any]) -> int:
    """Return the number of trainable parameters of the public model with these settings."""
    import transformers

    config = default(kind)(**settings)
    with torch.device("meta"):
        built = getattr(transformers, model)(config)
    return sum(weight.numel() for weight in {id(weight): weight for weight in built.parameters() if weight.requires_grad}.values())


def decoder(rng: random.Random, **more: Any) -> dict[str, Any]:
    """Draw the settings that decoders like LLaMA share."""
    groups = rng.choice([1, 2, 3, 5])
    heads = groups * rng.choice([1, 2, 3])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([4, 6, 8]) * 2, "intermediate_size": rng.randint(10, 90),
        "num_hidden_layers": rng.randint(1, 7), "num_attention_heads": heads, "num_key_value_heads": groups,
        "max_position_embeddings": rng.randint(16, 300), "tie_word_embeddings": rng.random() < 0.5, **more,
    }  # fmt: skip


def encoder(rng: random.Random, **more: Any) -> dict[str, Any]:
    """Draw the settings that encoders like BERT share."""
    heads = rng.choice([1, 2, 3, 5])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([4, 6, 8]) * 2, "intermediate_size": rng.randint(10, 90),
        "num_hidden_layers": rng.randint(1, 7), "num_attention_heads": heads, "max_position_embeddings": rng.randint(16, 300),
        "type_vocab_size": rng.randint(1, 5), **more,
    }  # fmt: skip


def _llama(rng: random.Random) -> dict[str, Any]:
    own = {"head_dim": rng.choice([4, 10])} if rng.random() < 0.5 else {}
    return decoder(rng, attention_bias=rng.random() < 0.5, mlp_bias=rng.random() < 0.5, **own)


def _mixtral(rng: random.Random) -> dict[str, Any]:
    experts = rng.randint(2, 6)
    return decoder(rng, num_local_experts=experts, num_experts_per_tok=rng.randint(1, experts))


def _mistral(rng: random.Random) -> dict[str, Any]:
    return decoder(rng, head_dim=rng.choice([4, 10]), sliding_window=rng.choice([None, rng.randint(3, 9)]))


def _qwen3_moe(rng: random.Random) -> dict[str, Any]:
    experts = rng.randint(2, 6)
    own = {"num_local_experts": experts, "num_experts_per_tok": rng.randint(1, experts), "moe_intermediate_size": rng.randint(5, 40)}
    return decoder(rng, head_dim=rng.choice([4, 10]), attention_bias=rng.random() < 0.5, norm_topk_prob=True, **own)


def _opt(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    width = heads * rng.choice([3, 6, 8])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": width, "num_hidden_layers": rng.randint(1, 7), "num_attention_heads": heads,
        "ffn_dim": rng.randint(10, 90), "max_position_embeddings": rng.randint(16, 300), "word_embed_proj_dim": width,
    }  # fmt: skip


def _gemma3(rng: random.Random) -> dict[str, Any]:
    return decoder(rng, head_dim=rng.choice([4, 10]), sliding_window=rng.randint(3, 9), tie_word_embeddings=True)


def _gemma2(rng: random.Random) -> dict[str, Any]:
    return _gemma3(rng) | {"query_pre_attn_scalar": rng.randint(2, 20)}


def _phi3(rng: random.Random) -> dict[str, Any]:
    return decoder(rng, sliding_window=rng.choice([None, rng.randint(3, 9)]), pad_token_id=None)


def _olmoe(rng: random.Random) -> dict[str, Any]:
    experts = rng.randint(2, 6)
    return decoder(rng, num_experts=experts, num_experts_per_tok=rng.randint(1, experts), pad_token_id=None)


def _gpt_neox(rng: random.Random) -> dict[str, Any]:
    heads, part = rng.choice([1, 2, 3, 5]), rng.choice([0.25, 0.5, 1.0])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([8, 16, 24]), "intermediate_size": rng.randint(10, 90),
        "num_hidden_layers": rng.randint(1, 7), "num_attention_heads": heads, "max_position_embeddings": rng.randint(16, 300),
        "tie_word_embeddings": rng.random() < 0.5, "attention_bias": rng.random() < 0.5, "hidden_act": rng.choice(["gelu", "relu"]),
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": part},
    }  # fmt: skip


def _gptj(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in _gpt2(rng).items() if key != "tie_word_embeddings"}
    heads = drawn["n_head"]
    return {**drawn, "n_embd": heads * rng.choice([8, 10]), "rotary_dim": rng.choice([4, 8]), "activation_function": "gelu_new"}


def _stablelm(rng: random.Random) -> dict[str, Any]:
    drawn = decoder(rng, use_qkv_bias=rng.random() < 0.5)
    width = drawn["num_attention_heads"] * rng.choice([8, 16, 40])
    return {**drawn, "hidden_size": width, "num_key_value_heads": drawn["num_key_value_heads"]}


def _falcon(rng: random.Random) -> dict[str, Any]:
    drawn = decoder(rng)
    groups, inner = drawn.pop("num_key_value_heads"), drawn.pop("intermediate_size")
    new = rng.random() < 0.5
    own = {"new_decoder_architecture": True, "num_kv_heads": groups} if new else {}
    return {**drawn, **own, "bias": rng.random() < 0.5, "ffn_hidden_size": rng.choice([None, inner])}


def _gpt_oss(rng: random.Random) -> dict[str, Any]:
    experts = rng.randint(2, 6)
    return decoder(
        rng, head_dim=rng.choice([4, 10]), sliding_window=rng.randint(3, 9), num_local_experts=experts, attention_bias=rng.random() < 0.5,
        num_experts_per_tok=rng.randint(1, experts),
    )  # fmt: skip


def _distilbert(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    return {
        "vocab_size": rng.randint(50, 400), "dim": heads * rng.choice([4, 6, 8]), "hidden_dim": rng.randint(10, 90),
        "n_layers": rng.randint(1, 7), "n_heads": heads, "max_position_embeddings": rng.randint(16, 300),
    }  # fmt: skip


def _electra(rng: random.Random) -> dict[str, Any]:
    drawn = encoder(rng)
    return {**drawn, "embedding_size": rng.choice([drawn["hidden_size"], rng.randint(5, 40)])}


def _granite_moe(rng: random.Random) -> dict[str, Any]:
    return {**_mixtral(rng), **GRANITE_SCALES, "pad_token_id": None}


def _t5(rng: random.Random) -> dict[str, Any]:
    later = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False} if rng.random() < 0.5 else {}
    return {
        "vocab_size": rng.randint(50, 400), "d_model": rng.randint(8, 60), "d_kv": rng.randint(3, 12), "d_ff": rng.randint(10, 90),
        "num_layers": rng.randint(1, 6), "num_heads": rng.randint(1, 5), "relative_attention_num_buckets": 4 * rng.randint(1, 6), **later,
    }  # fmt: skip


def _switch(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in _t5(rng).items() if key not in ("feed_forward_proj", "tie_word_embeddings")}
    step, sparse = rng.randint(2, 3), rng.randint(1, 2)
    layers, both = step * sparse, {"num_sparse_encoder_layers": sparse, "num_sparse_decoder_layers": sparse}
    return {
        **drawn, **both, "num_layers": layers, "num_decoder_layers": layers, "num_experts": rng.randint(1, 5),
        "expert_capacity": rng.randint(200, 300),
    }  # fmt: skip


def _wav2vec2(rng: random.Random) -> dict[str, Any]:
    heads, groups, channels = rng.choice([1, 2, 3, 5]), rng.choice([1, 2, 4]), rng.randint(5, 20)
    return {
        "hidden_size": 4 * heads * rng.randint(1, 3), "num_attention_heads": heads, "intermediate_size": rng.randint(10, 90),
        "num_hidden_layers": rng.randint(1, 6), "vocab_size": rng.randint(20, 90), "conv_dim": [channels] * 7,
        "num_conv_pos_embedding_groups": groups, "num_conv_pos_embeddings": 2 * rng.randint(1, 20),
        **(STABLE if rng.random() < 0.5 else {}),
    }  # fmt: skip


def _bart(rng: random.Random) -> dict[str, Any]:
    heads, layers, inner = rng.choice([1, 2, 3, 5]), rng.randint(1, 6), rng.randint(10, 90)
    return {
        "vocab_size": rng.randint(50, 400), "d_model": heads * rng.choice([3, 6, 8]), "encoder_layers": layers, "decoder_layers": layers,
        "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": inner, "decoder_ffn_dim": inner,
        "max_position_embeddings": rng.randint(16, 300),
    }  # fmt: skip


def _modernbert(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in encoder(rng).items() if key != "type_vocab_size"}
    layers = rng.randint(2, 7)  # a single one would leave none behind the first, which has no norm
    return {**drawn, "num_hidden_layers": layers, "local_attention": 2 * rng.randint(1, 5), "pad_token_id": None}


def _whisper(rng: random.Random) -> dict[str, Any]:
    own = {"num_mel_bins": rng.randint(3, 20), "max_source_positions": rng.randint(5, 60), "max_target_positions": rng.randint(16, 300)}
    return {**{key: value for key, value in _bart(rng).items() if key != "max_position_embeddings"}, **own, "pad_token_id": None}


def _bloom(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    return {"vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([3, 6, 8]), "n_layer": rng.randint(1, 7), "n_head": heads}


def _mpt(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    return {
        "vocab_size": rng.randint(50, 400), "d_model": heads * rng.choice([3, 6, 8]), "n_layers": rng.randint(1, 7), "n_heads": heads,
        "max_seq_len": rng.randint(16, 300),
    }  # fmt: skip


def _gpt_neo(rng: random.Random) -> dict[str, Any]:
    heads, layers = rng.choice([1, 2, 3, 5]), 2 * rng.randint(1, 4)
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([3, 6, 8]), "num_layers": layers, "num_heads": heads,
        "attention_types": [[["global", "local"], layers // 2]], "window_size": rng.randint(3, 9),
        "intermediate_size": rng.choice([None, rng.randint(10, 90)]), "max_position_embeddings": rng.randint(16, 300),
    }  # fmt: skip


def _fnet(rng: random.Random) -> dict[str, Any]:
    return {key: value for key, value in encoder(rng).items() if key != "num_attention_heads"}


def _roformer(rng: random.Random) -> dict[str, Any]:
    drawn = encoder(rng)
    return {**drawn, "embedding_size": rng.choice([None, drawn["hidden_size"]])}


def _longformer(rng: random.Random) -> dict[str, Any]:
    drawn, window = encoder(rng, pad_token_id=1), 2 * rng.randint(2, 8)
    return {**drawn, "attention_window": rng.choice([window, [window] * drawn["num_hidden_layers"]])}


def _mamba(rng: random.Random) -> dict[str, Any]:
    rank = rng.choice(["auto", rng.randint(1, 6)])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": 2 * rng.randint(6, 40), "num_hidden_layers": rng.randint(1, 6),
        "state_size": rng.randint(2, 9), "conv_kernel": rng.randint(2, 5), "time_step_rank": rank, "expand": rng.randint(1, 4),
    }  # fmt: skip


def _mamba2(rng: random.Random) -> dict[str, Any]:
    groups, width, expand = rng.choice([1, 2, 3]), rng.randint(2, 6), rng.randint(1, 3)
    heads = groups * expand * rng.randint(1, 3)
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * width // expand, "num_hidden_layers": rng.randint(1, 6),
        "num_heads": heads, "head_dim": width, "n_groups": groups, "expand": expand, "state_size": rng.randint(2, 9),
        "conv_kernel": rng.randint(2, 5), "use_bias": rng.random() < 0.5, "use_conv_bias": rng.random() < 0.5,
        "tie_word_embeddings": rng.random() < 0.5,
    }  # fmt: skip


def _rwkv(rng: random.Random) -> dict[str, Any]:
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": rng.randint(6, 40), "num_hidden_layers": rng.randint(2, 6),
        "intermediate_size": rng.choice([None, rng.randint(6, 40)]), "tie_word_embeddings": rng.random() < 0.5,
    }  # fmt: skip


def _recurrent_gemma(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    groups = rng.choice([part for part in range(1, heads + 1) if heads % part == 0])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.choice([8, 12]), "num_hidden_layers": rng.randint(1, 8),
        "num_attention_heads": heads, "num_key_value_heads": groups, "intermediate_size": 2 * rng.randint(10, 90),
        "lru_width": rng.choice([None, heads * rng.randint(2, 9)]), "attention_window_size": rng.randint(3, 9),
        "conv1d_width": rng.randint(2, 5),
    }  # fmt: skip


def _xlstm(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3])
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": 8 * heads * rng.randint(1, 3), "num_hidden_layers": rng.randint(1, 6),
        "num_heads": heads, "qk_dim_factor": rng.choice([0.25, 0.5, 1.0]), "v_dim_factor": rng.choice([0.5, 1.0, 2.0]),
        "ffn_proj_factor": rng.choice([1.5, 2.667]), "ffn_round_up_to_multiple_of": rng.choice([1, 7, 64]),
        "tie_word_embeddings": rng.random() < 0.5,
    }  # fmt: skip


def _falcon_mamba(rng: random.Random) -> dict[str, Any]:
    return {**_mamba(rng), "tie_word_embeddings": rng.random() < 0.5}


NO_POSITIONS = {"rope_parameters": {"rope_type": "default", "rope_theta": None}}


def _olmo_hybrid(rng: random.Random) -> dict[str, Any]:
    drawn = decoder(rng, num_hidden_layers=rng.randint(4, 9), attention_bias=rng.random() < 0.5, tie_word_embeddings=rng.random() < 0.5)
    keys = rng.randint(1, 3)
    own = {"linear_num_key_heads": keys, "linear_num_value_heads": keys * rng.randint(1, 3), "linear_conv_kernel_dim": rng.randint(2, 5)}
    widths = {"linear_key_head_dim": rng.choice([None, rng.randint(3, 9)]), "linear_value_head_dim": rng.choice([None, rng.randint(3, 9)])}
    return {**drawn, **own, **widths, **NO_POSITIONS, "pad_token_id": None}


def _jamba(rng: random.Random) -> dict[str, Any]:
    experts = rng.randint(2, 5)
    drawn = decoder(rng, num_experts=experts, num_experts_per_tok=rng.randint(1, experts), num_hidden_layers=8 * rng.randint(1, 3))
    return {
        **{key: value for key, value in drawn.items() if key != "max_position_embeddings"}, "mamba_expand": rng.randint(1, 3),
        "mamba_d_state": rng.randint(2, 9), "mamba_d_conv": rng.randint(2, 5), "mamba_dt_rank": rng.choice(["auto", rng.randint(1, 6)]),
    }  # fmt: skip


def _qwen3_next(rng: random.Random) -> dict[str, Any]:
    experts, keys = rng.randint(2, 5), rng.randint(1, 3)
    return decoder(
        rng, head_dim=rng.choice([8, 16]), attention_bias=rng.random() < 0.5, num_experts=experts,
        num_experts_per_tok=rng.randint(1, experts), moe_intermediate_size=rng.randint(5, 40),
        shared_expert_intermediate_size=rng.randint(5, 40), linear_num_key_heads=keys, linear_num_value_heads=keys * rng.randint(1, 3),
        linear_key_head_dim=rng.randint(3, 9), linear_value_head_dim=rng.randint(3, 9), linear_conv_kernel_dim=rng.randint(2, 5),
    )  # fmt: skip


def _gpt2(rng: random.Random) -> dict[str, Any]:
    heads = rng.choice([1, 2, 3, 5])
    return {
        "vocab_size": rng.randint(50, 400), "n_embd": heads * rng.choice([3, 6, 8]), "n_layer": rng.randint(1, 7), "n_head": heads,
        "n_inner": rng.choice([None, rng.randint(10, 90)]), "n_positions": rng.randint(16, 300), "tie_word_embeddings": rng.random() < 0.5,
    }  # fmt: skip


def _labels(rng: random.Random) -> dict[str, Any]:
    return {"num_labels": rng.randint(2, 30), "num_channels": rng.randint(1, 4)}


def _deberta(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in encoder(rng).items() if key != "type_vocab_size"}
    return {**drawn, **DEBERTA, "max_position_embeddings": rng.randint(16, 300), "position_buckets": 2 * rng.randint(2, 7)}


def _sam(rng: random.Random) -> dict[str, Any]:
    heads, patch, every, groups = rng.choice([1, 2, 3, 5]), rng.choice([4, 7]), rng.randint(2, 4), rng.randint(1, 4)
    inner = {"mlp_dim": rng.randint(10, 90)} if rng.random() < 0.5 else {"mlp_ratio": rng.choice([2.0, 3.0])}
    return {
        "hidden_size": heads * rng.choice([4, 6, 8]), "num_hidden_layers": every * groups, "num_attention_heads": heads,
        "patch_size": patch, "global_attn_indexes": [every * (at + 1) - 1 for at in range(groups)], "image_size": patch * rng.randint(2, 9),
        "window_size": rng.randint(2, 5), "output_channels": rng.randint(3, 20), "num_channels": rng.randint(1, 4), **inner,
    }  # fmt: skip


def _vit(rng: random.Random) -> dict[str, Any]:
    heads, patch = rng.choice([1, 2, 3, 5]), rng.choice([4, 7])
    return {
        "hidden_size": heads * rng.choice([4, 6, 8]), "intermediate_size": rng.randint(10, 90), "num_hidden_layers": rng.randint(1, 7),
        "num_attention_heads": heads, "patch_size": patch, "image_size": patch * rng.randint(2, 9), **_labels(rng),
    }  # fmt: skip


def _swin(rng: random.Random) -> dict[str, Any]:
    heads, patch, window = rng.choice([1, 2, 3]), rng.choice([2, 4]), rng.choice([3, 4, 5])
    return {
        "embed_dim": heads * rng.choice([4, 6]), "depths": [2 * rng.randint(1, 3) for _ in range(4)], "patch_size": patch,
        "num_heads": [heads, 2 * heads, 4 * heads, 8 * heads], "window_size": window, "image_size": 8 * patch * window, **_labels(rng),
    }  # fmt: skip


def _cvt(rng: random.Random) -> dict[str, Any]:
    second, third = rng.choice([1, 2, 3]), rng.choice([1, 2, 5])
    return {
        "embed_dim": [rng.randint(4, 20), second * rng.randint(3, 9), third * rng.randint(3, 9)], "num_heads": [1, second, third],
        "depth": [rng.randint(stage, 4) for stage in (1, 2, 3)], **_labels(rng),
    }  # fmt: skip


def _dinov2(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in _vit(rng).items() if key != "intermediate_size"}
    return {**drawn, "mlp_ratio": rng.randint(1, 5), "use_mask_token": rng.random() < 0.5}


def _convnext(rng: random.Random) -> dict[str, Any]:
    return {
        "hidden_sizes": [rng.randint(4, 30) for _ in range(4)], "depths": [rng.randint(1, 4) for _ in range(4)],
        "patch_size": rng.choice([2, 4]), **_labels(rng),
    }  # fmt: skip


def _clip(rng: random.Random) -> dict[str, Any]:
    vision = {key: value for key, value in _vit(rng).items() if key != "num_labels"}
    own = {"vocab_size": rng.randint(50, 400), "max_position_embeddings": rng.randint(16, 99), "bos_token_id": 1, "eos_token_id": 2}
    text = {key: value for key, value in _vit(rng).items() if key in TOWER} | own
    return {"vision_config": vision, "text_config": text, "projection_dim": rng.randint(5, 40)}


def _siglip(rng: random.Random) -> dict[str, Any]:
    own = _clip(rng)
    text = own["text_config"] | {"projection_size": own["vision_config"]["hidden_size"]}
    return {"vision_config": own["vision_config"], "text_config": text}


def _regnet(rng: random.Random) -> dict[str, Any]:
    group = 4 * rng.randint(1, 3)
    return {
        "hidden_sizes": [group * rng.randint(1, 5) for _ in range(4)], "depths": [rng.randint(2, 4) for _ in range(4)],
        "groups_width": group, "embedding_size": 4 * rng.randint(1, 6), "layer_type": rng.choice(["x", "y"]), **_labels(rng),
    }  # fmt: skip


def _segformer(rng: random.Random) -> dict[str, Any]:
    heads = [rng.choice([1, 2, 3, 5]) for _ in range(4)]
    return {
        "hidden_sizes": [h * rng.randint(3, 9) for h in heads], "num_attention_heads": heads,
        "depths": [rng.randint(1, 4) for _ in range(4)],
        "mlp_ratios": [rng.randint(1, 8) for _ in range(4)], "decoder_hidden_size": rng.randint(5, 40), **_labels(rng),
    }  # fmt: skip


def _pvt_v2(rng: random.Random) -> dict[str, Any]:
    heads = [rng.choice([1, 2, 3, 5]) for _ in range(4)]
    return {
        "hidden_sizes": [h * rng.randint(3, 9) for h in heads], "num_attention_heads": heads, "image_size": 32 * rng.randint(2, 5),
        "depths": [rng.randint(1, 4) for _ in range(4)], "mlp_ratios": [rng.randint(1, 8) for _ in range(4)], **_labels(rng),
    }  # fmt: skip


def _reformer(rng: random.Random) -> dict[str, Any]:
    rows, columns, row, column = rng.randint(2, 8), rng.randint(2, 8), rng.randint(3, 20), rng.randint(3, 20)
    chunk = rng.randint(2, 9)
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": row + column, "num_attention_heads": rng.randint(1, 4),
        "attention_head_size": rng.randint(2, 12), "feed_forward_size": rng.randint(10, 90),
        "attn_layers": ["local", "lsh"] * rng.randint(1, 3),
        "axial_pos_shape": [rows, columns], "axial_pos_embds_dim": [row, column], "max_position_embeddings": rows * columns,
        "lsh_attn_chunk_length": chunk, "local_attn_chunk_length": chunk,
    }  # fmt: skip


def _deepseek(rng: random.Random) -> dict[str, Any]:
    grouped, layers, groups = rng.random() < 0.5, rng.randint(2, 5), rng.randint(1, 3)
    limited = {"q_lora_rank": rng.randint(3, 20), "topk_method": "group_limited_greedy", "n_group": groups, "topk_group": groups}
    greedy = {"q_lora_rank": None, "topk_method": "greedy"}
    experts, heads = groups * rng.randint(2, 4), rng.randint(1, 5)
    return {
        "vocab_size": rng.randint(50, 400), "hidden_size": heads * rng.randint(4, 12), "intermediate_size": rng.randint(10, 90),
        "moe_intermediate_size": rng.randint(10, 90), "num_hidden_layers": layers, "num_attention_heads": heads,
        "kv_lora_rank": rng.randint(3, 20), "qk_nope_head_dim": rng.randint(3, 12), "qk_rope_head_dim": 2 * rng.randint(1, 6),
        "v_head_dim": rng.randint(3, 12), "n_routed_experts": experts, "n_shared_experts": rng.randint(1, 3),
        "num_experts_per_tok": rng.randint(1, experts), "first_k_dense_replace": rng.randint(1, layers - 1),
        **(limited if grouped else greedy),
    }  # fmt: skip


def _deepseek3(rng: random.Random) -> dict[str, Any]:
    drawn = {key: value for key, value in _deepseek(rng).items() if key != "topk_method"}
    groups = rng.randint(1, 3)
    experts, chosen = groups * rng.randint(2, 4), rng.randint(1, groups)
    per_token = rng.randint(1, chosen * experts // groups)
    routed = {"n_group": groups, "topk_group": chosen, "n_routed_experts": experts, "num_experts_per_tok": per_token}
    return {**drawn, **routed, "q_lora_rank": rng.randint(3, 20)}


# Of these the library's own defaults cannot be said by a spec; beside each what is.
UNSAID: dict[str, dict[str, Any]] = {
    "deberta-v2": DEBERTA,
    "granitemoe": GRANITE_SCALES,
    "qwen3_moe": {"norm_topk_prob": True},
    "olmo_hybrid": NO_POSITIONS,
    "deepseek_v2": {"first_k_dense_replace": 1, "num_experts_per_tok": 6, "q_lora_rank": None},
}
DRAWS: dict[str, Draw] = {
    "llama": _llama,
    "mistral": _mistral,
    "mixtral": _mixtral,
    "qwen2": decoder,
    "qwen3": lambda rng: decoder(rng, head_dim=rng.choice([4, 10]), attention_bias=rng.random() < 0.5),
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "phi3": _phi3,
    "olmoe": _olmoe,
    "gpt_oss": _gpt_oss,
    "roberta": encoder,
    "distilbert": _distilbert,
    "electra": _electra,
    "granitemoe": _granite_moe,
    "t5": _t5,
    "switch_transformers": _switch,
    "bart": _bart,
    "modernbert": _modernbert,
    "whisper": _whisper,
    "wav2vec2": _wav2vec2,
    "bloom": _bloom,
    "mpt": _mpt,
    "gpt_neo": _gpt_neo,
    "gpt_neox": _gpt_neox,
    "gptj": _gptj,
    "stablelm": _stablelm,
    "falcon": _falcon,
    "qwen3_moe": _qwen3_moe,
    "gemma": lambda rng: decoder(rng, head_dim=rng.choice([4, 10]), tie_word_embeddings=True),
    "opt": _opt,
    "bert": encoder,
    "deberta-v2": _deberta,
    "sam_vision_model": _sam,
    "albert": lambda rng: encoder(rng, embedding_size=rng.randint(5, 40)),
    "fnet": _fnet,
    "roformer": _roformer,
    "longformer": _longformer,
    "mamba": _mamba,
    "mamba2": _mamba2,
    "rwkv": _rwkv,
    "olmo_hybrid": _olmo_hybrid,
    "falcon_mamba": _falcon_mamba,
    "xlstm": _xlstm,
    "recurrent_gemma": _recurrent_gemma,
    "qwen3_next": _qwen3_next,
    "jamba": _jamba,
    "gpt2": _gpt2,
    "vit": _vit,
    "swin": _swin,
    "cvt": _cvt,
    "convnext": _convnext,
    "clip": _clip,
    "siglip": _siglip,
    "deit": _vit,
    "regnet": _regnet,
    "segformer": _segformer,
    "pvt_v2": _pvt_v2,
    "dinov2": _dinov2,
    "convnextv2": _convnext,
    "reformer": _reformer,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek3,
}


def products(kind: str, model: str, settings: dict[str, Any], b: int, n: int) -> int:
    """Return the FLOPs of matrix products of the public model, which reads texts, as torch's FlopCounterMode counts them."""
    import transformers
    from torch.utils.flop_counter import FlopCounterMode

    config = default(kind)(**settings, attn_implementation="eager" if kind not in ("fnet", "roformer") else None)
    config.use_cache = False
    with torch.device("meta"):
        built = getattr(transformers, model)(config).eval()
    mask = torch.zeros(b, 1, n, n, device="meta") if kind != "deberta-v2" else torch.ones(b, n, device="meta")
    given: dict[str, Any] = {} if kind in ("bloom", "fnet", "mpt") else {"attention_mask": mask}
    if kind in ("gemma2", "gemma3_text", "modernbert"):
        given = {"attention_mask": {"full_attention": mask, "sliding_attention": mask}}
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        built(input_ids=torch.zeros(b, n, dtype=torch.int64, device="meta"), **given)
    return int(counter.get_total_flops())
