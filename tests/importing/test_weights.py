"""Weights beside a configuration: files that the library has saved, and ones in which something is other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main

SETTINGS = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 29, "tie_word_embeddings": True, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
COUNT = 13_968  # of the model below, as its library counts them


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A small LLaMA as transformers saves it, in several files."""
    import transformers

    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SETTINGS))
    assert sum(weight.numel() for weight in model.parameters()) == COUNT
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["import", *arguments, "--json"])
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)["weights"]
    return code, printed


@pytest.mark.slow
def test_saved_weights_are_compared_tensor_by_tensor(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = saved / "config.json"
    code, said = found(capsys, str(config))
    assert (code, said["agree"]) == (0, True)
    assert said["found"][0].endswith(f"{COUNT:,} numbers in 20 tensors; {COUNT:,} parameters are derived")
    assert said["found"][1] == "each tensor has the shape that is derived"
    values = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps(values | {"intermediate_size": 55}), encoding="utf-8")
    code, said = found(capsys, str(config))
    assert (code, said["agree"]) == (1, False)
    assert said["found"][1] == "blocks.0.mlp.gate.weight is [55, 24], but model.layers.0.mlp.gate_proj.weight gives [56, 24]"


@pytest.mark.slow
def test_where_files_are_not_there_the_index_has_the_number(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = saved / "model.safetensors.index.json"
    one = max(saved.glob("model-*.safetensors"))
    one.unlink()
    code, said = found(capsys, str(saved / "config.json"), "--weights", str(index))
    assert (code, said["agree"]) == (0, True)
    assert said["found"][1] == f"single tensors are not compared: {one.name} is not there"
    data = json.loads(index.read_text(encoding="utf-8"))
    data["metadata"]["total_parameters"] = COUNT + 1
    index.write_text(json.dumps(data), encoding="utf-8")
    assert found(capsys, str(saved / "config.json"))[0] == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a file of weights begins with the length of its header"),
        (b"\xff" * 8, "a file of weights begins with the length of its header"),
        (b"\x02" + b"\0" * 7 + b"[]", "its header is no JSON object"),
        (b"\x03" + b"\0" * 7 + b"{a}", "its header is no JSON"),
        (b"\x0a" + b"\0" * 7 + b'{"a": {}} ', "the header has a shape for each tensor"),
    ],
)
def test_what_is_no_file_of_weights_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**SETTINGS, "model_type": "llama"}), encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(content)
    assert main(["import", str(tmp_path / "config.json")]) == 1
    assert message in capsys.readouterr().err
