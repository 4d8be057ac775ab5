"""How the ops of images, volumes and signals are drawn: see `tests.fuzz.moves`. `IMAGES` has one function for each op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.draft import Axis, Draft, Value, formula, text, written

IMAGES: dict[str, Callable[[Draft], None]] = {}


def move(op: str) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
    """Register how an op is drawn."""

    def register(function: Callable[[Draft], None]) -> Callable[[Draft], None]:
        IMAGES[op] = function
        return function

    return register


def divisor(d: Draft, axis: Axis) -> str:
    """Return a size that divides an axis."""
    if not axis or all(factor.isdigit() for factor in axis):
        return "1"
    if d.often(5):
        return d.pick(("1", axis[0] if axis[0] in d.dims else "1"))
    size = d.pick(("2", d.plain()))
    d.require(f"{written(axis)} % {size} == 0")
    return size


def _slid(n: Axis, kernel: Any, stride: Any, around: Any, dilation: Any) -> Axis:
    words = f"{text(n)} + 2*{around} - {dilation}*({kernel} - 1) - 1"
    if stride == 1 and all(isinstance(one, int) for one in (kernel, around, dilation)):
        more = 2 * around - dilation * (kernel - 1)
        return n if more == 0 else formula(f"{text(n)} {'+' if more > 0 else '-'} {abs(more)}")
    return formula(f"({words})//{stride} + 1")


def _convolution(op: str, axes: int) -> None:
    @move(op)
    def draw(d: Draft) -> None:
        x = d.take(axes + 2)
        channels = d.size()
        groups = "1"
        if d.often(3):
            if d.often(5) and x.axes[1]:
                channels, groups = x.axes[1], text(x.axes[1])
            else:
                groups = divisor(d, x.axes[1])
                channels = (groups, *channels) if groups in d.dims else channels
                groups = groups if groups in channels else "1"
        kernel = d.pick((1, 2, 3, d.plain()))
        stride, around, dilation = d.pick((1, 1, 2)), d.pick((0, 1, 2)), d.pick((1, 1, 1, 2))
        bias = d.flag() if d.often(4) else None
        settings: dict[str, Any] = {"channels": text(channels), "kernel": kernel, "groups": None if groups == "1" else groups, "bias": bias}
        if dilation > 1:
            settings["dilation"] = dilation
        if d.often(2):
            extra = stride - 1 if d.often(5) else 0
            settings |= {
                "transposed": True,
                "weight_norm": True if d.often(2) else None,
                "stride": stride,
                "padding": around,
                "output_padding": extra or None,
            }
            sizes = [formula(f"({text(n)} - 1)*{stride} - 2*{around} + {dilation}*({kernel} - 1) + {extra} + 1") for n in x.axes[2:]]
        elif axes == 1 and d.often(3):
            settings["causal"], sizes = True, list(x.axes[2:])
        elif isinstance(kernel, int) and d.often(3):
            settings["padding"], sizes = "same", list(x.axes[2:])
        else:
            settings |= {"stride": stride if stride > 1 else None, "padding": around or None}
            if around and d.often(2):
                settings["padding_mode"] = _mode(d, x, around)
            sizes = [_slid(n, kernel, stride, around, dilation) for n in x.axes[2:]]
        d.op(op, [x], (x.axes[0], channels, *sizes), **settings)


for _name, _count in (("conv1d", 1), ("conv2d", 2), ("conv3d", 3)):
    _convolution(_name, _count)


def _mode(d: Draft, x: Value, most: Any) -> str:
    """Return what stands around the axes of positions, and see to it that they are long enough."""
    mode: str = d.pick(("reflect", "replicate", "circular"))
    if mode != "replicate":
        for axis in x.axes[2:]:
            d.require(f"{text(axis)} > {most}")
    return mode


@move("pool")
def pool(d: Draft) -> None:
    x = d.take(3, 4, 5)
    kind = d.pick(("max", "avg"))
    if d.often(3):
        to = [d.size() for _ in x.axes[2:]]
        d.op("pool", [x], (*x.axes[:2], *to), kind=kind, to=[text(size) for size in to])
        return
    kernel = d.pick((2, 3, d.plain()))
    stride, around = d.pick((None, 1, 2)), d.pick((0, 1)) if isinstance(kernel, int) else 0
    apart = 2 if kind == "max" and d.often(2) else 1
    is_up = isinstance(kernel, int) and d.often(3)
    step = stride or kernel
    sizes = [_slid(n, kernel, step, around, apart) for n in x.axes[2:]]
    if is_up and step != 1:
        span = apart * (kernel - 1) + 1
        reaching = [f"ceil(({text(n)} + {2 * around - span})/{step}) + 1" for n in x.axes[2:]]
        beginning = [f"ceil(({text(n)} + {around})/{step})" for n in x.axes[2:]]
        sizes = [formula(a if span >= around + step else b) for a, b in zip(reaching, beginning, strict=True)]
    settings = {"dilation": apart if apart > 1 else None, "ceil_mode": is_up or None}
    if kind == "avg" and around and d.often(5):
        settings["count_include_pad"] = d.flag()
    d.op("pool", [x], (*x.axes[:2], *sizes), kind=kind, kernel=kernel, stride=stride, padding=around or None, **settings)


@move("pad")
def pad(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, 5)
    index = d.pick((x.rank - 1, *range(x.rank - 1)))
    before, after = d.pick(((1, 0), (0, 2), (1, 1), (d.plain(), 0)))
    size = formula(f"{text(x.axes[index])} + {before} + {after}")
    settings: dict[str, Any] = {"before": before or None, "after": after or None}
    if d.often(3) and index >= max(1, x.rank - 3):
        settings["mode"] = d.pick(("reflect", "replicate", "circular"))
        d.require(f"{text(x.axes[index])} > {max(before, after) if isinstance(before, int) else before}")
    elif d.often(2):
        settings["value"] = 0.5
    d.op("pad", [x], (*x.axes[:index], size, *x.axes[index + 1 :]), axis=d.axis(x, index), **settings)


@move("interpolate")
def interpolate(d: Draft) -> None:
    x = d.take(4, 3, 5)
    mode = d.pick((None, "nearest", "nearest-exact", *(("bicubic",) if x.rank == 4 else ())))
    smooth = True if mode in (None, "bicubic") and x.rank == 4 and d.often(3) else None
    corners = True if mode in (None, "bicubic") and not smooth and d.often(3) else None
    if d.often(5):
        scale = d.pick((2, 3, d.plain()))
        sizes = [formula(f"{text(axis)}*{scale}") for axis in x.axes[2:]]
        d.op("interpolate", [x], (*x.axes[:2], *sizes), scale=scale, mode=mode, align_corners=corners, antialias=smooth)
    else:
        to = [d.size() for _ in x.axes[2:]]
        d.op("interpolate", [x], (*x.axes[:2], *to), to=[text(axis) for axis in to], mode=mode, align_corners=corners, antialias=smooth)


@move("flip")
def flip(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, kind=d.pick(("float", "float", "float", "index")))
    d.op("flip", [x], x.axes, x.kind, axes=[d.axis(x, i) for i in d.subset(range(x.rank), least=1)])


@move("pixel_shuffle")
def pixel_shuffle(d: Draft) -> None:
    x = d.take(4, 3)
    *before, channels, height, width = x.axes
    by = d.pick(("2", "3", d.plain()))
    if not channels or channels[0].isdigit():
        return
    d.require(f"{text(channels)} % {by}**2 == 0")
    d.op("pixel_shuffle", [x], (*before, formula(f"{text(channels)}/{by}**2"), (by, *height), (by, *width)), by=by)


@move("pixel_unshuffle")
def pixel_unshuffle(d: Draft) -> None:
    x = d.take(4, 3)
    *before, channels, height, width = x.axes
    by = d.pick(("2", "3", d.plain()))
    parts = [d.divided(axis, by) for axis in (height, width)]
    if None not in parts:
        d.op("pixel_unshuffle", [x], (*before, (by, by, *channels), *parts), by=by)


@move("instance_norm")
def instance_norm(d: Draft) -> None:
    x = d.take(3, 4, 5, fits=lambda value: all(value.axes[2:]))
    if all(x.axes[2:]):
        d.op("instance_norm", [x], x.axes, affine=d.flag(usual=False) if d.often(5) else None)


@move("local_response_norm")
def local_response_norm(d: Draft) -> None:
    x = d.take(4, 3)
    d.op("local_response_norm", [x], x.axes, size=d.pick((2, 3, d.plain())))


@move("drop_path")
def drop_path(d: Draft) -> None:
    x = d.take()
    d.op("drop_path", [x], x.axes, p=d.pick((0.1, 0, 0.5)))


@move("fft")
def fft(d: Draft) -> None:
    x = d.take(2, 3, 4, 1, fits=lambda value: all(value.axes))
    if not all(x.axes):
        return
    count = d.number(1, min(x.rank, 3))
    along = d.shuffled(d.subset(range(x.rank), least=count))[:count]
    over = [d.axis(x, i) for i in along]
    norm = d.pick((None, None, "ortho", "forward"))
    pair: Axis = ("2",)
    if d.often(4):
        d.op("fft", [x], (*x.axes, pair), over=over, norm=norm)
        return
    last = along[-1]
    half = formula(f"{text(x.axes[last])}//2 + 1")
    y = d.op("fft", [x], (*x.axes[:last], half, *x.axes[last + 1 :], pair), over=over, norm=norm, kind="rfft")
    if d.often(5):
        d.op("fft", [y], x.axes, over=list(along), kind="irfft", to=text(x.axes[last]), norm=norm)
    else:
        back = {"kind": "ifft"} if d.often(5) else {"complex": True}
        d.op("fft", [y], y.axes, over=list(along), **back)


@move("grid_sample")
def grid_sample(d: Draft) -> None:
    x = d.take(4)
    grid = d.find(lambda value: value.rank == 4 and value.axes[0] == x.axes[0] and value.axes[3] == ("2",))
    grid = grid or d.input((x.axes[0], d.size(), d.size(), ("2",)))
    corners = d.flag(usual=False) if d.often(5) else None
    mode = "nearest" if d.often(2) else None
    d.op("grid_sample", [x, grid], (*x.axes[:2], *grid.axes[1:3]), mode=mode, align_corners=corners)


@move("deform_conv2d")
def deform_conv2d(d: Draft) -> None:
    x = d.take(4)
    kernel, stride, around, apart = d.pick((1, 2, 3)), d.pick((1, 1, 2)), d.pick((0, 1)), d.pick((1, 1, 2))
    sizes = [_slid(n, kernel, stride, around, apart) for n in x.axes[2:]]
    own = d.pick((1, 1, 2, 3))
    if own > 1:
        d.require(f"{text(x.axes[1])} % {own} == 0")
    offsets = d.input((x.axes[0], (str(own * 2 * kernel**2),), *sizes))
    reads = [x, offsets, *([d.input((x.axes[0], (str(own * kernel**2),), *sizes))] if d.often(3) else [])]
    settings = {"stride": stride if stride > 1 else None, "padding": around or None, "dilation": apart if apart > 1 else None}
    settings["offset_groups"] = own if own > 1 else None
    channels = d.size()
    bias = d.flag() if d.often(4) else None
    d.op("deform_conv2d", reads, (x.axes[0], channels, *sizes), channels=text(channels), kernel=kernel, bias=bias, **settings)
