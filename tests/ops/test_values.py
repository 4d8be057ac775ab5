"""Generated modules compute what plain definitions compute, in float64 on the CPU."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

SEQUENCE = "[b, c, n]"
IMAGE = "[b, c, h, w]"
Array = np.ndarray[Any, np.dtype[np.float64]]


def close(found: Array, expected: Array) -> None:
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


# ---- normalisations --------------------------------------------------------------------------------------------------


def test_rms_norm_divides_by_the_root_mean_square(run: Any) -> None:
    one = run("{op: rms_norm, eps: 0.01}", "[b, n, d]")
    close(one.y, one.x / np.sqrt((one.x**2).mean(-1, keepdims=True) + 0.01) * one.weight)


def test_rms_norm_without_weight(run: Any) -> None:
    one = run("{op: rms_norm, affine: false}", "[b, n, d]")
    close(one.y, one.x / np.sqrt((one.x**2).mean(-1, keepdims=True) + 1e-6))


def test_group_norm_standardises_each_group_of_channels(run: Any) -> None:
    one = run("{op: group_norm, groups: 2}", SEQUENCE)
    grouped = one.x.reshape(2, 2, 2, 12)
    normed = (grouped - grouped.mean((2, 3), keepdims=True)) / np.sqrt(grouped.var((2, 3), keepdims=True) + 1e-5)
    close(one.y, normed.reshape(2, 4, 12) * one.weight[:, None] + one.bias[:, None])


@pytest.mark.parametrize(("shape", "axes"), [("[b, c]", (0,)), (SEQUENCE, (0, 2)), (IMAGE, (0, 2, 3))])
def test_batch_norm_standardises_each_channel_over_the_batch(run: Any, shape: str, axes: tuple[int, ...]) -> None:
    one = run("{op: batch_norm, eps: 0.1}", shape)
    across = (slice(None), *[None] * (one.x.ndim - 2))
    normed = (one.x - one.x.mean(axes, keepdims=True)) / np.sqrt(one.x.var(axes, keepdims=True) + 0.1)
    close(one.y, normed * one.weight[across] + one.bias[across])


def test_running_statistics_are_buffers_that_training_moves(run: Any) -> None:
    one = run("{op: batch_norm}", "[b, c]")
    close(one.layer.running_mean.numpy(), 0.1 * one.x.mean(0))
    assert {name for name, _ in one.module.named_parameters()} == {"y.weight", "y.bias"}


# ---- convolutions ----------------------------------------------------------------------------------------------------


def positions(shape: tuple[int, ...]) -> Any:
    return itertools.product(*map(range, shape))


def convolved(
    x: Array, weight: Array, bias: Array | None, stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...]
) -> Array:
    """The definition, one multiplication at a time; groups follow from the weight's shape."""
    x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    kernel = weight.shape[2:]
    lengths = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    groups = x.shape[1] // weight.shape[1]
    y = np.zeros((x.shape[0], weight.shape[0], *lengths))
    for b, m, *place in positions(y.shape):
        first = m // (weight.shape[0] // groups) * weight.shape[1]
        for c, *tap in positions(weight.shape[1:]):
            at = tuple(i * s + j * d for i, s, j, d in zip(place, stride, tap, dilation, strict=True))
            y[(b, m, *place)] += x[(b, first + c, *at)] * weight[(m, c, *tap)]
    return y if bias is None else y + bias.reshape(-1, *[1] * len(kernel))


def spread(x: Array, weight: Array, bias: Array, stride: tuple[int, ...], padding: tuple[int, ...], extra: tuple[int, ...]) -> Array:
    """The transposed convolution: each element of x adds its multiple of the kernel around its place."""
    kernel = weight.shape[2:]
    full = [(n - 1) * s + k + e for n, s, k, e in zip(x.shape[2:], stride, kernel, extra, strict=True)]
    per_group = weight.shape[1]
    groups = bias.shape[0] // per_group
    y = np.zeros((x.shape[0], bias.shape[0], *full))
    for b, c, *place in positions(x.shape):
        group = c // (x.shape[1] // groups)
        for m, *tap in positions(weight.shape[1:]):
            at = tuple(i * s + j for i, s, j in zip(place, stride, tap, strict=True))
            y[(b, group * per_group + m, *at)] += x[(b, c, *place)] * weight[(c, m, *tap)]
    inside = tuple(slice(p, n - p) for n, p in zip(full, padding, strict=True))
    return y[(slice(None), slice(None), *inside)] + bias.reshape(-1, *[1] * len(kernel))


@pytest.mark.parametrize(
    ("row", "stride", "padding", "dilation"),
    [
        ("kernel: 3", 1, 0, 1),
        ("kernel: 5, stride: 3, padding: 2", 3, 2, 1),
        ("kernel: 3, dilation: 2, padding: same", 1, 2, 2),
        ("kernel: k, groups: 2", 1, 0, 1),
    ],
)
def test_conv1d_is_a_sum_over_the_taps(run: Any, row: str, stride: int, padding: int, dilation: int) -> None:
    one = run(f"{{op: conv1d, channels: 6, {row}}}", SEQUENCE)
    close(one.y, convolved(one.x, one.weight, one.bias, (stride,), (padding,), (dilation,)))


def test_same_padding_of_an_even_kernel_puts_the_odd_zero_at_the_end(run: Any) -> None:
    one = run("{op: conv1d, channels: 6, kernel: 4, padding: same, bias: false}", SEQUENCE)
    longer = np.pad(one.x, ((0, 0), (0, 0), (0, 1)))
    close(one.y, convolved(longer, one.weight, None, (1,), (1,), (1,)))
    assert one.y.shape == (2, 6, 12)


@pytest.mark.parametrize(
    ("row", "stride", "padding", "dilation"),
    [
        ("kernel: 2, stride: 2", (2, 2), (0, 0), (1, 1)),
        ("kernel: [3, 5], stride: [2, 1], padding: [1, 2], groups: c", (2, 1), (1, 2), (1, 1)),
        ("kernel: 3, dilation: [1, 2], padding: same, groups: 2", (1, 1), (1, 2), (1, 2)),
    ],
)
def test_conv2d_is_a_sum_over_the_taps(run: Any, row: str, stride: Any, padding: Any, dilation: Any) -> None:
    one = run(f"{{op: conv2d, channels: 2*c, {row}}}", IMAGE)
    close(one.y, convolved(one.x, one.weight, one.bias, stride, padding, dilation))


@pytest.mark.parametrize(
    ("row", "shape", "stride", "padding", "extra"),
    [
        ("op: conv1d, kernel: 3, stride: 2", SEQUENCE, (2,), (0,), (0,)),
        ("op: conv1d, kernel: 4, stride: 3, padding: 1, output_padding: 2, groups: 2", SEQUENCE, (3,), (1,), (2,)),
        ("op: conv2d, kernel: [4, 3], stride: [2, 1], padding: [1, 0], groups: 2", IMAGE, (2, 1), (1, 0), (0, 0)),
    ],
)
def test_a_transposed_convolution_spreads_each_element(run: Any, row: str, shape: str, stride: Any, padding: Any, extra: Any) -> None:
    one = run(f"{{{row}, channels: 6, transposed: true}}", shape)
    close(one.y, spread(one.x, one.weight, one.bias, stride, padding, extra))


# ---- pooling ---------------------------------------------------------------------------------------------------------


def pooled(x: Array, how: Any, kernel: tuple[int, ...], stride: tuple[int, ...], padding: tuple[int, ...], fill: float) -> Array:
    x = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)), constant_values=fill)
    lengths = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, stride, strict=True)]
    y = np.zeros((*x.shape[:2], *lengths))
    for place in positions(tuple(lengths)):
        window = tuple(slice(i * s, i * s + k) for i, s, k in zip(place, stride, kernel, strict=True))
        y[(slice(None), slice(None), *place)] = how(x[(slice(None), slice(None), *window)], axis=tuple(range(2, x.ndim)))
    return y


@pytest.mark.parametrize(
    ("row", "shape", "kernel", "stride", "padding"),
    [
        ("kernel: 3", SEQUENCE, (3,), (3,), (0,)),
        ("kernel: 3, stride: 2, padding: 1", SEQUENCE, (3,), (2,), (1,)),
        ("kernel: 2", IMAGE, (2, 2), (2, 2), (0, 0)),
        ("kernel: [3, 2], stride: [1, 2], padding: [1, 0]", IMAGE, (3, 2), (1, 2), (1, 0)),
    ],
)
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_pool_takes_the_maximum_or_the_mean_of_each_window(
    run: Any, kind: str, row: str, shape: str, kernel: Any, stride: Any, padding: Any
) -> None:
    one = run(f"{{op: pool, kind: {kind}, {row}}}", shape)
    how, fill = (np.max, -np.inf) if kind == "max" else (np.mean, 0.0)
    close(one.y, pooled(one.x, how, kernel, stride, padding, fill))


# ---- moving elements -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("axis", "index"), [("c", 1), ("w", 3), ("-2", 2)])
def test_pad_adds_zeros_along_one_axis(run: Any, axis: str, index: int) -> None:
    one = run(f"{{op: pad, axis: {axis}, before: 2, after: k}}", IMAGE)
    close(one.y, np.pad(one.x, [(2, 3) if i == index else (0, 0) for i in range(4)]))


def test_roll_moves_elements_cyclically(run: Any) -> None:
    one = run("{op: roll, axes: [h, -1], shifts: [-(k // 2), 2]}", IMAGE)
    close(one.y, np.roll(one.x, (-1, 2), (2, 3)))


def test_roll_along_one_axis(run: Any) -> None:
    one = run("{op: roll, axes: n, shifts: 1}", SEQUENCE)
    close(one.y, np.concatenate([one.x[..., -1:], one.x[..., :-1]], -1))


def test_unfold_puts_the_elements_of_each_window_behind_the_windows(run: Any) -> None:
    one = run("{op: unfold, axis: 1, size: 3*k, step: k, pad: k}", "[b, n, d]")
    padded = np.pad(one.x, ((0, 0), (3, 3), (0, 0)))
    close(one.y, np.stack([padded[:, i * 3 : i * 3 + 9] for i in range(4)], 1))


def test_unfold_of_the_last_axis_padded_on_one_side(run: Any) -> None:
    one = run("{op: unfold, axis: n, size: k, step: 1, pad: [k - 1, 0]}", SEQUENCE)
    padded = np.pad(one.x, ((0, 0), (0, 0), (2, 0)))
    close(one.y, np.stack([padded[..., i : i + 3] for i in range(12)], 2))


def test_unfold_steps_by_its_size_if_no_step_is_given(run: Any) -> None:
    one = run("{op: unfold, axis: n, size: 5}", SEQUENCE)
    close(one.y, np.stack([one.x[..., 0:5], one.x[..., 5:10]], 2))


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ("axis: 1, start: 1, size: c - 1", np.s_[:, 1:]),
        ("axis: -1, size: 3", np.s_[..., :3]),
        ("axis: h, start: k, size: 2", np.s_[:, :, 3:5]),
        ("axis: 0, size: 1", np.s_[:1]),
    ],
)
def test_slice_takes_neighbours(run: Any, row: str, part: Any) -> None:
    one = run(f"{{op: slice, {row}}}", IMAGE)
    close(one.y, one.x[part])


@pytest.mark.parametrize(
    ("row", "part"), [("axis: 1", np.s_[:, 0]), ("axis: -1, index: -1", np.s_[..., -1]), ("axis: h, index: k", np.s_[:, :, 3])]
)
def test_select_takes_one_element_of_an_axis(run: Any, row: str, part: Any) -> None:
    one = run(f"{{op: select, {row}}}", IMAGE)
    close(one.y, one.x[part])


def test_expand_repeats_axes_of_size_one_and_adds_axes_on_the_left(run: Any) -> None:
    one = run("{op: expand, out: [k, b, c, n]}", SEQUENCE, "token: {op: slice, in: x, axis: 1, size: 1}", "negative: {op: scale, by: -1}")
    close(one.y, np.broadcast_to(-one.x[:, :1], (3, 2, 4, 12)))
