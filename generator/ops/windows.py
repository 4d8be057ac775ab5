"""Parameters that convolutions and pooling share: one size, or one for each axis of positions."""

from __future__ import annotations

from typing import Any

from sympy import Ge

from generator.formulas.human import counted
from generator.ops.base import CodeScope, OpError, RowScope
from generator.ops.params import ParamScope, Raw, SizesKind
from generator.trace.convolution import Windows
from generator.trace.tensor import Shape, Tensor

SAME = "same"
SHAPES = {1: "[b, c, n]", 2: "[b, c, h, w]", 3: "[b, c, t, h, w]"}  # by the number of axes of positions


class PaddingKind(SizesKind):
    """One expression, a list of them, or the word `same`."""

    def parse(self, raw: Raw) -> Any:
        """Parse each expression; the word stands for itself."""
        return SAME if raw.value == SAME else super().parse(raw)

    def bind(self, parsed: Any, scope: ParamScope) -> Any:
        """Evaluate each expression."""
        return SAME if parsed == SAME else super().bind(parsed, scope)


PADDING = PaddingKind()


def each_axis(row: RowScope, name: str, given: Shape, axes: int, *, least: int) -> Shape:
    """Return one whole size for each axis of positions. Raises OpError where there are too many or too few, or one is too small."""
    if len(given) not in (1, axes):
        expected = "one size" if axes == 1 else f"one size, or a list of {axes}"
        raise OpError(f"`{name}` of `{row.name}` has {counted(len(given), 'size')}; give {expected}", at=name)
    sizes = tuple(row.whole(size, at=name) for size in given) * (axes // len(given))
    small = next((size for size in sizes if (size - least).is_negative), None)
    if small is not None:
        raise OpError(f"`{name}` of `{row.name}` must be at least {least}; it is {row.text(small)}", at=name)
    for size in sizes:
        row.require(Ge(size, least))
    return sizes


def check_positions(row: RowScope, x: Tensor, most: int = 3) -> int:
    """Return the number of axes of positions behind batch and channels. Raises OpError where it is none, or more than `most`."""
    if x.rank - 2 in range(1, most + 1):
        return x.rank - 2
    *shapes, last = [SHAPES[axes] for axes in range(1, most + 1)]
    raise OpError(
        f"`{row.name}` needs {', '.join(shapes)} or {last}: batch, channels, positions",
        f"{row.input_names[0]} is {row.show(x.shape)}",
        at="in",
    )


def check_image(row: RowScope, x: Tensor, axes: int) -> None:
    """Raise OpError unless x has a batch axis, channels and `axes` axes of positions."""
    if x.rank == axes + 2:
        return
    first = row.input_names[0]
    notes = [f"{first} is {row.show(x.shape)}"]
    if x.rank == axes + 1 or (axes >= 2 and x.rank == 3):
        split = SHAPES[max(axes, 2)][1:-1].replace(",", "")
        notes.append(f"a rearrange before it can split or add an axis, such as `to: b ({split[4:]}) c -> {split}`")
    raise OpError(
        f"`{row.name}` needs {SHAPES[axes]}: batch, channels, positions; {first} has {counted(x.rank, 'axis', 'axes')}",
        *notes,
        at="in",
    )


def check_fits(row: RowScope, x: Tensor, windows: Windows, counts: Shape) -> None:
    """Raise OpError where a kernel is known to be wider than the padded input."""
    first = row.input_names[0]
    spans = [d * (k - 1) + 1 for k, d in zip(windows.kernel, windows.dilation, strict=True)]
    for axis, (span, pad, count) in enumerate(zip(spans, windows.padding, counts, strict=True), start=2):
        if count.is_nonpositive:
            width, length, around = map(row.text, (span, x.shape[axis], pad))
            padded = "" if pad == 0 else f" and {around} of padding on both sides"
            raise OpError(
                f"the kernel of `{row.name}` spans {width} elements, but axis {axis} of {first} has only {length}{padded}",
                f"{first} is {row.show(x.shape)}",
                at="kernel",
            )


def printed(sizes: Shape, show: Any) -> str:
    """Print sizes as one Python argument: a number where all are equal, else a tuple."""
    texts = [show(size) for size in sizes]
    return texts[0] if len(set(texts)) == 1 else f"({', '.join(texts)})"


def keyword(c: CodeScope, name: str, sizes: Shape, default: int, *, built: bool) -> list[str]:
    """Print a keyword argument; none where all sizes are the default."""
    if all(size == default for size in sizes):
        return []
    return [f"{name}={printed(sizes, c.init if built else c.size)}"]
