"""Writes a module: the view of its spec through the template."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from typing import Any

from sympy import Not, Or

from generator.formulas.text import to_text
from generator.render.environment import environment
from generator.render.module.checks import checked_when_built, checked_when_run, own_conditions
from generator.render.module.escape import comment, docstring, literal
from generator.render.module.lines import row_names
from generator.render.module.names import class_name, imported_name, names_in, renamed
from generator.render.module.signature import input_sizes
from generator.render.module.view import ModuleSet, ModuleView, derived_at_run
from generator.resolve.architecture import Requirement
from generator.sheet.compiled import Compiled
from generator.sheet.sheet import Sheet
from generator.spec.library import Library
from generator.spec.model import Checkpoint, WeightRule
from generator.spec.reserved import FUNCTIONAL

WIDTH = 120
COMMENT_COLUMN = 72  # shape comments stand here, or two spaces behind a longer line


def render_module(compiled: Compiled, library: Library) -> str:
    """Return the source of a spec's PyTorch module."""
    view = ModuleSet(library).view(compiled.sheet.name)
    template, values = environment().get_template("module/module.py.jinja"), _values(view, compiled.sheet)
    # The names of sizes, options and slots are the reader's; an import of the same name gives way.
    own = {*view.arch.spec.dims, *view.arch.spec.options, *view.arch.spec.slots}
    functional = imported_name(FUNCTIONAL, own)
    used = names_in(template.render(imports=[], constants=_constants(view), **values))
    text = template.render(imports=_imports(view, used, functional), constants=_constants(view), **values)
    return text if functional == FUNCTIONAL else renamed(text, FUNCTIONAL, functional)


def _values(view: ModuleView, sheet: Sheet) -> dict[str, Any]:
    arguments = [_argument(a) for a in view.arguments]
    keywords = [f"{o.name}: {_annotation(o.default)} = {literal(o.default)}" for o in view.options]
    keywords += [f"{slot}: nn.Module | None = None" for slot in view.slots]
    names = {a.name for a in view.arguments}
    return {
        "title": docstring(sheet.title),
        "source": docstring(sheet.source),
        "source_hash": sheet.source_hash[:16],
        "class_name": view.class_name,
        "doc": _docstring(sheet),
        "signature": _signature(arguments, keywords),
        "init": _init(view),
        "forward": _forward(view),
        "inputs": [f"{_variable(view, name)}: Tensor" for name in view.arch.spec.inputs],
        "takes_state": view.takes_state,
        "returns": "Tensor" if len(view.arch.outputs) == 1 else f"tuple[{', '.join(['Tensor'] * len(view.arch.outputs))}]",
        "outputs": ", ".join(_variable(view, ref) for ref in view.arch.outputs),
        "references": [_reference(c) for c in view.arch.spec.checkpoints.values()],
        "presets": [
            f"{literal(p.name)}: {literal({name: value for name, value in p.sizes.items() if name in names})}" for p in sheet.presets
        ],
    }


def _variable(view: ModuleView, ref: str) -> str:
    """Return the local variable of an input, a row, or a row's part."""
    name, _, part = ref.partition(".")
    return row_names(view.arch).variables[name] + (f"_{part}" if part else "")


def _argument(argument: Any) -> str:
    if argument.default is None and not argument.optional:
        return f"{argument.name}: int"
    constant = argument.default is not None and argument.default.is_Integer
    return f"{argument.name}: int = {argument.default}" if constant else f"{argument.name}: int | None = None"


def _annotation(default: Any) -> str:
    return type(default).__name__ if isinstance(default, bool | str) else "float"


def _signature(arguments: list[str], keywords: list[str]) -> str:
    parts = ["self", *arguments, *(["*", *keywords] if keywords else [])]
    one_line = f"    def __init__({', '.join(parts)}) -> None:"
    if len(one_line) <= WIDTH:
        return one_line
    return "    def __init__(\n" + "".join(f"        {part},\n" for part in parts) + "    ) -> None:"


def _init(view: ModuleView) -> list[str]:
    lines = ["super().__init__()"]
    printer, spec = view.printer, view.arch.spec
    known = {a.name for a in view.arguments}
    plain = {name: name for name in spec.dims}
    unset = [a.name for a in view.arguments if a.default is not None and not a.default.is_Integer]
    lines += [f"{name} = {printer.definition(name, plain)} if {name} is None else {name}" for name in unset]
    for check in checked_when_built(own_conditions(view.arch, known), known):
        lines += _check(view, check, plain, check.when)
    told = [name for name, dim in spec.dims.items() if dim.kind == "derived" and _is_told(view, name, known)]
    wanted = printer.use.built | set(view.attributes)
    lines += [f"{name} = {printer.definition(name, plain)}" for name in told if name in wanted]
    kept = [*view.attributes, *sorted(view.lines.run_options)]
    if kept:
        lines.append(f"{', '.join(f'self.{name}' for name in kept)} = {', '.join(kept)}")
    for slot, default in view.slot_defaults.items():
        lines += _slot(view, slot, default)
    return lines + view.lines.init


def _reference(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "layout": literal(checkpoint.layout),
        "model": comment(checkpoint.model),
        "rules": [_rule(rule) for rule in checkpoint.rules],
        "ignore": literal(list(checkpoint.ignore)),
    }


def _rule(rule: WeightRule) -> str:
    source: Any = rule.sources[0] if len(rule.sources) == 1 else list(rule.sources)
    values: dict[str, Any] = {"to": rule.to, "from": source}
    if rule.transpose:
        values["transpose"] = True
    if rule.part is not None:
        values["part"] = rule.part
    if rule.reshape:
        values["reshape"] = True
    return literal(values)


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


def _check(view: ModuleView, check: Requirement, names: dict[str, str], options: Sequence[str]) -> list[str]:
    """Return the lines that refuse sizes; where a row needs the condition with certain options alone, they must be on."""
    order, condition = tuple(view.arch.spec.dims), check.condition
    text = to_text(condition, order)
    used = sorted((s.name for s in condition.free_symbols), key=order.index)
    found = ", ".join(f"{name} = {{{names[name]}}}" for name in used)
    broken = view.printer.condition(Not(condition), names)
    if options:
        broken = " and ".join([*options, f"({broken})" if isinstance(Not(condition), Or) else broken])
    refusal = f'    raise ValueError(f"{text} must hold; found {found}")'
    if len(refusal) > WIDTH - 8:
        refusal = f'    raise ValueError(\n        f"{text} must hold; "\n        f"found {found}"\n    )'
    return [f"if {broken}:", *refusal.splitlines()]


def _forward(view: ModuleView) -> list[str]:
    lines = [(text, "") for text in _unpacked(view)]
    names = dict(view.printer.run_names)
    known = {a.name for a in view.arguments}
    for check in checked_when_run(own_conditions(view.arch, known), known):
        lines += [(text, "") for text in _check(view, check, names, [f"self.{option}" for option in check.when])]
    lines += [(f"{name} = {view.printer.definition(name, names)}", "") for name in derived_at_run(view)]
    lines += view.lines.forward
    return [_commented(code, comment) for code, comment in lines]


def _unpacked(view: ModuleView) -> list[str]:
    """Read the sizes that only the inputs and the state know."""
    variables = row_names(view.arch).variables
    lines = []
    wanted: dict[str, dict[int, str]] = {}
    for name, (source, axis) in input_sizes(view.arch.spec).items():
        if name in view.runtime:
            wanted.setdefault(source, {})[axis] = name
    for source, axes in wanted.items():
        rank = len(view.arch.spec.inputs[source].shape)
        if len(axes) == 1:
            ((axis, name),) = axes.items()
            lines.append(f"{name} = {variables[source]}.shape[{axis}]")
        else:
            lines.append(f"{', '.join(axes.get(i, '_') for i in range(rank))} = {variables[source]}.shape")
    lines += [f"{name} = {variables[source]}.shape[{axis}] // {each}" for name, source, axis, each in view.shared]
    for pair in view.counted:
        earlier = f'advance(state, "{pair.other}", {pair.new})'
        lines.append(f"{pair.other} = {earlier}" if pair.is_past else f"{pair.other} = {earlier} + {pair.new}")
    return lines


def _commented(code: str, comment: str) -> str:
    if not comment:
        return code
    column = COMMENT_COLUMN - 8
    return f"{code:<{column}}  # {comment}" if len(code) <= column else f"{code}  # {comment}"


def _docstring(sheet: Sheet) -> list[str]:
    order = [size.name for size in sheet.sizes]
    cite = sheet.references[sheet.cite[0]].label if sheet.cite else ""
    title = sheet.title.rstrip(".") + (f" ({cite})" if cite else "") + "."
    lines = _wrapped(title, 4)
    if sheet.description:
        lines += ["", *_wrapped(sheet.description, 4)]
    sizes = [
        f"{s.name}{f' = {to_text(s.value, order)}' if s.kind == 'derived' and s.value is not None else ''} {s.meaning}" for s in sheet.sizes
    ]
    lines += ["", *_wrapped("Sizes: " + ", ".join(sizes) + ".", 8)]
    for label, key in (("Parameters", "params"), ("MACs", "macs"), ("State", "state_elements")):
        if key != "state_elements" or sheet.totals[key] != 0:
            lines += _wrapped(f"{label}: {to_text(sheet.totals[key], order)}.", 8)
    return [line[: len(line) - len(line.lstrip())] + docstring(line) for line in lines]


def _wrapped(text: str, hanging: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - 4, subsequent_indent=" " * (hanging - 4), break_long_words=False, break_on_hyphens=False)


def _constants(view: ModuleView) -> list[str]:
    return [statement for statement in view.lines.statements if not statement.startswith(("from ", "import "))]


def _imports(view: ModuleView, used: Collection[str], functional: str) -> list[str]:
    """Return the blocks of imports of what a module uses."""
    statements = list(view.lines.statements)
    abstract = sorted({s.rsplit(" ", 1)[1] for s in statements if s.startswith("from collections")} | ({"Mapping"} & set(used)))
    standard = [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    standard += [s for s in statements if s.startswith("from copy ")]
    standard += ["import math"] if "math" in used else []
    typing = [name for name in ("Any", "ClassVar") if name in used]
    standard += [f"from typing import {', '.join(typing)}"] if typing else []
    torch = ["import torch"] if "torch" in used else []
    torch += [f"import torch.nn.functional as {functional}"] if FUNCTIONAL in used else []
    torch.append(f"from torch import {', '.join(name for name in ('Tensor', 'nn') if name in used)}")
    own = [*_state_imports(statements, used), *(_class_import(name, local) for name, local in view.lines.children.items())]
    own += ["from ._reference import load_reference"] if "load_reference" in used else []
    blocks = ["from __future__ import annotations", "\n".join(sorted(standard, key=_import_key)), "\n".join(torch), "\n".join(sorted(own))]
    return [block for block in blocks if block]


def _class_import(spec: str, local: str) -> str:
    name = class_name(spec)
    return f"from .{spec} import {name}" + ("" if local == name else f" as {local}")


def _import_key(line: str) -> tuple[bool, str]:
    """Plain imports come first, as ruff sorts them."""
    return line.startswith("from "), line


def _state_imports(statements: Sequence[str], used: Collection[str]) -> list[str]:
    names = sorted({s.rsplit(" ", 1)[1] for s in statements if s.startswith("from ._state import ")} & set(used))
    return [f"from ._state import {', '.join(names)}"] if names else []
