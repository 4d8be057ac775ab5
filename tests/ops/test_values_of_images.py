"""Ops of images, volumes and signals compute what plain definitions compute, in float64 on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.test_values import IMAGE, SEQUENCE, close, convolved, pooled, spread

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
