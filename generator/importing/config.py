"""A configuration, with the place of every key."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from generator.spec.library import shown
from generator.spec.yaml_nodes import Mapping, Node, Scalar, Sequence, plain
from generator.spec.yaml_reader import load_source, read_yaml
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Source, Span

KIND_KEY = "model_type"
_EXPECTED = 'a config.json of transformers holds {"model_type": "llama", "hidden_size": 4096, ...}'


@dataclass(frozen=True)
class Config:
    """A configuration: its keys with values, and their places.

    Args:
        values: numbers, words, lists and objects by key, as they stand in the file.
        called: what the file itself calls a key, where that is other.
        without_effect: keys of which it is known, whatever the spec, that they change no cost, with the reason.
    """

    source: Source
    tree: Mapping
    values: dict[str, Any]
    called: dict[str, str] = field(default_factory=dict)
    without_effect: dict[str, str] = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        """What the file says it is the configuration of. Raises ProblemsError where it does not say."""
        node = self.tree.get(KIND_KEY)
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return node.value
        notes = (_EXPECTED,)
        raise ProblemsError([Problem(f"`{KIND_KEY}` is missing: it says which architecture this is", self.tree.span, notes)])

    @cached_property
    def flat(self) -> dict[str, tuple[Any, Span, str]]:
        """The value of each key, its place, and the key of the file that it belongs to.

        Items of lists are `key_1`, `key_2`, entries of objects `key_entry`, and their number is `key_count`.
        """
        found: dict[str, tuple[Any, Span, str]] = {}
        for entry in self.tree.entries:
            _flatten(entry.key.text, entry.value, entry.key.text, found)
        return found

    def place(self, key: str) -> Span:
        """Return where the value of a key stands; the beginning of the file for one that is not there."""
        return self.flat[key][1] if key in self.flat else self.tree.span


def _flatten(name: str, node: Node, owner: str, found: dict[str, tuple[Any, Span, str]]) -> None:
    found.setdefault(name, (plain(node), node.span, owner))
    if isinstance(node, Sequence):
        found.setdefault(f"{name}_count", (len(node.items), node.span, owner))
        for at, item in enumerate(node.items, 1):
            _flatten(f"{name}_{at}", item, owner, found)
    elif isinstance(node, Mapping):
        found.setdefault(f"{name}_count", (len(node.entries), node.span, owner))
        for entry in node.entries:
            _flatten(f"{name}_{entry.key.text}", entry.value, owner, found)


def read_config(path: Path) -> Config:
    """Read the file of a configuration.

    Raises:
        ProblemsError: it cannot be read, or is no JSON object.
    """
    return config_of(load_source(path, shown(path)))


def config_of(source: Source) -> Config:
    """Read the text of a configuration. Raises ProblemsError where it is no JSON object."""
    try:
        values = json.loads(source.text)
    except json.JSONDecodeError as error:
        place = Span(source, error.lineno, error.colno)
        raise ProblemsError([Problem(f"this is no JSON: {error.msg[:1].lower()}{error.msg[1:]}", place, (_EXPECTED,))]) from None
    except RecursionError:
        raise ProblemsError([Problem("this JSON is nested too deeply", Span(source, 1, 1))]) from None
    if not isinstance(values, dict):
        raise ProblemsError([Problem("expected a JSON object with keys", Span(source, 1, 1), (_EXPECTED,))])
    # JSON is YAML but for tabs, which may stand between its words only: inside texts they are escaped.
    tree = read_yaml(Source(source.path, source.text.replace("\t", " ")))
    assert isinstance(tree, Mapping)
    return Config(source, tree, values)
