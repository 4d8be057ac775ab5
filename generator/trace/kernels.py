"""The kernels that ops launch, one entry each: what a kernel costs, what it keeps for the backward pass, and what its derivative allocates.

The facts are PyTorch's: its decompositions (`torch._decomp`) for the arithmetic, and tools/autograd/derivatives.yaml for what is kept and
allocated. A kernel without an entry is an error, never a default: see `kernel_of`. An op that launches a kernel which nobody has launched
before enters it here, or, where the op is not part of this project, by `enter` in its own file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sympy import Expr, Integer

from generator.trace.tensor import Tensor

PLACE = "generator/trace/kernels.py"
Tensors = Sequence[Tensor]
Keeps = Callable[[Tensors, Tensors], Tensors]  # of what is read and written, what is kept
Rule = Literal[
    "each",
    "in_order",
    "products",
    "elementwise",
    "both",
    "greatest",
    "logsumexp",
    "length",
    "stretched",
    "parts",
    "convolution",
    "attention",
    "sampled",
    "spectrum",
    "frequencies",
    "real_part",
    "overwritten",
    "part",
    "added",
    "none",
]
NONE = Integer(0)
PASSED_ON = -1  # in place of a number of temporaries: the gradient of the operand is that of the result


class UnknownKernelError(Exception):
    """A kernel has no entry, so that nobody knows what it costs.

    Args:
        name: the kernel.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"the kernel `{name}` has no entry in {PLACE}")
        self.name = name


@dataclass(frozen=True)
class VectorCost:
    """Vector FLOPs.

    Args:
        per_element: for each element of the input (of the scores for attention, of the result for `glu`, for interpolations and where
            operands stretch).
        per_row: for each row. A row is what is normalised or reduced together: in batch norm a channel of the batch, in group norm a group
            of one sample; for attention an element of the scaled query and of the scaled (repeated) key.
        parts: the arithmetic, for people, where PyTorch defines the operation by simpler ones.
        case: which options the numbers hold for; "" if there is only one case.
    """

    per_element: int
    per_row: int = 0
    parts: str = ""
    case: str = ""


def nothing(_reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep nothing."""
    return ()


def the_input(reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep what is read first."""
    return reads[:1]


def second(reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep what is read second: a mask, or indices."""
    return reads[1:2]


def addends(reads: Tensors, _writes: Tensors) -> Tensors:
    """Of what is read, keep all but the first, what is added and where, for the gradient of what is added."""
    return reads[1:] if reads[2].needs_grad else ()


def places_of_addends(reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep where something is added, for the gradient of what is added."""
    return reads[1:2] if reads[2].needs_grad else ()


def inputs(reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep all that is read."""
    return reads


def result(_reads: Tensors, writes: Tensors) -> Tensors:
    """Keep the result."""
    return writes[:1]


def places(_reads: Tensors, writes: Tensors) -> Tensors:
    """Keep what is written beside the result: a mask, or indices."""
    return writes[1:]


def ends(reads: Tensors, writes: Tensors) -> Tensors:
    """Keep what is read first, and the result."""
    return [*reads[:1], *writes[:1]]


def statistics(reads: Tensors, writes: Tensors) -> Tensors:
    """Keep what is read first, and what is written beside the result."""
    return [*reads[:1], *writes[1:]]


def operands_and_statistics(reads: Tensors, writes: Tensors) -> Tensors:
    """Keep what is read first and second, and what is written beside the result."""
    return [*reads[:2], *writes[1:]]


def everything(reads: Tensors, writes: Tensors) -> Tensors:
    """Keep all that is read and written."""
    return [*reads, *writes]


def factors(reads: Tensors, _writes: Tensors) -> Tensors:
    """Of the last two that are read, keep each that the other's gradient needs; a number instead of one needs none."""
    if len(reads) < 2:
        return ()
    a, b = reads[-2:]
    return [kept for kept, other in ((a, b), (b, a)) if other.needs_grad]


def quotient(reads: Tensors, _writes: Tensors) -> Tensors:
    """Keep the divisor, and the dividend where the divisor's gradient needs it."""
    if len(reads) < 2:
        return ()
    return [reads[1], *(reads[:1] if reads[1].needs_grad else ())]


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    Args:
        costs: its vector FLOPs, in each of its cases; none where they depend on more than that (a bias, a window).
        keeps: what is kept for the backward pass, where a result needs a gradient.
        derivative: how the derivative allocates gradients (`generator.trace.derivatives` says what each word means).
        temporaries: of the operand's size that the derivative allocates on its way, for each operand (the last number for all others).
        compares: how many masks the derivative also allocates, of what it compares.
        numbers: how many single numbers it also allocates, such as the zero that stands where nothing flows back.
        aten: the operation that PyTorch's dispatcher sees, where it has another name.
    """

    costs: tuple[VectorCost, ...] = (VectorCost(0),)
    keeps: Keeps = nothing
    derivative: Rule = "none"
    temporaries: tuple[int, ...] = (0,)
    aten: str = ""
    compares: int = 0
    numbers: int = 0

    def temporaries_of(self, operand: int) -> int:
        """Return the number for one operand."""
        return self.temporaries[min(operand, len(self.temporaries) - 1)]


def pointwise(keeps: Keeps, *temporaries: int, flops: int = 1, parts: str = "", aten: str = "", case: str = "") -> Kernel:
    """Return the entry of an elementwise function."""
    return Kernel((VectorCost(flops, parts=parts, case=case),), keeps, "elementwise", temporaries or (0,), aten)


def _resized(flops: int) -> Kernel:
    """Return the entry of an interpolation; `flops` for each element of the result."""
    return Kernel((VectorCost(flops),), derivative="each")


_NORM = "variance 4, difference, product; per row: two divisions, + eps, rsqrt"
_RUNNING = f"{_NORM}, and 3 + 4 for the running mean and variance"
_ROOT = "per row: + eps, sqrt, reciprocal"
_MOVES = Kernel(derivative="each")
_NO_GRADIENT = Kernel()

KERNELS: dict[str, Kernel] = {
    # functions of one tensor
    "relu": pointwise(result),
    "gelu": pointwise(the_input, flops=5, parts="x / 2 * (1 + erf(x * sqrt(1/2)))", case="exact"),
    "gelu_tanh": pointwise(the_input, flops=9, parts="x / 2 * (1 + tanh(a * (x + b * x * x * x)))", aten="gelu", case="tanh"),
    "silu": pointwise(the_input, flops=2, parts="x * sigmoid(x)"),
    "sigmoid": pointwise(result),
    "tanh": pointwise(result),
    "elu": pointwise(the_input, parts="expm1(x) below 0"),
    "celu": pointwise(the_input, parts="expm1(x) below 0"),
    "selu": pointwise(the_input, flops=3, parts="a * x above 0, b * expm1(x) below"),
    "leaky_relu": pointwise(the_input),
    "rrelu_with_noise": pointwise(statistics),
    "mish": pointwise(the_input, flops=4, parts="x * tanh(log1p(exp(x)))"),
    "hardtanh": pointwise(the_input, flops=2),
    "hardswish": pointwise(the_input, flops=5, parts="x * min(max(x + 3, 0), 6) / 6"),
    "hardsigmoid": pointwise(the_input, flops=4, parts="min(max(x + 3, 0), 6) / 6"),
    "hardshrink": pointwise(the_input, parts="abs(x), which is compared"),
    "softshrink": pointwise(the_input, flops=5, parts="x - sign(x) * bound, beyond the bound; x * 0 within it; abs(x)"),
    "threshold": pointwise(the_input, flops=0),
    "clamp": replace(pointwise(the_input, case="one bound"), compares=1, numbers=1),
    "clamp_between": replace(pointwise(the_input, flops=2, aten="clamp", case="two bounds"), compares=2, numbers=1),
    "log_sigmoid_forward": pointwise(statistics, flops=6, parts="min(0, x) - log1p(exp(-abs(x)))"),
    "softplus": pointwise(the_input, flops=2, parts="log1p(exp(x))"),
    "exp": pointwise(result),
    "log": pointwise(the_input),
    "sqrt": pointwise(result, 1),
    "rsqrt": pointwise(result, 2),
    "neg": pointwise(nothing),
    "abs": pointwise(the_input, 1),
    "square": pointwise(the_input, 2),
    "sin": pointwise(the_input, 1),
    "cos": pointwise(the_input, 2),
    "glu": Kernel((VectorCost(2, parts="a * sigmoid(b)"),), the_input, "each"),
    "clamp_min": replace(pointwise(the_input), compares=1, numbers=1),
    "native_dropout": pointwise(places, flops=2, parts="x * mask / (1 - p)"),
    "pow": pointwise(the_input, 2),
    # of two tensors, or of one and a number
    "add": pointwise(nothing, PASSED_ON),
    "sub": pointwise(nothing, PASSED_ON, 0),
    "mul": pointwise(factors),
    "maximum": replace(pointwise(inputs, 1), compares=2),  # half of the gradient where both are equal
    "minimum": replace(pointwise(inputs, 1), compares=2),
    "_prelu_kernel": replace(pointwise(inputs, parts="w * x below 0"), derivative="both"),
    "div": pointwise(quotient, 0, 3),  # of the divisor: -gradient * ((a / b) / b)
    # copies and choices
    "clone": pointwise(nothing, PASSED_ON, flops=0),
    "_to_copy": pointwise(nothing, flops=0),
    "to_complex": Kernel(derivative="real_part", aten="_to_copy"),
    "where": replace(pointwise(the_input, flops=0), numbers=1),
    "masked_fill": pointwise(second, flops=0),
    "cat": Kernel(derivative="parts"),
    "stack": Kernel(derivative="parts"),
    "constant_pad_nd": _MOVES,
    **{f"{name}_pad{axes}d": Kernel(keeps=the_input, derivative="each") for name in ("reflection", "replication") for axes in (1, 2, 3)},
    "copy_": Kernel(derivative="overwritten"),  # into a part of a fresh tensor
    "copy_part": Kernel(derivative="part", aten="copy_"),  # from one part of a tensor into another
    "roll": _MOVES,
    "flip": _MOVES,
    "pixel_shuffle": _MOVES,
    "pixel_unshuffle": _MOVES,
    "index": Kernel(keeps=second, derivative="each"),
    "index_add": Kernel((VectorCost(1),), keeps=addends, derivative="added"),
    "scatter": Kernel(keeps=second, derivative="each"),
    "scatter_add": Kernel((VectorCost(1),), keeps=places_of_addends, derivative="added"),
    "index_add_": Kernel((VectorCost(1),), keeps=addends, derivative="added"),
    "repeat": _MOVES,
    "embedding": Kernel(keeps=the_input, derivative="each"),
    "gather": Kernel(keeps=inputs, derivative="each"),
    "sort": Kernel(keeps=places, derivative="each"),
    "topk": Kernel((VectorCost(1),), places, "each"),
    # along axes
    "sum": Kernel((VectorCost(1),), derivative="stretched"),
    "mean": Kernel((VectorCost(1, 1),), derivative="each"),
    "amax": Kernel((VectorCost(1),), ends, "greatest"),
    "cumsum": Kernel((VectorCost(1),), derivative="each", temporaries=(2,)),
    "cumsum of one": pointwise(nothing, PASSED_ON, aten="cumsum"),  # along an axis of one
    "softmax": Kernel((VectorCost(5, parts="max, difference, exp, sum, division"),), result, "each", aten="_softmax"),
    "log_softmax": Kernel((VectorCost(5, 1, "max, difference, exp, sum, difference; per row: log"),), result, "each", aten="_log_softmax"),
    "logsumexp": Kernel(
        (VectorCost(4, 3, "max, difference, exp, sum; per row: abs (is the maximum infinite?), log, sum"),), ends, "logsumexp"
    ),
    "linalg_vector_norm": Kernel(
        (VectorCost(2, 1, "square, sum; per row: root", "order 2"), VectorCost(3, 1, "abs, power, sum; per row: power", "order 1")),
        ends,
        "length",
    ),
    "native_layer_norm": Kernel(
        (
            VectorCost(8, 4, f"{_NORM}; weight, bias", "weight and bias"),
            VectorCost(7, 4, f"{_NORM}; weight", "weight only"),
            VectorCost(6, 4, _NORM, "no weight"),
        ),
        statistics,
        "each",
    ),
    "native_group_norm": Kernel(
        (VectorCost(8, 4, f"{_NORM}; weight, bias", "weight and bias"), VectorCost(6, 4, _NORM, "no weight")), statistics, "in_order"
    ),
    "native_batch_norm": Kernel(
        (
            VectorCost(8, 11, f"{_RUNNING}; weight, bias", "training, weight and bias"),
            VectorCost(6, 11, _RUNNING, "training, no weight"),
            VectorCost(8, 4, f"{_NORM}; weight, bias", "training, no running statistics, weight and bias"),
            VectorCost(6, 4, _NORM, "training, no running statistics, no weight"),
            VectorCost(4, 3, "difference, product, weight, bias; per row: + eps, root, reciprocal", "evaluation, weight and bias"),
            VectorCost(2, 3, f"difference, product; {_ROOT}", "evaluation, no weight"),
        ),
        operands_and_statistics,
        "each",
    ),
    "_weight_norm_interface": Kernel(
        (
            VectorCost(3, 2, "square, sum, product; per row: root, division", "rows of several numbers"),
            VectorCost(3, 0, "abs, product, division", "rows of one number"),  # whose length is its absolute value
        ),
        places,
        "each",
    ),
    # contractions and windows; their vector FLOPs are biases and the elements of windows
    "mm": Kernel((), factors, "products"),
    "addmm": Kernel((), factors, "products"),
    "bmm": Kernel((), factors, "each"),
    "convolution": Kernel((), operands_and_statistics, "convolution"),
    **{f"{kind}_pool{axes}d": Kernel((), statistics, "each") for kind in ("max", "avg") for axes in (2, 3)},
    **{f"{kind}_pool{axes}d": Kernel((), statistics, "each") for kind in ("adaptive_max", "_adaptive_avg") for axes in (2, 3)},
    **{f"{word}{axes}d": _MOVES for word in ("upsample_nearest", "_upsample_nearest_exact") for axes in (1, 2, 3)},
    "upsample_linear1d": _resized(3),
    "upsample_bilinear2d": _resized(9),
    "upsample_trilinear3d": _resized(21),
    "upsample_bicubic2d": _resized(35),
    "_upsample_bilinear2d_aa": Kernel((), derivative="each"),
    "_upsample_bicubic2d_aa": Kernel((), derivative="each"),
    "grid_sampler_2d": Kernel((VectorCost(7, 14, case="bilinear"), VectorCost(0, 6, case="nearest")), inputs, "sampled"),
    "_fft_r2c": Kernel((), the_input, "spectrum"),
    "_fft_c2r": Kernel((), derivative="frequencies"),
    "_fft_c2c": Kernel((), derivative="frequencies"),
    "attention": Kernel(
        (
            VectorCost(5, 1, "softmax of the scores; query and key are each scaled"),
            VectorCost(6, 1, "mask added, softmax; query and key are each scaled", "causal or masked"),
        ),
        everything,
        "attention",
        aten="_scaled_dot_product_flash_attention_for_cpu",
    ),
    "attention values": Kernel(()),  # a part of `attention`
    # no gradient flows back
    "argmax": Kernel((VectorCost(1),)),
    "eq": _NO_GRADIENT,
    "remainder": _NO_GRADIENT,
    "floor_divide": _NO_GRADIENT,
    "add_": _NO_GRADIENT,
    "div_": _NO_GRADIENT,
    "bernoulli_": _NO_GRADIENT,
    "arange": _NO_GRADIENT,
    "nonzero": _NO_GRADIENT,
    "scatter_": _NO_GRADIENT,
    "ones": _NO_GRADIENT,
    "new_zeros": _NO_GRADIENT,
    "scalar_tensor": _NO_GRADIENT,
    "triangle": _NO_GRADIENT,
    "index_arithmetic": _NO_GRADIENT,
}
# What the decompositions of further operations come to, which modules of one's own may run.
FURTHER: dict[str, tuple[VectorCost, ...]] = {
    "_safe_softmax": (VectorCost(5, parts="as _softmax"),),
    "_fused_rms_norm": (
        VectorCost(4, 3, "square, sum, product, weight; per row: division, + eps, rsqrt", "weight"),
        VectorCost(3, 3, "square, sum, product; per row: division, + eps, rsqrt", "no weight"),
    ),
    "std": (VectorCost(4, 3, "variance; per row: two divisions, root"),),
    "addcmul": (VectorCost(2, parts="a + b * c"),),
    "addcdiv": (VectorCost(2, parts="a + b / c"),),
}


def kernel_of(name: str) -> Kernel:
    """Return the entry of a kernel. Raises UnknownKernelError."""
    if name not in KERNELS:
        raise UnknownKernelError(name)
    return KERNELS[name]


def enter(name: str, kernel: Kernel) -> None:
    """Enter a kernel that an op of one's own launches. Raises ValueError where another has the name."""
    if KERNELS.setdefault(name, kernel) != kernel:
        raise ValueError(f"two kernels are named {name}")


def vector_flops(name: str, elements: Expr, rows: Expr = NONE, *, case: str = "") -> Expr:
    """Return what a kernel costs on so many elements and rows. Raises UnknownKernelError, and ValueError for an unknown case."""
    costs = kernel_of(name).costs
    for cost in costs:
        if cost.case == case or len(costs) == 1:
            return cost.per_element * elements + cost.per_row * rows
    raise ValueError(f"the kernel `{name}` has no case `{case}`")


def published() -> list[tuple[str, VectorCost]]:
    """Return all costs that are sums of parts, by the names of PyTorch's operations, in alphabetical order."""
    entries = [(kernel.aten or name, cost) for name, kernel in KERNELS.items() for cost in kernel.costs if cost.parts]
    entries += [(name, cost) for name, costs in FURTHER.items() for cost in costs]
    return sorted(entries, key=lambda entry: entry[0].lstrip("_"))
