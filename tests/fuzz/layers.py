"""How layers of several kinds, stages, and blocks that share or keep their weights are drawn; see `tests.fuzz.blocks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.draft import Axes, Axis, Draft, Value, text

KINDS = ("mlp", "gated_mlp", "layer_norm", "rms_norm", "linear_attention")  # that keep [b, n, d]
WITH_INNER = ("mlp", "gated_mlp")


def _tokens(d: Draft) -> Value:
    """Return a value [b, n, d] with three plain sizes that differ."""

    def fits(value: Value) -> bool:
        return value.rank == 3 and len(set(value.axes)) == 3 and all(text(axis) in d.dims for axis in value.axes)

    found = d.find(fits)
    if found is not None and d.often(8):
        return found
    sizes: list[Axis] = []
    while len(sizes) < 3:
        size = (d.plain(),)
        sizes.append(size if size not in sizes else (d.new_size(),))
    return d.input(tuple(sizes))


def _bound(axes: Axes, inner: str) -> dict[str, str]:
    return {"b": text(axes[0]), "n": text(axes[1]), "d": text(axes[2]), "f": inner}


def _kind(d: Draft, axes: Axes, inner: str) -> dict[str, Any]:
    name = d.pick(KINDS)
    sizes = _bound(axes, inner)
    if name not in WITH_INNER:
        del sizes["f"]
    return {"use": name, "with": sizes}


def _often_frozen(d: Draft, row: dict[str, Any]) -> dict[str, Any]:
    return row | ({"frozen": d.option(d.often(5)) if d.often(3) else True} if d.often(2) else {})


def pattern(d: Draft) -> None:
    """Stack layers of two kinds in turn, with others before or behind them now and then."""
    x, inner = _tokens(d), d.plain()
    kinds = [_kind(d, x.axes, inner) for _ in range(2)]
    for kind in kinds:
        if d.often(3):
            kind["times"] = d.number(1, 3)
        if d.often(2):
            kind["share"] = True
    row: dict[str, Any] = {"repeat": d.pick((4, d.new_size(), 3, 7)), "pattern": {"one": kinds[0], "two": kinds[1]}}
    for place in ("first", "last"):
        if d.often(2):
            row[place] = _kind(d, x.axes, inner) | ({"times": 2} if d.often(3) else {})
    if d.often(1):
        row["share"] = True
    d.row(_often_frozen(d, row), [x], [("", x.axes, "float")])


def stages(d: Draft) -> None:
    """Run stages whose widths differ: a size with an entry for each."""
    x, count = _tokens(d), d.number(2, 3)
    name, inner = d.new_size(), d.plain()
    d.dims[name] = {"is": f"width of each stage of {name}", "each": f"1..{count}", "default": [d.number(2, 5) for _ in range(count)]}
    d.tokens = (*d.tokens, name)  # of which no other size is made
    row: dict[str, Any] = {"each": f"i in 1..{count}", "use": "widened", "with": {"d": f"{name}[i-1]", "t": f"{name}[i]", "f": inner}}
    row["with"] |= {"b": text(x.axes[0]), "n": text(x.axes[1])}
    row["first"] = {"in": x.ref, "with": {"d": text(x.axes[2])}}
    if d.often(3):
        row["options"] = {"bent": [d.often(5) for _ in range(count)]}
    d.made["widened"] = WIDENED
    key = f"r{len(d.rows)}"
    d.rows[key] = _often_frozen(d, row) | {"_reads": x.ref}
    axes = (*x.axes[:2], (f"{name}[{count}]",))
    d.show(d.op("activation", [Value(f"{key}[{count}]", axes)], axes, kind="tanh"))


WIDENED = """\
title: A stage
dims: {b: batch, n: length, d: width, t: its own width, f: inner width}
options: {bent: {is: whether it is bent, default: true}}
inputs: {x: [b, n, d]}
layers:
  inner: {op: linear, out: [b, n, f]}
  bent:  {op: activation, kind: silu, when: bent}
  y:     {op: linear, out: [b, n, t]}
"""


def tied(d: Draft) -> None:
    """Use a block twice, the second time with the weights of the first."""
    x, inner = _tokens(d), d.plain()
    kind = _kind(d, x.axes, inner)
    (first,) = d.row(_often_frozen(d, kind), [x], [("", x.axes, "float")])
    again = first if d.often(5) else d.like(x)
    d.row({**kind, "tie": first.ref}, [again], [("", x.axes, "float")])


def tied_by_option(d: Draft) -> None:
    """Let an option decide whether a linear layer has the weights of another."""
    x = d.take(2, 3, 1, 4)
    width = x.axes[-1] if d.often(5) else d.size()
    axes = (*x.axes[:-1], width)
    bias = d.flag() if d.often(4) else None
    y = d.op("linear", [x], axes, out=[text(axis) for axis in axes], bias=bias)
    again = y if width == x.axes[-1] and d.often(5) else d.like(x)
    if "when" not in d.rows[y.ref]:
        d.op("linear", [again], axes, out=[text(axis) for axis in axes], tie=y.ref, tie_when=d.option(d.often(5)), bias=bias)


def chosen(d: Draft) -> None:
    """Let an option choose between two values of one shape: `when` with `else`."""
    x = d.take(1, 2, 3, 4)
    other = d.like(x)
    y = d.like(x) if d.often(5) else x
    d.row({"op": "mul", "when": d.option(d.often(5)), "else": other.ref}, [x, y], [("", x.axes, "float")])


def gated(d: Draft) -> None:
    """Let tokens choose experts of which each takes so many at most, beside an expert of all tokens."""
    x, inner = _tokens(d), d.plain()
    count, k = d.new_size(), d.pick(("1", "2", d.plain()))
    d.require(f"{count} >= {k}")
    scores = d.op("linear", [x], (*x.axes[:-1], (count,)), out=[*map(text, x.axes[:-1]), count], bias=False)
    axes = (*x.axes[:-1], (k,))
    values, indices = d.row({"op": "top_k", "k": k}, [scores], [("values", axes, "float"), ("indices", axes, "index")])
    row: dict[str, Any] = {"use": d.pick(WITH_INNER), "with": {"d": text(x.axes[-1]), "f": inner}, "in": x.ref, "experts": count}
    row["by"] = indices.ref
    if d.often(6):
        row["weights"] = values.ref
    else:
        d.show(values)
    if d.often(4):
        capacity = d.new_size()
        d.require(f"{count}*{capacity} >= {text(x.axes[0])}*{text(x.axes[1])}*{k}")
        row["capacity"] = capacity
    (y,) = d.row(_often_frozen(d, row), [x], [("", x.axes, "float")])
    if d.often(5):
        (all_of_them,) = d.row({"use": "gated_mlp", "with": _bound(x.axes, inner)}, [x], [("", x.axes, "float")])
        d.op("add", [y, all_of_them], x.axes)


LAYERS: dict[str, Callable[[Draft], None]] = {
    "pattern": pattern,
    "each": stages,
    "tie of blocks": tied,
    "tie_when": tied_by_option,
    "else": chosen,
    "capacity": gated,
}
