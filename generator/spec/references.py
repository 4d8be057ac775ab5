"""The sources that specs cite: references.yaml of the library's folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from generator.sheet import Reference
from generator.spec.problems import Problem, ProblemsError
from generator.spec.library import shown
from generator.spec.source import Source
from generator.spec.yaml_reader import Mapping, Scalar, load_source, plain, read_yaml

_KEYS = ("label", "text", "url")


def read_references(folders: Iterable[Path]) -> dict[str, Reference]:
    """Return all references by key; those of later folders win.

    Raises:
        ProblemsError: a file that is no mapping of keys to label, text and url.
    """
    found: dict[str, Reference] = {}
    for folder in folders:
        file = folder / "references.yaml"
        if file.is_file():
            found |= _read(load_source(file, shown(file)))
    return found


def _read(source: Source) -> dict[str, Reference]:
    tree = read_yaml(source)
    problems: list[Problem] = []
    found: dict[str, Reference] = {}
    for entry in tree.entries if isinstance(tree, Mapping) else ():
        if not isinstance(entry.value, Mapping) or any(
            e.key.text not in _KEYS or not isinstance(e.value, Scalar) for e in entry.value.entries
        ):
            problems.append(Problem(f"reference `{entry.key.text}` needs label, text and perhaps url", entry.key.span))
            continue
        values = {key: str(value) for key, value in plain(entry.value).items()}
        if not {"label", "text"} <= values.keys():
            problems.append(Problem(f"reference `{entry.key.text}` needs label and text", entry.key.span))
            continue
        found[entry.key.text] = Reference(entry.key.text, values["label"], values["text"], values.get("url", ""))
    if problems:
        raise ProblemsError(problems)
    return found
