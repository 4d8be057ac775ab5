"""Stacks of layers of several kinds: a pattern of them over and over again, and other layers at its beginning and its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.resolve.architecture import Architecture, BlockRow, BoundRow, ReadRow, Results, Sized
from generator.resolve.blocks import Block, Trace, block_of, check_layer, iterated, named_inputs, results_of, run_child
from generator.resolve.declared_sizes import Unresolved, written_size
from generator.resolve.freezing import freezing
from generator.resolve.shape_text import show_size
from generator.resolve.spec_run import Frame, Run
from generator.resolve.tied_blocks import check_one_block, check_same_weights, tied_block
from generator.spec.model import Layers, Ref, Row
from generator.trace.cycle import Turn, cycle, numbers
from generator.trace.iterate import Body, Carried
from generator.trace.seams import UnsettledError
from generator.trace.tensor import Tensor


@dataclass
class _Part:
    """The layers of one kind.

    Args:
        times: how many follow each other.
        owner: the row whose weights they have; None where they have their own.
        traced: what they came to, each time that one was traced.
    """

    read: ReadRow
    block: Block
    times: Expr
    inputs: Mapping[str, Tensor]
    owner: BlockRow | None
    traced: list[Architecture] = field(default_factory=list)

    @property
    def carries(self) -> int:
        """How many of its inputs are the results of the layer before."""
        return max(1, len(self.block.spec.outputs))


def run_pattern(run: Run, frame: Frame, read: ReadRow, trace: Trace, rows: Mapping[str, BoundRow | None]) -> BlockRow:
    """Trace a stack of layers of several kinds. Raises Unresolved after reporting.

    Args:
        rows: the rows above, whose weights layers may have; None where one is broken.
    """
    row = read.row
    total = written_size(frame.sized, frame.needs, row.repeat, run.problems) if row.repeat is not None else Integer(1)
    parts = _parts(run, frame, read, trace, rows)
    _check_alike(run, read, parts)
    carries = next(iter(parts.values())).carries
    inputs = {str(place): x for place, x in enumerate(read.inputs)}
    carried: Carried = {name: inputs[name] for name in [*inputs][:carries]}
    first, last = parts.get("first"), parts.get("last")
    turns = [parts[name] for name in row.kinds]
    length = _between(run, frame, read, total, [part for part in (first, last) if part is not None])
    amounts = {id(part): part.times for part in (first, last) if part is not None}
    if first is not None:
        carried = iterated(run, frame, first.read, first.block, first.times, carried, _body(run, frame, first))
    kinds = [Turn(part.read.path, part.times, _body(run, frame, part), part.read.row.share) for part in turns]
    _require_shared(run, frame, length, turns)
    carried = _in_turn(run, frame, read, length, kinds, carried)
    amounts |= {id(part): amount for part, amount in zip(turns, numbers(length, kinds, run.facts), strict=True)}
    if last is not None:
        carried = iterated(run, frame, last.read, last.block, last.times, carried, _body(run, frame, last))
    for part in parts.values():
        if not part.traced:
            with run.tracer.scratch():  # there is none of them at these sizes, but the module has their class
                _body(run, frame, part)(carried)
    results = results_of(turns[0].block.spec, carried.values())
    return BlockRow(**vars(read), results=results, child=_whole(frame, read, parts, amounts))


def _between(run: Run, frame: Frame, read: ReadRow, total: Expr, ends: Sequence[_Part]) -> Expr:
    """Return how many layers stand between the first ones and the last ones. Raises Unresolved after reporting where these are too many."""
    of_ends = sum((part.times for part in ends), start=Integer(0))
    if (total - of_ends).is_negative:
        sizes = frame.sizes
        named = " and ".join(f"{show_size(part.times, sizes)} {part.read.row.name}" for part in ends)
        message = f"`{read.name}` has {counted(show_size(total, sizes), 'layer')}: there is no room for {named} ones"
        place = read.row.where("repeat") if read.row.repeat is not None else read.row.span
        run.problems.add(message, place, "the first and the last layers count with the others")
        raise Unresolved
    return total - of_ends


def _require_shared(run: Run, frame: Frame, length: Expr, turns: Sequence[_Part]) -> None:
    """Require one layer of each kind that shares its weights: the module has them even where it applies them nowhere.

    Raises Unresolved after reporting where there never is one.
    """
    places = Integer(0)
    for part in turns:
        if part.read.row.share and part.owner is None:
            _require_one(run, frame, part, length, places)
        places += part.times


def _require_one(run: Run, frame: Frame, part: _Part, length: Expr, places: Expr) -> None:
    read = part.read
    if (length - places).is_nonpositive:
        name, number = read.path.rpartition(".")[2], counted(show_size(length, frame.sizes), "layer")
        note = "layers that share their weights need a place in which one stands; leave out the kind, or its `share`"
        run.problems.add(f"`{name}` has no place among the {number} in turn", read.row.where("share"), note)
        raise Unresolved
    frame.needs.condition(Ge(length, places + 1), read.row.where("share"))


def _parts(run: Run, frame: Frame, read: ReadRow, trace: Trace, rows: Mapping[str, BoundRow | None]) -> dict[str, _Part]:
    """Return all kinds of layers by name. Raises Unresolved after reporting what is wrong with any of them."""
    found: dict[str, _Part] = {}
    names = dict(read.row.layers())
    for name, layers in names.items():
        try:
            found[name] = _part(run, frame, _read_layers(read, layers, name), layers, trace, rows)
        except Unresolved:
            continue
    if len(found) < len(names):
        raise Unresolved
    return found


def _read_layers(read: ReadRow, layers: Layers, name: str) -> ReadRow:
    """Return the layers of one kind as a row."""
    outer = read.row
    own = {key: span for key, span in outer.spans.items() if key in ("in", "repeat", "share")}
    own |= {key: layers.spans[key] for key in ("share", "tie") if key in layers.spans} | {"repeat": layers.where("times")}
    row = Row(name, layers.span, use=layers.use, repeat=outer.repeat, inputs=outer.inputs, when=outer.when, tie=layers.tie, spans=own)
    row = replace(row, share=outer.share or layers.share or bool(layers.tie))
    return replace(read, row=row, path=f"{read.path}.{name}", declared=None, stack=read.path)


def _part(run: Run, frame: Frame, read: ReadRow, layers: Layers, trace: Trace, rows: Mapping[str, BoundRow | None]) -> _Part:
    times = Integer(1) if layers.times is None else written_size(frame.sized, frame.needs, layers.times, run.problems)
    block = block_of(run, frame, read.row, trace)
    owner = tied_block(run, read.row, rows)
    if owner is not None:
        check_one_block(run, read.row, owner)
    return _Part(read, block, times, named_inputs(run, frame, read, block), owner)


def _check_alike(run: Run, read: ReadRow, parts: Mapping[str, _Part]) -> None:
    """Raise Unresolved after reporting unless all kinds hand on as many results."""
    head = next(iter(parts.values()))
    for part in parts.values():
        if part.carries != head.carries:
            run.problems.add(
                f"`{part.block.spec.name}` hands {part.carries} results on, and `{head.block.spec.name}` {head.carries}",
                part.read.row.span,
                f"each layer of `{read.name}` reads what the one before returns",
            )
            raise Unresolved


def _body(run: Run, frame: Frame, part: _Part) -> Body:
    """Return what one layer does: on what the one before has returned, by its place among the inputs."""
    names = list(part.inputs)

    def body(carried: Carried) -> Carried:
        given = {names[int(place)]: x for place, x in carried.items()}
        with _weights_of(run, frame, part):
            layer = run_child(run, frame, part.read, part.block, {**part.inputs, **given})
        part.traced.append(layer)
        check_layer(run, frame, part.read, given, layer)
        if part.owner is not None:
            check_same_weights(run, part.read.row, layer, part.owner.child)
        outputs = zip(carried.items(), layer.outputs.values(), strict=True)
        return {place: replace(x, shape=before.shape) for (place, before), x in outputs}

    return body


@contextmanager
def _weights_of(run: Run, frame: Frame, part: _Part) -> Iterator[None]:
    """Let a layer have the weights of the row that it is tied to, which learn if they do there."""
    if part.owner is None:
        yield
    else:
        with run.tracer.sharing(part.owner.applied), freezing(run, frame, part.owner.row):
            yield


def _in_turn(run: Run, frame: Frame, read: ReadRow, length: Expr, kinds: list[Turn], carried: Carried) -> Carried:
    try:
        runs = cycle(run.tracer, length, kinds, carried)
    except UnsettledError:
        run.problems.add(
            f"the costs of `{read.name}` cannot be written as one formula of the number of layers",
            read.row.where("repeat"),
            "layers differ in more than their kind: results are laid out differently in memory, or hidden in part by a mask, "
            "or something else is kept for backward",
            "write a number of layers, such as `repeat: 6`",
        )
        raise Unresolved from None
    if length != 0 and (runs.least > 1 or not length.is_positive):
        frame.needs.condition(Ge(length, max(runs.least, 1)), read.row.where("repeat"))
    return runs.results


def _whole(frame: Frame, read: ReadRow, parts: Mapping[str, _Part], amounts: Mapping[int, Expr]) -> Architecture:
    """Return the stack as if its kinds of layers were rows of a spec, one behind the other."""
    rows: list[BlockRow] = []
    above: tuple[str, ...] = ()
    for name, part in parts.items():
        child = part.traced[-1]
        reads = (*above, *read.input_names[len(above) :]) if above else read.input_names
        results: Results = results_of(part.block.spec, child.outputs.values())
        row = replace(part.read.row, inputs=tuple(Ref(one.partition(".")[0], one.partition(".")[2], part.read.row.span) for one in reads))
        bound = replace(part.read, row=row, input_names=tuple(reads))
        rows.append(BlockRow(**vars(bound), results=results, child=child, repeat=amounts[id(part)], times=part.times))
        above = tuple(f"{name}.{result}" if result else name for result in results)[: part.carries]
    spec = replace(
        frame.spec,
        name=read.name,
        inputs=dict(zip(read.input_names, next(iter(parts.values())).block.spec.inputs.values(), strict=True)),
        rows={row.name: row.row for row in rows},
        outputs=(),
        slots={},
    )
    sized = Sized(spec=spec, sizes=frame.sizes, options=frame.sized.options)
    return Architecture(
        **vars(sized),
        inputs=dict(zip(read.input_names, read.inputs, strict=True)),
        rows=tuple(rows),
        outputs=dict(rows[-1].results),
        requirements=(),
        tracer=parts[rows[0].name].traced[-1].tracer,
    )
