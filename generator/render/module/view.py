"""Decides what a module looks like: arguments, checks, attributes, lines. The template only writes it down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sympy import Expr, Symbol

from generator.formulas.symbols import symbol
from generator.render.module.condition_checks import checked_when_run, own_conditions
from generator.render.module.deciding import refuse_other_lines, with_all_rows
from generator.render.module.escape_python import literal
from generator.render.module.imports import Top
from generator.render.module.lines import Lines, LineWriter, row_names
from generator.render.module.python_names import class_name, imported_name
from generator.render.module.signature import Argument, SizePrinter, SizeUse, input_sizes
from generator.resolve.architecture import Architecture, BlockRow, BoundRow
from generator.resolve.decoding_sizes import Growth, growths
from generator.resolve.resolver import Resolver
from generator.spec.library import Library
from generator.spec.model import Option, Spec
from generator.spec.reserved import FUNCTIONAL
from generator.spec.stages import Family
from generator.text.expressions import symbolic
from generator.text.problems import Problem, Problems, ProblemsError
from generator.text.source import Span
from generator.text.suggest import listed

T = TypeVar("T")


@dataclass(frozen=True)
class ModuleView:
    """Everything about a module that its users (the template, the modules around it, the verification) need to know."""

    arch: Architecture
    class_name: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    slots: tuple[str, ...]
    stateful: bool  # something in it keeps a state between decoding steps
    takes_state: bool  # or may, where a slot is filled with such a block
    takes_factory: bool  # something in it is made on a device and of a type of numbers
    takes_recompute: bool  # something in it is a stack of layers, which may run once more in the backward pass
    lines: Lines
    printer: SizePrinter
    runtime: tuple[str, ...] = ()  # sizes read off the inputs when the module runs
    attributes: tuple[str, ...] = ()  # sizes and options kept as attributes
    shared: tuple[tuple[str, str, int, int], ...] = ()  # size, input, axis, and how many elements of the axis there are for each
    counted: tuple[Growth, ...] = ()  # sizes that grow from step to step and no input shows: told by a count in the state
    slot_defaults: Mapping[str, str] = field(default_factory=dict)  # slot: the Python of its default block
    slot_needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # slot: the optional arguments that its default block needs
    families: tuple[Family, ...] = ()  # sizes with several entries that are one argument

    def family(self, size: str) -> Family | None:
        """Return the size with several entries of which a size is one, where they are one argument."""
        return next((family for family in self.families if size in family.members), None)

    def given(self, sizes: Mapping[str, T]) -> dict[str, T | tuple[T | int, ...]]:
        """Return sizes by what the constructor calls them, entries of one size together, where all of them are known."""
        found: dict[str, T | tuple[T | int, ...]] = {}
        defaults = {a.name: int(a.default) for a in self.arguments if a.default is not None and a.default.is_Integer}
        for argument in self.arguments:
            family = self.family(argument.name)
            if family is None:
                if argument.name in sizes:
                    found[argument.variable] = sizes[argument.name]
            elif family.variable not in found and any(member in sizes for member in family.members):
                entries: dict[str, T | int] = {**defaults, **sizes}
                if all(member in entries for member in family.members):
                    found[family.variable] = tuple(entries[member] for member in family.members)
        return found


class ModuleSet:
    """The modules of one library, each analysed once.

    Args:
        together: a spec whose module stands in one file with those of all that it uses, so that each name in it means one thing.

    Raises:
        ProblemsError: from `view`, where the spec has problems, or a row must be built with a size that grows from step to step.
    """

    def __init__(self, library: Library, *, together: str = "") -> None:
        self.library = library
        self._views: dict[str, ModuleView] = {}
        self._names: set[str] = set()
        self._classes: dict[str, str] = {}
        specs = [library.spec(name) for name in library.closure(together)] if together else []
        self._names.update(name for spec in specs for name in _own_names(spec))
        for spec in specs:
            self._classes[spec.name] = imported_name(class_name(spec.name), {*self._names, *self._classes.values()})

    def class_of(self, spec: str) -> str:
        """Return what the class of a spec is called where it is defined."""
        return self._classes.get(spec) or class_name(spec)

    def top(self, spec: Spec) -> Top:
        """Return the empty top of a module. Where a size, an option or a slot has the name of an import, the import gives way."""
        return Top(imported_name(FUNCTIONAL, self._names or _own_names(spec)))

    def view(self, name: str, alone: Architecture | None = None) -> ModuleView:
        """Return the module of a spec.

        Args:
            alone: the spec as it is by itself, with the defaults of its options, where that is derived already.
        """
        if name not in self._views:
            arch = with_all_rows(self.library, alone or Resolver(self.library).architecture(self.library.spec(name)))
            self._views[name] = _Builder(self, arch).view()
        return self._views[name]

    def construction(self, printer: SizePrinter, child: Architecture, lines: Lines, *, recomputes: bool = True) -> str:
        """Return the Python that builds a block inside the constructor of another module.

        Args:
            recomputes: whether stacks in it may run once more in the backward pass; not where the block is a layer of one that may.
        """
        view = self.view(child.spec.name)
        blocks = lines.top.blocks
        if child.spec.name not in blocks:
            outer = printer.arch.spec
            taken = {*_own_names(outer), class_name(outer.name), *blocks.values()}
            blocks[child.spec.name] = self._classes.get(child.spec.name) or imported_name(view.class_name, taken)
        differ = {a.name for a in view.arguments if a.name in child.sizes and not _is_default(a, child, child.sizes[a.name])}
        differ |= {name for family in view.families if differ & {*family.members} for name in family.members}
        told = {a.name: printer.built(child.sizes[a.name]) for a in view.arguments if a.name in differ}
        arguments = [f"{name}={_tuple(text) if isinstance(text, tuple) else text}" for name, text in view.given(told).items()]
        chosen = [(option.name, _option_text(option, child, printer.arch)) for option in view.options]
        arguments += [f"{name}={text}" for name, text in chosen if text]
        for slot in child.fills:
            filled = next(row for row in child.rows if isinstance(row, BlockRow) and row.row.slot == slot)
            arguments.append(f"{slot}={self.construction(printer, filled.child, lines, recomputes=recomputes)}")
        if view.takes_recompute and recomputes:
            arguments.append("recompute=recompute")
        if view.takes_factory:
            arguments.append("**factory")
        return f"{blocks[child.spec.name]}({', '.join(arguments)})"


def _tuple(entries: Sequence[object]) -> str:
    return f"({', '.join(map(str, entries))}{',' if len(entries) == 1 else ''})"


def _own_names(spec: Spec) -> set[str]:
    families = (family.variable for family in spec.families.values())
    return {*spec.dims, *(dim.variable for dim in spec.dims.values()), *families, *spec.options, *spec.slots}


def _is_default(argument: Argument, child: Architecture, value: Expr) -> bool:
    dim = child.spec.dims[argument.name]
    if dim.kind != "default" or dim.value is None:
        return False
    default = symbolic(dim.value.ast, child.sizes)
    return bool(default == value)


def _option_text(option: Option, child: Architecture, outer: Architecture) -> str:
    """Return an option's value as Python; nothing where it is the block's own default."""
    value = child.options[option.name]
    source = child.option_sources.get(option.name, "")
    if source in outer.spec.options and outer.options[source] == value:
        return source
    if value == option.default:
        return ""
    return literal(value)


class _Builder:
    """Analyses one spec: a first pass finds out which sizes are asked for where, a second one writes the lines."""

    def __init__(self, modules: ModuleSet, arch: Architecture) -> None:
        self.modules = modules
        self.arch = arch
        self.spec = arch.spec
        self.readable = input_sizes(arch.spec)
        self.slot_defaults: dict[str, str] = {}
        self.slot_use: dict[str, SizeUse] = {}
        self.pairs = growths(arch)
        self.shared = {
            pair.new.name: place for pair in self.pairs if pair.new.name not in self.readable and (place := _multiple(arch, pair.new))
        }
        self.counted = {pair.other.name: pair for pair in self.pairs if pair.other.name not in self.readable}

    def view(self) -> ModuleView:
        first = SizePrinter(self.arch)
        names = row_names(self.arch)
        drafted = LineWriter(self.arch, first, names, self._construct(first), self.modules.top(self.spec)).write()
        needed = self._constructor_sizes(first)
        self._refuse_frozen(drafted, needed)
        self._refuse_one_rank(drafted, first)
        refuse_other_lines(self.modules.library, self.arch, drafted, self._written)
        slot_needs = {slot: self._free(use.built) - needed for slot, use in self.slot_use.items()}
        optional = set().union(*slot_needs.values())
        arguments = tuple(self._argument(name, optional=name in optional) for name in self.spec.dims if name in needed or name in optional)
        arguments = tuple(sorted(arguments, key=lambda a: a.default is not None or a.optional))
        printer = SizePrinter(self.arch)
        known = {a.name for a in arguments}
        printer.run_names = {name: self._run_name(name, known) for name in self.spec.dims}
        lines = LineWriter(self.arch, printer, names, self._construct(printer), self.modules.top(self.spec)).write()
        asked = self._with_parts(self._with_checks(printer.use.run, known), known)
        free = self._run_free(asked, known)
        counted = tuple(pair for name, pair in self.counted.items() if name in free)
        free |= {pair.new.name for pair in counted}
        if counted:
            lines.top.names.add("advance")
        runtime = tuple(name for name in self.spec.dims if name in free)
        attributes = tuple(name for name in self.spec.dims if name in asked and printer.run_names[name].startswith("self."))
        stateful = any(row.keeps_state for row in self.arch.rows)
        return ModuleView(
            arch=self.arch,
            class_name=self.modules.class_of(self.spec.name),
            arguments=arguments,
            options=tuple(self.spec.options.values()),
            slots=tuple(self.spec.slots),
            stateful=stateful,
            takes_state=stateful or any(slot.state for slot in self.spec.slots.values()),
            takes_factory=any("factory" in line or "device=device" in line for line in (*lines.init, *self.slot_defaults.values())),
            takes_recompute=any("recompute" in line for line in (*lines.init, *self.slot_defaults.values())),
            lines=lines,
            printer=printer,
            runtime=runtime,
            attributes=attributes,
            shared=tuple((name, *place) for name, place in self.shared.items() if name in free),
            counted=counted,
            slot_defaults=self.slot_defaults,
            slot_needs={
                slot: tuple(a.variable for a in arguments if a.name in names and a.default is None) for slot, names in slot_needs.items()
            },
            families=tuple(family for family in self.spec.families.values() if _is_one(family, arguments)),
        )

    def _written(self, other: Architecture) -> Lines:
        """Return the lines of the spec as it is under other options."""
        printer = SizePrinter(other)
        return LineWriter(other, printer, row_names(other), self._construct(printer), self.modules.top(self.spec)).write()

    def _construct(self, printer: SizePrinter) -> Any:
        def construct(bound: BlockRow, lines: Lines) -> str:
            in_stack = bound.row.repeat is not None or bool(bound.stack)
            if not bound.row.slot:
                return self.modules.construction(printer, bound.child, lines, recomputes=not in_stack)
            outer, printer.use = printer.use, self.slot_use.setdefault(bound.row.slot, SizeUse())
            try:
                self.slot_defaults[bound.row.slot] = self.modules.construction(printer, bound.child, lines, recomputes=not in_stack)
            finally:
                printer.use = outer
            return bound.row.slot

        return construct

    def _free(self, used: set[str]) -> set[str]:
        """Return the sizes that one must be told to know the used ones."""
        found: set[str] = set()
        for name in used:
            if self.spec.dims[name].kind == "derived":
                found |= {s.name for s in self.arch.sizes[name].free_symbols}
            else:
                found.add(name)
        return found

    def _constructor_sizes(self, first: SizePrinter) -> set[str]:
        """Return the sizes that the module must be told; a condition adds none (see `own_conditions`)."""
        run = self._free(first.use.run)
        run |= {self.counted[name].new.name for name in run if name in self.counted}
        needed = self._free(first.use.built) | {name for name in run if not self._is_seen(name)}
        return needed | {other for name in needed for other in self._default_needs(name)}

    def _is_seen(self, name: str) -> bool:
        """Say whether a size can be told when the module runs."""
        return name in self.readable or name in self.shared or name in self.counted

    def _refuse_frozen(self, drafted: Lines, needed: set[str]) -> None:
        """Raise ProblemsError where the module would have to be built with a size that is another one in each decoding step."""
        growing = {size.name: pair for pair in self.pairs for size in (pair.new, pair.other)}
        asked = {row: self._free(sizes) for row, sizes in drafted.built_with.items()}
        asked |= {row.name: self._free(self.slot_use[row.row.slot].built) for row in self.arch.rows if row.row.slot in self.slot_use}
        problems = Problems()
        for bound in self.arch.rows:
            frozen = [size for size in self.spec.dims if size in asked[bound.name] & growing.keys()]
            if frozen:
                problems.add(*_frozen(bound, frozen, growing[frozen[0]]))
        problems.raise_if_any()
        for size in sorted(needed & growing.keys()):
            message = f"`{size}` grows from step to step of decoding, but no input shows it"
            problems.add(message, self.spec.dims[size].span, f"did you mean an input with an axis of {growing[size].new}?")
        problems.raise_if_any()

    def _refuse_one_rank(self, drafted: Lines, first: SizePrinter) -> None:
        """Raise ProblemsError where inputs may have any rank, and some row is written for the one that they have in the spec by itself."""
        rest = self.spec.rest
        if not rest:
            return
        axes = (symbol(f"{rest}_1"), symbol(f"{rest}_2"))
        other = Resolver(self.modules.library, rest=axes).architecture(self.spec)
        printer = SizePrinter(other)
        printer.variables |= {axis.name: axis.name for axis in axes}
        lines = LineWriter(other, printer, row_names(other), self._construct(printer), self.modules.top(self.spec)).write()
        here = [(row, code) for row, (code, _) in zip(drafted.rows, drafted.forward, strict=True)]
        there = [(row, code) for row, (code, _) in zip(lines.rows, lines.forward, strict=True)]
        wrong = [row for (row, code), pair in zip(here, there, strict=False) if pair != (row, code)]
        asks = [row for row, sizes in drafted.built_with.items() if rest in sizes]
        if wrong or asks or len(here) != len(there) or rest in first.use.run:
            row = next(iter((*wrong, *asks, *self.spec.rows)))
            note = "where inputs are [...], axes are counted from the last, as -1, and no size of theirs is asked for"
            message = f"`{row}` is written for a number of axes, but `...` may stand for any"
            raise ProblemsError([Problem(message, self.spec.rows[row].span, (note,))])

    def _default_needs(self, name: str) -> set[str]:
        """Return the sizes that a size's default is made of."""
        default = self._argument(name, optional=False).default
        return set() if default is None else {s.name for s in default.free_symbols}

    def _argument(self, name: str, *, optional: bool) -> Argument:
        dim = self.spec.dims[name]
        default = symbolic(dim.value.ast, self.arch.sizes) if dim.kind == "default" and dim.value is not None else None
        return Argument(name, default, optional, dim.variable)

    def _run_name(self, name: str, known: set[str]) -> str:
        told = name in known
        if self.spec.dims[name].kind == "derived" and name in self.arch.sizes:
            told = {s.name for s in self.arch.sizes[name].free_symbols} <= known
        return f"self.{self.spec.dims[name].variable}" if told else self.spec.dims[name].variable

    def _with_checks(self, run: set[str], known: set[str]) -> set[str]:
        """Add the sizes that checks in `forward` ask for."""
        asked = set(run)
        for check in checked_when_run(own_conditions(self.arch, known), known):
            asked |= {s.name for s in check.condition.free_symbols}
        return asked

    def _with_parts(self, asked: set[str], known: set[str]) -> set[str]:
        """Add the sizes of which `forward` works out derived ones: told to the constructor or not."""
        derived = [name for name in asked if self.spec.dims[name].kind == "derived" and name in self.arch.sizes]
        parts = [{s.name for s in self.arch.sizes[name].free_symbols} for name in derived]
        return asked.union(*(names for names in parts if not names <= known))

    def _run_free(self, asked: set[str], known: set[str]) -> set[str]:
        return {name for name in self._free(asked) if name not in known}


def _is_one(family: Family, arguments: Sequence[Argument]) -> bool:
    """Say whether the entries of a size are one argument: all are asked for, and all or none of them have a number as default."""
    found = [argument for argument in arguments if argument.name in family.members]
    defaults = [argument.default for argument in found]
    is_plain = all(default is None for default in defaults) or all(default is not None and default.is_Integer for default in defaults)
    return len(found) == len(family.members) and is_plain and not any(argument.optional for argument in found)


def _multiple(arch: Architecture, size: Symbol) -> tuple[str, int, int] | None:
    """Return an input, its axis and how many elements of it there are for each of a size, such as 2 for an axis of 2*n."""
    for name, x in arch.inputs.items():
        for axis, length in enumerate(x.shape):
            each = length / size
            if each.is_Integer:
                return name, axis, int(each)
    return None


def _frozen(bound: BoundRow, sizes: Sequence[str], pair: Growth) -> tuple[str, Span, str]:
    """Return the problem of a row that must be built with sizes that grow."""
    named = f"{listed(sizes)}, which {'grow' if len(sizes) > 1 else 'grows'} from step to step of decoding"
    grows = f"each step brings {pair.new} new tokens, and a module is built once"
    if bound.child is None:
        return f"`{bound.name}` must be built with {named}", bound.row.where("op"), grows
    if bound.row.repeat is not None and {s.name for s in bound.repeat.free_symbols} & {*sizes}:
        return f"`{bound.name}` must be built with {named}", bound.row.where("repeat"), grows
    spec = bound.child.spec.name
    note = f"{grows}; `{spec}` can read a size off an axis of its inputs"
    return f"`{bound.name}` must build `{spec}` with {named}", bound.row.span, note


def may_be_refused(arch: Architecture) -> bool:
    """Say whether a module of a sound spec may be refused: not with sizes that grow, nor twice for a tied block, nor for one rank alone."""
    return bool(growths(arch) or arch.spec.rest or arch.deciding) or any(row.child is not None and row.row.tied_to for row in arch.rows)


def derived_at_run(view: ModuleView) -> tuple[str, ...]:
    """Return derived sizes that `forward` must compute, because they depend on its inputs."""
    known = {a.name for a in view.arguments}
    spec, sizes = view.arch.spec, view.arch.sizes
    return tuple(
        name
        for name in spec.dims
        if spec.dims[name].kind == "derived" and name in view.printer.use.run and not {s.name for s in sizes[name].free_symbols} <= known
    )
