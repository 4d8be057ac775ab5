"""`gen import`, and files of configurations in place of the names of specs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from archsheet import load
from generator.cli import main
from tests.importing.test_messages import LLAMA, text

PARAMS = 1_235_814_400  # of Llama 3.2 1B, as its repository states


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file as downloads have it, in a folder with the model's name below the working folder."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "Llama-3.2-1B" / "config.json"
    file.parent.mkdir()
    file.write_text(text(), encoding="utf-8")
    return Path("Llama-3.2-1B") / "config.json"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_the_preset_the_costs_and_all_keys_are_printed(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "import", str(config))
    made = "  config:\n    set: {d: 2048, L: 16, h: 32, g: 8, e: 64, f: 8192, V: 128256, P: 131072}\n    options: {tied: true}\n"
    assert made in shown
    assert "  # as llama-3.2-1b\n" in shown
    assert f"{PARAMS:,}" in shown
    assert "KV cache and state" in shown
    assert "= 16384*b*m" in shown
    told = {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    assert {*LLAMA} <= told


def test_json_has_the_same_and_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text()))
    found: dict[str, Any] = json.loads(printed(capsys, "import", "-", "n=8", "b=1", "--json"))
    assert found["spec"] == "llama3"
    assert found["preset"] == {"name": "config", "set": found["preset"]["set"], "options": {"tied": True}}
    assert found["costs"]["params"] == PARAMS
    assert found["costs"]["state_elements"] == 16384 * 8
    assert found["unknown"] == found["warnings"] == []


def test_a_preset_is_called_as_the_folder_of_its_file_where_the_spec_has_none_of_that_name(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = config.parent.rename("Our-Model")
    (own / "config.json").write_text(text(num_hidden_layers=5), encoding="utf-8")
    found = json.loads(printed(capsys, "import", str(own / "config.json"), "--json"))
    assert (found["preset"]["name"], found["same"]) == ("our-model", [])


def test_the_preset_is_written_and_read_again(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "import", str(config), "--as", "one", "--write", "ours.yaml")
    printed(capsys, "import", str(config), "--as", "two", "--write", "ours.yaml")
    for preset in ("one", "two"):
        assert json.loads(printed(capsys, "cost", "ours.yaml", "--preset", preset, "n=8", "b=1", "--json"))["params"] == PARAMS
    assert main(["import", str(config), "--as", "llama-3-8b"]) == 2
    assert "`llama3` already has a preset `llama-3-8b`" in capsys.readouterr().err
    assert main(["import", str(config), "--as", "a b"]) == 2
    assert main(["import", str(config), "--write", "ours.txt"]) == 1
    assert "ours.txt is no name of a spec's file" in capsys.readouterr().err


def test_other_commands_take_the_file_as_a_preset(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(printed(capsys, "cost", str(config), "n=8", "b=1", "--json"))["params"] == PARAMS
    untied = json.loads(printed(capsys, "cost", str(config), "n=8", "b=1", "tied=false", "--json"))
    assert untied["params"] == PARAMS + 2048 * 128256
    swept = printed(capsys, "sweep", str(config), "b=1", "n=8..16:+8", "--quantity", "params")
    assert swept.count(f"{PARAMS:,}") == 2
    assert load(str(config)).cost(n=8, b=1).params == PARAMS


def test_a_file_that_changes_is_read_anew(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Answers about specs are kept; one about another file of the same name is another."""
    printed(capsys, "cost", str(config), "n=8", "b=1")
    config.write_text(text(num_hidden_layers=1), encoding="utf-8")
    assert json.loads(printed(capsys, "cost", str(config), "n=8", "b=1", "--json"))["dims"]["L"] == 1


def test_what_is_not_known_is_warned_of_by_every_command_once(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(text(use_moe=True), encoding="utf-8")
    for command in (["import", str(config)], ["cost", str(config), "n=8", "b=1"], ["compare", str(config), str(config), "n=8", "b=1"]):
        assert main(command) == 0
        assert capsys.readouterr().err.count("nothing is known of `use_moe: true`") == 1
    with pytest.warns(UserWarning, match="nothing is known of `use_moe: true`"):
        load(str(config))


def test_commands_for_specs_say_what_to_do_with_a_configuration(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(config)]) == 2
    assert f"{config} is a configuration, and no spec\n  gen import {config}" in capsys.readouterr().err
    assert main(["cost", "none.json"]) == 2
    assert "none.json: no such file" in capsys.readouterr().err
