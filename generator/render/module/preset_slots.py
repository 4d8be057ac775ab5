"""The blocks that presets put into the slots of a module, as `from_preset` makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from generator.render.module.escape_python import literal
from generator.render.module.imports import Top
from generator.render.module.lines import Lines
from generator.render.module.python_names import safe
from generator.render.module.signature import SizePrinter
from generator.render.module.view import ModuleSet, ModuleView
from generator.render.module.wrapping import wrapped
from generator.resolve.architecture import BlockRow
from generator.sheet.compiled import derive
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet, SheetPreset
from generator.spec.choices import Choices
from generator.text.expressions import names
from generator.text.suggest import listed


@dataclass(frozen=True)
class PresetBlocks:
    """What a preset puts into slots.

    Args:
        preset: its name, as Python.
        lines: that add the blocks to `arguments`, unless they are given.
    """

    preset: str
    lines: tuple[str, ...]


def arguments_name(view: ModuleView) -> str:
    """Return what `from_preset` calls the arguments of the constructor."""
    return safe("arguments", {"cls", "name", "changes", "factory", *view.printer.variables.values(), *view.arch.spec.options})


def preset_blocks(modules: ModuleSet, view: ModuleView, sheet: Sheet, top: Top) -> Iterator[PresetBlocks]:
    """Yield what presets put into slots; `top` takes note of the classes that are used."""
    for preset in sheet.other_presets:
        if preset.slots:
            yield _Blocks(modules, view, preset, top).made()


class _Blocks:
    """The blocks of one preset, made of what its constructor is given."""

    def __init__(self, modules: ModuleSet, view: ModuleView, preset: SheetPreset, top: Top) -> None:
        self.modules, self.view, self.preset, self.top = modules, view, preset, top
        self.spec = view.arch.spec
        library = modules.library.chosen(Choices.of(self.spec.name, self.spec.presets[preset.name]))
        under = derive(library, self.spec.name)[0]
        self.arch = under.architecture
        self.known = complete(under.sheet.sizes, preset.sizes)
        self.printer = SizePrinter(self.arch)
        self.arguments = arguments_name(view)

    def made(self) -> PresetBlocks:
        lines: list[str] = []
        for slot in self.preset.slots:
            row = next(row for row in self.arch.rows if isinstance(row, BlockRow) and row.row.slot == slot)
            self.printer.use.built.clear()
            block = self.modules.construction(self.printer, row.child, Lines(top=self.top))
            lines.append(f"if {literal(slot)} not in {self.arguments}:")
            lines += [f"    {line}" for line in self._filling(slot, block)]
        return PresetBlocks(literal(self.preset.name), tuple(lines))

    def _filling(self, slot: str, block: str) -> Iterator[str]:
        """Yield the lines that make one block, of sizes and options under their names in the constructor."""
        needed = {name: text for name in self._with_parts(self.printer.use.built) for text in [self._size(name)]}
        open_sizes = [name for name, text in needed.items() if not text]
        if open_sizes:
            said = f"the preset leaves {listed(open_sizes)} open, with which the block in `{slot}` is built; pass {slot}="
            yield f"raise ValueError({literal(said.replace('`', ''))})"
            return
        used = {name for name in re.findall(r"=(\w+)", block) if name in self.spec.options}
        for name, text in needed.items():
            yield f"{self.printer.variables[name]} = {text}"
        for name, option in self.spec.options.items():
            if name in used:
                yield f"{name} = {self.arguments}.get({literal(name)}, {literal(option.default)})"
        yield from wrapped(f"{self.arguments}[{literal(slot)}] = {block}")

    def _with_parts(self, asked: set[str]) -> list[str]:
        """Return sizes with those that they are worked out of, in the order of the spec."""
        found: set[str] = set()
        open_names = [*asked]
        while open_names:
            name = open_names.pop()
            if name not in found:
                found.add(name)
                value = self.spec.dims[name].value
                if value is not None and not self._is_told(name):
                    open_names += [other for other in names(value.ast) if other in self.spec.dims]
        return [name for name in self.spec.dims if name in found]

    def _is_told(self, name: str) -> bool:
        """Say whether the preset gives a size to the constructor."""
        return name in self.preset.sizes and self._is_argument(name)

    def _is_argument(self, name: str) -> bool:
        return any(argument.name == name for argument in self.view.arguments)

    def _size(self, name: str) -> str:
        """Return the Python of a size; nothing where it is open."""
        family = self.view.family(name)
        dim = self.spec.dims[name]
        is_argument = self._is_argument(name)
        if dim.kind == "derived" or (dim.value is not None and not is_argument and name not in self.preset.sizes):
            return self.printer.definition(name, self.printer.variables)
        if family is not None and self._is_told(name):
            return f"{self.arguments}[{literal(family.variable)}][{family.members.index(name)}]"
        if self._is_told(name):
            return f"{self.arguments}[{literal(dim.variable)}]"
        if is_argument:
            if dim.value is None:
                return f"{self.arguments}[{literal(dim.variable)}]"
            return f"{self.arguments}.get({literal(dim.variable)}, {self.printer.definition(name, self.printer.variables)})"
        number = self.known[name]
        return "" if number is None else str(number)
