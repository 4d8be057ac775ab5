"""How each op is drawn: what it reads, its settings, and the shape of its result. `MOVES` has one function for each op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from generator.ops.activation import FUNCTIONS
from generator.ops.elementwise import FUNCTIONS as ELEMENTWISE
from tests.fuzz.draft import LABELS, Axes, Axis, Draft, Value, formula, shapes_same, text, written
from tests.fuzz.images import IMAGES, divisor

Move = Callable[[Draft], None]
MOVES: dict[str, Move] = dict(IMAGES)


def move(op: str) -> Callable[[Move], Move]:
    """Register how an op is drawn."""

    def register(function: Move) -> Move:
        MOVES[op] = function
        return function

    return register


# ---- elementwise ---------------------------------------------------------------------------------------------------------------------


@move("activation")
def activation(d: Draft) -> None:
    x = d.take()
    kind = d.pick(tuple(FUNCTIONS))
    d.op("activation", [x], x.axes, kind=d.option(kind, [kind, "relu"] if kind != "relu" else ["relu", "silu"]) if d.often(1) else kind)


@move("elementwise")
def elementwise(d: Draft) -> None:
    x = d.take()
    kind = d.pick(tuple(ELEMENTWISE))
    if kind in ("log", "sqrt", "rsqrt"):
        x = d.op("activation", [x], x.axes, kind="softplus")
    d.op("elementwise", [x], x.axes, kind=d.option(kind, [kind, "abs"] if kind != "abs" else ["abs", "neg"]) if d.often(1) else kind)


@move("glu")
def glu(d: Draft) -> None:
    axes = d.take(1, 2, 3, 4, fits=lambda value: value.axes[-1] != ()).axes
    if axes[-1]:
        d.op("glu", [d.input((*axes[:-1], ("2", *axes[-1])))], axes)


@move("prelu")
def prelu(d: Draft) -> None:
    x = d.take(2, 3, 4)
    d.op("prelu", [x], x.axes, channels=d.flag(False) if x.axes[1] and d.often(5) else None)


def _arithmetic(op: str, most: int) -> None:
    @move(op)
    def draw(d: Draft) -> None:
        x = d.take()
        reads = [x, *(_broadcastable(d, x) for _ in range(d.number(1, most)))]
        if d.often(2):
            reads[:2] = reversed(reads[:2])
        axes = x.axes if len(reads) == 2 or reads[0] == x else _spread(reads)
        d.op(op, reads, axes)


def _spread(reads: list[Value]) -> Axes:
    return max((value.axes for value in reads), key=len)


def _broadcastable(d: Draft, x: Value) -> Value:
    """Return what can be combined with x and does not widen it."""

    def fits(other: Value) -> bool:
        return other.rank <= x.rank and all(a in ((), b) for a, b in zip(reversed(other.axes), reversed(x.axes), strict=False))

    if d.often(8):
        found = d.find(fits)
        if found is not None:
            return found
    axes = x.axes[d.number(0, max(0, x.rank - 1)) :]
    return d.input(tuple(() if d.often(2) else axis for axis in axes))


for _name, _most in (("add", 3), ("mul", 3), ("sub", 1), ("div", 1), ("maximum", 2), ("minimum", 2)):
    _arithmetic(_name, _most)


@move("scale")
def scale(d: Draft) -> None:
    x = d.take()
    size = d.plain()
    d.op("scale", [x], x.axes, by=d.pick((f"{size}**-0.5", f"1/({size} + 1)", "2", "0.5", f"{size} + 1", "-1")))


@move("shift")
def shift(d: Draft) -> None:
    x = d.take()
    size = d.plain()
    d.op("shift", [x], x.axes, by=d.pick((size, "1", f"-{size}", f"1/{size}", f"{size}//2 + 1")))


@move("clamp")
def clamp(d: Draft) -> None:
    x = d.take()
    low, high = d.pick(((0, None), (None, 1), (-0.5, 0.5)))
    d.op("clamp", [x], x.axes, low=low, high=high)


@move("rrelu")
def rrelu(d: Draft) -> None:
    x = d.take()
    d.op("rrelu", [x], x.axes, lower=d.pick((None, 0.05)), upper=d.pick((None, 0.4)))


@move("threshold")
def threshold(d: Draft) -> None:
    x = d.take()
    d.op("threshold", [x], x.axes, above=d.pick((0, 0.1)), value=d.pick((None, -1)))


@move("pow")
def power(d: Draft) -> None:
    x = d.take()
    d.op("pow", [x], x.axes, by=d.pick(("3", "2", d.plain())))


@move("soft_cap")
def soft_cap(d: Draft) -> None:
    x = d.take()
    d.op("soft_cap", [x], x.axes, at=d.pick(("30", d.plain(), "2.5")))


@move("where")
def where(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    mask = d.input(tuple(() if d.often(3) else axis for axis in x.axes[d.number(0, x.rank - 1) :]), "bool")
    other = _broadcastable(d, x)
    d.op("where", [mask, *d.shuffled([x, other])], x.axes)


@move("dropout")
def dropout(d: Draft) -> None:
    x = d.take()
    d.op("dropout", [x], x.axes, p=d.pick((0.1, 0, 0.5)))


# ---- along an axis -------------------------------------------------------------------------------------------------------------------


def _some_axis(d: Draft, x: Value) -> int:
    return d.pick((x.rank - 1, *range(x.rank - 1)))


def _keeping(op: str) -> None:
    @move(op)
    def draw(d: Draft) -> None:
        x = d.take(1, 2, 3, 4)
        index = _some_axis(d, x)
        d.op(op, [x], x.axes, over=None if index == x.rank - 1 and op != "cumsum" and d.often(5) else d.axis(x, index))


for _name in ("softmax", "softmin", "log_softmax", "l2_normalise", "cumsum"):
    _keeping(_name)


def _reduced(axes: Axes, gone: set[int], keep: bool) -> Axes:
    return tuple(() if i in gone else axis for i, axis in enumerate(axes) if keep or i not in gone)


def _reduction(op: str) -> None:
    @move(op)
    def draw(d: Draft) -> None:
        x = d.take(2, 3, 4)
        gone = d.subset(range(x.rank), least=1) if d.often(4) else [_some_axis(d, x)]
        over = [d.axis(x, i) for i in gone]
        keep = d.often(4)
        flag: Any = (d.option(keep) if d.often(1) else keep) if keep or d.often(2) else None
        d.op(op, [x], _reduced(x.axes, set(gone), keep), over=over[0] if len(over) == 1 and d.often(7) else over, keep=flag)


for _name in ("sum", "mean", "max"):
    _reduction(_name)


@move("logsumexp")
def logsumexp(d: Draft) -> None:
    x = d.take(2, 3, 4)
    index, keep = _some_axis(d, x), d.often(4)
    d.op("logsumexp", [x], _reduced(x.axes, {index}, keep), over=d.axis(x, index), keep=keep or None)


@move("argmax")
def argmax(d: Draft) -> None:
    x = d.take(2, 3, 4)
    index = _some_axis(d, x)
    _unread_gradient(d, x)
    d.op("argmax", [x], _reduced(x.axes, {index}, keep=False), "index", over=d.axis(x, index))


def _unread_gradient(d: Draft, x: Value) -> None:
    """Let a gradient flow into what is read without one."""
    if "no gradient" in d.known:
        d.show(x)


@move("top_k")
def top_k(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    index = _some_axis(d, x)
    k: Axis = d.pick((("2",), (d.plain(),)))
    row: dict[str, Any] = {"op": "top_k", "k": text(k), "over": d.axis(x, index)}
    axes = (*x.axes[:index], k, *x.axes[index + 1 :])
    values, _ = d.row(row, [x], [("values", axes, "float"), ("indices", axes, "index")])
    if "no gradient" in d.known:
        d.show(values)


@move("argsort")
def argsort(d: Draft) -> None:
    x = d.take(1, 2, 3, kind="index")
    d.op("argsort", [x], x.axes, "index", over=d.axis(x, _some_axis(d, x)))


def _of_whole_numbers(op: str) -> None:
    @move(op)
    def draw(d: Draft) -> None:
        x = d.take(1, 2, 3, kind="index")
        d.op(op, [x], x.axes, "index", by=d.pick((d.plain(), "2", f"{d.plain()} + 1")))


for _name in ("remainder", "floor_divide"):
    _of_whole_numbers(_name)


@move("sort")
def sort(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    row: dict[str, Any] = {"op": "sort", "over": d.axis(x, _some_axis(d, x))} | ({"descending": d.flag()} if d.often(3) else {})
    values, _ = d.row(row, [x], [("values", x.axes, "float"), ("indices", x.axes, "index")])
    if "no gradient" in d.known:
        d.show(values)


# ---- norms ---------------------------------------------------------------------------------------------------------------------------


@move("layer_norm")
def layer_norm(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    d.op("layer_norm", [x], x.axes, affine=d.flag() if d.often(4) else None, bias=d.flag() if d.often(3) else None)


@move("rms_norm")
def rms_norm(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    d.op("rms_norm", [x], x.axes, affine=d.flag() if d.often(4) else None)


@move("batch_norm")
def batch_norm(d: Draft) -> None:
    x = d.take(2, 3, 4, fits=lambda value: value.axes[0] != ())
    if not x.axes[0]:  # there may be one value a channel, of which there are no statistics
        return
    d.op("batch_norm", [x], x.axes, affine=d.flag() if d.often(4) else None)


@move("group_norm")
def group_norm(d: Draft) -> None:
    x = d.take(3, 4, 2, fits=lambda value: value.axes[1] != ())
    groups = divisor(d, x.axes[1])
    d.op("group_norm", [x], x.axes, groups=groups, affine=d.flag() if d.often(4) else None)


# ---- contractions --------------------------------------------------------------------------------------------------------------------


@move("linear")
def linear(d: Draft) -> None:
    x = d.take(2, 3, 1, 4)
    tied = [
        (name, row)
        for name, row in d.rows.items()
        if row.get("op") in ("embedding", "linear")
        and "tie" not in row
        and row.get("_weight", ("", ""))[1] == x.axes[-1]
        and "when" not in row
    ]
    if tied and d.often(5):
        name, other = d.pick(tied)
        width = other["_weight"][0]
        bias: Any = False if "tied bias" in d.known else None
        tied_when = d.option(d.often(5)) if d.often(4) else None
        axes = (*x.axes[:-1], width)
        d.op("linear", [x], axes, out=[text(axis) for axis in axes], tie=name, tie_when=tied_when, bias=bias)
        return
    width = x.axes[-1] if d.often(3) else d.size()
    y = d.op(
        "linear", [x], (*x.axes[:-1], width), out=[text(axis) for axis in (*x.axes[:-1], width)], bias=d.flag() if d.often(4) else None
    )
    d.rows[y.ref]["_weight"] = (width, x.axes[-1])


@move("einsum")
def einsum(d: Draft) -> None:
    a = d.take(2, 3, 4, fits=lambda value: all(value.axes))  # over an axis of one PyTorch multiplies elements
    if not all(a.axes):
        return
    local = iter(LABELS)
    own = _labels(d, a, local, {})
    if d.often(1):
        result = _some_labels(d, own)
        d.op("einsum", [a], tuple(own[label] for label in result), eq=f"{' '.join(own)} -> {' '.join(result)}")
        return
    b = d.find(
        lambda value: value.rank in (2, 3, 4) and all(value.axes) and value.ref != a.ref and any(axis in a.axes for axis in value.axes)
    )
    if b is None or d.often(3):
        b = d.input(tuple(d.pick((d.pick(a.axes), d.size())) for _ in range(d.number(2, 3))))
    other = _labels(d, b, local, own)
    both = [label for label in own if label in other]
    alone = [label for label in (*own, *other) if label not in both]
    summed = d.subset(both, least=min(1, len(both)))
    kept = [label for label in (*own, *other) if label not in summed]
    if "summed alone" not in d.known and d.often(1):
        kept = [label for label in kept if label not in alone or d.often(8)]
    result = d.shuffled(list(dict.fromkeys(kept))) if d.often(5) else list(dict.fromkeys(kept))
    sizes = other | own
    d.op("einsum", [a, b], tuple(sizes[label] for label in result), eq=f"{' '.join(own)}, {' '.join(other)} -> {' '.join(result)}")


def _some_labels(d: Draft, own: dict[str, Axis]) -> list[str]:
    kept = d.subset(list(own), least=1)
    return d.shuffled(kept)


def _labels(d: Draft, x: Value, local: Any, known: dict[str, Axis]) -> dict[str, Axis]:
    """Give each axis a label: one that another operand has for an axis of this size, the size's name, or a local one."""
    found: dict[str, Axis] = {}
    for axis in x.axes:
        shared = [label for label, size in known.items() if size == axis and label not in found]
        name = text(axis)
        if shared and d.often(8):
            found[d.pick(shared)] = axis
        elif name in d.dims and name not in found and name not in known and d.often(5):
            found[name] = axis
        else:
            found[next(local)] = axis
    return found


@move("attention")
def attention(d: Draft) -> None:
    q = d.take(4)
    b, h, n, e = q.axes
    if not all(q.axes):
        q = d.input((b, h, n, e) if h and b and n and e else tuple((d.plain(),) for _ in range(4)))
        b, h, n, e = q.axes
    causal = d.often(3)
    m = n if causal else d.pick((n, (d.plain(),)))
    groups = h
    if d.often(3) and h[0] in d.dims:
        groups = h[:1]
    k = _of_shape(d, (b, groups, m, e))
    v = k if d.often(1) else _of_shape(d, (b, groups, m, e))
    reads, settings = [q, k, v], {"scale": d.pick((None, None, f"1/({text(e)})"))}
    if d.often(3):
        reads += [d.input(axes, kind) for axes, kind in (((b, m), "bool"), ((h, n, m), "float")) if d.often(4)]
        settings |= {"sinks": True if d.often(3) else None, "soft_cap": "30" if d.often(3) else None}
        settings |= {"window": d.plain() if m == n and d.often(5) else None, "causal": causal or None}
    else:
        settings["causal"] = d.option(True) if causal and d.often(3) else causal or None
    d.op("attention", reads, q.axes, **settings)


def _of_shape(d: Draft, axes: Axes) -> Value:
    found = d.find(lambda value: value.axes == axes)
    return found if found is not None and d.often(7) else d.input(axes)


# ---- moving --------------------------------------------------------------------------------------------------------------------------


@move("rearrange")
def rearrange(d: Draft) -> None:
    kind = d.pick(("float", "float", "float", "float", "index", "bool"))
    x = d.take(2, 3, 4, 1, kind=kind)
    labels: dict[str, Axis] = {}
    left: list[str] = []
    local = iter(LABELS)
    for axis in x.axes:
        parts = _split(d, axis, labels, local)
        left.append(" ".join(parts) if len(parts) == 1 else f"({' '.join(parts)})" if parts else "1")
        labels |= parts
    order = list(labels)
    order = d.shuffled(order) if d.often(6) else order
    groups = [[label] for label in order]
    while len(groups) > 1 and d.often(4):
        at = d.number(0, len(groups) - 2)
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    if len(groups) < 4 and d.often(1):
        groups.insert(d.number(0, len(groups)), [])
    axes = tuple(tuple(factor for label in group for factor in labels[label]) for group in groups)
    if not groups or len(groups) > 6:
        return
    right = " ".join(group[0] if len(group) == 1 else f"({' '.join(group)})" if group else "1" for group in groups)
    d.op("rearrange", [x], axes, x.kind, to=f"{' '.join(left)} -> {right}")


def _split(d: Draft, axis: Axis, taken: dict[str, Axis], local: Any) -> dict[str, Axis]:
    """Return the labels of one axis: one, or several that it is split into; none for an axis of one."""
    if not axis:
        return {}
    if len(axis) > 1 and d.often(7):
        unnamed = [factor for factor in axis if factor not in d.dims or factor in taken]
        if len(unnamed) <= 1 and len(set(axis)) == len(axis):
            return {(next(local) if factor in unnamed else factor): (factor,) for factor in axis}
    name = text(axis)
    if len(axis) == 1 and name in d.dims and len(d.dims) > 1 and d.often(2):
        by = d.plain()
        if by != name and by not in taken:
            rest = d.divided(axis, by)
            assert rest is not None
            parts = [(by, (by,)), (next(local), rest)]
            return dict(reversed(parts) if d.often(5) else parts)
    return {name if name in d.dims and name not in taken and d.often(7) else next(local): axis}


@move("expand")
def expand(d: Draft) -> None:
    x = d.take(1, 2, 3)
    axes = tuple(d.size() if axis == () and d.often(7) else axis for axis in x.axes)
    axes = (*(d.size() for _ in range(d.number(0, 4 - x.rank) if d.often(5) else 0)), *axes)
    d.op("expand", [x], axes, x.kind, out=[text(axis) for axis in axes])


@move("stack")
def stack(d: Draft) -> None:
    x = d.take(1, 2, 3)
    parts = [x, *(_of_shape(d, x.axes) for _ in range(d.number(1, 2)))]
    place = d.number(0, x.rank)
    axes = (*x.axes[:place], (str(len(parts)),), *x.axes[place:])
    d.op("stack", parts, axes, axis=place - x.rank - 1 if d.often(3) else place)


@move("concat")
def concat(d: Draft) -> None:
    x = d.take(2, 3, 4)
    index = _some_axis(d, x)
    parts = [x]
    for _ in range(d.number(1, 2)):

        def fits(value: Value) -> bool:
            return value.rank == x.rank and all(i == index or a == b for i, (a, b) in enumerate(zip(value.axes, x.axes, strict=True)))

        found = d.find(fits)
        if found is None or d.often(3):
            found = d.input(tuple(d.size() if i == index else () if d.often(2) else axis for i, axis in enumerate(x.axes)))
        parts.append(found)
    reads = d.shuffled(parts)
    axes = (
        *x.axes[:index],
        formula(" + ".join(written(one.axes[index]) if one.axes[index] else "1" for one in reads)),
        *x.axes[index + 1 :],
    )
    d.op("concat", reads, axes, axis=d.pick((index, index - x.rank)))


@move("split")
def split(d: Draft) -> None:
    x = d.take(2, 3, 4, 1)
    index = _some_axis(d, x)
    axis = x.axes[index]
    if not axis or all(factor.isdigit() for factor in axis):
        return
    sizes: list[Axis]
    if d.often(5):
        into = d.number(2, 3)
        rest = d.divided(axis, str(into))
        assert rest is not None
        sizes, how = [rest] * into, {"into": into}
    else:
        first: Axis = d.pick((("2",), (d.plain(),)))
        sizes = [first, formula(f"{text(axis)} - {text(first)}")]
        how = {"sizes": [text(one) for one in sizes]}
        if first == axis:
            return
    names = [f"a{i}" for i in range(len(sizes))] if d.often(3) else [f"part{i}" for i in range(len(sizes))]
    row = {"op": "split", "axis": d.axis(x, index), **how} | ({"names": names} if names[0] == "a0" else {})
    d.row(row, [x], [(name, (*x.axes[:index], size, *x.axes[index + 1 :]), x.kind) for name, size in zip(names, sizes, strict=True)])


@move("slice")
def slice_(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, kind=d.pick(("float", "float", "float", "index")))
    index = _some_axis(d, x)
    axis = x.axes[index]
    if not axis or axis[0].isdigit():
        return
    if d.often(3):
        step, first = d.pick((2, 3, d.plain())), d.pick((0, 1))
        few = formula(f"ceil(({text(axis)} - {first})/{step})")
        d.op("slice", [x], (*x.axes[:index], few, *x.axes[index + 1 :]), x.kind, axis=d.axis(x, index), start=first or None, step=step)
        return
    start, size = d.pick(((0, formula(f"{text(axis)} - 1")), (1, formula(f"{text(axis)} - 1")), (0, (d.plain(),)), (1, ("2",))))
    if size[0].isidentifier() or size[0].isdigit():
        d.require(f"{text(axis)} > {text(size)}")  # a slice that happens to be the whole axis saves PyTorch copies
    d.op("slice", [x], (*x.axes[:index], size, *x.axes[index + 1 :]), x.kind, axis=d.axis(x, index), start=start or None, size=text(size))


@move("select")
def select(d: Draft) -> None:
    x = d.take(2, 3, 4, kind=d.pick(("float", "float", "float", "index")))
    index = _some_axis(d, x)
    d.op("select", [x], (*x.axes[:index], *x.axes[index + 1 :]), x.kind, axis=d.axis(x, index), index=d.pick((0, -1, None)))


@move("roll")
def roll(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, kind=d.pick(("float", "float", "float", "index")))
    along = d.subset(range(x.rank), least=1)
    shifts = [d.pick((1, -1, d.plain(), f"-{d.plain()}")) for _ in along]
    d.op("roll", [x], x.axes, x.kind, axes=[d.axis(x, i) for i in along], shifts=shifts)


@move("delay")
def delay(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, kind=d.pick(("float", "float", "float", "index")))
    index = _some_axis(d, x)
    d.op("delay", [x], x.axes, x.kind, axis=d.axis(x, index), by=d.pick((None, 2, d.plain())))


@move("unfold")
def unfold(d: Draft) -> None:
    x = d.take(2, 3, 4, 1)
    index = _some_axis(d, x)
    axis = x.axes[index]
    size = d.pick(("2", "3", d.plain()))
    step = d.pick((None, "1", "2", d.plain()))
    around = d.pick((0, 1, d.plain(), [0, 1]))
    both = " + ".join(map(str, around)) if isinstance(around, list) else f"2*{around}"
    count = formula(f"({text(axis)} + {both} - {size})//{step or size} + 1")
    axes = (*x.axes[:index], count, (size,), *x.axes[index + 1 :])
    d.op("unfold", [x], axes, axis=d.axis(x, index), size=size, step=step, pad=around or None)


@move("gather")
def gather(d: Draft) -> None:
    x = d.take(2, 3, 4)
    index = _some_axis(d, x)
    whole = d.often(4)

    def fits(value: Value) -> bool:
        if value.rank not in ({x.rank} if whole else {index + 1}):
            return False
        return all(a == b for i, (a, b) in enumerate(zip(value.axes, x.axes, strict=False)) if i != index)

    places = d.find(fits, "index")
    if places is None or d.often(3):
        few = d.size()
        places = d.input((*x.axes[:index], few, *(x.axes[index + 1 :] if whole else ())), "index")
    d.op("gather", [x, places], (*x.axes[:index], places.axes[index], *x.axes[index + 1 :]), axis=d.axis(x, index))


@move("scatter")
def scatter(d: Draft) -> None:
    x = d.take(2, 3, 4)
    index, few = _some_axis(d, x), d.size()
    axes = (*x.axes[:index], few, *x.axes[index + 1 :])
    places = d.input(axes if d.often(4) else axes[: index + 1], "index")
    d.op("scatter", [x, places, d.input(axes)], x.axes, axis=d.axis(x, index), add=True if d.often(5) else None)


@move("index_add")
def index_add(d: Draft) -> None:
    x = d.take(1, 2, 3)
    index, few = _some_axis(d, x), d.size()
    source = d.input((*x.axes[:index], few, *x.axes[index + 1 :]))
    d.op("index_add", [x, d.input((few,), "index"), source], x.axes, axis=d.axis(x, index))


# ---- tables and what reads nothing ---------------------------------------------------------------------------------------------------


@move("embedding")
def embedding(d: Draft) -> None:
    ids = d.take(2, 1, 3, kind="index")
    tied = [(name, row) for name, row in d.rows.items() if row.get("op") == "embedding" and "_weight" in row and "when" not in row]
    if tied and d.often(3):
        name, other = d.pick(tied)
        ids = _within(d, ids, other["count"])
        d.op("embedding", [ids], (*ids.axes, other["_weight"][1]), count=other["count"], width=other["width"], tie=name)
        return
    count, width = d.size(), d.size()
    ids = _within(d, ids, text(count))
    y = d.op("embedding", [ids], (*ids.axes, width), count=text(count), width=text(width))
    d.rows[y.ref]["_weight"] = (count, width)


def _within(d: Draft, ids: Value, count: str) -> Value:
    """Return indices of a table of so many rows: computed ones, which may reach further, are brought within."""
    return ids if ids.ref in d.inputs else d.op("remainder", [ids], ids.axes, "index", by=count)


@move("parameter")
def parameter(d: Draft) -> None:
    x = d.take()
    axes = x.axes[d.number(0, max(0, x.rank - 1)) :] or (d.size(),)
    axes = tuple(() if d.often(2) or axis[:1] in [(token,) for token in d.tokens] else axis for axis in axes)
    d.op("parameter", [], axes, out=[text(axis) for axis in axes])


@move("table")
def table(d: Draft) -> None:
    x = d.take()
    axes = x.axes[d.number(0, max(0, x.rank - 1)) :] or (d.size(),)
    axes = tuple(() if d.often(2) or axis[:1] in [(token,) for token in d.tokens] else axis for axis in axes)
    places = [f"place{i}" for i in range(len(axes))]
    first, last, size = places[0], places[-1], d.plain() if not d.tokens else "3"
    value = d.pick((f"{first} - {last} + 1", f"2**(-{first}/{size})", f"where({first} < {last}, sin({last}), {size})", f"min({first}, 2)"))
    d.op("table", [], axes, axes={place: text(axis) for place, axis in zip(places, axes, strict=True)}, value=value)


@move("relative_bias")
def relative_bias(d: Draft) -> None:
    window = [d.plain() for _ in range(d.number(1, 2))]
    heads = d.plain()
    places = tuple(window)
    y = d.op("relative_bias", [], ((heads,), places, places), window=window, heads=heads)
    if d.often(5):
        _added(d, y)


def _added(d: Draft, y: Value) -> None:
    x = d.find(lambda value: value.rank > y.rank and value.axes[-y.rank :] == y.axes) or d.input(((d.plain(),), *y.axes))
    d.op("add", [x, y], x.axes)


@move("relative_positions")
def relative_positions(d: Draft) -> None:
    x = d.take(2, 3, 4, fits=lambda value: value.axes[-2] != ())
    _unread_gradient(d, x)
    d.op("relative_positions", [x], (x.axes[-2], x.axes[-2], x.axes[-1]), reach=d.pick((None, 2, d.plain())))


@move("positional")
def positional(d: Draft) -> None:
    x = d.take(3, 2, 4)
    _unread_gradient(d, x)
    length = d.pick((text(x.axes[-2]), d.plain(), f"{text(x.axes[-2])} + 1"))
    y = d.op("positional", [x], x.axes[-2:], kind=d.pick(("learned", "sinusoidal")), length=length)
    if d.often(7):
        d.op("add", [x, y], x.axes)


@move("rotations")
def rotations(d: Draft) -> None:
    x = d.take(4, 3, 2)
    _unread_gradient(d, x)
    half = d.divided(x.axes[-1], "2")
    if half is None or x.axes[-2] == ():
        return
    row = {"op": "rotations", "length": d.pick((text(x.axes[-2]), f"{text(x.axes[-2])} + 2"))}
    axes = (x.axes[-2], half)
    cos, sin = d.row(row, [x], [("cos", axes, "float"), ("sin", axes, "float")])
    if d.often(8):
        _turned(d, x, cos, sin)


@move("rotary")
def rotary(d: Draft) -> None:
    rotations(d)


def _turned(d: Draft, x: Value, cos: Value, sin: Value) -> None:
    pairs = d.pick((None, "halves", "neighbours"))
    d.op("rotary", [x, cos, sin], x.axes, pairs=pairs)
    if d.often(3):
        d.op("rotary", [d.like(x), cos, sin], x.axes, pairs=pairs)


@move("random_projection")
def random_projection(d: Draft) -> None:
    x = d.take(3, 4)
    many = d.size()
    w = d.op("random_projection", [], (many, x.axes[-1]), out=[text(many), text(x.axes[-1])])
    d.op("random_features", [x, w], (*x.axes[:-1], many), of=d.pick(("queries", "keys")))


@move("random_features")
def random_features(d: Draft) -> None:
    random_projection(d)


@move("lsh_buckets")
def lsh_buckets(d: Draft) -> None:
    x = d.take(4)
    _unread_gradient(d, x)
    rounds = d.pick(("1", "2", d.plain()))
    buckets = d.pick(("4", "6", f"2*{d.plain()}"))
    places = x.axes[2] if rounds == "1" else (rounds, *x.axes[2])
    d.op("lsh_buckets", [x], (*x.axes[:2], places), "index", rounds=rounds, buckets=buckets)


# ---- masks ---------------------------------------------------------------------------------------------------------------------------


@move("mask")
def mask(d: Draft) -> None:
    x = d.take(4, 3, 2)
    if d.often(5):
        if x.rank >= 2 and all(x.axes[-2:]):
            d.op("mask", [x], x.axes, kind="causal")
        return
    first = d.number(0, x.rank - 1)
    axes = (*x.axes[:first], x.axes[-1])
    hidden = d.find(lambda value: shapes_same(value.axes, axes), "bool")
    if hidden is None or d.often(3):
        hidden = d.input(tuple(() if d.often(1) and i < len(axes) - 1 else axis for i, axis in enumerate(axes)), "bool")
    d.op("mask", [x, hidden], x.axes, kind="padding")


@move("hide")
def hide(d: Draft) -> None:
    x = d.take(4, 3, 2)
    local = list(LABELS[: x.rank])
    size = d.plain()
    i, j = local[-2], local[-1]
    where = d.pick(
        (f"{j} > {i}", f"{i} - {j} >= {size}", f"{j} > {i} or {i} - {j} >= {size}", f"({i} + {j}) % 2 == 1", f"{j} // 2 > {i} // 2")
    )
    names = [
        text(axis) if i < x.rank - 2 and text(axis) in d.dims and text(axis) not in local else local[i] for i, axis in enumerate(x.axes)
    ]
    if len(set(names)) == len(names):
        d.op("hide", [x], x.axes, axes=" ".join(names), where=where)


@move("hide_others")
def hide_others(d: Draft) -> None:
    x = d.take(1, 2, 3, 4)
    index = _some_axis(d, x)
    places = d.input((*x.axes[:index], d.size()), "index")
    d.op("hide_others", [x, places], x.axes, axis=d.axis(x, index), value=d.pick((None, -5)))


@move("hide_equal")
def hide_equal(d: Draft) -> None:
    x = d.take(3, 4, 2)
    queries = _indices(d, x.axes[:-1])
    keys = _indices(d, (*x.axes[:-2], x.axes[-1]))
    d.op("hide_equal", [x, queries, keys], x.axes, value=d.pick((None, -5000)))


def _indices(d: Draft, axes: Axes) -> Value:
    found = d.find(lambda value: value.axes == axes, "index")
    return found if found is not None and d.often(7) else d.input(axes, "index")


@move("window_mask")
def window_mask(d: Draft) -> None:
    sides, heads = [(d.plain(), d.plain()) for _ in range(d.number(1, 2))], d.plain()
    for grid, window in sides:
        if grid == window:
            return
        d.require(f"{grid} % {window} == 0")
    windows = tuple(f"({grid}/{window})" for grid, window in sides)
    places = tuple(window for _, window in sides)
    x = _of_shape(d, ((d.plain(), *windows), (heads,), places, places))
    shift = [d.pick((1, f"{window}//2")) for _, window in sides]
    d.op("window_mask", [x], x.axes, grid=[grid for grid, _ in sides], window=list(places), shift=shift)


# ---- decoding ------------------------------------------------------------------------------------------------------------------------


@move("cache")
def cache(d: Draft) -> None:
    """Keys and values kept, with the attention that reads them, mostly."""
    if not d.decoding:
        return
    q = d.find(
        lambda value: value.rank == 4 and value.axes[2] == ("n",) and not {"n", "m"} & set(sum(value.axes[:2] + value.axes[3:], ()))
    ) or d.input((("b",), ("h",), ("n",), ("e",)))
    kept = []
    window = d.pick((1, 2, d.plain())) if d.often(3) else None
    held = ("m",) if window is None else formula(f"n + min(m - n, {window})")
    for _ in range(2):
        k = d.find(lambda value: value.axes == q.axes) or d.input(q.axes)
        kept.append(d.op("cache", [k], (*q.axes[:2], held, q.axes[3]), axis=d.pick((2, -2, "n")), to="m", keep=window))
    if window is not None:
        d.op("attention", [q, *kept], q.axes, causal=True, offset=f"min(m - n, {window})", window=f"{window} + 1")
        return
    if d.often(4):
        d.op("attention", [q, *kept], q.axes, causal=d.pick((None, True)), offset=None) if d.often(5) else d.op(
            "attention", [q, *kept], q.axes, causal=True, offset="m - n"
        )
        return
    scores = d.op("einsum", [q, kept[0]], (*q.axes[:3], ("m",)), eq="o y i z, o y j z -> o y i j")
    if d.often(4):
        scores = d.op("mask", [scores], scores.axes, kind="causal")
    weights = d.op("softmax", [scores], scores.axes, over=-1)
    d.op("einsum", [weights, kept[1]], q.axes, eq="o y i j, o y j z -> o y i z")
