"""`gen build --json`: what was written and what is wrong, for scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.cli import main
from tests.support.small_specs import ALONE

WRONG = ALONE.replace("op: ", "op: un", 1)


@pytest.fixture
def built(specs: Path, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, Any]:
        code = main(["build", specs.name, "--formats", "modules,excel", "--json", *arguments])
        said = capsys.readouterr()
        assert said.err == ""
        return code, json.loads(said.out)

    return run


def test_it_names_the_files_by_spec_and_format(built, out: Path) -> None:
    code, found = built()
    assert code == 0
    assert set(found["specs"]) == {"layer", "pair", "alone"}
    for name, spec in found["specs"].items():
        assert spec == {
            "state": "built",
            "written": {"modules": f"generated/modules/{name}.py", "excel": f"generated/excel/{name}.xlsx"},
        }
    written = {path for spec in found["specs"].values() for path in spec["written"].values()} | set(found["others"])
    there = {path.relative_to(out.parent).as_posix() for path in out.rglob("*") if path.is_file() and not path.name.startswith(".")}
    assert written == there
    assert (found["errors"], found["failed"], found["removed"], found["differences"]) == ([], [], [], {})
    code, found = built()
    assert code == 0
    assert {name: spec["state"] for name, spec in found["specs"].items()} == dict.fromkeys(("layer", "pair", "alone"), "up to date")
    assert found["others"] == []


def test_mistakes_are_those_of_check(built, specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (specs / "alone.yaml").write_text(WRONG, encoding="utf-8")
    code, found = built()
    assert code == 1
    assert found["specs"]["alone"] == {"state": "failed", "written": {}}
    assert found["specs"]["pair"]["state"] == "built"
    assert found["failed"] == ["alone"]
    assert main(["check", specs.name, "--json"]) == 1
    assert found["errors"] == json.loads(capsys.readouterr().out)
    assert found["errors"][0]["file"] == "mine/alone.yaml"


def test_check_names_what_is_out_of_date(built, out: Path) -> None:
    code, found = built("--check")
    assert code == 1
    assert not out.exists()
    assert found["differences"]["generated/modules/pair.py"] == "missing"
    assert found["specs"]["pair"] == {"state": "compared", "written": {}}
