"""What can be said about the names in one spec without looking at its shapes or at other specs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Protocol

from generator.spec.model import Expression, Preset, Ref, Spec
from generator.spec.reserved import another_name, reserved
from generator.text.expression_tree import Ast, Name, fold
from generator.text.expressions import FUNCTIONS
from generator.text.problems import Problem
from generator.text.source import Span
from generator.text.suggest import did_you_mean, listed

_IN_EXPRESSIONS = frozenset({*FUNCTIONS, "mod", "div"})


class _Placed(Protocol):
    """Anything that a name stands for."""

    @property
    def span(self) -> Span: ...


def check_structure(spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the names and the order of sizes, options, inputs and slots, and with the names in conditions."""
    yield from _reserved(spec.dims, "size")
    yield from _reserved(spec.options, "option")
    yield from _reserved(spec.slots, "slot")
    yield from _reserved(spec.inputs, "input")
    yield from _clashes(spec)
    yield from _arguments(spec)
    yield from _families(spec)
    for name, dim in spec.dims.items():
        if dim.value is not None:
            yield from _definition(spec, name, dim.value)
    for condition in spec.where:
        yield from unknown_sizes(condition.ast, condition.span, spec.dims)


def check_parts(spec: Spec) -> Iterator[Problem]:
    """Yield what is wrong with the names of rows, and with the names that presets and outputs mention."""
    yield from _reserved(spec.rows, "row")
    for name in spec.inputs.keys() & spec.rows.keys():
        notes = (_first(spec.inputs[name].span), "rename one of them")
        yield Problem(f"row `{name}` has the name of an input", spec.rows[name].span, notes)
    yield from _slots(spec)
    for preset in spec.presets.values():
        yield from _preset(spec, preset)
        yield from _preset_options(spec, preset)
        yield from _preset_slots(spec, preset)
    yield from _twice(spec.outputs)
    yield from _namesakes(spec.outputs)


def check_sizes(spec: Spec) -> Iterator[Problem]:
    """Yield the unknown sizes of inputs and rows, for a spec of which nothing else can be said."""
    written: list[Expression] = []
    for declared in spec.inputs.values():
        written += (*declared.shape, *([declared.below] if declared.below else []))
    for row in spec.rows.values():
        written += (
            *(row.out or ()),
            *([row.repeat] if row.repeat else []),
            *([row.experts] if row.experts else []),
            *([row.capacity] if row.capacity else []),
            *(row.use.sizes.values() if row.use else ()),
        )
        written += (axis for shape in row.carry.values() for axis in shape)
    for expression in written:
        yield from unknown_sizes(expression.ast, expression.span, spec.dims)


def unknown_sizes(ast: Ast, span: Span, dims: Collection[str]) -> Iterator[Problem]:
    """Yield a problem for each name in an expression that is no size; `span` is the place of the whole expression."""
    for name in _names(ast):
        if name.id not in dims:
            yield Problem(f"unknown size `{name.id}`", span.inside(name.start, len(name.id)), size_notes(name.id, dims), name.id)


def size_notes(name: str, dims: Collection[str]) -> tuple[str, ...]:
    """Suggest the size that a name may have been meant to be."""
    return (*did_you_mean(name, filter(str.isidentifier, dims)), f"sizes of this spec: {listed(dims)}")


def _names(ast: Ast) -> list[Name]:
    return fold(ast, lambda node, inner: [node] if isinstance(node, Name) else [name for part in inner for name in part])


def _first(span: Span) -> str:
    return f"the first is on line {span.line}"


def _reserved(parts: Mapping[str, _Placed], kind: str) -> Iterator[Problem]:
    for name, part in parts.items():
        why = reserved(name, kind)
        if kind == "size" and name in _IN_EXPRESSIONS:
            why = "it is a word of expressions"
        if why:
            yield Problem(f"`{name}` cannot be the name of {_a(kind)}: {why}", part.span, (f"call it `{another_name(name, kind)}`",))


def _clashes(spec: Spec) -> Iterator[Problem]:
    """Sizes, options, inputs and slots share one namespace: the arguments of the module."""
    seen: dict[str, tuple[str, Span]] = {}
    sections: dict[str, Mapping[str, _Placed]] = {"size": spec.dims, "option": spec.options, "input": spec.inputs, "slot": spec.slots}
    for kind, parts in sections.items():
        for name, part in parts.items():
            other, span = seen.setdefault(name, (kind, part.span))
            if other != kind:
                yield Problem(f"`{name}` is {_a(other)} and {_a(kind)}", part.span, (_first(span), "rename one of them"))


def _arguments(spec: Spec) -> Iterator[Problem]:
    """Sizes may have another name in the code, which nothing else there has."""
    taken = {**dict.fromkeys(spec.dims, "a size"), **dict.fromkeys(spec.options, "an option"), **dict.fromkeys(spec.slots, "a slot")}
    taken |= dict.fromkeys(spec.inputs, "an input")
    for name, dim in spec.dims.items():
        if not dim.arg or dim.arg == name:
            continue
        why = reserved(dim.arg, "size") or (f"it is {taken[dim.arg]}" if dim.arg in taken else "")
        if why:
            yield Problem(f"`{dim.arg}` cannot be the argument of size `{name}`: {why}", dim.where("arg"))
        taken[dim.arg] = f"the argument of size `{name}`"


def _families(spec: Spec) -> Iterator[Problem]:
    """A size with several entries is one argument of the module, under a name that nothing else there has."""
    sections: dict[str, Mapping[str, _Placed]] = {"size": spec.dims, "option": spec.options, "input": spec.inputs, "slot": spec.slots}
    taken = {name: kind for kind, parts in sections.items() for name in parts}
    taken |= {dim.arg: "the argument of a size" for dim in spec.dims.values() if dim.arg}
    for name, family in spec.families.items():
        for text in dict.fromkeys((name, family.variable)):
            why = reserved(text, "size")
            if text in taken:
                why = f"it is {_a(taken[text])}" if taken[text] in sections else f"it is {taken[text]}"
            if why:
                yield Problem(f"`{text}` cannot be the name of a size with several entries: {why}", family.span)
            taken[text] = "the argument of a size"
    for name, stages in spec.stages.items():
        if name in spec.rows:
            yield Problem(f"`{name}` is a row for one stage and one for several", spec.rows[name].span, (_first(stages.span),))


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _definition(spec: Spec, name: str, value: Expression) -> Iterator[Problem]:
    order = list(spec.dims)
    yield from unknown_sizes(value.ast, value.span, spec.dims)
    for used in _names(value.ast):
        place = value.span.inside(used.start, len(used.id))
        if used.id == name:
            yield Problem(f"size `{name}` is defined by itself", place)
        elif used.id in spec.dims and order.index(used.id) > order.index(name):
            below = spec.dims[used.id].span.line
            note = "list sizes in the order in which they are defined"
            yield Problem(f"size `{name}` is defined by `{used.id}`, which stands below it, on line {below}", place, (note,))


def _slots(spec: Spec) -> Iterator[Problem]:
    filled: dict[str, int] = {}
    for row in spec.rows.values():
        if row.slot in filled:
            note = f"the first is on line {filled[row.slot]}; declare a second slot for this one"
            yield Problem(f"slot `{row.slot}` stands in two rows", row.where("slot"), (note,))
        elif row.slot:
            filled[row.slot] = row.span.line
    if any(row.broken or (row.slot and row.slot not in spec.slots) for row in spec.rows.values()):
        return  # it may be the row that the slot is for
    for name, slot in spec.slots.items():
        if name not in filled:
            yield Problem(f"slot `{name}` stands in no row", slot.span, (f"a row fills it: `{name}: {{slot: {name}}}`",))


def _preset(spec: Spec, preset: Preset) -> Iterator[Problem]:
    settable = [name for name, dim in spec.dims.items() if dim.kind != "derived"]
    for name in preset.sizes:
        dim = spec.dims.get(name)
        place = preset.named(f"set.{name}")
        if name in spec.options:
            yield Problem(
                f"preset `{preset.name}` sets `{name}`, which is an option",
                place,
                (f"options stand beside `set`: options: {{{name}: ...}}",),
            )
        elif dim is None:
            notes = (*did_you_mean(name, filter(str.isidentifier, settable)), f"sizes: {listed(settable)}")
            yield Problem(f"preset `{preset.name}` sets `{name}`, which is not a size of `{spec.name}`", place, notes)
        elif dim.kind == "derived" and dim.value is not None:
            yield Problem(f"preset `{preset.name}` sets `{name}`, which is always {dim.value.text}", place)


def _preset_options(spec: Spec, preset: Preset) -> Iterator[Problem]:
    for name in preset.options:
        if name not in spec.options:
            notes = (*did_you_mean(name, spec.options), f"options: {listed(spec.options) or 'none'}")
            yield Problem(
                f"preset `{preset.name}` sets `{name}`, which is not an option of `{spec.name}`", preset.named(f"options.{name}"), notes
            )


def _preset_slots(spec: Spec, preset: Preset) -> Iterator[Problem]:
    for name in preset.slots:
        if name not in spec.slots:
            notes = (*did_you_mean(name, spec.slots), f"slots: {listed(spec.slots) or 'none'}")
            yield Problem(
                f"preset `{preset.name}` fills `{name}`, which is not a slot of `{spec.name}`", preset.named(f"slots.{name}"), notes
            )


def _twice(outputs: tuple[Ref, ...]) -> Iterator[Problem]:
    seen: set[str] = set()
    for ref in outputs:
        if ref.text in seen:
            yield Problem(f"`{ref.text}` stands twice in `outputs`", ref.span)
        seen.add(ref.text)


def _namesakes(outputs: tuple[Ref, ...]) -> Iterator[Problem]:
    """Yield the outputs that would have one name as results of a row that uses the spec."""
    seen: dict[str, Ref] = {}
    for ref in outputs:
        name = ref.result_name
        other = seen.setdefault(name, ref)
        if other.text != ref.text:
            note = f"`{other.text}` is handed on as `{name}` too, so one of them would be lost; rename a row"
            yield Problem(f"two outputs have the name `{name}`", ref.span, (note,))
