"""What a module needs at its top: imports and helper functions, collected while its lines are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from generator.files.resources import templates_dir
from generator.spec.reserved import FUNCTIONAL

# Where names that generated code uses come from; specs cannot give them to anything (`generator.spec.reserved`).
_STANDARD = {
    "Callable": "collections.abc",
    "Iterable": "collections.abc",
    "Mapping": "collections.abc",
    "Sequence": "collections.abc",
    "deepcopy": "copy",
}
_STANDARD |= {"partial": "functools", "Path": "pathlib", "Any": "typing", "ClassVar": "typing"}
_TORCH = ("Tensor", "nn")
_MODULES = ("json", "math", "re", "torch")
_SUPPORT = {
    "advance": "_state",
    "extend": "_state",
    "keep": "_state",
    "preceded": "_state",
    "recall": "_state",
    "remember": "_state",
    "substate": "_state",
    "with_state": "_state",
    "freeze": "_frozen",
    "recompute_layers": "_recompute",
    "load_reference": "_reference",
    "weight_names": "_reference",
}
_CHECKPOINT = {"checkpoint": "torch.utils.checkpoint"}
_KNOWN = (*_STANDARD, *_TORCH, *_CHECKPOINT, *_SUPPORT, *(rf"{name}(?=\.)" for name in (*_MODULES, FUNCTIONAL)))
_NAME = re.compile(rf"(?<![\w.\"'`])({'|'.join(_KNOWN)})\b(?![\"'=])")
_FUNCTIONAL = re.compile(rf"(?<![\w.]){FUNCTIONAL}(?=\.)")


@dataclass
class Top:
    """What the lines of a module use.

    Args:
        functional: what torch.nn.functional is called, where a size has its usual name.
    """

    functional: str = FUNCTIONAL
    names: set[str] = field(default_factory=set)
    helpers: dict[str, dict[str, None]] = field(default_factory=dict)  # functions, and the heads of tables with their entries
    blocks: dict[str, str] = field(default_factory=dict)  # specs whose classes are used, and what those are called here

    def line(self, code: str) -> str:
        """Take note of what a piece of code uses, and return it with the names under which that is imported."""
        self.names.update(_NAME.findall(code))
        return code if self.functional == FUNCTIONAL else _FUNCTIONAL.sub(self.functional, code)

    def helper(self, text: str, entries: Iterable[str] = ()) -> None:
        """Ask for a function above the class, or for a table with some entries, which is printed once with all of them."""
        self.helpers.setdefault(self.line(text.strip("\n")), {}).update(dict.fromkeys(self.line(entry) for entry in entries))

    @property
    def above(self) -> list[str]:
        """The functions and tables."""
        return ["\n".join([head, *entries, "}"]) if entries else head for head, entries in self.helpers.items()]

    def add(self, other: Top) -> None:
        """Take over what another part of the same module uses."""
        self.names |= other.names
        self._add_helpers(other)
        self.blocks |= other.blocks

    def _add_helpers(self, other: Top) -> None:
        for head, entries in other.helpers.items():
            self.helpers.setdefault(head, {}).update(entries)

    def with_support(self) -> Top:
        """Return the top of a module that imports nothing from beside it: the support functions are among its helpers."""
        found = Top(self.functional, set(self.names))
        for file in sorted({_SUPPORT[name] for name in self.names if name in _SUPPORT}):
            functions = support_functions(file)
            wanted = {name for name in functions if name in self.names or name not in _SUPPORT}
            for name in reversed([*functions]):  # one calls those above it
                wanted |= {called for called in _NAME.findall(functions[name]) if called in functions} if name in wanted else set()
            for name, text in functions.items():
                if name in wanted:
                    found.helper(text)
        found._add_helpers(self)
        found.names -= _SUPPORT.keys()
        return found

    def imports(self, classes: Mapping[str, str]) -> list[str]:
        """Return the blocks of imports, in the order of ruff.

        Args:
            classes: what the classes of the specs used are called where they come from.
        """
        plain = [f"import {name}" for name in ("json", "math", "re") if name in self.names]
        standard = [*plain, *_grouped(_STANDARD, self.names)]
        torch = ["import torch"] if "torch" in self.names else []
        torch += [f"import torch.nn.functional as {self.functional}"] if FUNCTIONAL in self.names else []
        torch += [f"from torch import {', '.join(_TORCH)}", *_grouped(_CHECKPOINT, self.names)]
        own = [*_grouped({name: f".{file}" for name, file in _SUPPORT.items()}, self.names), *self._classes(classes)]
        blocks = ["from __future__ import annotations", "\n".join(standard), "\n".join(torch), "\n".join(sorted(own))]
        return [block for block in blocks if block]

    def _classes(self, classes: Mapping[str, str]) -> list[str]:
        lines = []
        for spec, local in self.blocks.items():
            name = classes[spec]
            lines.append(f"from .{spec} import {name}" + ("" if local == name else f" as {local}"))
        return lines


def _grouped(places: Mapping[str, str], used: Iterable[str]) -> list[str]:
    """Return one import for each module that something used comes from."""
    found: dict[str, list[str]] = {}
    for name in sorted(set(used) & places.keys()):
        found.setdefault(places[name], []).append(name)
    return [f"from {module} import {', '.join(names)}" for module, names in sorted(found.items())]


def support_files() -> dict[str, str]:
    """Return the text of each support file by its name in the modules folder."""
    return {file.name: file.read_text(encoding="utf-8") for file in sorted((templates_dir() / "module" / "support").glob("*.py"))}


def support_functions(file: str) -> dict[str, str]:
    """Return the functions of a support file by name."""
    _, *parts = re.split(r"\n\n\n(?=def )", support_files()[f"{file}.py"])
    return {part.removeprefix("def ").partition("(")[0]: part for part in parts}
