"""timm without torchvision.

timm imports torchvision for image transforms and one frozen norm, none of which its models need to be built and counted, while
torchvision works only beside the one torch build it was compiled for. Where it is absent or broken, stand-ins take its place during the
import of timm.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType


class _StandInType(type):
    """A class whose attributes spring up when asked for, each a class of its own and always the same one."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _StandInType(name, (), {})
        setattr(cls, name, made)
        return made


class _StandInModule(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _StandInType(name, (), {})
        setattr(self, name, made)
        return made


class _StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname: str, _path: object = None, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "torchvision":
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def import_timm() -> ModuleType:
    """Return timm, imported with the real torchvision if that works here and with stand-ins if not."""
    try:
        return importlib.import_module("timm")
    except (ImportError, RuntimeError):  # torchvision is absent; or its operators were compiled for another torch
        _forget("timm", "torchvision")
    finder = _StandInFinder()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module("timm")
    finally:
        sys.meta_path.remove(finder)
        _forget("torchvision")


def _forget(*packages: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
