"""Builds a spec's generated module and its inputs at given sizes."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.render.formats import WEIGHTS
from generator.render.module.imports import support_files
from generator.render.module.view import ModuleSet, ModuleView
from generator.render.module.weight_names import render_weights
from generator.render.module.writer import render_module
from generator.sheet.compiled import Compiled, Variant, compile_spec, variant
from generator.spec.library import Library
from generator.text.expressions import symbolic

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing from Python 3.11 on

PACKAGE = "archsheet_generated_for_verification"
_NUMBERS = count(1)  # several workbenches may be open at once, each with a package of its own


class Workbench:
    """Writes the modules of a library into a temporary package and builds them.

    Use as a context manager; the package is removed at the end.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.modules = ModuleSet(library)
        self._compiled: dict[str, Compiled] = {}
        self._variants: dict[tuple[str, bool | None, tuple[tuple[str, int], ...]], Variant] = {}
        self._on_exit = ExitStack()

    def __enter__(self) -> Self:
        folder = self._on_exit.enter_context(tempfile.TemporaryDirectory())
        package = Path(folder) / f"{PACKAGE}_{next(_NUMBERS)}"
        package.mkdir()
        (package / "__init__.py").write_text("", encoding="utf-8")
        for name, text in support_files().items():
            (package / name).write_text(text, encoding="utf-8")
        self.package = package
        sys.path.insert(0, folder)
        self._on_exit.callback(sys.path.remove, folder)
        return self

    def __exit__(self, *exception: object) -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == self.package.name]:
            del sys.modules[name]
        self._on_exit.close()

    def compiled(self, name: str) -> Compiled:
        """Return a spec's sheet and architecture, compiled once."""
        if name not in self._compiled:
            self._compiled[name] = compile_spec(self.library, name)
        return self._compiled[name]

    def with_gradients(self, name: str, sizes: Mapping[str, int], *, on_inputs: bool) -> Variant:
        """Return a spec's costs where all float inputs need a gradient, or none does; derived once."""
        found = self.fixed(name, on_inputs, {})
        # A stack may have fewer layers than the formula for any number of them holds for; then it is derived for that number.
        broken = [condition for condition in found.conditions if not evaluate(condition, sizes)]
        if not broken:
            return found
        names = sorted({symbol.name for condition in broken for symbol in condition.free_symbols})
        return self.fixed(name, on_inputs, {size: sizes[size] for size in names})

    def fixed(self, name: str, on_inputs: bool | None, sizes: Mapping[str, int]) -> Variant:
        """Return a spec's costs where some sizes are these numbers, and inputs have gradients as given; derived once."""
        key = (name, on_inputs, tuple(sorted(sizes.items())))
        if key not in self._variants:
            self._variants[key] = variant(self.library, name, on_inputs=on_inputs, fixed=sizes)
        return self._variants[key]

    def module_class(self, name: str) -> type[nn.Module]:
        """Return the generated class of a spec."""
        for used in self.library.closure(name):
            file = self.package / f"{used}.py"
            if not file.exists():
                file.write_text(render_module(self.compiled(used), self.modules), encoding="utf-8")
                file.with_suffix(WEIGHTS.suffix).write_text(render_weights(self.compiled(used).architecture.spec, ""), encoding="utf-8")
        importlib.invalidate_caches()
        module = importlib.import_module(f"{self.package.name}.{name}")
        found: type[nn.Module] = getattr(module, self.modules.view(name).class_name)
        return found

    def build(
        self, name: str, sizes: Mapping[str, int], *, device: str = "cpu", dtype: torch.dtype | None = None, recompute: str = ""
    ) -> nn.Module:
        """Return an instance at the given sizes, and with options among them.

        Args:
            recompute: which blocks run once more in the backward pass; empty where the module has no stack of them.
        """
        view = self.modules.view(name)
        arguments: dict[str, Any] = {**view.given(sizes)}
        arguments |= {option.name: sizes[option.name] for option in view.options if option.name in sizes}
        arguments |= {"recompute": recompute} if recompute else {}
        with torch.device(device), default_dtype(dtype or torch.get_default_dtype()):
            return self.module_class(name)(**arguments)

    def inputs(self, name: str, sizes: Mapping[str, int], *, device: str = "cpu", dtype: torch.dtype = torch.float32) -> list[Tensor]:
        """Return random inputs at the given sizes."""
        return [
            make_input(declared, self.modules.view(name), sizes, device, dtype)
            for declared in self.modules.view(name).arch.spec.inputs.values()
        ]


def make_input(declared: Any, view: ModuleView, sizes: Mapping[str, int], device: str, dtype: torch.dtype) -> Tensor:
    """Return one random input."""
    symbols = {name: symbol(name) for name in view.arch.spec.dims} | dict(view.arch.sizes)
    shape = [evaluate(symbolic(e.ast, symbols), sizes) for e in declared.shape]
    if declared.dtype == "float":
        return torch.randn(shape, device=device, dtype=dtype)
    if declared.dtype == "bool":
        return torch.zeros(shape, device=device, dtype=torch.bool)
    below = evaluate(symbolic(declared.below.ast, symbols), sizes) if declared.below is not None else 1
    return torch.randint(0, below, shape, device=device)


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Create weights in another floating point type."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
