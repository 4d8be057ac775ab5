"""What each operation costs in vector FLOPs, as data: the table that the documentation prints and the counter obeys.

A vector FLOP is one primitive arithmetic operation on one element, in floating point: an addition, a multiplication, a division, a
maximum, or one elementary function such as `exp`, `tanh` or `erf`, however many instructions a machine needs for it. Contractions
(matrix products, convolutions) are not counted here, only the biases added to them. Moving, choosing, comparing and converting
elements is free, and so is arithmetic on integers and booleans (indices, masks), and a factor or divisor that is the constant 1.
An operation that torch itself defines by simpler ones (`torch._decomp`) costs what its parts cost: see `COMPOSITE_COSTS`.

Names are those of torch's aten operations, without namespace and overload; an in-place variant (`add_`) costs what its plain form costs.
This module does not import torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rule = Literal["output", "input", "mean", "var", "var_and_mean", "clamp", "scaled_sum", "bias", "window", "average", "free"]

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
    "free": "0: data movement, comparison, conversion, creation, random numbers, or a contraction (see matmul FLOPs)",
}

_OUTPUT = """
    abs acos acosh asin asinh atan atan2 atanh ceil clamp_max clamp_min cos cosh digamma div erf erfc erfinv exp exp2 expm1 floor
    floor_divide fmax fmin fmod lgamma log log10 log1p log2 maximum minimum mul neg pow reciprocal relu remainder round rsqrt sigmoid
    sign sin sinh sqrt square tan tanh trunc true_divide leaky_relu
"""
_INPUT = "sum amax amin max min argmax argmin prod cumsum cumprod topk"
_BIAS = "addmm baddbmm addmv addbmm convolution"
_FREE = """
    mm bmm mv dot vdot
    clone copy _to_copy cat stack constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d roll flip repeat
    im2col col2im pixel_shuffle pixel_unshuffle channel_shuffle tril triu upsample_nearest1d upsample_nearest2d
    embedding gather index index_select index_put scatter masked_fill where masked_select nonzero take fill zero
    sort eq ne lt le gt ge logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_not isnan isinf any all equal
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
    "var": "var",
    "var_mean": "var_and_mean",
    "clamp": "clamp",
    "hardtanh": "clamp",
    "max_pool2d_with_indices": "window",
    "max_pool3d_with_indices": "window",
    "avg_pool2d": "average",
    "avg_pool3d": "average",
}


@dataclass(frozen=True)
class Composite:
    """What torch's own decomposition of an operation comes to (tested against the counter).

    Args:
        op: aten name.
        case: which options the numbers hold for; "" if there is only one case.
        per_element: vector FLOPs per element of the input (of the scores for attention, of the result for `glu`).
        per_row: vector FLOPs per row. A row is what is normalised or reduced together: in batch norm a channel of the batch, in group
            norm a group of one sample; for attention an element of the scaled query and of the scaled (repeated) key.
        parts: the arithmetic, for people.
    """

    op: str
    case: str
    per_element: int
    per_row: int
    parts: str


_NORM = "variance 4, difference, product; per row: two divisions, + eps, rsqrt"
_RUNNING = f"{_NORM}, and 3 + 4 for the running mean and variance"
COMPOSITE_COSTS: tuple[Composite, ...] = (
    Composite("_softmax", "", 5, 0, "max, difference, exp, sum, division"),
    Composite("_safe_softmax", "", 5, 0, "as _softmax"),
    Composite("_log_softmax", "", 5, 1, "max, difference, exp, sum, difference; per row: log"),
    Composite("logsumexp", "", 4, 3, "max, difference, exp, sum; per row: abs (is the maximum infinite?), log, sum"),
    Composite("native_layer_norm", "weight and bias", 8, 4, f"{_NORM}; weight, bias"),
    Composite("native_layer_norm", "weight only", 7, 4, f"{_NORM}; weight"),
    Composite("native_layer_norm", "no weight", 6, 4, _NORM),
    Composite("_fused_rms_norm", "weight", 4, 3, "square, sum, product, weight; per row: division, + eps, rsqrt"),
    Composite("_fused_rms_norm", "no weight", 3, 3, "square, sum, product; per row: division, + eps, rsqrt"),
    Composite("native_group_norm", "weight and bias", 8, 4, f"{_NORM}; weight, bias"),
    Composite("native_group_norm", "no weight", 6, 4, _NORM),
    Composite("native_batch_norm", "training, weight and bias", 8, 11, f"{_RUNNING}; weight, bias"),
    Composite("native_batch_norm", "training, no weight", 6, 11, _RUNNING),
    Composite("native_batch_norm", "training, no running statistics, weight and bias", 8, 4, f"{_NORM}; weight, bias"),
    Composite(
        "native_batch_norm", "evaluation, weight and bias", 4, 3, "difference, product, weight, bias; per row: + eps, root, reciprocal"
    ),
    Composite("native_batch_norm", "evaluation, no weight", 2, 3, "difference, product; per row: + eps, sqrt, reciprocal"),
    Composite("gelu", "exact", 5, 0, "x / 2 * (1 + erf(x * sqrt(1/2)))"),
    Composite("gelu", "tanh", 9, 0, "x / 2 * (1 + tanh(a * (x + b * x * x * x)))"),
    Composite("silu", "", 2, 0, "x * sigmoid(x)"),
    Composite("elu", "", 1, 0, "expm1(x) below 0"),
    Composite("celu", "", 1, 0, "expm1(x) below 0"),
    Composite("selu", "", 3, 0, "a * x above 0, b * expm1(x) below"),
    Composite("softplus", "", 2, 0, "log1p(exp(x))"),
    Composite("log_sigmoid_forward", "", 6, 0, "min(0, x) - log1p(exp(-abs(x)))"),
    Composite("mish", "", 4, 0, "x * tanh(log1p(exp(x)))"),
    Composite("hardswish", "", 5, 0, "x * min(max(x + 3, 0), 6) / 6"),
    Composite("hardsigmoid", "", 4, 0, "min(max(x + 3, 0), 6) / 6"),
    Composite("glu", "", 2, 0, "a * sigmoid(b)"),
    Composite("_prelu_kernel", "", 1, 0, "w * x below 0"),
    Composite("native_dropout", "", 2, 0, "x * mask / (1 - p)"),
    Composite("linalg_vector_norm", "order 2", 2, 1, "square, sum; per row: root"),
    Composite("linalg_vector_norm", "order 1", 3, 1, "abs, power, sum; per row: power"),
    Composite("std", "", 4, 3, "variance; per row: two divisions, root"),
    Composite("addcmul", "", 2, 0, "a + b * c"),
    Composite("addcdiv", "", 2, 0, "a + b / c"),
    Composite("_adaptive_avg_pool2d", "sizes that divide", 1, 0, "sum; and 1 per element of the result (division)"),
    Composite("_scaled_dot_product_flash_attention_for_cpu", "", 5, 1, "softmax of the scores; query and key are each scaled"),
    Composite(
        "_scaled_dot_product_flash_attention_for_cpu", "causal or masked", 6, 1, "mask added, softmax; query and key are each scaled"
    ),
)
COMPOSITES: frozenset[str] = frozenset(composite.op for composite in COMPOSITE_COSTS)
