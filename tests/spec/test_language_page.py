"""The reference of the language tells of every key, as the schema has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from generator.spec.key_tables import TABLES, with_tables
from generator.spec.schema import build_schema

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
