"""Kernels that read an image at places between its pixels."""

from __future__ import annotations

from typing import Literal

from sympy import Expr, Integer

from generator.trace.convolution import Windows
from generator.trace.kernels import vector_flops
from generator.trace.pointwise import binary, scalar
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import Tracer

Mode = Literal["bilinear", "nearest"]
PLACE = Integer(2)  # numbers of a place: right and down


def grid_sample(t: Tracer, x: Tensor, grid: Tensor, mode: Mode) -> Tensor:
    """Read x [b, c, h, w] at the places of grid [b, i, j, 2]: F.grid_sample. Kept: both. The result is contiguous.

    Operations by places of the grid (where they lie, and their weights) and by elements of the result.
    """
    out = t.new((*x.shape[:2], *grid.shape[1:3]), needs_grad=x.needs_grad or grid.needs_grad)
    vector = vector_flops("grid_sampler_2d", out.numel, grid.numel / PLACE, case=mode)
    t.kernel("grid_sampler_2d", [x, grid], [out], vector=vector)
    return out


def deformed(t: Tracer, x: Tensor, offsets: Tensor, windows: Windows, groups: Expr) -> Tensor:
    """Read x [b, c, h, w] where the taps of a kernel lie, each moved by its offset in offsets [b, groups*2*taps, i, j].

    Each group of channels has offsets of its own -> [b*groups, c/groups, taps, i, j]; groups beside the batch are a view, or a copy.
    Four operations for each offset: the place added, twice that, 1 - size added, divided by the size, as F.grid_sample counts places.
    """
    with t.held(keeps_all=False) as result:
        result.append(_read_at_moved(t, x, offsets, windows, groups))
    return result[0]


def _read_at_moved(t: Tracer, x: Tensor, offsets: Tensor, windows: Windows, groups: Expr) -> Tensor:
    if groups != 1:
        x, offsets = (t.flatten(one.unflatten(1, (groups, one.shape[1] / groups)), 0, 1) for one in (x, offsets))
        t.name(x=x, offsets=offsets)
    moved = offsets.unflatten(1, (*windows.kernel, PLACE))
    counts, places = offsets.shape[2:], []
    for axis in (0, 1):
        starts, taps = _places(t, counts[axis]), _places(t, windows.kernel[axis])
        t.name(starts=starts, taps=taps)
        at = binary(t, "add", taps.unsqueeze(1), starts)
        at = at.unsqueeze(1).unsqueeze(-1) if axis == 0 else at.unsqueeze(1)
        t.name(at=at)
        place = scalar(t, "add", scalar(t, "mul", binary(t, "add", moved.select(3), at)))
        places.append(scalar(t, "div", place, is_identity=bool(x.shape[2 + axis] == 1)))
        t.name(**{f"places {axis}": places[axis]})
    grid = _stacked(t, places).flattened(1, 3)
    t.name(grid=grid)
    taps_of_all: Shape = (windows.kernel[0] * windows.kernel[1], counts[0])
    return grid_sample(t, x, grid, "bilinear").unflatten(2, taps_of_all)


def _places(t: Tracer, count: Expr) -> Tensor:
    out = t.new((count,))
    t.kernel("arange", [], [out])
    return out


def _stacked(t: Tracer, places: list[Tensor]) -> Tensor:
    out = t.new((*places[0].shape, PLACE), needs_grad=places[0].needs_grad)
    t.kernel("stack", places, [out])
    t.works_along([places[0].rank])
    return out
