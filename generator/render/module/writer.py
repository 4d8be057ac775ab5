"""Writes a module: the view of its spec through the template."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sympy import Integer, Not, Or

from generator.files.resources import builtin_specs_dir
from generator.formulas.symbols import symbol
from generator.formulas.text import to_text
from generator.quantities import Shown, shown_in
from generator.render.environment import environment
from generator.render.module.condition_checks import checked_when_built, checked_when_run, own_conditions, unchecked_conditions
from generator.render.module.escape_python import docstring, literal
from generator.render.module.imports import Top
from generator.render.module.lines import row_names
from generator.render.module.preset_slots import arguments_name, preset_blocks
from generator.render.module.signature import Argument, input_sizes
from generator.render.module.view import ModuleSet, ModuleView, derived_at_run
from generator.render.module.weight_names import layouts_in_words, table_in_python
from generator.resolve.architecture import Requirement
from generator.resolve.binding import default_conditions
from generator.resolve.blocks import attends
from generator.resolve.decoding_sizes import growths
from generator.sheet.compiled import Compiled
from generator.sheet.preset_totals import following
from generator.sheet.sheet import Sheet, SheetPreset
from generator.spec.library import Library
from generator.spec.model import Dim, Spec
from generator.spec.references import Reference, read_references

WIDTH = 120
COMMENT_COLUMN = 72  # shape comments stand here, or two spaces behind a longer line


def render_module(compiled: Compiled, modules: ModuleSet) -> str:
    """Return the source of a spec's PyTorch module, which imports those of the blocks that it uses from beside it.

    Args:
        modules: of the spec's library. The blocks are analysed once for all that use them.
    """
    arch, sheet = compiled.architecture, compiled.sheet
    is_default = all(arch.options[name] == option.default for name, option in arch.spec.options.items())
    view = modules.view(sheet.name, arch if is_default else None)
    top = modules.top(view.arch.spec)
    written = _class(view, top, _label(sheet.references, view), sheet, modules) | _weights(view.arch.spec, top, is_alone=False)
    imports = top.imports({spec: modules.class_of(spec) for spec in top.blocks})
    return _text(sheet.title, origin(sheet), [*imports, *top.above], [written])


def row_lines(view: ModuleView, count: int) -> dict[str, list[int]]:
    """Return the first and the last line of each row in a module's file, and of the whole of `forward` under an empty name.

    Args:
        count: of the file's lines. `forward` stands at its end: what rows come to, and one line that returns the results.
    """
    found = {"": [count - len(_forward(view)) - 1, count]}
    for number, row in enumerate(view.lines.rows, count - len(view.lines.rows)):
        found.setdefault(row, [number, number])[1] = number
    return found


def origin(sheet: Sheet) -> str:
    """Return what the head of a module says of where it comes from."""
    return f"Generated from {sheet.source} (sha256 {sheet.source_hash[:16]}); edit the spec, not this file."


def render_file(compiled: Compiled, library: Library, preset: str | None = None) -> str:
    """Return a spec's PyTorch module as one file that needs nothing beside it: blocks and helpers first.

    Args:
        preset: published sizes that become the defaults of the constructor.
    """
    sheet = compiled.sheet
    modules = ModuleSet(library, together=sheet.name)
    view = modules.view(sheet.name)
    top = modules.top(view.arch.spec)
    references = read_references(dict.fromkeys((builtin_specs_dir(), *library.roots)))
    shown = view if preset is None else _preset_view(view, sheet, preset)
    own = _class(shown, top, _label(references, view), sheet, modules if preset is None else None)
    own |= _weights(view.arch.spec, top, is_alone=True)
    if preset is not None:
        own |= {"presets": [], "letters": "{}"}
    used = dict.fromkeys(name for block in top.blocks for name in _in_order(modules, block))
    classes = [*(_class(block, top, _label(references, block)) for block in map(modules.view, used)), own]
    alone = top.with_support()
    written = f"Written by archsheet from {sheet.source} (sha256 {sheet.source_hash[:16]})."
    return _text(sheet.title, written, [*alone.imports({}), *alone.above], classes)


def _in_order(modules: ModuleSet, name: str) -> list[str]:
    """Return the specs whose classes a module needs, each behind those that it needs itself."""
    found: dict[str, None] = {}
    for block in modules.view(name).lines.top.blocks:
        found |= dict.fromkeys(_in_order(modules, block))
    return [*found, name]


def _preset_view(view: ModuleView, sheet: Sheet, preset: str) -> ModuleView:
    sizes = _held(view, sheet, next(one for one in sheet.presets if one.name == preset))
    return replace(view, arguments=tuple(replace(a, default=Integer(sizes[a.name])) if a.name in sizes else a for a in view.arguments))


def _held(view: ModuleView, sheet: Sheet, preset: SheetPreset) -> dict[str, int]:
    """Return the sizes that a preset gives the constructor; those that it works out by itself follow, also where others are changed."""
    follow = following(sheet.sizes, preset.sizes, sheet.families)
    by_itself = {argument.name for argument in view.arguments if argument.default is not None}
    return {name: value for name, value in preset.sizes.items() if name not in follow or name not in by_itself}


def _text(title: str, origin: str, top: Sequence[str], classes: Sequence[Mapping[str, Any]]) -> str:
    template = environment().get_template("module/module.py.jinja")
    return template.render(title=docstring(title), origin=docstring(origin), top=_spaced(top), classes=classes)


def _spaced(blocks: Sequence[str]) -> list[str]:
    """Put one more empty line around functions, as ruff formats them."""
    found: list[str] = []
    for block in blocks:
        after_function = bool(found) and found[-1].lstrip().startswith("def ")
        found.append(f"\n{block}" if block.startswith("def ") or after_function else block)
    return found


def _class(view: ModuleView, top: Top, label: str, sheet: Sheet | None = None, modules: ModuleSet | None = None) -> dict[str, Any]:
    """Return what the template writes of one class, and take note of what it uses.

    Args:
        sheet: of the spec, where the class shows costs and presets.
        modules: where it makes the blocks that presets put into slots.
    """
    spec = view.arch.spec
    names = {a.name: a.variable for a in view.arguments if view.family(a.name) is None}
    names |= {family.name: family.variable for family in view.families}
    keywords = [f"{o.name}: {_annotation(o.default)} = {literal(o.default)}" for o in view.options]
    keywords += [f"{slot}: nn.Module | None = None" for slot in view.slots]
    if view.takes_recompute:
        keywords.append('recompute: str = "none"')
    if view.takes_factory:
        keywords += ["device: torch.device | str | None = None", "dtype: torch.dtype | None = None"]
        top.names.add("torch")
    several = len(view.arch.outputs) > 1
    top.add(view.lines.top)
    presets = sheet.every_preset if sheet is not None else ()
    top.names.update(["Any"] if view.takes_state or presets else [], ["ClassVar"] if presets else [])
    top.names.update(["Sequence"] if view.families else [])
    return {
        "name": view.class_name,
        "doc": _docstring(view, label, sheet),
        "signature": _signature(list(dict.fromkeys(_argument(view, a) for a in view.arguments)), keywords),
        "init": [top.line(line) for line in _init(view)],
        "forward": [top.line(line) for line in _forward(view)],
        "inputs": [f"{_variable(view, name)}: Tensor" for name in spec.inputs],
        "takes_state": view.takes_state,
        "attends": attends(view.arch),
        "trained": literal(tuple(view.lines.trained)) if view.lines.trained else "",
        "returns": f"tuple[{', '.join(['Tensor'] * len(view.arch.outputs))}]" if several else "Tensor",
        "outputs": ", ".join(_variable(view, ref) for ref in view.arch.outputs),
        "presets": [f"{literal(p.name)}: {literal({**view.given(_held(view, sheet, p)), **p.options})}" for p in presets if sheet],
        "entry": "Any" if view.families or any(p.options for p in presets) else "int",
        "blocks": [*preset_blocks(modules, view, sheet, top)] if sheet is not None and modules is not None else [],
        "arguments": arguments_name(view),
        "references": [],
        "layouts": "",
        "letters": literal({size: variable for size, variable in names.items() if size != variable}) if presets else "{}",
    }


def _weights(spec: Spec, top: Top, *, is_alone: bool) -> dict[str, Any]:
    """Return what the template writes of how public implementations name the weights.

    Args:
        is_alone: the module has no file beside it that says so.
    """
    checkpoints = spec.checkpoints
    if checkpoints:
        top.names.update(["Mapping", "load_reference", *(["Any", "ClassVar"] if is_alone else ["weight_names"])])
    return {
        "references": [*table_in_python(checkpoints)] if is_alone else [],
        "layouts": layouts_in_words(checkpoints),
        "layout": literal(next(iter(checkpoints), "")),
        "weight_names": "self.REFERENCES" if is_alone else f"weight_names({literal(spec.name)})",
    }


def _variable(view: ModuleView, ref: str) -> str:
    """Return the local variable of an input, a row, or a row's part."""
    name, _, part = ref.partition(".")
    return view.lines.aliases.get(name) or row_names(view.arch).variables[name] + (f"_{part}" if part else "")


def _argument(view: ModuleView, argument: Argument) -> str:
    family = view.family(argument.name)
    if family is not None:
        defaults = [a.default for a in view.arguments if a.name in family.members]
        given = "" if argument.default is None else f" = ({', '.join(map(str, defaults))}{',' if len(defaults) == 1 else ''})"
        return f"{family.variable}: Sequence[int]{given}"
    if argument.default is None and not argument.optional:
        return f"{argument.variable}: int"
    constant = argument.default is not None and argument.default.is_Integer
    return f"{argument.variable}: int = {argument.default}" if constant else f"{argument.variable}: int | None = None"


def _annotation(default: Any) -> str:
    return type(default).__name__ if isinstance(default, bool | str) else "float"


def _signature(arguments: list[str], keywords: list[str]) -> str:
    parts = ["self", *(["*"] if arguments or keywords else []), *arguments, *keywords]
    one_line = f"    def __init__({', '.join(parts)}) -> None:"
    if len(one_line) <= WIDTH:
        return one_line
    return "    def __init__(\n" + "".join(f"        {part},\n" for part in parts) + "    ) -> None:"


def _init(view: ModuleView) -> list[str]:
    lines = ["super().__init__()", *_entries(view)]
    printer, spec = view.printer, view.arch.spec
    known = {a.name for a in view.arguments}
    plain = printer.variables
    unset = [a.name for a in view.arguments if a.default is not None and not a.default.is_Integer]
    for name in unset:
        lines += _default(view, name, plain)
    for check in checked_when_built(own_conditions(view.arch, known), known):
        lines += _check(view, check, plain, check.when)
    told = [name for name, dim in spec.dims.items() if dim.kind == "derived" and _is_told(view, name, known)]
    wanted = printer.use.built | set(view.attributes)
    lines += [f"{plain[name]} = {printer.definition(name, plain)}" for name in told if name in wanted]
    kept = [*(plain[name] for name in view.attributes), *sorted(view.lines.run_options)]
    if kept:
        lines.append(f"{', '.join(f'self.{name}' for name in kept)} = {', '.join(kept)}")
    made = [line for slot, default in view.slot_defaults.items() for line in _slot(view, slot, default)] + view.lines.init
    if any("**factory" in line for line in made):
        lines.append('factory = {"device": device, "dtype": dtype}')
    return lines + made + (["freeze(self)"] if spec.frozen else [])


def _entries(view: ModuleView) -> list[str]:
    """Return the lines that give the entries of sizes that have several their names."""
    lines = []
    for family in view.families:
        count, names = len(family.members), ", ".join(view.printer.variables[name] for name in family.members)
        lines += [
            f"if len({family.variable}) != {count}:",
            f'    raise ValueError(f"{family.variable} has {count} entries; found {{len({family.variable})}}")',
            f"{names}{',' if count == 1 else ''} = {family.variable}",
        ]
    return lines


def _default(view: ModuleView, name: str, names: dict[str, str]) -> list[str]:
    """Return the lines that work out a size that is not given, where the others lead to one."""
    value, local = view.printer.definition(name, names), names[name]
    checks = [line for one in default_conditions(view.arch, name) for line in _check(view, one, names, (), f" where {local} is not given")]
    if not checks:
        return [f"{local} = {value} if {local} is None else {local}"]
    return [f"if {local} is None:", *(f"    {line}" for line in [*checks, f"{local} = {value}"])]


def _slot(view: ModuleView, slot: str, default: str) -> list[str]:
    needed = view.slot_needs[slot]
    lines = [f"if {slot} is None:"]
    if needed:
        missing = " or ".join(f"{name} is None" for name in needed)
        lines += [f"    if {missing}:", f'        raise ValueError("without {slot}, {" and ".join(needed)} must be given")']
    return [*lines, f"    {slot} = {default}"]


def _is_told(view: ModuleView, name: str, known: set[str]) -> bool:
    value = view.arch.sizes.get(name)
    return value is not None and {s.name for s in value.free_symbols} <= known


def _check(view: ModuleView, check: Requirement, names: dict[str, str], options: Sequence[str], where: str = "") -> list[str]:
    """Return the lines that refuse sizes; where a row needs the condition with certain options alone, they must be on.

    Args:
        where: words that say when the condition must hold.
    """
    order, condition = tuple(view.arch.spec.dims), check.condition
    variables = view.printer.variables
    renamed = {symbol(name): symbol(variable) for name, variable in variables.items() if name != variable}
    text = to_text(condition.xreplace(renamed), tuple(variables.values()))
    used = sorted((s.name for s in condition.free_symbols), key=order.index)
    found = ", ".join(f"{variables[name]} = {{{names[name]}}}" for name in used)
    broken = view.printer.condition(Not(condition), names)
    if options:
        broken = " and ".join([*options, f"({broken})" if isinstance(Not(condition), Or) else broken])
    refusal = f'    raise ValueError(f"{text} must hold{where}; found {found}")'
    if len(refusal) > WIDTH - 8:
        refusal = f'    raise ValueError(\n        "{text} must hold{where}; "\n        f"found {found}"\n    )'
    return [f"if {broken}:", *refusal.splitlines()]


def _switch(option: str) -> str:
    """Return an option, or `not` an option, as it stands in `forward`."""
    word, _, name = option.rpartition(" ")
    return f"not self.{name}" if word else f"self.{name}"


def _forward(view: ModuleView) -> list[str]:
    lines = [(text, "") for text in _unpacked(view)]
    names = dict(view.printer.run_names)
    known = {a.name for a in view.arguments}
    for check in checked_when_run(own_conditions(view.arch, known), known):
        lines += [(text, "") for text in _check(view, check, names, [_switch(option) for option in check.when])]
    lines += [(f"{names[name]} = {view.printer.definition(name, names)}", "") for name in derived_at_run(view)]
    lines += view.lines.forward
    return [_commented(code, comment) for code, comment in lines]


def _unpacked(view: ModuleView) -> list[str]:
    """Read the sizes that only the inputs and the state know."""
    variables, local = row_names(view.arch).variables, view.printer.variables
    lines = []
    wanted: dict[str, dict[int, str]] = {}
    for name, (source, axis) in input_sizes(view.arch.spec).items():
        if name in view.runtime:
            wanted.setdefault(source, {})[axis] = local[name]
    for source, axes in wanted.items():
        rank = len(view.arch.spec.inputs[source].shape)
        if len(axes) == 1:
            ((axis, name),) = axes.items()
            lines.append(f"{name} = {variables[source]}.shape[{axis}]")
        else:
            lines.append(f"{', '.join(axes.get(i, '_') for i in range(rank))} = {variables[source]}.shape")
    lines += [f"{local[name]} = {variables[source]}.shape[{axis}] // {each}" for name, source, axis, each in view.shared]
    for pair in view.counted:
        new, other = local[pair.new.name], local[pair.other.name]
        earlier = f'advance(state, "{other}", {new})'
        lines.append(f"{other} = {earlier}" if pair.is_past else f"{other} = {earlier} + {new}")
    return lines


def _commented(code: str, comment: str) -> str:
    if not comment:
        return code
    column = COMMENT_COLUMN - 8
    return f"{code:<{column}}  # {comment}" if len(code) <= column else f"{code}  # {comment}"


def _label(references: Mapping[str, Reference], view: ModuleView) -> str:
    """Return the short name of the source that a spec cites first; empty where it cites none."""
    cite = view.arch.spec.cite
    return references[cite[0]].label if cite else ""


def _docstring(view: ModuleView, label: str, sheet: Sheet | None) -> list[str]:
    spec, order = view.arch.spec, list(view.arch.spec.dims)
    lines = _wrapped(spec.title.rstrip(".") + (f" ({label})" if label else "") + ".", 4)
    if spec.description:
        lines += ["", *_wrapped(spec.description, 4)]
    values = {name: f" = {to_text(view.arch.sizes[name], order)}" for name, dim in spec.dims.items() if dim.kind == "derived"}
    sizes = ", ".join(f"{_named(dim)}{values.get(name, '')} {dim.meaning}" for name, dim in spec.dims.items())
    renamed = [f"{family.members[0]} to {family.members[-1]} together are {family.variable}" for family in view.families]
    sizes = "; ".join([sizes, *renamed])
    lines += ["", *_wrapped(f"Sizes: {sizes}.", 8)]
    growing = {size.name for pair in growths(view.arch) for size in (pair.new, pair.other)}
    unchecked = unchecked_conditions(view.arch, {a.name for a in view.arguments}, growing)
    if unchecked:
        lines += _wrapped(f"Not checked, as the inputs do not show all of these sizes: {', '.join(one.text for one in unchecked)}.", 8)
    if sheet is not None:
        for one in shown_in(Shown.MODULE):
            if not one.is_idle(sheet.totals):
                lines += _wrapped(f"{one.title}: {to_text(sheet.totals[one.key], order)}.", 8)
    return [line[: len(line) - len(line.lstrip())] + docstring(line) for line in lines]


def _named(dim: Dim) -> str:
    return dim.name if dim.variable == dim.name else f"{dim.name} ({dim.variable})"


def _wrapped(text: str, hanging: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - 4, subsequent_indent=" " * (hanging - 4), break_long_words=False, break_on_hyphens=False)
