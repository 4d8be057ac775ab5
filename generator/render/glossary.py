"""What workbooks say of words and operations to readers who do not build networks, from one file a language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import yaml

from generator.files.resources import templates_dir


def operation_of(op: str) -> str:
    """Return the operation of a row alone, without what it uses: `use mlp` is `use`."""
    return op.partition(" ")[0]


@dataclass(frozen=True)
class Glossary:
    """The words of one language.

    Args:
        words: a term and what it means, by key.
        operations: what an operation does, by its name in specs.
    """

    words: dict[str, tuple[str, str]]
    operations: dict[str, str]

    def operation(self, op: str) -> str:
        """Return what the operation of a row does, such as `use mlp`; empty where nothing is written of it."""
        return self.operations.get(operation_of(op), "")


@cache
def glossary(language: str = "en") -> Glossary:
    """Return the words of a language."""
    path = templates_dir() / "glossary" / f"{language}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    words = {key: (str(term), str(meaning)) for key, (term, meaning) in content["words"].items()}
    return Glossary(words, {str(op): str(meaning) for op, meaning in content["operations"].items()})
