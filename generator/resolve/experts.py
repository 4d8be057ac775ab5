"""Mixtures of experts: a block with many sets of weights, each run on the tokens that have chosen it.

Which tokens these are depends on values. Each token chooses k distinct experts, so that all experts together see k times as many tokens as
there are, however they are spread: what an expert costs, keeps and moves grows evenly with its tokens, so sums do not depend on the split.
They are derived for an even one, and an expert whose costs do not grow evenly is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Ge

from generator.formulas.human import counted
from generator.formulas.symbols import symbol
from generator.resolve.architecture import Architecture, BlockRow, ReadRow
from generator.resolve.binding import check_shape
from generator.resolve.blocks import HOLDS, Block, iterated, run_child
from generator.resolve.declared_sizes import Unresolved, written_size
from generator.resolve.shape_text import show_shape, show_size
from generator.resolve.spec_run import Frame, Run
from generator.spec.model import Dim, Expression
from generator.text.expression_tree import Name
from generator.trace.expert_kernels import add_rows, choosers, looked_for, pick
from generator.trace.pointwise import binary
from generator.trace.tensor import Kind, Tensor
from generator.trace.tracer import Tally

# Stands for their number while it is seen whether costs grow evenly with it.
ITS_TOKENS = symbol("tokens of one expert")
_READS: tuple[tuple[str, str, Kind], ...] = (("in", "tokens", "float"), ("by", "experts", "index"), ("weights", "weights", "float"))


@dataclass(frozen=True)
class _Mixture:
    """The experts of one row.

    Args:
        count: how many there are.
        x: [tokens, d]; `chosen` and `gates`, if there are any, are [tokens, k].
    """

    run: Run
    frame: Frame
    read: ReadRow
    block: Block
    count: Expr
    x: Tensor
    chosen: Tensor
    gates: Tensor | None

    @property
    def choices(self) -> Expr:
        """How many tokens all experts see together."""
        return self.chosen.numel

    def traced(self, rows: Tensor) -> tuple[Tensor, Architecture]:
        """Run the block on the rows [tokens, d] of one expert. Raises Unresolved after reporting."""
        (name, declared), *_ = self.block.spec.inputs.items()
        given = rows
        for _ in range(len(declared.shape) - 2):
            given = given.unsqueeze(0)
        leading = zip(declared.shape[:-1], given.shape[:-1], strict=False)
        named = {axis.ast.id: size for axis, size in leading if isinstance(axis.ast, Name)}
        settable: Mapping[str, Dim] = self.block.spec.dims
        fixed = {size: value for size, value in named.items() if size in settable and settable[size].kind != "derived"}
        child = run_child(self.run, self.frame, self.read, self.block, {name: given}, fixed)
        result = self._checked(child, given)
        for _ in range(len(declared.shape) - 2):
            result = result.squeeze(0)
        return result, child

    def _checked(self, child: Architecture, given: Tensor) -> Tensor:
        """Return the one result of an expert, a row for each of its tokens. Raises Unresolved after reporting."""
        outputs, spec = list(child.outputs.values()), child.spec.name
        place = self.read.row.where("experts")
        if len(outputs) != 1:
            note = f"the results of the experts of a token are added up; its results: {', '.join(child.outputs)}"
            self.run.problems.add(f"`{spec}` cannot be an expert: it has {counted(len(outputs), 'result')}", place, note)
            raise Unresolved
        (result,) = outputs
        if result.kind != "float" or not check_shape(result.shape[:-1], given.shape[:-1], self.run.facts):
            sizes = self.frame.sizes
            note = f"it is given {show_shape(given.shape, sizes)}, and its result is {show_shape(result.shape, sizes)}"
            self.run.problems.add(f"`{spec}` cannot be an expert: its result must have a row for each token", place, note)
            raise Unresolved
        return result

    def refuse_uneven(self) -> Tensor:
        """Return the result of one expert on any number of tokens.

        Raises:
            Unresolved: after reporting that costs do not grow evenly with that number, or that it must meet a condition.
        """
        t, needs = self.run.tracer, self.frame.needs
        with t.scratch():
            result, child = self.traced(pick(t, self.x, choosers(t, self.chosen, ITS_TOKENS)[0]))
            spoiled = next((why for tally in t.tallies.values() if (why := _uneven(tally))), "")
            spoiled = spoiled or (
                "what it keeps must be linear in its tokens" if any(_degree(storage.numel) > 1 for storage in t.storages) else ""
            )
        asked = next((one for one in needs.found if one.condition.has(ITS_TOKENS)), None)
        needs.found[:] = [one for one in needs.found if not one.condition.has(ITS_TOKENS)]
        if any(row.keeps_state for row in child.rows):
            message = f"`{child.spec.name}` cannot be an expert: it keeps a state between decoding steps, when other tokens choose it"
        elif asked is not None:
            message = f"`{child.spec.name}` cannot be an expert: it asks for a certain number of tokens, which depends on values"
            note = f"`{asked.text}` must hold in {asked.span.source.path}:{asked.span.line}"
            self.run.problems.add(message, self.read.row.where("experts"), note)
            raise Unresolved
        elif spoiled:
            message = f"`{child.spec.name}` cannot be an expert: {spoiled}, whose number depends on values"
        else:
            return result
        self.run.problems.add(message, self.read.row.where("experts"), "an expert works on each token by itself, as a gated_mlp does")
        raise Unresolved


def run_experts(run: Run, frame: Frame, read: ReadRow, block: Block, experts: Expression) -> BlockRow:
    """Trace the experts of a row. Raises Unresolved after reporting.

    The row reads tokens [..., d], the experts that each chooses [..., k], and their weights [..., k], if there are any; its result is, for
    each token, the sum of what its experts make of it, each times its weight.

    Args:
        experts: how many there are, as the row says it.
    """
    count = written_size(frame.sized, frame.needs, experts, run.problems)
    _check_reads(run, frame, read, block)
    t = run.tracer
    shape = read.inputs[0].shape
    with t.row(read.path):
        x, chosen, *gates = (t.flatten(tensor, 0, -2) for tensor in read.inputs)
        t.name(tokens=x, chosen=chosen, **({"gates": gates[0]} if gates else {}))
    mixture = _Mixture(run, frame, read, block, count, x, chosen, gates[0] if gates else None)
    _require_enough(run, frame, read, count)
    width = mixture.refuse_uneven().shape[-1]
    with t.row(read.path):
        y = t.new((x.shape[0], width))
        t.kernel("new_zeros", [], [y])
        t.name(mixed=y)
    children: list[Architecture] = []
    split = iter(t.diary.spread(read.path, mixture.choices, count) if t.diary is not None else ())

    def body(carried: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        tokens = mixture.choices / count if t.diary is None else next(split)
        if tokens == 0 and t.diary is not None and not t.diary.trains:  # whose tensors are empty; in training it has gradients all the same
            with t.row(read.path):
                looked_for(t, chosen)
            return carried
        with t.row(read.path):
            token, place = choosers(t, chosen, tokens)
            rows = pick(t, x, token)
        with t.facts.taken_for_whole(tokens):
            result, child = mixture.traced(rows)
        children.append(child)
        with t.row(read.path):
            if gates:
                result = binary(t, "mul", result, pick(t, gates[0].unsqueeze(-1), token, place))
            return {"y": add_rows(t, carried["y"], token, result)}

    t.averages.add(mixture.choices / count)
    with t.used_in_part(chosen.shape[-1] / count):
        y = iterated(run, frame, read, block, count, {"y": y}, body)["y"]
    result = y if len(shape) == 2 else y.unflatten(0, shape[:-1])
    return BlockRow(**vars(read), results={"": result}, child=children[-1], repeat=count, capacity=_capacity(mixture))


def _capacity(mixture: _Mixture) -> Expr | None:
    """Return how many tokens an expert takes at most, so many that an even spread drops none. Raises Unresolved after reporting."""
    frame, row = mixture.frame, mixture.read.row
    if row.capacity is None:
        return None
    capacity = written_size(frame.sized, frame.needs, row.capacity, mixture.run.problems)
    places = capacity * mixture.count
    if (places - mixture.choices).is_negative:
        has, chosen = show_size(places, frame.sizes), show_size(mixture.choices, frame.sizes)
        message = f"the experts of `{row.name}` take {counted(has, 'token')} together, and {chosen} are chosen for them"
        mixture.run.problems.add(message, row.where("capacity"), "counts are those of an even spread, in which no token is dropped")
        raise Unresolved
    frame.needs.condition(Ge(places, mixture.choices), row.where("capacity"))
    return capacity


def _check_reads(run: Run, frame: Frame, read: ReadRow, block: Block) -> None:
    """Raise Unresolved after reporting unless a row reads tokens, their experts, and weights of these."""
    row, sizes = read.row, frame.sizes
    problems: list[tuple[str, str, str]] = []
    for (key, what, kind), name, x in zip(_READS, read.input_names, read.inputs, strict=False):
        if x.kind != kind:
            problems.append((key, f"`{key}` of `{row.name}` must hold {HOLDS[kind]}, but `{name}` holds {HOLDS[x.kind]}", _kind_note(key)))
        elif x.rank < 2:
            problems.append((key, f"`{key}` of `{row.name}` must have an axis of {what} behind that of tokens", _found(name, x, sizes)))
    if not problems:
        problems += _unlike(run, frame, read)
    if len(block.spec.inputs) != 1:
        takes = f"`{block.spec.name}` takes {counted(len(block.spec.inputs), 'input')} ({', '.join(block.spec.inputs)})"
        problems.append(("experts", f"{takes}, but an expert reads its tokens alone", "use a spec with one input, such as gated_mlp"))
    for key, message, note in problems:
        run.problems.add(message, row.where(key) if key != "in" or row.inputs is not None else row.span, note)
    if problems:
        raise Unresolved


def _require_enough(run: Run, frame: Frame, read: ReadRow, count: Expr) -> None:
    """Require as many experts as a token chooses. Raises Unresolved after reporting where there never are."""
    chosen, sizes = read.inputs[1], frame.sizes
    if (count - chosen.shape[-1]).is_negative:
        message = f"`{read.name}` chooses {show_size(chosen.shape[-1], sizes)} of {counted(show_size(count, sizes), 'expert')}"
        run.problems.add(message, read.row.where("by"), _found(read.input_names[1], chosen, sizes))
        raise Unresolved
    frame.needs.condition(Ge(count, chosen.shape[-1]), read.row.where("by"))


def _unlike(run: Run, frame: Frame, read: ReadRow) -> list[tuple[str, str, str]]:
    """Return the problems of experts and weights that do not stand beside the tokens."""
    (name, x), (by, chosen), *rest = zip(read.input_names, read.inputs, strict=True)
    sizes = frame.sizes
    found: list[tuple[str, str, str]] = []
    if not check_shape(chosen.shape[:-1], x.shape[:-1], run.facts):
        note = f"{_found(name, x, sizes)}; {_found(by, chosen, sizes)}"
        found.append(("by", f"`{by}` must say for each token of `{name}` which experts it chooses", note))
    for weights, gates in rest:
        if not check_shape(gates.shape, chosen.shape, run.facts):
            note = f"{_found(by, chosen, sizes)}; {_found(weights, gates, sizes)}"
            found.append(("weights", f"`{weights}` must have a weight for each expert in `{by}`", note))
    return found


def _kind_note(key: str) -> str:
    return {
        "in": "experts read what tokens hold",
        "by": "the experts are chosen by their numbers: `chosen: {op: top_k, k: k}`, by: chosen.indices",
        "weights": "what the results of the experts are multiplied by: `chosen: {op: top_k, k: k}`, weights: chosen.values",
    }[key]


def _found(name: str, x: Tensor, sizes: Mapping[str, Expr]) -> str:
    return f"{name} is {show_shape(x.shape, sizes)}"


def _uneven(tally: Tally) -> str:
    """Return what of a row's costs does not grow evenly with the tokens of an expert; empty where all does."""
    if tally.params.has(ITS_TOKENS):
        return "it has weights that grow with its tokens"
    costs = {"MACs": tally.macs, "pointwise FLOPs": tally.vector_flops, "traffic": tally.traffic_elements}
    return next((f"its {name} must be linear in its tokens" for name, cost in costs.items() if _degree(cost) > 1), "")


def _degree(cost: Expr) -> int:
    """Return the degree of a cost in the tokens of an expert; 2 for what is no polynomial."""
    if not cost.has(ITS_TOKENS):
        return 0
    return int(cost.as_poly(ITS_TOKENS).degree()) if cost.is_polynomial(ITS_TOKENS) else 2
