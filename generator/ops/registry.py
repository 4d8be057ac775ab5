"""Finds every op: each module of this package that defines a subclass of Op with a name, and of packages that others have installed."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import generator.ops as catalogue
from generator.files.resources import OPS_GROUP, op_packages, templates_dir
from generator.ops.base import Op
from generator.text.problems import Problem, ProblemsError


@lru_cache(maxsize=1)
def ops() -> dict[str, type[Op]]:
    """Return all ops by name, in alphabetical order.

    Raises:
        ProblemsError: two ops have the same name, an op has no template, or a package of ops cannot be imported.
    """
    found: dict[str, type[Op]] = {}
    packages = {catalogue.__name__: tuple(map(Path, catalogue.__path__)), **op_packages()}
    for package, folders in packages.items():
        templates = (templates_dir() / "ops",) if package == catalogue.__name__ else folders
        if not folders:
            raise _problem(f"there is no package `{package}`, which an entry point of {OPS_GROUP} names")
        for module in sorted(m.name for m in iter_modules(map(str, folders))):
            for op in _ops_of(f"{package}.{module}"):
                if found.setdefault(op.name, op) is not op:
                    raise _problem(f"two ops are named `{op.name}`: in {found[op.name].__module__} and in {op.__module__}")
                template = f"{op.template or op.name}.jinja"
                if op.__module__.startswith(f"{package}.") and not any((folder / template).is_file() for folder in templates):
                    raise _problem(f"the op `{op.name}` of {op.__module__} has no template {templates[0] / template}")
    return dict(sorted(found.items()))


def _ops_of(module: str) -> list[type[Op]]:
    try:
        values = vars(import_module(module)).values()
    except Exception as error:
        if module.startswith(f"{catalogue.__name__}."):
            raise
        raise _problem(f"the ops of {module} cannot be imported: {type(error).__name__}: {error}") from error
    return [value for value in values if isinstance(value, type) and issubclass(value, Op) and "name" in vars(value)]


def _problem(message: str) -> ProblemsError:
    return ProblemsError([Problem(message, None)])
