"""What people are told whose normalisation, convolution, pooling, window or slice does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bad_specs import told

SEQUENCE = "[b, c, n]"
IMAGE = "[b, c, h, w]"
SMALL = "[b, 6, 4, 5]"


def one_row(row: str, x: str) -> str:
    dims = ", ".join(f"{name}: size {name}" for name in "bcdghknw")
    return f"title: One row\ndims: {{{dims}}}\ninputs: {{x: {x}}}\nlayers:\n  y: {{{row}}}\n"


CASES = [
    # normalisations
    (
        "op: group_norm, groups: g",
        SEQUENCE,
        [
            "`y` splits c channels into g groups, which does not always divide evenly @ g",
            "x is [b, c, n]; its channels are axis 1",
            'did you mean to add where: ["c % g == 0"]?',
        ],
    ),
    (
        "op: group_norm, groups: 4",
        SMALL,
        ["`y` splits 6 channels into 4 groups, which does not always divide evenly @ 4", "x is [b, 6, 4, 5]; its channels are axis 1"],
    ),
    (
        "op: glu",
        SEQUENCE,
        [
            "`y` halves an axis of n, which does not always divide evenly @ y",
            "x is [b, c, n]",
            'did you mean to add where: ["n % 2 == 0"]?',
        ],
    ),
    ("op: glu, over: 1", "[b, 7]", ["`y` halves an axis of 7, which does not always divide evenly @ 1", "x is [b, 7]"]),
    ("op: prelu, channels: true", "[b]", ["`y` needs channels: [b, c, ...] @ y", "x is [b]"]),
    (
        "op: group_norm, groups: c",
        "[1, c]",
        ["`y` normalises groups of a single value, which PyTorch refuses @ c", "x is [1, c]; its channels are axis 1"],
    ),
    ("op: group_norm, groups: 1", "[b]", ["`y` needs a batch axis and channels: [b, c, ...] @ y", "x is [b]"]),
    (
        "op: batch_norm",
        "[b, c, h, w, n, k]",
        [
            "`y` needs [b, c], [b, c, n], [b, c, h, w] or [b, c, t, h, w], with the channels as axis 1 @ y",
            "x is [b, c, h, w, n, k]",
        ],
    ),
    (
        "op: instance_norm",
        "[b, c]",
        ["`y` needs [b, c, n], [b, c, h, w] or [b, c, t, h, w]: batch, channels, positions @ y", "x is [b, c]"],
    ),
    (
        "op: instance_norm",
        "[b, c, 1]",
        ["`y` normalises each channel over its positions, of which there is one; PyTorch refuses that @ y", "x is [b, c, 1]"],
    ),
    (
        "op: batch_norm",
        "[1, c]",
        [
            "`y` has a single value of each channel, of which PyTorch takes no statistics in training @ y",
            "x is [1, c]",
            "in inference it may be: --mode inference",
        ],
    ),
    (
        "op: pool, kind: avg, kernel: 3, padding: 1",
        "[b, c, h, 2, w]",
        [
            "the window of `y` is 3 wide, but axis 3 has only 2 @ 3",
            "for means over volumes PyTorch does not count the padding here",
            "x is [b, c, h, 2, w]",
        ],
    ),
    ("op: local_response_norm, size: 0", IMAGE, ["`size` of `y` must be at least 1; it is 0 @ 0"]),
    ("op: local_response_norm, size: 3", "[b, c]", ["`y` needs [b, c, n] or [b, c, h, w]: batch, channels, positions @ y", "x is [b, c]"]),
    ("op: drop_path, p: 1", IMAGE, ["`p` of `y` is 1; a probability of dropping is at least 0 and less than 1 @ 1"]),
    # convolutions
    (
        "op: conv2d, channels: d, kernel: 3",
        SEQUENCE,
        [
            "`y` needs [b, c, h, w]: batch, channels, positions; x has 3 axes @ y",
            "x is [b, c, n]",
            "a rearrange before it can split or add an axis, such as `to: b (h w) c -> b c h w`",
        ],
    ),
    (
        "op: conv1d, channels: d, kernel: 3",
        IMAGE,
        ["`y` needs [b, c, n]: batch, channels, positions; x has 4 axes @ y", "x is [b, c, h, w]"],
    ),
    (
        "op: conv1d, channels: 2*d, kernel: 3, groups: 2*g",
        "[b, 2*c*g, n]",
        [
            "`y` splits the 2*d channels of the result into 2*g groups, which does not always divide evenly @ 2*g",
            "x is [b, 2*c*g, n]; its channels are axis 1",
            'did you mean to add where: ["(2*d) % (2*g) == 0"]?',
        ],
    ),
    (
        "op: conv2d, channels: 8, kernel: 3, groups: 4",
        SMALL,
        [
            "`y` splits the 6 channels of x into 4 groups, which does not always divide evenly @ 4",
            "x is [b, 6, 4, 5]; its channels are axis 1",
        ],
    ),
    (
        "op: conv2d, channels: d, kernel: 7, padding: 1",
        SMALL,
        ["the kernel of `y` spans 7 elements, but axis 2 of x has only 4 and 1 of padding on both sides @ 7", "x is [b, 6, 4, 5]"],
    ),
    (
        "op: conv2d, channels: d, kernel: [3, 3], dilation: [1, 3]",
        SMALL,
        ["the kernel of `y` spans 7 elements, but axis 3 of x has only 5 @ [3", "x is [b, 6, 4, 5]"],
    ),
    (
        "op: conv1d, channels: d, kernel: n + 1",
        SEQUENCE,
        ["the kernel of `y` spans n + 1 elements, but axis 2 of x has only n @ n + 1", "x is [b, c, n]"],
    ),
    ("op: conv2d, channels: d, kernel: [1, 2, 3]", IMAGE, ["`kernel` of `y` has 3 sizes; give one size, or a list of 2 @ [1"]),
    ("op: conv1d, channels: d, kernel: [1, 2]", SEQUENCE, ["`kernel` of `y` has 2 sizes; give one size @ [1"]),
    ("op: conv1d, channels: d, kernel: 0", SEQUENCE, ["`kernel` of `y` must be at least 1; it is 0 @ 0"]),
    ("op: conv1d, channels: d, kernel: 3, padding: -1", SEQUENCE, ["`padding` of `y` must be at least 0; it is -1 @ -1"]),
    (
        "op: conv1d, channels: d, kernel: k, padding: same",
        SEQUENCE,
        [
            "`padding: same` needs to know whether the kernel k is odd @ same",
            "write the kernel as 2*r + 1, or give the padding as a number: padding: r",
        ],
    ),
    (
        "op: conv1d, channels: d, kernel: 3, stride: 2, padding: same",
        SEQUENCE,
        ["`padding: same` needs stride 1 and no transposed convolution @ same", "give the padding as a number, such as padding: 1"],
    ),
    (
        "op: conv1d, channels: d, kernel: 3, stride: 2, transposed: true, output_padding: 2",
        SEQUENCE,
        ["`output_padding` of `y` is 2; it must be below the stride 2 or the dilation 1 @ 2"],
    ),
    (
        "op: conv1d, channels: d, kernel: 3, output_padding: 1",
        SEQUENCE,
        ["`output_padding` is for transposed convolutions @ 1", "did you mean transposed: true, or padding?"],
    ),
    (
        "op: conv1d, channels: d, kernel: k / 2",
        SEQUENCE,
        ["`k/2` is not always a whole number @ k / 2", 'did you mean to add where: ["k % 2 == 0"]?', "or round down: k // 2"],
    ),
    (
        "op: conv3d, channels: d, kernel: 3",
        SEQUENCE,
        [
            "`y` needs [b, c, t, h, w]: batch, channels, positions; x has 3 axes @ y",
            "x is [b, c, n]",
            "a rearrange before it can split or add an axis, such as `to: b (t h w) c -> b c t h w`",
        ],
    ),
    (
        "op: conv2d, channels: d, kernel: 3, padding_mode: reflect",
        IMAGE,
        ["`y` has no padding that could be `reflect` @ reflect", "give it one, such as padding: 1"],
    ),
    (
        "op: conv2d, channels: d, kernel: 9, padding: 4, padding_mode: reflect",
        SMALL,
        ["`y` adds 4 elements to an axis of 4; `reflect` has at most 3 @ 4", "x is [b, 6, 4, 5]"],
    ),
    (
        "op: conv1d, channels: d, kernel: 3, padding: 1, padding_mode: circular, transposed: true",
        SEQUENCE,
        ["a transposed convolution has no `padding_mode`: its padding takes positions away @ circular"],
    ),
    # pooling
    (
        "op: pool, kind: max, kernel: 2",
        "[b, c]",
        ["`y` needs [b, c, n], [b, c, h, w] or [b, c, t, h, w]: batch, channels, positions @ y", "x is [b, c]"],
    ),
    (
        "op: pool, kind: max",
        IMAGE,
        ["`y` needs the width of its windows, such as kernel: 2, or the size of its result, such as to: 7 @ pool"],
    ),
    ("op: pool, kind: avg, to: 2, kernel: 2", IMAGE, ["`y` has `to`, which decides the windows, and `kernel`; give one of them @ 2"]),
    ("op: pool, kind: avg, kernel: 2, dilation: 2", IMAGE, ["`dilation` of `y` is for kind: max @ 2"]),
    ("op: pool, kind: max, kernel: 2, count_include_pad: false", IMAGE, ["`count_include_pad` of `y` is for kind: avg @ false"]),
    ("op: pool, kind: avg, kernel: 3, padding: 2", IMAGE, ["`padding` of `y` is 2, more than half of the window, which is 3 wide @ 2"]),
    ("op: pool, kind: max, kernel: 5", SMALL, ["the kernel of `y` spans 5 elements, but axis 2 of x has only 4 @ 5", "x is [b, 6, 4, 5]"]),
    # axes that nothing decides
    (
        'op: rearrange, to: "b c (i j) -> b c i j"',
        SEQUENCE,
        [
            '`i j` has 2 unknown sizes: i, j @ "b c (i j) -> b c i j"',
            "x is [b, c, n]",
            "all but one of them must be sizes of this spec, or stand alone on an axis of a declared `out`",
        ],
    ),
    (
        'op: rearrange, to: "b c (i j) -> b c i j", out: [b, c, k, d]',
        SEQUENCE,
        ['`i j` is d*k, but that axis of x is n @ "b c (i j) -> b c i j"', "x is [b, c, n]", "i is k", "j is d"],
    ),
    # moving elements
    ("op: pad, axis: 1, before: -1", SEQUENCE, ["`before` of `y` is -1; to take elements away, use `op: slice` @ -1"]),
    (
        "op: pad, axis: 3, before: 1",
        SEQUENCE,
        ["axis 3 does not exist: x is [b, c, n] @ 3", "its axes are 0 to 2, or -3 to -1 counted from the last"],
    ),
    (
        "op: pad, axis: 0, before: 1, mode: reflect",
        SMALL,
        [
            "`reflect` reaches the last 3 axes of x only @ 0",
            "x is [b, 6, 4, 5]",
            "a rearrange before it can bring the axis there",
        ],
    ),
    (
        "op: pad, axis: 2, before: 5, mode: circular",
        SMALL,
        ["`y` adds 5 elements to an axis of 4; `circular` has at most 4 @ 5", "x is [b, 6, 4, 5]"],
    ),
    (
        "op: pad, axis: 2, before: 1, mode: replicate, value: 2",
        SMALL,
        ["`value` of `y` is for mode: constant; `replicate` repeats elements of the axis @ 2"],
    ),
    ("op: pad, axis: [1, 2], before: [1, 2, 3]", SMALL, ["`before` of `y` has 3 sizes for 2 axes @ [1"]),
    ("op: pad, axis: [2, 2], before: 1", SMALL, ["`y` names an axis of x twice @ [2", "x is [b, 6, 4, 5]"]),
    ("op: roll, axes: [1, 2], shifts: 1", SEQUENCE, ["`y` has 2 axes but 1 shift @ 1"]),
    ("op: roll, axes: [1, c], shifts: [1, 1]", SEQUENCE, ["`y` names axis 1 of x twice @ [1", "x is [b, c, n]"]),
    (
        "op: unfold, axis: 1, size: 9, pad: 1",
        SMALL,
        ["no window of `y` fits: it is 9 wide, and axis 1 has 8 elements with its padding @ 9", "x is [b, 6, 4, 5]"],
    ),
    (
        "op: interpolate, scale: 2, to: 3",
        IMAGE,
        ["`y` has a factor and a size; give one of them @ 3", "such as scale: 2, or to: [2*h, 2*w]"],
    ),
    ("op: interpolate", IMAGE, ["`y` needs a factor or a size @ interpolate", "such as scale: 2, or to: [2*h, 2*w]"]),
    (
        "op: interpolate, scale: 2, mode: bilinear",
        SEQUENCE,
        [
            "`bilinear` does not resize [b, c, n]; that is done by `nearest`, `nearest-exact` and `linear` @ bilinear",
            "x is [b, c, n]",
            "did you mean mode: linear?",
        ],
    ),
    (
        "op: interpolate, scale: 1/2",
        "[b, c, h, 7]",
        [
            "`y` makes 1/2 times as many of h positions, which does not always divide evenly @ 1/2",
            "x is [b, c, h, 7]",
            'did you mean to add where: ["h % 2 == 0"]?',
            "or give the positions of the result: to",
        ],
    ),
    (
        "op: interpolate, scale: 2, mode: nearest, align_corners: true",
        IMAGE,
        ["`align_corners` of `y` is for modes that interpolate; `nearest` takes what is there @ true"],
    ),
    (
        "op: interpolate, scale: 1/2, mode: nearest, antialias: true",
        IMAGE,
        ["`antialias` of `y` is for images, `bilinear` or `bicubic`; its mode is `nearest` @ true"],
    ),
    (
        "op: interpolate, to: 3, antialias: true",
        SEQUENCE,
        ["`antialias` of `y` is for images, `bilinear` or `bicubic`; its mode is `linear` @ true"],
    ),
    (
        "op: interpolate, to: 3, antialias: true, align_corners: true",
        IMAGE,
        [
            "`antialias` of `y` does not go with `align_corners` @ true",
            "its filter is as much wider as the axis becomes shorter, from end to end; leave one of them away",
        ],
    ),
    (
        "op: rrelu, lower: 0.4",
        IMAGE,
        ["the slopes of `y` go from 0.4 to 1 / 3; `lower` is above `upper` @ 0.4"],
    ),
    (
        "op: deform_conv2d, in: [x, x], channels: d, kernel: 3, padding: 1, offset_groups: 3",
        IMAGE,
        [
            "`y` splits c channels into 3 groups with offsets, which does not always divide evenly @ 3",
            "x is [b, c, h, w]; its channels are axis 1",
            'did you mean to add where: ["c % 3 == 0"]?',
        ],
    ),
    ("op: interpolate, scale: -1", IMAGE, ["`scale` of `y` must be greater than 0; it is -1 @ -1"]),
    (
        "op: pixel_shuffle, by: 2",
        IMAGE,
        [
            "`y` splits channels of c by 4, which does not always divide evenly @ 2",
            "x is [b, c, h, w]",
            'did you mean to add where: ["c % 4 == 0"]?',
        ],
    ),
    ("op: pixel_unshuffle, by: 2", SMALL, ["`y` splits a width of 5 by 2, which does not always divide evenly @ 2", "x is [b, 6, 4, 5]"]),
    (  # a size with a comma of its own
        "op: pixel_shuffle, by: 2",
        '[b, "max(c, d)", h, w]',
        [
            "`y` splits channels of max(c, d) by 4, which does not always divide evenly @ 2",
            "x is [b, max(c, d), h, w]",
            'did you mean to add where: ["(max(c, d)) % 4 == 0"]?',
        ],
    ),
    ("op: flip, axes: [1, c]", SEQUENCE, ["`y` names axis 1 of x twice @ [1", "x is [b, c, n]"]),
    (
        "op: slice, axis: n, step: -1",
        SEQUENCE,
        ["`step` of `y` must be at least 1; it is -1; to read an axis backwards, use `op: flip` @ -1", "x is [b, c, n]"],
    ),
    ("op: slice, axis: 2, start: 4", SMALL, ["`y` begins with element 4 of axis 2, which has 4 (0 is the first) @ 4", "x is [b, 6, 4, 5]"]),
    ("op: slice, axis: 2, size: 3, step: 2", SMALL, ["`y` takes elements 0 to 5 of axis 2, which has 4 @ 3", "x is [b, 6, 4, 5]"]),
    (
        "op: grid_sample, in: [x, x]",
        IMAGE,
        ["`y` needs an image [b, c, h, w] and places [b, i, j, 2] @ [x", "x is [b, c, h, w]", "x is [b, c, h, w]"],
    ),
    (
        "op: deform_conv2d, in: [x, x], channels: d, kernel: 3, padding: 1",
        IMAGE,
        ["`y` needs offsets [b, 18, h, w] @ [x", "x is [b, c, h, w]", "x has h, w positions of the kernel"],
    ),
    ("op: fft, kind: ifft", SEQUENCE, ["`ifft` reads complex numbers; its last axis is 2: real and imaginary parts @ y", "x is [b, c, n]"]),
    (
        "op: fft, complex: true, over: -1",
        "[b, n, 2]",
        ["`y` transforms the axis of real and imaginary parts @ -1", "x is [b, n, 2]", "did you mean over: 1?"],
    ),
    (
        "op: fft, kind: irfft, to: 8",
        "[b, 4, 2]",
        ["`y` makes 8 real numbers of 5 frequencies; there are 4 @ 8", "x is [b, 4, 2]"],
    ),
    ("op: fft, to: 8", SEQUENCE, ["`to` of `y` is for kind: irfft; the result of `fft` follows from x @ 8"]),
    (
        "op: fft, kind: rfft, complex: true",
        SEQUENCE,
        ["`rfft` is for real numbers, of which the other half of the frequencies follows @ true", "did you mean kind: fft?"],
    ),
    ("op: fft, over: [1, c]", SEQUENCE, ["`y` names an axis twice @ [1", "x is [b, c, n]"]),
    ("op: slice, axis: n, start: 1, size: n", SEQUENCE, ["`y` takes elements 1 to n + 1 of axis 2, which has n @ n", "x is [b, c, n]"]),
    ("op: slice, axis: n, start: -1, size: 1", SEQUENCE, ["`start` of `y` is -1; it counts from 0 @ -1", "x is [b, c, n]"]),
    ("op: slice, axis: n, size: 0", SEQUENCE, ["`y` takes 0 elements; a slice has at least one @ 0", "x is [b, c, n]"]),
    ("op: select, axis: 2, index: 4", SMALL, ["`y` takes element 4 of axis 2, which has 4 (0 is the first) @ 4", "x is [b, 6, 4, 5]"]),
    ("op: select, axis: n, index: n", SEQUENCE, ["`y` takes element n of axis 2, which has n (0 is the first) @ n", "x is [b, c, n]"]),
    (
        "op: expand, out: [b, d, n]",
        SEQUENCE,
        ["`y` cannot repeat axis 1 from c to d; only axes of size 1 are repeated @ [b", "x is [b, c, n]"],
    ),
    ("op: expand, out: [c, n]", SEQUENCE, ["`y` is declared [c, n], which has fewer axes than x @ [c", "x is [b, c, n]"]),
]


@pytest.mark.parametrize(("row", "x", "expected"), CASES, ids=[f"{row} of {x}" for row, x, _ in CASES])
def test_the_message_says_what_does_not_fit_and_points_at_it(tmp_path: Path, row: str, x: str, expected: list[str]) -> None:
    message, pointed_at, notes = told(tmp_path, one_row(row, x))
    assert [f"{message} @ {pointed_at}", *notes] == expected
