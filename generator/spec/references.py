"""The sources that specs cite: references.yaml of the library's folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from generator.spec.library import shown
from generator.spec.yaml_reader import Entry, Scalar, load_source, read_yaml
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.text.problems import Problems
from generator.text.source import Source
from generator.text.suggest import did_you_mean, listed

_KEYS = ("label", "text", "url")
_EXAMPLE = 'such as `vaswani2017: {label: "Vaswani et al., 2017", text: Attention Is All You Need, url: https://...}`'


@dataclass(frozen=True)
class Reference:
    """A source: `label` is short (`Vaswani et al., 2017`), `text` the full citation."""

    key: str
    label: str
    text: str
    url: str = ""


def read_references(folders: Iterable[Path]) -> dict[str, Reference]:
    """Return all references by key; those of later folders win.

    Raises:
        ProblemsError: a file that cannot be read, or is no mapping of keys to label, text and url.
    """
    found: dict[str, Reference] = {}
    for folder in folders:
        file = folder / "references.yaml"
        if os.path.lexists(file):  # a link that leads nowhere is a mistake, and said to be one when it is read
            found |= _read_file(file, shown(file), _version(file))
    return found


def _version(file: Path) -> tuple[int, int]:
    """Return when a file was changed and its size; zeros where nobody can say, which reading it will."""
    try:
        status = file.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _read_file(file: Path, name: str, _version: tuple[int, int]) -> Mapping[str, Reference]:
    """Read one file; again only if it has changed, because every spec of a build asks for it."""
    return _read(load_source(file, name))


def _read(source: Source) -> dict[str, Reference]:
    if all(not line.strip() or line.lstrip().startswith("#") for line in source.lines):
        return {}
    tree = read_yaml(source)
    problems = Problems()
    if not isinstance(tree, MappingNode):
        problems.fail("expected one entry for each source", tree.span, _EXAMPLE)
    found: dict[str, Reference] = {}
    for entry in tree.entries:
        values = _fields(entry, problems)
        if values is not None:
            found[entry.key.text] = Reference(entry.key.text, values["label"], values["text"], values.get("url", ""))
    problems.raise_if_any()
    return found


def _fields(entry: Entry, problems: Problems) -> dict[str, str] | None:
    """Return the fields of one reference; None where something is wrong with them, which is reported."""
    key, node = entry.key, entry.value
    before = len(problems)
    if not isinstance(node, MappingNode):
        problems.add(f"reference `{key.text}` needs label and text", node.span, _EXAMPLE)
        return None
    for field in node.entries:
        if field.key.text not in _KEYS:
            notes = (*did_you_mean(field.key.text, _KEYS), f"known keys: {listed(_KEYS)}")
            problems.add(f"unknown key `{field.key.text}` in reference `{key.text}`", field.key.span, *notes)
        elif not isinstance(field.value, Scalar) or not field.value.text:
            problems.add(f"expected a text in `{field.key.text}` of reference `{key.text}`", field.value.span)
    missing = [name for name in ("label", "text") if node.get(name) is None]
    if missing and len(problems) == before:
        problems.add(f"reference `{key.text}` needs {listed(missing)}", key.span, _EXAMPLE)
    if len(problems) > before:
        return None
    return {field.key.text: " ".join(field.value.text.split()) for field in node.entries if isinstance(field.value, Scalar)}
