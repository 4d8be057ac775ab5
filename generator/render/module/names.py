"""Python names for specs, rows and sizes."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from collections.abc import Collection, Iterable

from generator.spec.reserved import LOCALS


def class_name(spec: str) -> str:
    """Return the class of a spec: multi_head_attention is MultiHeadAttention."""
    name = "".join(part[:1].upper() + part[1:] for part in spec.split("_") if part)
    return safe(name, LOCALS)  # F is torch.nn.functional, and True is no name


def imported_name(name: str, taken: Collection[str]) -> str:
    """Return the name under which a module imports something: its own, or with an underscore before it, as no size, option or slot has.

    Args:
        taken: the names that the module's own sizes, options and slots have, its class, and what it has imported already.
    """
    candidate, number = name, 1
    while candidate in taken:
        candidate = f"_{name}" if number == 1 else f"_{name}_{number}"
        number += 1
    return candidate


def safe(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores behind it as long as it is a keyword or taken."""
    forbidden = set(taken)
    while keyword.iskeyword(name) or name in forbidden:
        name += "_"
    return name


def names_in(source: str) -> set[str]:
    """Return all names that a module's source reads or sets, but for attributes."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def renamed(source: str, module: str, local: str) -> str:
    """Return a source in which an imported module has another name wherever something of it is used.

    A size of the same name, a number, has no attributes; so `F.gelu` is the module's, and `F` alone is the size.
    """
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    lines = source.splitlines(keepends=True)
    places = [
        token.start
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if token.type == tokenize.NAME and token.string == module and after.string == "." and before.string != "."
    ]
    for row, column in reversed(places):
        line = lines[row - 1]
        # The comment behind a line keeps its column, where it has room to move.
        lines[row - 1] = line[:column] + local + line[column + len(module) :].replace("   # ", "  # ", 1)
    return "".join(lines)
