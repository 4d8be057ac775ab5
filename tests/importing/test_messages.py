"""What is said of configurations that cannot be taken, and of keys that are not understood."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from generator.importing.config import config_of
from generator.importing.found import imported
from generator.spec.library import Library
from generator.spec.lookup import everything
from generator.text.problems import ProblemsError
from generator.text.source import Source
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

# As published with Llama 3.2 1B; its 1,235,814,400 parameters are those that its repository states.
LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 128000,
    "eos_token_id": 128001, "head_dim": 64, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
    "intermediate_size": 8192, "max_position_embeddings": 131072, "mlp_bias": False, "model_type": "llama",
    "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "rope_type": "llama3"}, "rope_theta": 500000.0,
    "tie_word_embeddings": True, "torch_dtype": "bfloat16", "transformers_version": "4.45.0.dev0", "use_cache": True,
    "vocab_size": 128256,
}  # fmt: skip
ABSENT = object()


@pytest.fixture
def errors(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command and return what it says is wrong."""

    def run(*arguments: str) -> str:
        main(arguments)
        return capsys.readouterr().err

    return run


def text(**changes: Any) -> str:
    values = {key: value for key, value in {**LLAMA, **changes}.items() if value is not ABSENT}
    return json.dumps(values, indent=2)


def read(library: Library | None = None, **changes: Any) -> Any:
    return imported(config_of(Source("config.json", text(**changes))), library or builtin_library())


def wrong(source: str | None = None, **changes: Any) -> list[tuple[int, int, str]]:
    """Return line, column and message of each problem."""
    with pytest.raises(ProblemsError) as caught:
        imported(config_of(Source("config.json", text(**changes) if source is None else source)), builtin_library())
    return [(one.span.line, one.span.column, one.message) for one in caught.value.problems if one.span]


def place(key: str, **changes: Any) -> tuple[int, int]:
    """Return where the value of a key stands."""
    lines = text(**changes).splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip().startswith(f'"{key}"'))
    return at + 1, lines[at].index(":") + 3


def test_a_published_file_is_read_without_a_warning() -> None:
    found = read()
    assert found.name == "llama3"
    assert found.mapped.sizes == {"d": 2048, "L": 16, "h": 32, "g": 8, "e": 64, "f": 8192, "V": 128256, "P": 131072}
    assert found.mapped.options == {"tied": True}
    assert found.warnings == ()
    assert found.unknown == ()
    assert found.without_effect["rope_theta"] == "the base of the wavelengths of positions"
    assert {*found.mapped.used} | {*found.without_effect} == {*LLAMA}


def test_what_is_absent_is_as_the_library_has_it_and_said() -> None:
    found = read(num_key_value_heads=ABSENT, head_dim=None, tie_word_embeddings=ABSENT)
    assert (found.mapped.sizes["g"], found.mapped.sizes["e"], found.mapped.options) == (32, 64, {})
    assert found.mapped.assumed == {
        "num_key_value_heads": "32 = num_attention_heads",
        "head_dim": "64 = hidden_size/num_attention_heads",
        "tie_word_embeddings": "false",
    }


def test_all_that_is_missing_is_said_at_once() -> None:
    said = wrong(hidden_size=ABSENT, vocab_size=ABSENT)
    assert said == [
        (1, 1, "`hidden_size` is missing, and `llama3` takes `d` from it"),
        (1, 1, "`vocab_size` is missing, and `llama3` takes `V` from it"),
    ]


def test_values_of_another_kind_are_said_in_their_places() -> None:
    said = wrong(hidden_size="big", num_hidden_layers=True, intermediate_size=0, hidden_act="relu2")
    assert {(line, column) for line, column, _ in said} == {
        place(key, hidden_size="big", num_hidden_layers=True)
        for key in ("hidden_size", "num_hidden_layers", "intermediate_size", "hidden_act")
    }
    messages = [message for _, _, message in said]
    assert "`hidden_size` is big, where a number is needed: `llama3` takes `d` from it" in messages
    assert "`llama3` has nothing for `hidden_act`: relu2" in messages


def test_heads_that_do_not_divide_are_said_where_they_stand() -> None:
    changes = {"num_attention_heads": 30, "num_key_value_heads": 30, "head_dim": ABSENT}
    [(line, column, message)] = wrong(**changes)
    assert (line, column) == place("hidden_size", **changes)
    assert message.startswith("`head_dim` comes to 68.2667, where a whole number of at least 1 is needed")


def test_what_the_spec_refuses_is_said_in_the_file(tmp_path: Path, errors: Callable[..., str]) -> None:
    file = tmp_path / "config.json"
    file.write_text(text(num_key_value_heads=7), encoding="utf-8")
    said = errors("cost", str(file), "n=5", "b=1")
    line, column = place("num_key_value_heads", num_key_value_heads=7)
    assert f"config.json:{line}:{column}: error: preset `config` breaks `h % g == 0`" in said
    assert "h (num_attention_heads) is 32, g (num_key_value_heads) is 7" in said


def test_a_kind_without_a_spec_is_answered_with_those_that_have_one() -> None:
    [(line, column, message)] = wrong(model_type="lama")
    assert (line, column, message) == (*place("model_type", model_type="lama"), "no spec is for `model_type` lama")
    with pytest.raises(ProblemsError, match="did you mean `llama`"):
        read(model_type="lama")
    with pytest.raises(ProblemsError, match="its `text_config` is of the kind `gemma3_text`"):
        read(model_type="gemma3", text_config={"model_type": "gemma3_text"})
    assert wrong(model_type=ABSENT) == [(1, 1, "`model_type` is missing: it says which architecture this is")]


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ('{"a": 1,\n "b" 2}', 2, 6, "this is no JSON: expecting ':' delimiter"),
        ("[1]", 1, 1, "expected a JSON object with keys"),
        ("", 1, 1, "this is no JSON: expecting value"),
    ],
)
def test_what_is_no_object_is_said_in_its_place(source: str, line: int, column: int, message: str) -> None:
    assert wrong(source) == [(line, column, message)]


def test_a_file_with_tabs_is_read() -> None:
    source = Source("config.json", json.dumps(LLAMA, indent="\t"))
    assert imported(config_of(source), builtin_library()).mapped.sizes["d"] == 2048


def test_keys_that_nothing_is_known_of_are_warned_of_where_they_say_something() -> None:
    found = read(use_moe=True, foo=None, attention_dropout=0.1, architectures=["LlamaForSequenceClassification"])
    assert found.unknown == ("use_moe", "foo")
    first, other, dropout = found.warnings
    assert first == "nothing is known of `use_moe: true`; if it changes what is built, the numbers are not those of this model"
    assert other.startswith("the file is of LlamaForSequenceClassification; `llama3` counts LlamaForCausalLM")
    assert dropout.startswith("`attention_dropout` is 0.1: dropout is not counted")


OWN = """
title: Ours
dims: {b: batch size, d: width, f: inner width}
options: {deep: {is: a second layer, default: false}}
inputs: {x: [b, d]}
layers:
  up: {op: linear, out: [b, f]}
  again: {op: linear, out: [b, f], when: deep}
imports:
  ours:
    model_type: ours
    sizes: {d: width, f: widths_2 * parts_count}
    options: {deep: {key: depth, words: {one: false, two: true}}}
    SAID
"""


def own(folder: Path, said: str = "only: {kind: plain}", **values: Any) -> Any:
    library = everything([write_specs(folder, ours=OWN.replace("SAID", said))])
    return imported(config_of(Source("config.json", json.dumps({"model_type": "ours", **values}))), library)


def test_a_spec_of_ones_own_takes_what_its_file_says(tmp_path: Path) -> None:
    found = own(tmp_path, width=5, widths=[1, 4], parts={"a": 1, "b": 1, "c": 1}, depth="two", kind="plain")
    assert (found.name, found.mapped.sizes, found.mapped.options) == ("ours", {"d": 5, "f": 12}, {"deep": True})
    with pytest.raises(ProblemsError, match="`ours` has nothing for `depth`: three"):
        own(tmp_path, width=5, widths=[1, 4], parts=[1], depth="three")
    with pytest.raises(ProblemsError, match="`widths_2` is missing, and `ours` takes `f` from it"):
        own(tmp_path, width=5, widths=[1], parts=[1])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("ignore: {width: nothing}", "`width` is used here, so it is not without effect"),
        ("defaults: {a: b + 1, b: a}", "the default of `a` leads back to `a`"),
    ],
)
def test_mistakes_in_an_import_are_said(tmp_path: Path, errors: Callable[..., str], said: str, message: str) -> None:
    found = errors("check", str(write_specs(tmp_path / "specs", ours=OWN.replace("SAID", said))))
    assert message in found
    assert "ours.yaml:14:" in found


def test_names_of_sizes_and_options_that_there_are_not_are_said(tmp_path: Path, errors: Callable[..., str]) -> None:
    source = OWN.replace("SAID", "only: {kind: plain}").replace("{d: width, f: w", "{e: width, f: w").replace("{deep: {key", "{deap: {key")
    found = errors("check", str(write_specs(tmp_path / "specs", ours=source)))
    assert "import `ours` sets `e`, which is not a size of `ours`" in found
    assert "import `ours` sets `deap`, which is not an option of `ours`" in found
    assert "did you mean `deep`?" in found


def test_a_pattern_of_other_layers_is_said_at_the_first(tmp_path: Path) -> None:
    values = {"width": 5, "widths": [1, 4], "parts": [1]}
    assert own(tmp_path, "cycles: {kinds: [a, b]}", **values, kinds=["a", "b", "a"]).name == "ours"
    with pytest.raises(ProblemsError, match="`ours` has nothing for `kinds` whose layer 2 is a"):
        own(tmp_path, "cycles: {kinds: [a, b]}", **values, kinds=["a", "a", "b"])
