"""What each of PyTorch's operations costs in pointwise FLOPs, as data: the table that the documentation prints and the counter obeys.

A pointwise FLOP is one primitive arithmetic operation on one element, in floating point: an addition, a multiplication, a division, a
maximum, or one elementary function such as `exp`, `tanh` or `erf`, however many instructions a machine needs for it. Contractions
(matrix products, convolutions) are not counted here, only the biases added to them. Moving, choosing, comparing and converting
elements is free, and so is arithmetic on integers and booleans (indices, masks), and a factor or divisor that is the constant 1.
An operation that torch itself defines by simpler ones (`torch._decomp`) costs what its parts cost; what that comes to stands in
`generator.trace.kernels`, of which the counter knows nothing.

Names are those of torch's aten operations, without namespace and overload; an in-place variant (`add_`) costs what its plain form costs.
This module does not import torch.
"""

from __future__ import annotations

from typing import Literal

WindowRule = Literal["window", "average", "interpolation", "antialiased", "transform", "sampling"]
Rule = Literal["output", "input", "mean", "var", "var_and_mean", "clamp", "scaled_sum", "bias", "added", "free"] | WindowRule

# What each rule means, for people.
RULES: dict[Rule, str] = {
    "output": "1 per element of the result",
    "input": "1 per element of the input",
    "mean": "1 per element of the input (sum) and 1 per element of the result (division)",
    "var": "4 per element of the input (sum for the mean, difference, square, sum) and 2 per element of the result (two divisions)",
    "var_and_mean": "as `var`; the mean is computed on the way",
    "clamp": "1 per element of the result for each bound given",
    "scaled_sum": "1 per element of the result, and 1 more if the second operand has a factor (`alpha`)",
    "bias": "1 per element of the result if a bias is added; the products are matmul FLOPs",
    "window": "1 per element of each window, hence the window's size per element of the result",
    "average": "1 per element of each window and 1 per element of the result (division)",
    "interpolation": "3 per element of the result for each interpolation between two numbers, of which there are 1, 3 or 7 "
    "along 1, 2 or 3 axes; 35 for a bicubic one (five sums of four products); positions and weights of rows and columns are not counted",
    "antialiased": "along the width, then the height: K products and K - 1 sums per element of what comes of it. K is the width of the "
    "filter: 2 (bilinear) or 4 (bicubic), times the factor by which the axis becomes shorter, if it does, rounded up; windows at the "
    "borders count whole; a convention",
    "added": "1 per element that is added",
    "sampling": "bilinear: 7 per element of the result (four products, three sums) and 14 per place of the grid (4 to find it among "
    "the pixels, 2 floors, 4 distances, 4 weights); nearest: 0 and 6; what lies beyond the border is not counted; a convention",
    "transform": "5 per complex number of the spectrum, as it is returned or read, in each of ceil(log2 n) stages along each axis of n "
    "(for powers of two the 5 n log2 n of the radix-2 algorithm); a convention",
    "free": "0: data movement, comparison, conversion, creation, random numbers, or a contraction (see matmul FLOPs)",
}

_OUTPUT = """
    abs acos acosh asin asinh atan atan2 atanh ceil clamp_max clamp_min cos cosh digamma div erf erfc erfinv exp exp2 expm1 floor
    floor_divide fmax fmin fmod lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal relu remainder round rsqrt sigmoid
    sign sin sinh sqrt square tan tanh trunc true_divide leaky_relu rrelu_with_noise
"""
_INPUT = "sum amax amin max min argmax argmin prod cumsum cumprod topk"
_BIAS = "addmm baddbmm addmv addbmm convolution"
_FREE = """
    mm bmm mv dot vdot _grouped_mm threshold
    clone copy _to_copy cat stack constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d
    replication_pad3d roll flip repeat
    im2col col2im pixel_shuffle pixel_unshuffle channel_shuffle tril triu upsample_nearest1d upsample_nearest2d upsample_nearest3d
    _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d
    embedding gather index index_select index_put scatter masked_fill where masked_select nonzero take fill zero
    sort histc eq ne lt le gt ge logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_not isnan isinf any all equal
    arange empty empty_like empty_strided new_empty new_empty_strided full full_like new_full ones ones_like new_ones
    zeros zeros_like new_zeros scalar_tensor eye
    lift_fresh_copy rand rand_like randn randn_like randint randperm bernoulli normal uniform
    _local_scalar_dense _assert_async _assert_scalar
    broadcast_in_dim collapse_view convert_element_type iota split_dim squeeze transpose slice_in_dim view_of copy_to expand_dims
"""
# The last line of _FREE holds names of torch's primitives (`torch.ops.prims`), in which it writes some of its decompositions.

PRIMITIVES: dict[str, Rule] = {
    **dict.fromkeys(_OUTPUT.split(), "output"),
    **dict.fromkeys(_INPUT.split(), "input"),
    **dict.fromkeys(_BIAS.split(), "bias"),
    **dict.fromkeys(_FREE.split(), "free"),
    **dict.fromkeys(["add", "sub", "rsub"], "scaled_sum"),
    "mean": "mean",
    "index_add": "added",
    "scatter_add": "added",
    "var": "var",
    "var_mean": "var_and_mean",
    "clamp": "clamp",
    "hardtanh": "clamp",
    "max_pool2d_with_indices": "window",
    "max_pool3d_with_indices": "window",
    "avg_pool2d": "average",
    "avg_pool3d": "average",
    "grid_sampler_2d": "sampling",
    **dict.fromkeys(["_fft_r2c", "_fft_c2r", "_fft_c2c"], "transform"),
    **dict.fromkeys(["upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d"], "interpolation"),
    **dict.fromkeys(["_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"], "antialiased"),
    # As if each element stood in one window: where sizes do not divide, a few stand in two.
    **dict.fromkeys(["adaptive_max_pool2d", "adaptive_max_pool3d"], "input"),
    **dict.fromkeys(["_adaptive_avg_pool2d", "_adaptive_avg_pool3d"], "mean"),
}


_COMPOSITES = """
    _softmax _safe_softmax _log_softmax logsumexp native_layer_norm _fused_rms_norm native_group_norm native_batch_norm linalg_vector_norm
    std gelu silu elu celu selu softplus log_sigmoid_forward mish hardswish hardsigmoid glu _prelu_kernel native_dropout addcmul addcdiv
    _weight_norm_interface hardshrink softshrink
    _scaled_dot_product_flash_attention_for_cpu
"""
COMPOSITES = frozenset(_COMPOSITES.split())  # what is counted by its parts
