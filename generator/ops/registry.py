"""Finds every op: each module of this package that defines a subclass of Op with a name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

import generator.ops as catalogue
from generator.ops.base import Op


@lru_cache(maxsize=1)
def ops() -> dict[str, type[Op]]:
    """Return all ops by name, in alphabetical order.

    Raises:
        ValueError: where two ops have the same name.
    """
    found: dict[str, type[Op]] = {}
    for module in sorted(m.name for m in iter_modules(catalogue.__path__)):
        for value in vars(import_module(f"generator.ops.{module}")).values():
            if not (isinstance(value, type) and issubclass(value, Op) and "name" in vars(value)):
                continue
            if found.setdefault(value.name, value) is not value:
                raise ValueError(f"two ops are named {value.name}")
    return dict(sorted(found.items()))
