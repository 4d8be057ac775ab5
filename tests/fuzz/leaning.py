"""How specs that lean on others are drawn: blocks of any rank, own experts, blocks in a file, and variants of a whole spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from tests.fuzz.draft import Draft, Value, text
from tests.fuzz.moves import MOVES

BASE = "base"  # the spec that a variant is like
BY_TOKEN = ("linear", "activation", "layer_norm", "rms_norm", "mul", "add", "scale", "softmax", "soft_cap", "elementwise", "dropout", "sub")
OwnBlock = Callable[[Draft, Callable[[Draft], list[Value]]], Any]


def ranked(d: Draft) -> None:
    """Write a block whose inputs have `...` for all axes, or for all but the last, and use it."""
    x, whole = d.take(3, 2, 4, 1), d.often(4)
    shape = ["..."] if whole else ["...", "k"]
    reads = [x, d.like(x)] if d.often(3) else [x]
    names = ["x", "z"][: len(reads)]
    rows: dict[str, Any] = {}
    last, count = "x", d.number(1, 3)
    for i in range(count):
        row = _row_of_any_rank(d, last, names, whole=whole)
        rows[f"y{i}"], last = row, f"y{i}"
    if len(names) > 1 and not any("z" in str(row.get("in")) for row in rows.values()):
        rows["both"] = {"op": d.pick(("add", "mul", "sub")), "in": [last, "z"]}
    name = f"block{len(d.made)}"
    spec: dict[str, Any] = {"title": "Of any rank"} | ({} if whole else {"dims": {"k": "width"}})
    d.made[name] = _written(spec | {"inputs": dict.fromkeys(names, shape), "layers": rows})
    with_width = {} if whole else {"with": {"k": text(x.axes[-1])}}
    for _ in range(2 if d.often(2) else 1):
        d.row({"use": name} | with_width, reads, [("", x.axes, "float")])


def _row_of_any_rank(d: Draft, last: str, names: list[str], *, whole: bool) -> dict[str, Any]:
    own: list[dict[str, Any]] = [
        {"op": "activation", "kind": d.pick(("gelu", "relu", "tanh"))},
        {"op": "scale", "by": "2"},
        {"op": d.pick(("add", "mul")), "in": [last, d.pick(names)]},
        {"op": "clamp", "low": 0},
    ]
    if not whole:
        own += [
            {"op": "layer_norm"},
            {"op": "linear", "out": ["...", "k"], "bias": d.often(5)},
            {"op": "softmax", "over": -1},
            {"op": "rms_norm"},
            {"op": "linear", "out": ["...", "k"]},
        ]
    return d.pick(own)


def _written(spec: dict[str, Any]) -> str:
    return yaml.safe_dump(spec, sort_keys=False, default_flow_style=None, width=150)


def experts_of(own_block: OwnBlock) -> Callable[[Draft], None]:
    """Return how experts are drawn that are blocks of one's own.

    Args:
        own_block: draws a spec beside this one.
    """

    def build(inner: Draft) -> list[Value]:
        inner.dims |= {"n": "tokens", "k": "width"}
        x = inner.input((("n",), ("k",)))
        for _ in range(inner.number(1, 3)):
            MOVES[inner.pick(BY_TOKEN)](inner)
        last = inner.find(lambda value: value.rank == 2 and value.axes[0] == ("n",)) or x
        if last.axes != x.axes or last is x or inner.often(5):
            last = inner.op("linear", [last], x.axes, out=["n", "k"])
        return [last]

    def own_experts(d: Draft) -> None:
        """Write a block, and let each token of a value choose some of many."""
        made = own_block(d, build)
        if made is None or len(made[1].inputs) != 1 or len(made[1].results) != 1:
            return
        name, signature = made
        x = d.take(2, 3, fits=lambda value: all(text(axis) in d.dims for axis in value.axes))
        if not all(text(axis) in d.dims for axis in x.axes):
            return
        count, chosen = d.new_size(), d.pick(("1", "2", d.plain()))
        d.require(f"{count} >= {chosen}")
        scores = d.op("linear", [x], (*x.axes[:-1], (count,)), out=[*map(text, x.axes[:-1]), count])
        axes = (*x.axes[:-1], (chosen,))
        values, indices = d.row({"op": "top_k", "k": chosen}, [scores], [("values", axes, "float"), ("indices", axes, "index")])
        sizes = {"k": text(x.axes[-1])} | {size: d.plain() for size in signature.sizes if size not in ("n", "k")}
        row: dict[str, Any] = {"use": name, "with": sizes, "in": x.ref, "experts": count, "by": indices.ref, "weights": values.ref}
        d.row(row, [x], [("", x.axes, "float")])

    return own_experts


def in_one_file(file: str, made: dict[str, str]) -> dict[str, str]:
    """Return a spec with those beside it as blocks of its own."""
    spec = yaml.safe_load(file)
    return {**spec, "blocks": {name: yaml.safe_load(text) for name, text in made.items()}} if made else spec


def variant(d: Draft, whole: dict[str, Any], outputs: list[str]) -> dict[str, Any]:
    """Return a spec that is like another and says what is other in it."""
    found: dict[str, Any] = {"title": "A variant", "like": BASE}
    flags = [name for name, option in whole.get("options", {}).items() if isinstance(option["default"], bool)]
    flipped = {name: not whole["options"][name]["default"] for name in d.subset(flags)}
    if flipped:
        found["options"] = flipped
    rows: dict[str, Any] = {}
    for name, row in whole["layers"].items():
        if row.get("op") == "activation" and row["kind"] not in whole.get("options", {}) and d.often(5):
            rows[name] = {"kind": d.pick(("silu", "tanh"))}
    by_ref = {value.ref: value for value in d.values}
    first = by_ref.get(outputs[0])
    if first is not None and first.kind == "float" and d.often(5):
        rows["more"] = {"op": "activation", "kind": "tanh", "in": first.ref}
        found["outputs"] = ["more", *outputs[1:]]
    if rows:
        found["layers"] = rows
    if d.often(3):
        size = next(iter(whole["dims"]))
        found["dims"] = {size: "what else it counts"}
        found["where"] = f"{size} >= 2"
    return found


def leaning(d: Draft, name: str, outputs: list[str], *, inside: bool, as_variant: bool) -> dict[str, str]:
    """Return the files of a drawn spec: with blocks in the file, and as a variant of another, where these are wanted."""
    file = d.yaml(outputs)
    files = dict(d.made)
    if inside and files:
        file, files = _written(in_one_file(file, files)), {}
    if as_variant:
        return {name: _written(variant(d, yaml.safe_load(file), outputs)), BASE: file, **files}
    return {name: file, **files}
