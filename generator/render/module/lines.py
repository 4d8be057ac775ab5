"""The lines of a module: one or a few per row, from the op's template."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from generator.ops.base import Op
from generator.ops.bias import bias_of, shares_bias
from generator.ops.cache import Cache
from generator.ops.convolution import Convolution
from generator.ops.linear import Linear
from generator.ops.params import Flag
from generator.render.environment import environment
from generator.render.module.code_scope import RowCode
from generator.render.module.imports import Top
from generator.render.module.initial_lines import initial_line
from generator.render.module.pattern_lines import pattern_init
from generator.render.module.python_names import safe
from generator.render.module.signature import SizePrinter
from generator.render.module.wrapping import LONGEST, wrapped
from generator.resolve.architecture import Architecture, BlockRow, BoundRow, OpRow, SkippedRow
from generator.resolve.once import is_kept_once, run_once
from generator.resolve.shape_text import show_size
from generator.spec.reserved import LOCALS, MODULE_ATTRIBUTES
from generator.spec.stages import Family
from generator.text.problems import Problem, ProblemsError
from generator.trace.tensor import Shape

_ALIAS = re.compile(r"\w+ = ((?:self\.)?[A-Za-z_]\w*)")  # a line that only gives something another name
TEMPORARIES = ("collected", "future", "hidden", "past", "seen", "start", "step", "steps")  # `<row>_past`: what lines of ops need on the way
OF_EXPERTS = ("chosen", "gates", "mixed", "place", "token", "tokens")  # what those of a mixture of experts need


Written = Callable[[str], tuple[list[str], list[str]]]  # of the name of an attribute: the lines that make it, and those that run it


@dataclass
class Lines:
    """What the rows of a spec come to."""

    init: list[str] = field(default_factory=list)
    forward: list[tuple[str, str]] = field(default_factory=list)  # code, shape comment
    rows: list[str] = field(default_factory=list)  # which row each line of `forward` belongs to
    top: Top = field(default_factory=Top)
    run_options: set[str] = field(default_factory=set)
    trained: list[str] = field(default_factory=list)  # attributes whose weights learn, whatever is around them
    aliases: dict[str, str] = field(default_factory=dict)  # rows that are another variable or an attribute, and need no line
    built_with: dict[str, set[str]] = field(default_factory=dict)  # the sizes that each row needs when the module is built


@dataclass(frozen=True)
class Names:
    """Local variables and attributes of rows and inputs."""

    variables: dict[str, str]
    attributes: dict[str, str]


def row_names(arch: Architecture) -> Names:
    """Give each input and row a local variable and an attribute that hide nothing."""
    spec = arch.spec
    sizes = {
        *spec.dims,
        *(dim.variable for dim in spec.dims.values()),
        *(family.variable for family in spec.families.values()),
        *spec.options,
    }
    suffixes = {row.name: _suffixes(row) for row in arch.rows}
    derived = {f"{name}_{suffix}" for name, behind in suffixes.items() for suffix in behind}
    variables: dict[str, str] = {}
    for name in (*spec.inputs, *spec.rows):
        taken = {*LOCALS, *sizes, *derived, *variables.values()}
        # What hangs onto the name must not hide a size either.
        taken |= {size.removesuffix(f"_{suffix}") for size in sizes for suffix in suffixes.get(name, ()) if size.endswith(f"_{suffix}")}
        variables[name] = safe(name, taken)
    attributes: dict[str, str] = {}
    for name in spec.rows:
        attributes[name] = safe(name, {*MODULE_ATTRIBUTES, *sizes, *attributes.values()})
    for stages in spec.stages.values():
        if are_one_list(arch, stages):
            one = safe(stages.name, {*MODULE_ATTRIBUTES, *sizes, *attributes.values()})
            attributes |= {name: f"{one}[{at}]" for at, name in enumerate(stages.members)}
    return Names(variables, attributes)


def are_one_list(arch: Architecture, stages: Family) -> bool:
    """Say whether the rows of several stages are one list of modules: each is a block, and none is more or less than that."""
    rows = [row for row in arch.rows if row.name in stages.members]
    return all(
        isinstance(row, BlockRow) and row.row.use and not (row.row.repeat or row.row.scan or row.row.when or row.row.tie) for row in rows
    )


def _suffixes(row: BoundRow) -> set[str]:
    """Return what the lines of a row hang onto its name: its results, the inputs of a cell, and what lines of ops need on the way."""
    cell = row.child.spec.inputs if row.row.scan and row.child is not None else ()
    return {*(part for part in row.results if part), *cell, *TEMPORARIES, *(OF_EXPERTS if row.row.experts is not None else ())}


class LineWriter:
    """Writes the lines of one spec.

    Args:
        children: for each row that uses a block, the Python of its construction (see generator.render.module.children).
    """

    def __init__(self, arch: Architecture, printer: SizePrinter, names: Names, construct: Any, top: Top) -> None:
        self.arch = arch
        self.printer = printer
        self.names = names
        self.construct = construct
        self.lines = Lines(top=top)
        self.holders: dict[str, str] = {}  # for each row so far, the attribute that has its weights
        self.made: dict[str, list[str]] = {}  # attribute: the lines that make it
        self.stages: dict[str, list[str]] = {}  # what is known so far of lists of stages
        self.once = run_once(arch.spec)
        self.kept_once = [row.name for row in arch.rows if isinstance(row.op, Cache) and row.op.once]
        served = [name for name in self.kept_once if is_kept_once(arch.spec.rows[name])]  # those that no option switches off come first
        self.kept_first = next((names.attributes[name] for name in (*served, *self.kept_once)), "")  # until the first step is asked for
        self.is_guarded = False  # whether the last line runs in the first step alone

    def write(self) -> Lines:
        """Return the lines of all rows."""
        use = self.printer.use
        for bound in self.arch.rows:
            before, use.built = use.built, set()
            self._row(bound)
            self.lines.built_with[bound.name] = use.built
            use.built = before | use.built
        return self.lines

    def variable(self, ref: str) -> str:
        """Return the local variable of `row` or `row.part`."""
        name, _, part = ref.partition(".")
        return self.lines.aliases.get(name) or self.names.variables[name] + (f"_{part}" if part else "")

    def _row(self, bound: BoundRow) -> None:
        init: list[str] = []
        forward: list[tuple[str, str]] = []
        if isinstance(bound, SkippedRow):  # where an option decides that it is not there, nothing is written of it
            self.holders[bound.name] = self.names.attributes[bound.name]
            return
        if isinstance(bound, OpRow):
            self._op(bound, init, forward)
        elif isinstance(bound, BlockRow):
            (self._pattern if bound.row.is_varied else self._block)(bound, init, forward)
        init += self._frozen(bound, is_made=bool(init))
        if bound.row.when:
            option, target, source = bound.row.when, self.variable(bound.name), self.variable(bound.instead)
            self.lines.run_options.add(option)
            if init:
                init = [f"if {option}:", *(f"    {line}" for line in init)]
            forward = _when(f"self.{option}", target, source, forward)
        elif len(forward) == 1 and (alias := _ALIAS.fullmatch(forward[0][0])):
            self.lines.aliases[bound.name] = alias[1]
            forward = []
        forward = self._in_its_step(bound, forward)
        top = self.lines.top
        init = [part for line in init for part in wrapped(top.line(line))]
        forward = [part for code, comment in forward for part in _with_comment(wrapped(top.line(code)), comment)]
        self.lines.init += init
        self.lines.forward += forward
        self.lines.rows += [bound.name] * len(forward)

    def _frozen(self, bound: BoundRow, *, is_made: bool) -> list[str]:
        """Return the lines that keep a row's weights from learning, once they are made: those of stages with the last of them."""
        said, attribute = bound.row.frozen, self.holders[bound.name].partition("[")[0]
        if said is False and attribute not in self.lines.trained:
            self.lines.trained.append(attribute)
        if not said or not is_made:
            return []
        if bound.op is None:
            freeze = f"freeze(self.{attribute})"
            return [f"if {said}:", f"    {freeze}"] if isinstance(said, str) else [freeze]
        learns = f"not {said}" if isinstance(said, str) else "False"
        return [f"self.{attribute}.requires_grad_({learns})"]

    def _in_its_step(self, bound: BoundRow, forward: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the lines of a row so that they run in the first step of decoding alone, if it is one that does."""
        lines: list[tuple[str, str]] = []
        if self.kept_first and (bound.name in self.once or bound.name in self.kept_once):
            lines.append((f'is_first = state is None or "{self.kept_first}" not in state', ""))
            self.kept_first = ""
        if not forward or bound.name not in self.once:
            self.is_guarded = self.is_guarded and not forward
            return [*lines, *forward]
        if not self.is_guarded:
            lines.append(("if is_first:", ""))
        self.is_guarded = True
        return [*lines, *((f"    {code}", comment) for code, comment in forward)]

    def _op(self, bound: OpRow, init: list[str], forward: list[tuple[str, str]]) -> None:
        op = bound.op
        target = self.variable(bound.name)
        parts = [part for part in bound.results if part]
        targets = tuple(f"{target}_{part}" for part in parts) or (target,)
        scope = RowCode(
            self.printer,
            bound,
            self.names.attributes[bound.name],
            target,
            targets,
            tuple(self.variable(name) for name in bound.input_names),
            self.lines.top,
            self.lines.run_options,
        )
        values = {
            "out": ", ".join(targets),
            "x": scope.inputs[0] if scope.inputs else "",
            "xs": scope.inputs,
            "starts": bool(bound.initial),
        }
        macros: Any = environment().get_template(f"ops/{op.template or op.name}.jinja").module

        def written(name: str) -> tuple[list[str], list[str]]:
            scope.name = name
            said = {"name": name, **values, **op.code(scope)}
            made = str(macros.init(said)) if hasattr(macros, "init") else ""
            return _code_lines(made), _code_lines(str(macros.forward(said)))

        holder, made, code = self._held(bound, op, scope, written)
        self.holders[bound.name] = holder
        self.made.setdefault(holder, made)
        init += [*made, *self._initial(bound, op, holder)]
        comments = [""] * (len(code) - 1) + ["; ".join(self.shape_comment(x.shape) for x in bound.results.values())]
        forward += list(zip(code, comments, strict=True))

    def _held(self, bound: OpRow, op: Op, scope: RowCode, written: Written) -> tuple[str, list[str], list[str]]:
        """Return the attribute that has a row's weights, the lines that make it, and those that run it.

        A row that is tied to another applies the module of that one again, where its own would be made by the same lines.
        """
        own, tied = self.names.attributes[bound.name], bound.row.tie
        if bound.row.tie_when:
            return own, *self._tied_by_option(bound, op, written)
        if not tied:
            return own, *written(own)
        other = self.holders[tied]
        made, code = written(other)
        has_own = "bias" in bound.row.params or any(weight.trainable for weight in bound.weights.values())
        if made == self.made[other] and not has_own:
            return other, [], code
        is_bare = {row.name: row.op is not None and row.op.is_bare for row in self.arch.rows}
        if op.is_bare:
            (name,) = bound.shared
            path = other if is_bare[tied] else f"{other}.{name}"
            return path, [], written(path)[1]
        made, code = written(own)
        shared = [*bound.shared, *self._bias_by_option(bound, op, scope)]
        return own, [*made, *(f"self.{own}.{name} = self.{other if is_bare[tied] else f'{other}.{name}'}" for name in shared)], code

    def _tied_by_option(self, bound: OpRow, op: Op, written: Written) -> tuple[list[str], list[str]]:
        """Return the lines that make a row's own weights, or share those of another where the option says so, and those that run it."""
        own, tied = self.names.attributes[bound.name], bound.row.tie or bound.row.loose
        other, is_bare = self.holders[tied], any(row.name == tied and row.op is not None and row.op.is_bare for row in self.arch.rows)
        made, code = written(own)
        pairs = [("" if op.is_bare else f".{name}", "" if is_bare else f".{name}") for name in (*bound.shared, *bound.loose)]
        return [*made, f"if {bound.row.tie_when}:", *(f"    self.{own}{mine} = self.{other}{theirs}" for mine, theirs in pairs)], code

    def _initial(self, bound: OpRow, op: Op, holder: str) -> list[str]:
        """Return the lines that give weights their initial values, where the row says which."""
        lines: list[str] = []
        by_option = any(isinstance(setting, Flag) and setting.option for setting in vars(op).values())
        for name, initial in bound.initial.items():
            path = f"self.{holder}" if op.is_bare else f"self.{holder}.{name}"
            line = initial_line(initial, path, self.printer)
            lines += [f"if {path} is not None:", f"    {line}"] if by_option else [line]
        return lines

    def _bias_by_option(self, bound: OpRow, op: Op, scope: RowCode) -> list[str]:
        """Return the bias that a row shares where an option says so that is off by default."""
        if "bias" in bound.shared or not isinstance(op, Convolution | Linear):
            return []
        return ["bias"] if shares_bias(op, scope) and bias_of(op, scope).option else []

    def shape_comment(self, shape: Shape) -> str:
        """Return a shape as the comment behind a line: `b n (2*d)`."""
        axes = (_axis(show_size(size, self.arch.sizes)) for size in shape)
        return " ".join("..." if self.arch.spec.rest and axis == self.arch.spec.rest else axis for axis in axes) or "scalar"

    def _pattern(self, bound: BlockRow, init: list[str], forward: list[tuple[str, str]]) -> None:
        own = self.holders[bound.name] = self.names.attributes[bound.name]
        kinds = {part.name: self._layer(own, part, init) for part in bound.child.rows if isinstance(part, BlockRow)}
        init += [*pattern_init(bound, own, self.printer, kinds), f"recompute_layers(self.{own}, recompute)"]
        comment = "; ".join(self.shape_comment(x.shape) for x in bound.results.values())
        forward += self._loop(bound, own, own, [self.variable(name) for name in bound.input_names], comment)

    def _layer(self, own: str, kind: BlockRow, init: list[str]) -> str:
        """Return the Python of a layer of one kind; where all are one, that is made before, or is there already."""
        made: str = self.construct(kind, self.lines)
        if kind.row.tie:
            holder = self.holders[kind.row.tie]
            if self.made[holder] != [made, "1"]:
                raise ProblemsError([_built_otherwise(kind)])
            return f"self.{holder}"
        if not kind.row.share:
            return made
        spec, variables = self.arch.spec, self.printer.variables.values()
        name = safe(f"{own}_{kind.name}", {*LOCALS, *spec.dims, *spec.options, *spec.slots, *variables})
        init += wrapped(f"{name} = {made}")
        return name

    def _block(self, bound: BlockRow, init: list[str], forward: list[tuple[str, str]]) -> None:
        own = self.names.attributes[bound.name]
        attribute = self.holders[bound.row.tie] if bound.row.tie else own
        self.holders[bound.name] = attribute
        inputs = [self.variable(name) for name in bound.input_names]
        comment = "; ".join(self.shape_comment(x.shape) for x in bound.results.values())
        construction = self.construct(bound, self.lines)
        stateful = bound.keeps_state
        hands_on = bool(bound.row.slot) and self.arch.spec.slots[bound.row.slot].state and not bound.forgets
        made = [construction, str(bound.repeat)]
        if self.made.setdefault(attribute, made) != made:
            raise ProblemsError([_built_otherwise(bound)])
        if bound.row.scan:
            init.append(f"self.{attribute} = {construction}")
            forward += _scan_lines(self, bound, attribute, own, inputs)
        elif bound.row.repeat is not None and bound.row.share:
            init += [
                f"self.{attribute} = {construction}",
                f"recompute_layers([self.{attribute}] * {self.printer.built_operand(bound.repeat)}, recompute)",
            ]
            forward += self._loop(bound, attribute, own, inputs, comment)
        elif bound.row.repeat is not None or bound.row.experts is not None:
            if bound.row.slot:  # each layer has weights of its own, as those of torch's nn.TransformerEncoder
                construction = f"deepcopy({construction})"
            count = self.printer.built(bound.repeat)
            stack = f"self.{attribute} = nn.ModuleList({construction} for _ in range({count}))"
            if len(stack) <= LONGEST:
                init.append(stack)
            else:
                block = wrapped(f"    {construction}")
                init += [f"self.{attribute} = nn.ModuleList(", *block, f"    for _ in range({count})", ")"]
            if bound.row.experts is not None:
                forward += self._experts(bound, attribute, inputs, comment)
            else:
                init.append(f"recompute_layers(self.{attribute}, recompute)")
                forward += self._loop(bound, attribute, own, inputs, comment)
        else:
            init += self._stage(attribute, construction) if "[" in own else [f"self.{attribute} = {construction}"]
            key = own.replace("[", ".").removesuffix("]")
            arguments = [*inputs, f'substate(state, "{key}")'] if stateful else inputs
            call = f"self.{attribute}({', '.join(arguments)})"
            if hands_on:
                call = f'with_state(self.{attribute}, {", ".join(inputs)}, state=substate(state, "{own}"))'
            forward.append((f"{', '.join(self._targets(bound))} = {call}", comment))
        if bound.row.tie:
            init.clear()

    def _stage(self, attribute: str, construction: str) -> list[str]:
        """Return the lines that make a list of stages, once the last of them is known."""
        one = attribute.partition("[")[0]
        stages = self.stages.setdefault(one, [])
        stages.append(construction)
        if len(stages) < sum(other.startswith(f"{one}[") for other in self.names.attributes.values()):
            return []
        lines = [f"{line}," if last else line for text in stages for line, last in _with_last(wrapped(f"        {text}"))]
        return [f"self.{one} = nn.ModuleList(", "    [", *lines, "    ]", ")"]

    def _experts(self, bound: BlockRow, attribute: str, inputs: list[str], comment: str) -> list[tuple[str, str]]:
        """Return the lines that run each expert on the tokens that have chosen it."""
        target = self.variable(bound.name)
        x, y = bound.inputs[0], bound.result
        is_flat = x.rank == 2
        names = [f"{target}_{name}" for name in ("tokens", "chosen", "gates")][: len(inputs)]
        lines = [(f"{name} = {given}.flatten(0, -2)", "") for name, given in zip(names, inputs, strict=True)] if not is_flat else []
        tokens, chosen, *gates = inputs if is_flat else names
        token, place, mixed = f"{target}_token", f"{target}_place", target if is_flat else f"{target}_mixed"
        width = f"{tokens}.shape" if x.shape[-1] == y.shape[-1] else f"len({tokens}), {self.printer.run(y.shape[-1])}"
        rows, result = f"{tokens}[{token}]", f"expert({tokens}[{token}])"
        for _ in range(len(next(iter(bound.child.inputs.values())).shape) - 2):
            rows = f"{rows}.unsqueeze(0)"
            result = f"expert({rows}).squeeze(0)"
        found = f"torch.where({chosen} == index)"
        if bound.capacity is not None:
            found = f"(found[:{self.printer.run(bound.capacity)}] for found in {found})"
        weighted = f"{result} * {gates[0]}[{token}, {place}, None]" if gates else result
        lines += [
            (f"{mixed} = {tokens}.new_zeros({width})", ""),
            (f"for index, expert in enumerate(self.{attribute}):", ""),
            (f"    {token}, {place} = {found}", ""),
            (f"    {mixed}.index_add_(0, {token}, {weighted})", comment if is_flat else ""),
        ]
        return lines if is_flat else [*lines, (f"{target} = {mixed}.unflatten(0, {inputs[0]}.shape[:-1])", comment)]

    def _targets(self, bound: BoundRow) -> list[str]:
        """Return the variables that a row's results go to."""
        target = self.variable(bound.name)
        return [f"{target}_{part}" for part in bound.results if part] or [target]

    def _loop(self, bound: BoundRow, attribute: str, own: str, inputs: list[str], comment: str) -> list[tuple[str, str]]:
        """Return the lines that run a stack of layers, each on what the one before has made of the first inputs.

        Args:
            attribute: the layers, or the one layer of a stack that shares its weights; `own` is that of the row, for its state.
        """
        targets = self._targets(bound)
        carried = inputs[: len(targets)]
        lines = [(f"{', '.join(targets)} = {', '.join(carried)}", "")] if targets != carried else []
        arguments = [*targets, *inputs[len(targets) :]]
        is_one = bound.row.share and not bound.row.is_varied
        layer = f"self.{attribute}" if is_one else "layer"
        state = f'substate(state, f"{own}.{{index}}")'
        keeps = {part.keeps_state for part in bound.child.rows} if bound.row.is_varied and bound.child is not None else set()
        call = f"{layer}({', '.join([*arguments, *([state] if bound.keeps_state else [])])})"
        if len(keeps) > 1:  # some kinds of layers keep a state, and others do not
            call = f"with_state({layer}, {', '.join(arguments)}, state={state})"
        if is_one:
            head = f"for {'index' if bound.keeps_state else '_'} in range({self.printer.run(bound.repeat)}):"
        elif bound.keeps_state:
            head = f"for index, layer in enumerate(self.{attribute}):"
        else:
            head = f"for layer in self.{attribute}:"
        return [*lines, (head, ""), (f"    {', '.join(targets)} = {call}", comment)]


def _code_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _when(condition: str, target: str, source: str, lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the lines of a row that hands its input through unless a condition holds: one expression where the row is one."""
    code, comment = lines[0]
    expression = code.removeprefix(f"{target} = ")
    choice = f"{target} = {expression} if {condition} else {source}"
    if len(lines) == 1 and expression != code and len(choice) <= LONGEST and " if " not in expression:
        return [(choice, comment)]
    return [(f"{target} = {source}", ""), (f"if {condition}:", ""), *((f"    {code}", comment) for code, comment in lines)]


def _built_otherwise(bound: BoundRow) -> Problem:
    note = "sizes that the module reads off its inputs may differ; those with which it is built may not"
    message = f"`{bound.name}` is tied to `{bound.row.tie}`, but would have to be built with other sizes"
    return Problem(message, bound.row.where("tie"), (note,))


def _with_comment(code: list[str], comment: str) -> list[tuple[str, str]]:
    """Put a comment behind the last of a statement's lines."""
    return [*((line, "") for line in code[:-1]), (code[-1], comment)]


def _with_last(lines: list[str]) -> list[tuple[str, bool]]:
    return [(line, line is lines[-1]) for line in lines]


def _axis(text: str) -> str:
    return text if text.replace("_", "").isalnum() else f"({text})"


def _scan_lines(writer: LineWriter, bound: BlockRow, attribute: str, own: str, inputs: list[str]) -> list[tuple[str, str]]:
    """Return the lines that run a cell, which is `attribute`, along an axis; the row's `own` name is that of its state."""
    target = writer.variable(bound.name)
    states = list(bound.row.carry)
    local = {name: f"{target}_{name}" for name in bound.child.spec.inputs}
    sliced = [local[name] for name in local if name not in states]
    axis = _scan_axis(writer.arch, bound)
    lines = [_first_state(writer, bound, local[name], name, f"{own}.{name}", inputs[0]) for name in states]
    lines.append((f"{target}_collected = []", ""))
    slices = [f"{x}.unbind({axis})" for x in inputs]
    over = slices[0] if len(slices) == 1 else f"zip({', '.join(slices)}, strict=True)"
    lines.append((f"for {', '.join(sliced)} in {over}:", ""))
    new = [local[name] for name in states]
    results = [f"{target}_step", *new] if len(bound.child.outputs) > len(states) else new
    lines.append((f"    {', '.join(results)} = self.{attribute}({', '.join(local.values())})", ""))
    lines.append((f"    {target}_collected.append({results[0]})", ""))
    if bound.keeps_state:
        lines += [(f'keep(state, "{own}.{name}", {local[name]})', "") for name in states]
    stacked = target if "" in bound.results else f"{target}_steps"
    lines.append((f"{stacked} = torch.stack({target}_collected, {axis})", writer.shape_comment(bound.result.shape)))
    return lines


def _first_state(writer: LineWriter, bound: BlockRow, local: str, name: str, key: str, like: str) -> tuple[str, str]:
    """What earlier calls left, or zeros."""
    first = f"{like}.new_zeros({', '.join(writer.printer.run(size) for size in bound.child.inputs[name].shape)})"
    shape = bound.child.inputs[name].shape
    return f'{local} = recall(state, "{key}", {first})' if bound.keeps_state else f"{local} = {first}", writer.shape_comment(shape)


def _scan_axis(arch: Architecture, bound: BoundRow) -> int:
    """Return the axis of the inputs along which the cell runs."""
    facts = arch.tracer.facts
    wanted = arch.sizes[bound.row.scan]
    return next(i for i, size in enumerate(bound.inputs[0].shape) if facts.equal(size, wanted))
