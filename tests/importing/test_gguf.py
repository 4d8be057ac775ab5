"""GGUF files, written by the library of their format from configurations of transformers."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.importing.found import Imported, imported_file
from generator.importing.gguf import _readings
from generator.importing.gguf_header import read_header
from generator.text.problems import ProblemsError

gguf = pytest.importorskip("gguf")
np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

# What a file of each architecture holds that is not as transformers has it by default: heads, experts and windows as few as they may be.
SMALL = {
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 80,
    "vocab_size": 90,
}
HEADED = {**SMALL, "head_dim": 16, "max_position_embeddings": 64}
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llama": ("llama", "LlamaForCausalLM", {**SMALL, "max_position_embeddings": 64}),
    "llama, tied": ("llama", "LlamaForCausalLM", {**HEADED, "tie_word_embeddings": True}),
    "llama, biases": ("llama", "LlamaForCausalLM", {**HEADED, "attention_bias": True, "mlp_bias": True}),
    "mixtral": ("llama", "MixtralForCausalLM", {**HEADED, "num_local_experts": 3, "num_experts_per_tok": 2}),
    "qwen2": ("qwen2", "Qwen2ForCausalLM", {**SMALL, "max_position_embeddings": 64}),
    "qwen2, tied": ("qwen2", "Qwen2ForCausalLM", {**SMALL, "max_position_embeddings": 64, "tie_word_embeddings": True}),
    "qwen3": ("qwen3", "Qwen3ForCausalLM", HEADED),
    "qwen3moe": (
        "qwen3moe",
        "Qwen3MoeForCausalLM",
        {**HEADED, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "norm_topk_prob": True},
    ),
    "gemma": ("gemma", "GemmaForCausalLM", HEADED),
    "gemma2": ("gemma2", "Gemma2ForCausalLM", {**HEADED, "sliding_window": 8}),
    "gemma3": ("gemma3", "Gemma3ForCausalLM", {**HEADED, "sliding_window": 8, "num_hidden_layers": 6}),
    "phi3": ("phi3", "Phi3ForCausalLM", {**SMALL, "max_position_embeddings": 64, "sliding_window": 8, "pad_token_id": 0}),
    "olmoe": ("olmoe", "OlmoeForCausalLM", {**SMALL, "num_experts": 4, "num_experts_per_tok": 2, "max_position_embeddings": 64}),
    "gpt-oss": (
        "gpt-oss",
        "GptOssForCausalLM",
        {**HEADED, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 8, "rope_parameters": None},
    ),
    "gpt2": ("gpt2", "GPT2LMHeadModel", {"n_embd": 48, "n_layer": 2, "n_head": 6, "n_inner": 80, "n_positions": 64, "vocab_size": 90}),
    "bloom": ("bloom", "BloomForCausalLM", {"hidden_size": 48, "n_layer": 2, "n_head": 6, "vocab_size": 90}),
    "bert": ("bert", "BertModel", {**{k: v for k, v in SMALL.items() if k != "num_key_value_heads"}, "max_position_embeddings": 64}),
}
# The library's own methods, by the key of transformers that each takes; the first that a configuration has is written.
WRITTEN = {
    "add_embedding_length": ("n_embd", "hidden_size"),
    "add_block_count": ("n_layer", "num_hidden_layers"),
    "add_feed_forward_length": ("n_inner", "intermediate_size"),
    "add_head_count": ("n_head", "num_attention_heads"),
    "add_head_count_kv": ("num_key_value_heads",),
    "add_key_length": ("head_dim",),
    "add_value_length": ("head_dim",),
    "add_context_length": ("n_positions", "max_position_embeddings"),
    "add_sliding_window": ("sliding_window",),
    "add_expert_count": ("num_local_experts", "num_experts"),
    "add_expert_used_count": ("num_experts_per_tok",),
    "add_expert_feed_forward_length": ("moe_intermediate_size",),
    "add_layer_norm_rms_eps": ("rms_norm_eps",),
    "add_layer_norm_eps": ("layer_norm_epsilon", "layer_norm_eps"),
}
BIASES = {"q_proj.bias": "blk.0.attn_q.bias", "up_proj.bias": "blk.0.ffn_up.bias"}


def _write(file: Path, case: str, **other: Any) -> int:
    """Write the file of a model, with its tensors; return the number of its parameters."""
    architecture, model, said = MODELS[case]
    kind = getattr(transformers, model)
    config = kind.config_class(**{**said, **other})
    with torch.device("meta"):
        module = kind(config, add_pooling_layer=True) if model == "BertModel" else kind(config)
    writer = gguf.GGUFWriter(file, architecture)
    writer.add_name("Größe 🦙")
    for method, keys in WRITTEN.items():
        value = next((value for key in keys if key in said and (value := getattr(config, key, None)) is not None), None)
        if method == "add_expert_feed_forward_length" and architecture == "gpt-oss":
            value = config.intermediate_size
        if value is not None:
            getattr(writer, method)(value)
    if architecture in {"gpt2", "bert"}:
        writer.add_token_type_count(2)
    writer.add_token_list([f"word {at}" for at in range(config.vocab_size)])
    names = {
        one: name for ending, name in BIASES.items() for one, _ in module.named_parameters() if "layers.0." in one and one.endswith(ending)
    }
    names |= {"lm_head.weight": "output.weight"}
    for one, weight in module.named_parameters():  # a tied head is none of them
        writer.add_tensor(names.get(one, one), np.zeros(tuple(weight.shape), np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return int(module.num_parameters())


@pytest.mark.parametrize("case", MODELS)
def test_the_parameters_of_a_file_are_those_of_the_model_that_it_was_written_from(case: str, tmp_path: Path, capsys) -> None:
    file = tmp_path / "model.gguf"
    count = _write(file, case)
    assert main(["import", str(file), "--json"]) == 0, capsys.readouterr().err
    said = json.loads(capsys.readouterr().out)
    assert said["costs"]["params"] == count
    assert said["weights"]["agree"]
    assert f"{count:,} parameters are derived" in said["weights"]["found"][0]
    assert said["unknown"] == []


def test_the_table_of_keys_agrees_with_that_of_transformers() -> None:
    """What both read is called the same by both; transformers reads rope.dimension_count as head_dim where the file has no key_length."""
    from transformers.modeling_gguf_pytorch_utils import GGUF_CONFIG_MAPPING

    theirs_by_kind = {"gemma3_text": "gemma3"}
    compared = 0
    for architecture, readings in _readings()[0].items():
        for reading in readings:
            theirs = GGUF_CONFIG_MAPPING.get(theirs_by_kind.get(reading.model_type, reading.model_type), {})
            both = {key: (ours, theirs[key]) for key, ours in reading.keys.items() if theirs.get(key)}
            # an older name of n_positions, one that no configuration has, and experts' width beside one that no layer uses
            odd = {"context_length": "n_ctx", "feed_forward_length": "feed_forward_length"}
            assert {key: pair for key, pair in both.items() if pair[0] != pair[1] and odd.get(key) != pair[1]} == {}, architecture
            compared += len(both)
    assert compared > 70


def _read(tmp_path: Path, case: str, **other: Any) -> Imported:
    _write(tmp_path / "model.gguf", case, **other)
    return imported_file(str(tmp_path / "model.gguf"))


def test_an_error_shows_the_key_of_the_file_in_its_line(tmp_path: Path, capsys) -> None:
    file = tmp_path / "model.gguf"
    _write(file, "llama")
    content = file.read_bytes()
    at = content.index(b"llama.attention.head_count_kv") + len("llama.attention.head_count_kv") + 4
    file.write_bytes(content[:at] + (4).to_bytes(4, "little") + content[at + 4 :])  # 4 heads of keys for 6 of queries
    assert main(["cost", str(file), "n=16", "b=1"]) != 0
    said = capsys.readouterr().err
    assert '"llama.attention.head_count_kv": 4' in said
    assert "breaks `h % g == 0`" in said


def test_an_architecture_without_a_spec_is_named_with_those_that_have_one(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "other.gguf", "qwen3mo")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(ProblemsError) as caught:
        imported_file(str(tmp_path / "other.gguf"))
    problem = caught.value.problems[0]
    assert problem.message == "no spec is for `general.architecture` qwen3mo"
    assert any("qwen3moe" in note for note in problem.notes)


def test_values_of_another_length_than_keys_are_said_to_be_unknown(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    _write(file, "qwen3")
    content = bytearray(file.read_bytes())
    at = content.index(b"qwen3.attention.value_length") + len("qwen3.attention.value_length") + 4
    content[at : at + 4] = (8).to_bytes(4, "little")
    file.write_bytes(content)
    found = imported_file(str(file))
    assert found.unknown == ("qwen3.attention.value_length",)
    assert "nothing is known of `qwen3.attention.value_length: 8`" in found.warnings[0]


def test_the_first_of_several_files_says_what_its_tensors_would_have_told(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "first.gguf", "llama")
    for method, value in {"add_embedding_length": 48, "add_block_count": 2, "add_feed_forward_length": 80, "add_head_count": 6}.items():
        getattr(writer, method)(value)
    writer.add_vocab_size(90)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    found = imported_file(str(tmp_path / "first.gguf"))
    assert found.mapped.assumed["tie_word_embeddings"] == "false"


def test_a_damaged_file_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    _write(file, "qwen3moe")
    whole = file.read_bytes()
    header = whole.index(b"\0" * 64)
    rng = random.Random(1)
    cut = [whole[: rng.randrange(header)] for _ in range(40)]
    flipped = [whole[:at] + bytes([rng.randrange(256)]) + whole[at + 1 :] for at in (rng.randrange(header) for _ in range(200))]
    for content in [b"", b"GGML", *cut]:
        file.write_bytes(content)
        with pytest.raises(ProblemsError) as caught:
            imported_file(str(file))
        assert len(caught.value.problems) == 1
    for content in flipped:  # a flipped bit of a name changes nothing that is read
        file.write_bytes(content)
        with suppress(ProblemsError):
            imported_file(str(file))


def test_shapes_are_those_that_the_library_reads(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    _write(file, "llama")
    theirs = {tensor.name: tuple(reversed(tensor.shape.tolist())) for tensor in gguf.GGUFReader(file).tensors}
    assert read_header(file).shapes == theirs
