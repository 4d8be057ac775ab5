"""Ops of images, volumes and signals compute what plain definitions compute, in float64 on the CPU."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch._decomp import get_decompositions
from torch.utils._python_dispatch import TorchDispatchMode

from generator.formulas.evaluate import evaluate
from generator.proof.measure import vector_flops
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.trace.kernels import kernel_of
from tests.ops.test_values import IMAGE, SEQUENCE, Array, close, convolved, pooled, spread

VOLUME = "[b, c, t, h, w]"
MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}  # PyTorch's words, and numpy's


# ---- convolutions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "stride", "padding", "dilation"),
    [
        ("kernel: 2, stride: [1, 2, 2]", (1, 2, 2), (0, 0, 0), (1, 1, 1)),
        ("kernel: [1, 3, 2], padding: [0, 1, 1], groups: 2", (1, 1, 1), (0, 1, 1), (1, 1, 1)),
        ("kernel: 3, dilation: [1, 2, 1], padding: same", (1, 1, 1), (1, 2, 1), (1, 2, 1)),
    ],
)
def test_conv3d_is_a_sum_over_the_taps(run: Any, row: str, stride: Any, padding: Any, dilation: Any) -> None:
    one = run(f"{{op: conv3d, channels: 2, {row}}}", VOLUME)
    close(one.y, convolved(one.x, one.weight, one.bias, stride, padding, dilation))


def test_a_transposed_conv3d_spreads_each_element(run: Any) -> None:
    row = "kernel: [2, 3, 2], stride: [2, 1, 2], padding: [0, 1, 0], output_padding: [1, 0, 1], groups: 2"
    one = run(f"{{op: conv3d, channels: 2, {row}, transposed: true}}", VOLUME)
    close(one.y, spread(one.x, one.weight, one.bias, (2, 1, 2), (0, 1, 0), (1, 0, 1)))


@pytest.mark.parametrize("mode", MODES)
def test_a_convolution_reads_what_its_padding_mode_puts_around(run: Any, mode: str) -> None:
    one = run(f"{{op: conv2d, channels: 2, kernel: [3, 2], padding: [1, 2], padding_mode: {mode}}}", IMAGE)
    x = np.pad(one.x, ((0, 0), (0, 0), (1, 1), (2, 2)), mode=MODES[mode])  # type: ignore[call-overload]  # a word from a table
    close(one.y, convolved(x, one.weight, one.bias, (1, 1), (0, 0), (1, 1)))


def test_same_padding_of_an_even_kernel_puts_the_odd_reflection_at_the_end(run: Any) -> None:
    one = run("{op: conv1d, channels: 6, kernel: 4, padding: same, padding_mode: reflect}", SEQUENCE)
    close(one.y, convolved(np.pad(one.x, ((0, 0), (0, 0), (1, 2)), mode="reflect"), one.weight, one.bias, (1,), (0,), (1,)))


# ---- padding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_pad_puts_elements_of_the_axes_around_them(run: Any, mode: str) -> None:
    one = run(f"{{op: pad, axis: [w, h], before: [2, 0], after: [1, 3], mode: {mode}}}", IMAGE)
    close(one.y, np.pad(one.x, ((0, 0), (0, 0), (0, 3), (2, 1)), mode=MODES[mode]))  # type: ignore[call-overload]  # a word from a table


def test_pad_puts_a_number_around_axes(run: Any) -> None:
    one = run("{op: pad, axis: [c, -1], before: 1, after: [0, 2], value: -1.5}", IMAGE)
    close(one.y, np.pad(one.x, ((0, 0), (1, 0), (0, 0), (1, 2)), constant_values=-1.5))


# ---- pooling ---------------------------------------------------------------------------------------------------------


def test_pool_of_a_volume_takes_the_maximum_of_each_window(run: Any) -> None:
    one = run("{op: pool, kind: max, kernel: 2, stride: [1, 2, 2]}", VOLUME)
    close(one.y, pooled(one.x, np.max, (2, 2, 2), (1, 2, 2), (0, 0, 0), -np.inf))


def test_pool_rounded_up_has_a_last_window_that_is_cut_off(run: Any) -> None:
    one = run("{op: pool, kind: max, kernel: 3, stride: 2, ceil_mode: true}", SEQUENCE)
    close(one.y, np.stack([one.x[..., i : i + 3].max(-1) for i in range(0, 12, 2)], -1))


def test_pool_rounded_up_has_no_window_in_the_padding_alone(run: Any) -> None:
    one = run("{op: pool, kind: avg, kernel: 2, stride: 3, padding: 1, ceil_mode: true, count_include_pad: false}", SEQUENCE)
    windows = [one.x[..., :1], *(one.x[..., i : i + 2] for i in (2, 5, 8)), one.x[..., 11:]]
    close(one.y, np.stack([window.mean(-1) for window in windows], -1))


def test_pool_reads_elements_apart(run: Any) -> None:
    one = run("{op: pool, kind: max, kernel: 3, stride: 1, dilation: 4}", SEQUENCE)
    close(one.y, np.maximum(np.maximum(one.x[..., :4], one.x[..., 4:8]), one.x[..., 8:]))


@pytest.mark.parametrize(("kind", "how"), [("max", np.max), ("avg", np.mean)])
def test_pool_to_a_size_cuts_into_equal_windows(run: Any, kind: str, how: Any) -> None:
    one = run(f"{{op: pool, kind: {kind}, to: [2, 3, 1]}}", VOLUME.replace("h", "w").replace("w, w", "w, h"))
    b, c, t, w, h = one.x.shape
    close(one.y, how(one.x.reshape(b, c, 2, t // 2, 3, w // 3, 1, h), axis=(3, 5, 7)))


def test_pool_to_a_size_that_does_not_divide_has_windows_that_overlap(run: Any) -> None:
    one = run("{op: pool, kind: max, to: 5}", SEQUENCE)
    windows = [(0, 3), (2, 5), (4, 8), (7, 10), (9, 12)]
    close(one.y, np.stack([one.x[..., first:end].max(-1) for first, end in windows], -1))


@pytest.mark.parametrize("name", ["avg", "max"])
def test_pooling_to_a_size_that_divides_costs_what_the_same_windows_cost(name: str) -> None:
    functional, x = torch.nn.functional, torch.ones(2, 3, 4, 6)
    same = getattr(functional, f"{name}_pool2d"), getattr(functional, f"adaptive_{name}_pool2d")
    assert vector_flops(same[0], x, (2, 3)).total == vector_flops(same[1], x, (2, 2)).total > 0


# ---- other sizes -----------------------------------------------------------------------------------------------------


def sources(length: int, count: int, corners: bool) -> Array:
    """Where the positions of the result lie among those of the input."""
    return np.linspace(0, length - 1, count) if corners else (np.arange(count) + 0.5) * length / count - 0.5


def along_each(x: Array, sizes: tuple[int, ...], one: Callable[[Array, Array], Array], corners: bool) -> Array:
    """Resize the axes of positions, one after the other."""
    for axis, size in enumerate(sizes, start=2):
        x = np.apply_along_axis(one, axis, x, sources(x.shape[axis], size, corners))
    return x


def linear(line: Array, at: Array) -> Array:
    """What lies between two neighbours; beyond the ends the last."""
    return np.interp(at, np.arange(len(line)), line)


def cubic(line: Array, at: Array) -> Array:
    """The convolution of Keys (1981) with a = -0.75, over four neighbours."""

    def weight(distance: Array) -> Array:
        x = np.abs(distance)
        return np.where(x <= 1, 1.25 * x**3 - 2.25 * x**2 + 1, np.where(x < 2, -0.75 * (x**3 - 5 * x**2 + 8 * x - 4), 0.0))

    first = np.floor(at).astype(int) - 1
    taps = [first + i for i in range(4)]
    return sum(line[np.clip(tap, 0, len(line) - 1)] * weight(at - tap) for tap in taps)  # type: ignore[no-any-return]  # a sum of arrays


@pytest.mark.parametrize(
    ("row", "shape", "sizes", "one", "corners"),
    [
        ("scale: 2", IMAGE, (16, 12), linear, False),
        ("to: [5, 9], mode: bilinear, align_corners: true", IMAGE, (5, 9), linear, True),
        ("scale: [3/2, k], mode: bicubic", IMAGE, (12, 18), cubic, False),
        ("to: n + 1, align_corners: true", SEQUENCE, (13,), linear, True),
        ("scale: [1, 2, 1/2]", VOLUME, (4, 16, 3), linear, False),
    ],
)
def test_interpolate_reads_between_the_positions(run: Any, row: str, shape: str, sizes: Any, one: Any, corners: bool) -> None:
    made = run(f"{{op: interpolate, {row}}}", shape)
    close(made.y, along_each(made.x, sizes, one, corners))


def test_the_nearest_position_is_the_one_at_or_before(run: Any) -> None:
    one = run("{op: interpolate, to: [3, 11], mode: nearest}", IMAGE)
    close(one.y, one.x[:, :, np.arange(3) * 8 // 3][..., np.arange(11) * 6 // 11])


def test_the_nearest_exact_position_is_that_of_the_middle(run: Any) -> None:
    one = run("{op: interpolate, to: 5, mode: nearest-exact}", SEQUENCE)
    close(one.y, one.x[..., [1, 3, 6, 8, 10]])  # the middles lie at 1.2, 3.6, 6, 8.4 and 10.8 of 12


def test_pixel_shuffle_lays_channels_out_and_unshuffle_takes_them_back(run: Any) -> None:
    one = run("{op: pixel_shuffle, by: 2}", IMAGE)
    b, c, h, w = one.x.shape
    close(one.y, one.x.reshape(b, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(b, c // 4, 2 * h, 2 * w))
    back = run("{op: pixel_unshuffle, in: out, by: 2}", IMAGE, "out: {op: pixel_shuffle, by: 2}")
    close(back.y, back.x)


# ---- order and steps -------------------------------------------------------------------------------------------------


def test_flip_reads_axes_backwards(run: Any) -> None:
    one = run("{op: flip, axes: [h, -1]}", IMAGE)
    close(one.y, one.x[:, :, ::-1, ::-1])


def test_slice_takes_each_third_element(run: Any) -> None:
    one = run("{op: slice, axis: n, start: 1, step: k}", SEQUENCE)
    close(one.y, one.x[..., 1::3])
    one = run("{op: slice, axis: n, start: 2, size: 3, step: 2}", SEQUENCE)
    close(one.y, one.x[..., 2:7:2])


def test_what_interpolations_cost_is_what_most_of_pytorchs_decompositions_costs() -> None:
    """Per element of the result; what is found for each row and column is not counted."""
    for name, sizes in (("linear1d", [9]), ("bilinear2d", [9, 8]), ("trilinear3d", [9, 8, 7]), ("bicubic2d", [9, 8])):
        op = getattr(torch.ops.aten, f"upsample_{name}").default
        result = (2, 3, *sizes)
        counted = Counter[tuple[int, ...]]()
        with Sizes(counted):
            get_decompositions([op])[op](torch.empty((2, 3, *(5 for _ in sizes)), device="meta"), sizes, True)
        assert [cost.per_element for cost in kernel_of(f"upsample_{name}").costs] == [counted[result]]


def filtered(x: Array, axis: int, made: int, mode: str) -> Array:
    """An axis of x read through a filter that is as much wider as the axis becomes shorter, and whose weights sum to one."""
    scale = x.shape[axis] / made
    centres = (np.arange(made) + 0.5) * scale
    away = np.abs((np.arange(x.shape[axis]) + 0.5)[None] - centres[:, None]) / max(scale, 1)
    near = 1.5 * away**3 - 2.5 * away**2 + 1  # Keys, 1981, with a = -1/2
    far = -0.5 * away**3 + 2.5 * away**2 - 4 * away + 2
    weights = np.maximum(1 - away, 0) if mode == "bilinear" else np.where(away < 1, near, np.where(away < 2, far, 0))
    return np.moveaxis(np.tensordot(weights / weights.sum(1, keepdims=True), x, (1, axis)), 0, axis)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("to", [(4, 3), (3, 5), (11, 2), (8, 12)])
def test_interpolate_filters_what_becomes_smaller(run: Any, mode: str, to: tuple[int, int]) -> None:
    one = run(f"{{op: interpolate, to: [{to[0]}, {to[1]}], mode: {mode}, antialias: true}}", IMAGE)
    close(one.y, filtered(filtered(one.x, 3, to[1], mode), 2, to[0], mode))


@pytest.mark.parametrize(("mode", "width"), [("bilinear", 2), ("bicubic", 4)])
@pytest.mark.parametrize("by", [4, 2, Fraction(1, 2)])
def test_an_antialiasing_filter_is_as_wide_as_that_of_pytorch(tmp_path: Path, mode: str, width: int, by: int | Fraction) -> None:
    """Along the width, of which K places lead to one in the middle; the height stays, where K is that of no factor."""
    spec = "title: Resized\ndims: {h: rows, w: columns, m: columns then}\ninputs: {x: [1, 1, h, w]}\n"
    spec += f"layers:\n  y: {{op: interpolate, to: [h, m], mode: {mode}, antialias: true}}\n"
    (tmp_path / "resized.yaml").write_text(spec, encoding="utf-8")
    sheet = compile_spec(Library([tmp_path]), "resized").sheet
    made = int(48 / by)
    row = torch.randn(1, 1, 1, 48, dtype=torch.float64)
    how = torch.autograd.functional.jacobian(lambda x: nn.functional.interpolate(x, size=(1, made), mode=mode, antialias=True), row)
    read = int((how.flatten(0, 3)[made // 2] != 0).sum())
    flops = evaluate(sheet.totals["vector_flops"], {"h": 5, "w": 48, "m": made})
    assert flops == 5 * made * (read + read - 1) + 5 * made * (width + width - 1)


class Sizes(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Counts the sums, differences and products by the shape of their results."""

    def __init__(self, found: Counter[tuple[int, ...]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.found = found

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket in (torch.ops.aten.add, torch.ops.aten.sub, torch.ops.aten.mul):
            self.found[tuple(result.shape)] += 1
        return result


# ---- norms -----------------------------------------------------------------------------------------------------------


def test_instance_norm_normalises_each_channel_of_each_sample(run: Any) -> None:
    one = run("{op: instance_norm, affine: true, eps: 0.01}", IMAGE)
    mean, var = (how(one.x, axis=(2, 3), keepdims=True) for how in (np.mean, np.var))
    close(one.y, (one.x - mean) / np.sqrt(var + 0.01) * one.weight[:, None, None] + one.bias[:, None, None])


def test_local_response_norm_divides_by_neighbouring_channels(run: Any) -> None:
    one = run("{op: local_response_norm, size: k, alpha: 0.5, beta: 0.25, k: 2}", IMAGE)
    squares = np.pad(one.x**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    means = (squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]) / 3
    close(one.y, one.x / (2 + 0.5 * means) ** 0.25)


def test_a_weight_of_normed_filters_has_the_lengths_that_are_learned(run: Any) -> None:
    one = run("{op: conv1d, channels: 6, kernel: 3, weight_norm: true}", SEQUENCE)
    lengths, directions = (getattr(one.layer.parametrizations.weight, f"original{i}").detach().numpy() for i in (0, 1))
    weight = lengths * directions / np.sqrt((directions**2).sum((1, 2), keepdims=True))
    close(one.y, convolved(one.x, weight, one.bias, (1,), (0,), (1,)))


def test_a_weight_of_normed_places_has_a_length_for_each_place_of_the_kernel(run: Any) -> None:
    one = run("{op: conv1d, channels: 6, kernel: 3, weight_norm: true, norm_places: true}", SEQUENCE)
    lengths, directions = (getattr(one.layer.parametrizations.weight, f"original{i}").detach().numpy() for i in (0, 1))
    assert lengths.shape == (1, 1, 3)
    weight = lengths * directions / np.sqrt((directions**2).sum((0, 1), keepdims=True))
    close(one.y, convolved(one.x, weight, one.bias, (1,), (0,), (1,)))


def test_drop_path_drops_whole_samples_in_training_and_scales_the_others(run: Any) -> None:
    one = run("{op: drop_path, p: 0.25}", "[b*1000, n]")
    ratio = one.y / one.x
    assert np.allclose(ratio, ratio[:, :1])
    assert sorted({round(float(value), 9) for value in ratio[:, 0]}) == [0, round(4 / 3, 9)]
    assert 0.2 < (ratio[:, 0] == 0).mean() < 0.3
    given = torch.tensor(one.x)
    assert torch.equal(one.module.eval()(given), given)


# ---- Fourier transforms ----------------------------------------------------------------------------------------------


def pairs(x: Array) -> Array:
    return np.stack([x.real, x.imag], -1)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("kind: fft", lambda x: pairs(np.fft.fft(x))),
        ("over: [h, w], norm: ortho", lambda x: pairs(np.fft.fft2(x, norm="ortho"))),
        ("kind: rfft, over: 1, norm: forward", lambda x: pairs(np.fft.rfft(x, axis=1, norm="forward"))),
        ("kind: rfft, over: [c, h, w]", lambda x: pairs(np.fft.rfftn(x, axes=(1, 2, 3)))),
    ],
)
def test_fft_of_real_numbers(run: Any, row: str, expected: Any) -> None:
    one = run(f"{{op: fft, {row}}}", IMAGE)
    close(one.y, expected(one.x))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("complex: true", lambda x: pairs(np.fft.fft(x))),
        ("kind: ifft, over: [h, w]", lambda x: pairs(np.fft.ifft2(x))),
        ("kind: irfft", np.fft.irfft),
        ("kind: irfft, over: [h, w], to: 2*w - 1, norm: ortho", lambda x: np.fft.irfft2(x, s=(8, 11), norm="ortho")),
    ],
)
def test_fft_of_complex_numbers(run: Any, row: str, expected: Any) -> None:
    one = run(f"{{op: fft, {row}}}", "[b, c, h, w, 2]")
    close(one.y, expected(one.x[..., 0] + 1j * one.x[..., 1]))


# ---- places between pixels -------------------------------------------------------------------------------------------


def read_at(image: Array, down: float, right: float) -> Array:
    """The four pixels [c] around a place, weighted by their distances; beyond the image there are zeros."""
    found = np.zeros(image.shape[0])
    for i in (math.floor(down), math.floor(down) + 1):
        for j in (math.floor(right), math.floor(right) + 1):
            if 0 <= i < image.shape[1] and 0 <= j < image.shape[2]:
                found += (1 - abs(down - i)) * (1 - abs(right - j)) * image[:, i, j]
    return found


def test_grid_sample_reads_between_the_pixels(run: Any) -> None:
    one = run("{op: grid_sample, in: [x, grid]}", IMAGE, "grid: {op: slice, in: x, axis: w, size: 2}")
    grid = one.x[..., :2]
    expected = np.zeros((2, 4, 4, 8))
    for b, i, j in np.ndindex(2, 4, 8):
        right, down = ((grid[b, i, j] + 1) * (6, 8) - 1) / 2
        expected[b, :, i, j] = read_at(one.x[b], down, right)
    close(one.y, expected)


@pytest.mark.parametrize("own", [1, 2, 4])
@pytest.mark.parametrize("is_modulated", [False, True])
def test_deform_conv2d_reads_at_the_moved_taps(run: Any, is_modulated: bool, own: int) -> None:
    taps = {"offsets": 12 * own, **({"factors": 6 * own} if is_modulated else {})}
    rows = [f"{name}: {{op: conv2d, in: x, channels: {n}, kernel: [2, 3], stride: 2, padding: [0, 1]}}" for name, n in taps.items()]
    settings = f"channels: 6, kernel: [2, 3], stride: 2, padding: [0, 1], groups: 2{f', offset_groups: {own}' if own > 1 else ''}"
    one = run(f"{{op: deform_conv2d, in: [x, {', '.join(taps)}], {settings}}}", IMAGE, *rows)
    made = {name: getattr(one.module, name)(torch.tensor(one.x)).detach().numpy() for name in taps}
    expected = np.zeros(one.y.shape) + one.bias[:, None, None]
    for b, i, j, u, v in np.ndindex(2, *one.y.shape[2:], 2, 3):
        pixel = np.zeros(4)
        for channel in range(4):
            tap = channel // (4 // own) * 6 + u * 3 + v
            down, right = made["offsets"][b, 2 * tap : 2 * tap + 2, i, j] + (2 * i + u, 2 * j - 1 + v)
            factor = made["factors"][b, tap, i, j] if is_modulated else 1
            pixel[channel] = read_at(one.x[b], down, right)[channel] * factor
        for group in range(2):
            expected[b, 3 * group : 3 * group + 3, i, j] += (
                one.weight[3 * group : 3 * group + 3, :, u, v] @ pixel[2 * group : 2 * group + 2]
            )
    close(one.y, expected)
