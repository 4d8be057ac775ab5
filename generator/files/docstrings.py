"""Docstrings that people are shown: of ops on their page and in the schema, of commands in their help."""

from __future__ import annotations

import inspect
import sys
from typing import Any


def docstring(thing: Any) -> str:
    """Return the docstring of a class or a module without its indentation.

    `python -OO` leaves docstrings out, and dataclasses then make up others; so there it is read from the source.
    """
    if sys.flags.optimize < 2:
        return inspect.cleandoc(thing.__doc__ or "")
    import ast

    tree = ast.parse(inspect.getsource(thing))
    node = tree.body[0] if isinstance(thing, type) else tree
    return (ast.get_docstring(node) if isinstance(node, ast.ClassDef | ast.Module) else None) or ""
