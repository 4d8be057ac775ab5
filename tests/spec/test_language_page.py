"""The reference of the language tells of every key, as the schema has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from generator.spec.key_tables import TABLES, with_tables
from generator.spec.library import spec_files
from generator.spec.schema_builder import build_schema, file_schema
from generator.spec.yaml_reader import plain, read_yaml
from generator.text.source import Source

PAGE = Path(__file__).parents[2] / "docs" / "language.md"


def test_the_tables_are_those_of_the_declared_keys() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text, "gen schema --keys docs/language.md"


def test_every_key_of_the_schema_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"<!-- keys of {name} -->" in text for name in TABLES)
    told = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}
    schema = build_schema()
    keys: set[str] = set(schema["properties"])
    for section in schema["properties"].values():
        inner: Any = section.get("additionalProperties") or section.get("items") or {}
        keys |= set(inner.get("properties", {}))
    keys |= set(schema["$defs"]["fill"]["properties"]) | set(schema["$defs"]["row"]["allOf"][-1]["then"]["properties"])
    assert keys - told == set()


def test_the_examples_are_yaml() -> None:
    blocks = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]
    for block in blocks:
        for part in block.split("\n```")[0].split("# in another spec\n"):
            assert isinstance(yaml.safe_load(part), dict)


@pytest.mark.slow
def test_every_committed_spec_meets_the_schema_that_editors_read() -> None:
    validator = Draft202012Validator(file_schema())
    for file in spec_files(PAGE.parents[1] / "specs"):
        tree = plain(read_yaml(Source(file.name, file.read_text(encoding="utf-8"))))
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(tree)] == [], file.name


def test_the_schema_of_editors_finds_mistakes() -> None:
    validator = Draft202012Validator(file_schema())
    block = {"inputs": {"x": ["b", "d"]}, "layers": {"y": {"op": "linear", "out": ["b", "d"]}}}
    whole = {"title": "A", "dims": {"b": "batch", "d": "width"}, **block}
    assert not list(validator.iter_errors(whole))
    assert not list(validator.iter_errors({**whole, "blocks": {"cell": block}}))
    assert not list(validator.iter_errors({"title": "A", "like": "bert", "layers": {"y": {"eps": 1}}, "options": {"bias": True}}))
    for wrong in (
        {key: value for key, value in whole.items() if key != "dims"},
        {**whole, "layers": {"y": {"op": "linear", "uot": ["b"]}}},
        {**whole, "blocks": {"cell": {**block, "layers": {"y": {"op": "linear", "uot": ["b"]}}}}},
        {"title": "A", "like": 3},
    ):
        assert list(validator.iter_errors(wrong))
