"""Builds a spec's module in memory, as `load(NAME).module(...)` does."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from generator.render.module.writer import render_file
from generator.sheet.compiled import Compiled
from generator.sheet.sizing import require, sized
from generator.spec.library import Library
from generator.spec.option_values import check_option

if TYPE_CHECKING:
    from torch import nn


def build_module(compiled: Compiled, library: Library, preset: str | None, given: Mapping[str, Any]) -> nn.Module:
    """Return a spec's module with new weights.

    Args:
        given: sizes, options, and blocks for slots.

    Raises:
        SizeError: an unknown preset, size or option, sizes that are missing or break a condition.
        ImportError: PyTorch is not installed.
    """
    if find_spec("torch") is None:
        raise ImportError("a module needs PyTorch; install it with: pip install 'archsheet[torch]'")
    sheet, spec = compiled.sheet, compiled.architecture.spec
    options = {name: check_option(spec.options[name], value) for name, value in given.items() if name in spec.options}
    others = {name: value for name, value in given.items() if name in (*spec.slots, "recompute", "device", "dtype")}
    letters = {dim.variable: size for size, dim in spec.dims.items()} | {one.variable: one.name for one in spec.families.values()}
    known = sized(sheet, preset, {letters.get(name, name): value for name, value in given.items() if name not in {*options, *others}})
    built = _class_of(render_file(compiled, library), sheet.name)
    parameters = inspect.signature(built).parameters
    together = {member: family.variable for family in spec.families.values() for member in family.members}
    called = {size: together[size] if together.get(size) in parameters else dim.variable for size, dim in spec.dims.items()}
    missing = [size for size, name in called.items() if (one := parameters.get(name)) and one.default is one.empty]
    require(sheet, known, missing, f"the module of `{sheet.name}`")
    arguments = {called[size]: value for size, value in known.items()} | options | others
    for family in spec.families.values():
        if family.variable in parameters:
            arguments[family.variable] = tuple(known[member] for member in family.members)
    return built(**{name: value for name, value in arguments.items() if name in parameters})


def _class_of(source: str, name: str) -> type[nn.Module]:
    """Return the class at the end of a file. It stands among the modules of Python, so that it can be pickled and its source shown."""
    module_name = f"archsheet_module_{name}_{sha256(source.encode()).hexdigest()[:16]}"
    module = sys.modules.get(module_name)
    if module is None:
        module = ModuleType(module_name)
        module.__file__ = f"<{module_name}>"
        linecache.cache[module.__file__] = (len(source), None, source.splitlines(keepends=True), module.__file__)
        sys.modules[module_name] = module
        exec(compile(source, module.__file__, "exec"), vars(module))  # noqa: S102 - of our own templates; texts of specs are escaped in it
    own = [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module_name]
    return own[-1]
