"""Finds the public implementations: every module of this folder that lists some under IMPLEMENTATIONS."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from generator.proof.verify import references
from generator.proof.verify.references.implementation import PublicModel


@cache
def public_models() -> dict[str, tuple[PublicModel, ...]]:
    """Return the known public implementations by the name of the spec, in alphabetical order of modules."""
    found: dict[str, tuple[PublicModel, ...]] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(references.__path__)):
        for model in getattr(import_module(f"{references.__name__}.{module}"), "IMPLEMENTATIONS", ()):
            found[model.spec] = (*found.get(model.spec, ()), model)
    return found
