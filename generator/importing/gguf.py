"""The metadata of a GGUF file, read as the configuration of transformers that the specs import."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from generator.importing.config import KIND_KEY, Config
from generator.importing.gguf_header import Header, read_header
from generator.importing.mapping import LONGEST_SHOWN
from generator.spec import yaml_nodes
from generator.spec.library import shown
from generator.spec.yaml_nodes import Entry, Scalar
from generator.spec.yaml_reader import load_source, plain, read_yaml
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Source, Span
from generator.text.suggest import did_you_mean, listed

ARCHITECTURE = "general.architecture"
LAYOUT = "gguf"
_WORDS = "tokenizer.ggml.tokens"  # the list of all words, whose length is that of the vocabulary where nothing else says it
_KEY_LENGTH, _VALUE_LENGTH = "attention.key_length", "attention.value_length"


@dataclass(frozen=True)
class _Reading:
    """How one architecture is read.

    Args:
        where: the key that must be there and not 0; empty for any file.
        keys: what transformers calls each key of the metadata.
        means: keys of transformers with what they are for all files of the architecture.
        tensors: keys of transformers, each with a tensor, and whether the value is true where it is stored or where it is not.
    """

    model_type: str
    where: str
    keys: Mapping[str, str]
    means: Mapping[str, Any]
    tensors: Mapping[str, tuple[str, bool]]


@cache
def _readings() -> tuple[dict[str, tuple[_Reading, ...]], dict[str, str]]:
    """Return the readings of each architecture, and the keys without an effect on costs with the reason."""
    file = Path(__file__).with_suffix(".yaml")
    said = plain(read_yaml(load_source(file, shown(file))))
    found = {name: tuple(_reading(one, said["keys"]) for one in ones) for name, ones in said["architectures"].items()}
    return found, said["ignore"]


def _reading(said: dict[str, Any], shared: dict[str, str]) -> _Reading:
    tensors = {key: next((tensor, how == "with") for how, tensor in one.items()) for key, one in said.get("tensors", {}).items()}
    return _Reading(said["model_type"], said.get("where", ""), {**shared, **said.get("keys", {})}, said.get("means", {}), tensors)


def gguf_config(path: Path) -> Config:
    """Read a GGUF file as a configuration, whose places are those of its metadata printed as JSON.

    Raises:
        ProblemsError: it is no such file, or its architecture is not one that is known.
        OSError: it cannot be read.
    """
    header = read_header(path)
    own = _own_keys(header)
    architecture = header.metadata.get(ARCHITECTURE)
    readings, ignored = _readings()
    if architecture not in readings:
        raise _unknown(Source(shown(path), _as_json(own)), architecture, readings)
    prefix = f"{architecture}."
    reading = next(one for one in readings[architecture] if not one.where or header.metadata.get(prefix + one.where))
    names = {key: KIND_KEY if key == ARCHITECTURE else reading.keys.get(key.removeprefix(prefix), key) for key in own}
    found = {**own, **reading.means, **_told_by_tensors(header, reading)}
    source = Source(shown(path), _as_json(found))
    tree = read_yaml(source)
    assert isinstance(tree, yaml_nodes.Mapping)
    entries = tuple(_renamed(entry, names, reading) for entry in tree.entries)
    values = {**{names.get(key, key): value for key, value in found.items()}, KIND_KEY: reading.model_type}
    reasons = dict(_without_effect(own, names, prefix, ignored))
    return Config(source, replace(tree, entries=entries), values, {name: key for key, name in names.items()}, reasons)


def _own_keys(header: Header) -> dict[str, Any]:
    """Return what the file says, with the number of its words where only their list is there; lists of words are left out."""
    found = dict(header.metadata)
    architecture = found.get(ARCHITECTURE)
    size = f"{architecture}.vocab_size"
    if size not in found and _WORDS in header.counts:
        found[size] = header.counts[_WORDS]
    return found


def _told_by_tensors(header: Header, reading: _Reading) -> dict[str, bool]:
    """Return the keys that follow from what is stored; none where the file holds no tensors, such as the first of several."""
    return {key: (tensor in header.shapes) is stored for key, (tensor, stored) in reading.tensors.items()} if header.shapes else {}


def _renamed(entry: Entry, names: Mapping[str, str], reading: _Reading) -> Entry:
    name = names.get(entry.key.text, entry.key.text)
    value = entry.value
    if name == KIND_KEY and isinstance(value, Scalar):
        value = replace(value, value=reading.model_type, text=reading.model_type)
    return Entry(replace(entry.key, text=name, value=name), value)


def _without_effect(own: Mapping[str, Any], names: Mapping[str, str], prefix: str, ignored: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in own:
        short = key.removeprefix(prefix)
        reason = next((why for name, why in ignored.items() if short == name or (name.endswith(".") and short.startswith(name))), "")
        differs = short == _VALUE_LENGTH and own[key] != own.get(prefix + _KEY_LENGTH)
        if reason and not differs:
            yield names[key], reason


def _as_json(values: Mapping[str, Any]) -> str:
    """Return keys with values as JSON, a line each; of texts, such as templates of prompts, what is needed to know them again."""
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(_short(value))}" for key, value in values.items()) + "\n}\n"


def _short(value: Any) -> Any:
    return re.sub(r"[^ -~]", "?", value[:LONGEST_SHOWN]) if isinstance(value, str) else value


def _unknown(source: Source, architecture: object, known: Iterable[str]) -> ProblemsError:
    line = next((at for at, text in enumerate(source.lines, 1) if f'"{ARCHITECTURE}"' in text), 1)
    if not isinstance(architecture, str):
        return ProblemsError([Problem(f"`{ARCHITECTURE}` is missing: it says which architecture this is", Span(source, 1, 1))])
    notes = (*did_you_mean(architecture, sorted(known)), f"known: {listed(sorted(known), limit=100)}")
    return ProblemsError([Problem(f"no spec is for `{ARCHITECTURE}` {architecture}", Span(source, line, 3), notes)])
