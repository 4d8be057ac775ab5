"""How rows that use other specs are drawn: built-in blocks and own ones, stacks, recurrences and slots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from re import sub
from typing import Any

from generator.sheet.compiled import compile_spec
from tests.fuzz.draft import Axes, Axis, Draft, Value, text
from tests.fuzz.layers import LAYERS
from tests.fuzz.leaning import experts_of, ranked
from tests.fuzz.moves import MOVES
from tests.support.builtin import builtin_library

# Built-in blocks whose inputs have plain sizes for axes; `n` of the blocks with a cache stands for the new tokens.
BUILT_IN = (
    "mlp", "gated_mlp", "multi_head_attention", "layer_norm", "rms_norm", "single_head_attention", "linear_attention",
    "efficient_attention", "taylor_attention", "cross_attention", "linformer_attention", "flash_attention", "fused_multi_head_attention",
    "luna_attention", "luna_block", "pre_norm_block", "post_norm_block", "relative_attention", "rnn", "reversible_block",
    "projected_attention", "non_local_block", "performer_attention", "causal_linear_attention",
    "local_window_attention", "convolutional_qkv", "rotary_attention",
)  # fmt: skip
FILLS = ("mlp", "gated_mlp", "layer_norm", "rms_norm")  # blocks that keep [b, n, d]
ATTENTIONS = ("multi_head_attention", "linear_attention", "single_head_attention", "efficient_attention")


@dataclass(frozen=True)
class Signature:
    """What a block takes and gives: axes are factors in the block's own sizes."""

    sizes: tuple[str, ...]  # that may be bound
    inputs: Mapping[str, tuple[Axes, str]]
    results: Sequence[tuple[str, Axes, str]]


@cache
def built_in(name: str) -> Signature | None:
    """Return the signature of a built-in block; None where the block needs what is not drawn."""
    library = builtin_library()
    spec = library.spec(name)
    sheet = compile_spec(library, name).sheet
    inputs = {
        key: (tuple((axis.text,) for axis in declared.shape), {"int": "index"}.get(declared.dtype, declared.dtype))
        for key, declared in spec.inputs.items()
    }
    parts = [ref.result_name for ref in spec.outputs] if len(spec.outputs) > 1 else [""]
    arch = compile_spec(library, name).architecture
    kinds = [x.kind for x in arch.outputs.values()]
    shapes = [tuple(_axis(str(axis)) for axis in shape) for shape in sheet.outputs.values()]
    sizes = tuple(size for size, dim in spec.dims.items() if dim.kind != "derived")
    return Signature(sizes, inputs, list(zip(parts, shapes, kinds, strict=True)))


def _axis(words: str) -> Axis:
    if words == "1":
        return ()
    return tuple(words.split("*")) if all(part.isidentifier() or part.isdigit() for part in words.split("*")) else (f"({words})",)


def use(d: Draft) -> None:
    """Use a built-in block."""
    name = d.pick(BUILT_IN)
    signature = built_in(name)
    if signature is None or any(not factor.isidentifier() for axes, _ in signature.inputs.values() for axis in axes for factor in axis):
        return
    what: dict[str, Any] = {"use": name}
    if name in ("pre_norm_block", "post_norm_block") and d.often(4):
        what["slots"] = {"attention": d.pick(ATTENTIONS)} | ({"ffn": d.pick(FILLS)} if d.often(5) else {})
    if name in ("mlp", "gated_mlp") and d.often(3):
        what["options"] = {"bias": d.often(5), "activation": "silu"}
    if name in ("mlp", "gated_mlp", "multi_head_attention", "pre_norm_block", "layer_norm", "luna_attention") and d.often(2):
        what["repeat"] = _times(d)
        if d.often(4):
            what["share"] = True
    apply(d, what, signature, distinct=True)


def _times(d: Draft) -> Any:
    return d.number(2, 3) if d.often(3) else d.plain() if d.often(3) else d.new_size()


def _fits(axes: Axes, bound: Mapping[str, Axis], value: Value) -> bool:
    return _matched(axes, value.axes, bound) is not None


def _matched(axes: Axes, found: Axes, bound: Mapping[str, Axis]) -> dict[str, Axis] | None:
    """Return what the sizes of a block are where an input has the axes found; None where it cannot have them."""
    if len(axes) != len(found) or not all(found):
        return None
    sizes = dict(bound)
    return sizes if all(sizes.setdefault(axis[0], size) == size for axis, size in zip(axes, found, strict=True)) else None


def apply(d: Draft, what: dict[str, Any], signature: Signature, *, distinct: bool = False) -> list[Value]:
    """Add a row that uses a block, with its sizes bound to those of what it reads.

    Args:
        distinct: whether all sizes of the block must differ: one of its axes is one where the heads are as many as the width.
    """
    bound: dict[str, Axis] = {}
    reads: list[Value] = []
    for axes, kind in signature.inputs.values():
        found = d.find(partial(_fits, axes, bound), kind)
        if found is None or d.often(2):
            found = d.input(tuple(bound.setdefault(axis[0], d.size()) for axis in axes), kind)
        bound |= _matched(axes, found.axes, bound) or {}
        reads.append(found)
    bindings = _bindings(d, signature, bound)
    if distinct:
        sizes = list((bound | bindings | {name: (name,) for name in signature.sizes if name not in bound | bindings}).values())
        if len(set(sizes)) < len(sizes) or any(axis[0].isdigit() for axis in sizes):
            return []
    if bindings:
        what["with"] = {name: text(axis) for name, axis in bindings.items()}
    known = bound | bindings
    results = [(part, tuple(_substituted(axis, known) for axis in axes), kind) for part, axes, kind in signature.results]
    if what.get("repeat") is not None:
        carried = [value.axes for value in reads[: len(results)]]
        results = [(part, axes, kind) for (part, _, kind), axes in zip(results, carried, strict=True)]
    return d.row(what, reads, results)


def _bindings(d: Draft, signature: Signature, bound: Mapping[str, Axis]) -> dict[str, Axis]:
    """Return what `with` has to say, and some of what it may say."""
    found: dict[str, Axis] = {}
    for name in signature.sizes:
        if name in bound:
            if (bound[name] != (name,) and name in d.dims) or d.often(3):
                found[name] = bound[name]
            elif name not in d.dims:
                d.reserved.add(name)
        elif name not in d.dims or d.often(3):
            found[name] = (d.plain(),)
    return found


def _substituted(axis: Axis, known: Mapping[str, Axis]) -> Axis:
    """Return an axis of a block in the sizes of the spec that uses it."""
    found: list[str] = []
    for factor in axis:
        if factor.isidentifier():
            found += known.get(factor, (factor,))
        elif factor.isdigit():
            found.append(factor)
        else:
            found.append(sub(r"[A-Za-z_]\w*", lambda match: f"({text(known.get(match[0], (match[0],)))})", factor))
    return tuple(found)


# ---- own blocks ----------------------------------------------------------------------------------------------------------------------

PLAIN = tuple(name for name in MOVES if name != "cache")


def own_block(d: Draft, build: Callable[[Draft], list[Value]]) -> tuple[str, Signature] | None:
    """Draw a spec beside this one. `build` draws its rows and returns its outputs."""
    inner = Draft(d.choices, d.known, d.made, title="Drawn beside it")
    outputs = build(inner)
    refs = list(dict.fromkeys([*(value.ref for value in outputs), *inner.must_show]))
    refs = [ref for ref in refs if ref not in inner.inputs]
    if not refs or not inner.inputs:
        return None
    name = f"block{len(d.made)}"
    written = inner.yaml(refs)
    d.made[name] = written
    _, used = inner._needed(refs)
    kept = [key for key in inner.inputs if key in used] or list(inner.inputs)[:1]
    by_ref = {value.ref: value for value in inner.values}
    sizes = tuple(size for size, dim in inner.dims.items() if not (isinstance(dim, dict) and "value" in dim))
    results = [(ref.replace(".", "_") if len(refs) > 1 else "", by_ref[ref].axes, by_ref[ref].kind) for ref in refs]
    signature = Signature(sizes, {key: (by_ref[key].axes, by_ref[key].kind) for key in kept}, results)
    if any(len(axis) != 1 or axis[0] not in sizes for axes, _ in signature.inputs.values() for axis in axes):
        return None
    return name, signature


def _start(inner: Draft, inputs: int) -> None:
    """Declare inputs with plain sizes."""
    for _ in range(inputs):
        axes: Axes = tuple((inner.plain(),) for _ in range(inner.number(2, 4)))
        inner.input(axes)


def _some_moves(inner: Draft, most: int) -> None:
    for _ in range(inner.number(1, most)):
        MOVES[inner.pick(PLAIN)](inner)


def own(d: Draft) -> None:
    """Write a block and use it, once or twice."""

    def build(inner: Draft) -> list[Value]:
        _start(inner, inner.number(1, 2))
        _some_moves(inner, 3)
        return inner.ends()[-3:]

    made = own_block(d, build)
    if made is None:
        return
    name, signature = made
    for _ in range(2 if d.often(2) else 1):
        apply(d, {"use": name}, signature)


def _layer(carried: int) -> Callable[[Draft], list[Value]]:
    def build(inner: Draft) -> list[Value]:
        for _ in range(carried):
            inner.inputs[f"c{len(inner.inputs)}"] = []
            axes: Axes = tuple((inner.plain(),) for _ in range(inner.number(2, 3)))
            name = list(inner.inputs)[-1]
            inner.inputs[name] = [text(axis) for axis in axes]
            inner.values.append(Value(name, axes))
        starts = list(inner.values)
        _some_moves(inner, 4)
        return [_return(inner, start) for start in starts]

    return build


def _return(inner: Draft, start: Value) -> Value:
    """Return a row with the shape of an input."""
    found = inner.find(lambda value, axes=start.axes: value.axes == axes and value.ref not in inner.inputs)
    if found is not None and inner.often(6):
        return inner.op("add", [start, found], start.axes) if inner.often(5) else found
    if inner.often(5):
        y = inner.op("linear", [start], start.axes, out=[text(axis) for axis in start.axes])
        return inner.op("add", [start, y], start.axes) if inner.often(5) else y
    return inner.op(inner.pick(("layer_norm", "softmax")), [start], start.axes)


def stack(d: Draft) -> None:
    """Write a block that keeps the shape of its first inputs, and stack it."""
    made = own_block(d, _layer(2 if d.often(3) else 1))
    if made is None:
        return
    name, signature = made
    carried = list(signature.inputs.values())[: len(signature.results)]
    if len(carried) != len(signature.results) or any(
        axes != result[1] for (axes, _), result in zip(carried, signature.results, strict=True)
    ):
        return
    apply(d, {"use": name, "repeat": _times(d)} | ({"share": True} if d.often(3) else {}), signature)


def experts(d: Draft) -> None:
    """Let each token of a value choose experts: a built-in feed-forward network."""
    x = d.take(2, 3, fits=lambda value: all(axis != () for axis in value.axes))
    count, k = d.new_size(), d.pick(("2", d.plain()))
    d.require(f"{count} >= {k}")
    axes = (*x.axes[:-1], (k,))
    scores = d.op("linear", [x], (*x.axes[:-1], (count,)), out=[*map(text, x.axes[:-1]), count])
    if d.often(7):
        scores = d.op("softmax", [scores], scores.axes)
    values, indices = d.row({"op": "top_k", "k": k}, [scores], [("values", axes, "float"), ("indices", axes, "index")])
    row = {"use": d.pick(("mlp", "gated_mlp")), "with": {"d": text(x.axes[-1]), "f": d.plain()}}
    row |= {"in": x.ref, "experts": count, "by": indices.ref, "weights": values.ref}
    d.row(row, [x], [("", x.axes, "float")])


def scan(d: Draft) -> None:
    """Write a cell and run it along an axis."""
    x = d.find(lambda value: value.rank == 3 and all(text(axis) in d.dims for axis in value.axes) and len(set(value.axes)) == 3)
    if x is None or d.often(2):
        sizes: list[Axis] = []
        while len(sizes) < 3:
            size = (d.plain(),)
            sizes.append(size if size not in sizes else (d.new_size(),))
        x = d.input(tuple(sizes))
    index = d.pick((1, 0))
    steps, (batch, width) = x.axes[index], x.axes[:index] + x.axes[index + 1 :]
    states = 2 if d.often(3) else 1
    collects = d.often(4)

    def build(inner: Draft) -> list[Value]:
        inner.dims |= {"b": "batch", "k": "width of the input", "s": "width of the state"}
        inner.inputs["x"] = ["b", "k"]
        inner.values.append(Value("x", (("b",), ("k",))))
        for i in range(states):
            inner.inputs[f"h{i}"] = ["b", "s"]
            inner.values.append(Value(f"h{i}", (("b",), ("s",))))
        starts = inner.values[1:]
        first = inner.op("linear", [inner.values[0]], (("b",), ("s",)), out=["b", "s"])
        if inner.often(5):
            _cell_moves(inner)
        news = []
        for start in starts:
            other = inner.find(lambda value, axes=start.axes: value.axes == axes and value.ref not in inner.inputs) or first
            y = inner.op("linear", [start], start.axes, out=["b", "s"]) if inner.often(6) else start
            news.append(inner.op(inner.pick(("add", "mul")), [y, other], start.axes))
            if inner.often(5):
                news[-1] = inner.op("activation", [news[-1]], start.axes, kind=inner.pick(("tanh", "sigmoid", "relu")))
        shown = inner.op("activation", [first], first.axes, kind="silu") if collects else None
        return ([shown] if shown else []) + news

    made = own_block(d, build)
    if made is None or len(made[1].results) != states + collects:
        return
    name, signature = made
    if set(signature.inputs) != {"x", *(f"h{i}" for i in range(states))}:
        return
    width_of_state: Axis = (d.plain(),)
    bindings = {"b": text(batch), "k": text(width), "s": text(width_of_state)}
    others = [size for size in signature.sizes if size not in bindings]
    bindings |= {size: d.plain() for size in others}
    carry = {f"h{i}": [text(batch), text(width_of_state)] for i in range(states)}
    row = {"scan": text(steps), "use": name, "with": bindings, "carry": carry}
    stacked = [batch, width_of_state]
    stacked.insert(index, steps)
    if states == 1 and not collects:
        d.row(row, [x], [("", tuple(stacked), "float")])
        return
    d.row(row, [x], [("steps", tuple(stacked), "float"), *((f"h{i}", (batch, width_of_state), "float") for i in range(states))])


def _cell_moves(inner: Draft) -> None:
    names = (
        "activation",
        "linear",
        "add",
        "mul",
        "layer_norm",
        "softmax",
        "einsum",
        "parameter",
        "scale",
        "rms_norm",
        "sub",
        "split",
        "concat",
    )
    for _ in range(inner.number(1, 3)):
        MOVES[inner.pick(names)](inner)


def slot(d: Draft) -> None:
    """Write a block with a slot, and use it with or without a fill."""

    def build(inner: Draft) -> list[Value]:
        inner.dims |= {"b": "batch", "n": "length", "d": "width", "f": {"is": "inner width", "default": "3*d"}}
        x = inner.input((("b",), ("n",), ("d",)))
        inner.slots["part"] = {"use": inner.pick(FILLS), "is": "what stands here"}
        if inner.often(5):
            x = inner.op("linear", [x], x.axes, out=["b", "n", "d"])
        (y,) = inner.row({"slot": "part"} | ({"repeat": 2} if inner.often(2) else {}), [x], [("", x.axes, "float")])
        return [inner.op("add", [x, y], x.axes)] if inner.often(5) else [y]

    made = own_block(d, build)
    if made is None:
        return
    name, signature = made
    what: dict[str, Any] = {"use": name}
    if d.often(6):
        what["slots"] = {"part": d.pick(FILLS) if d.often(5) else {"use": d.pick(("mlp", "gated_mlp")), "options": {"bias": d.often(5)}}}
    apply(d, what, signature)


def decode(d: Draft) -> None:
    """Use a built-in block with a cache, alone or stacked."""
    if not d.decoding:
        return
    name = d.pick(("causal_attention", "grouped_query_attention", "causal_rotary_attention", "latent_attention"))
    signature = built_in(name)
    assert signature is not None
    x = d.find(lambda value: value.rank == 3 and value.axes[:2] == (("b",), ("n",))) or d.input((("b",), ("n",), (d.new_size(),)))
    others = {size: d.new_size() for size in signature.sizes if size not in ("b", "n", "m", "d")}
    bindings = {"d": text(x.axes[2])} | others
    row = {"use": name, "with": bindings} | ({"repeat": _times(d)} if d.often(3) else {})
    d.row(row, [x], [("", x.axes, "float")])


BLOCKS: dict[str, Callable[[Draft], None]] = {
    "use": use,
    "own": own,
    "repeat": stack,
    "scan": scan,
    "experts": experts,
    "slot": slot,
    "decode": decode,
    "any rank": ranked,
    "own experts": experts_of(own_block),
    **LAYERS,
}
