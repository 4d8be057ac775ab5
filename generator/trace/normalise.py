"""Normalisations other than layer norm, kernel by kernel as PyTorch runs them. Counts by the table of vector operations."""

from __future__ import annotations

from sympy import Expr, Integer, floor

from generator.trace.convolution import Windows
from generator.trace.kernels import vector_flops
from generator.trace.memory_format import is_channels_last
from generator.trace.moving import pad
from generator.trace.pointwise import binary, scalar, unary
from generator.trace.pooling import pool
from generator.trace.reduce import AFFINE, reduce_axes
from generator.trace.tensor import Tensor
from generator.trace.tracer import ZERO, Tracer


def rms_norm(t: Tracer, x: Tensor, weight: Tensor | None) -> Tensor:
    """x * rsqrt(mean(x^2) + eps) * weight over the last axis: F.rms_norm, which autograd runs as a chain of elementwise kernels.

    Kept: x and the rsqrt of each row; with a weight also the normalised x. The result is made contiguous. In half precision all
    of it runs in float32: kept is a copy of x, four bytes an element like the rest, and not x.
    """
    if t.half:
        return _rms_norm_of_halves(t, x, weight)
    with t.held(keeps_all=False) as result:
        root = _root_of_mean_square(t, x)
        t.name(root=root)
        out = binary(t, "mul", x, root)
        t.name(result=out)
        if weight is not None:
            out = binary(t, "mul", out, weight)
            t.name(result=out)
        result.append(out if is_channels_last(out) else t.contiguous(out))
    return result[0]


def _root_of_mean_square(t: Tracer, x: Tensor) -> Tensor:
    """Return 1 / sqrt(mean(x^2) + eps) of each row, which one expression of PyTorch computes."""
    with t.held() as result:
        mean = reduce_axes(t, "mean", unary(t, "square", x), (-1,), keep=True)
        raised = t.in_place(mean, needs_grad=mean.needs_grad)
        t.kernel("add", [mean], [raised], vector=vector_flops("add", mean.numel))
        result.append(t.like(raised))
        t.kernel("rsqrt", [raised], result, vector=vector_flops("rsqrt", raised.numel))
    return result[0]


def _rms_norm_of_halves(t: Tracer, x: Tensor, weight: Tensor | None) -> Tensor:
    """The same chain on a copy in float32, whose result is made contiguous and then converted back; the rsqrt is there to the end."""
    with t.held(keeps_all=False) as made:
        wide = t.like(x, kind="stat")
        t.kernel("_to_copy", [x], [wide])
        scale = _root_of_mean_square(t, wide)
        t.name(wide=wide, scale=scale)
        out = t.like(x, kind="stat", needs_grad=x.needs_grad)
        t.kernel("mul", [wide, scale], [out], vector=vector_flops("mul", out.numel))
        t.name(result=out)
        if weight is not None:
            normalised, out = out, t.like(out, needs_grad=out.needs_grad or weight.needs_grad)
            t.kernel("mul", [normalised, weight], [out], vector=vector_flops("mul", out.numel))
            t.name(result=out)  # in place of the one before
        whole = out if is_channels_last(out) else t.contiguous(out)
        t.name(result=whole)
        made += [whole, scale]
    narrow = t.like(made[0], kind="float")
    t.kernel("_to_copy", [made[0]], [narrow])
    return narrow


def group_norm(t: Tracer, x: Tensor, groups: Expr, affine: tuple[Tensor, ...]) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias over each group of channels of each sample: F.group_norm.

    Kept: x (its copy where x is not contiguous), and the mean and 1 / sqrt(var + eps) of each group. The result is contiguous.
    """
    x = t.contiguous(x)
    rows = x.shape[0] * groups
    out = t.new(x.shape, needs_grad=any(read.needs_grad for read in (x, *affine)))
    statistics = [t.new((x.shape[0], groups)) for _ in range(2)]
    vector = vector_flops("native_group_norm", x.numel, rows, case=AFFINE[len(affine)])
    t.kernel("native_group_norm", [x, *affine], [out, *statistics], vector=vector)
    return out


def batch_norm(t: Tracer, x: Tensor, affine: tuple[Tensor, ...], running: tuple[Tensor, ...]) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias over all but the channels, in training mode: nn.BatchNorm1d, nn.BatchNorm2d.

    Args:
        running: the buffers: mean and variance, and the number of batches seen, which is counted up.

    Kept: x, and the mean and 1 / sqrt(var + eps) of each channel.
    """
    *moments, batches = running
    channels = x.shape[1]
    t.kernel("add_", [batches], [batches])
    out = t.like(x, needs_grad=any(read.needs_grad for read in (x, *affine)))
    statistics = [t.new((channels,), kind="stat") for _ in range(2)]
    vector = vector_flops("native_batch_norm", x.numel, channels, case=f"training, {AFFINE[len(affine)]}")
    t.kernel("native_batch_norm", [x, *affine, *moments], [out, *statistics], vector=vector)
    return out


def batch_norm_by_running_statistics(t: Tracer, x: Tensor, affine: tuple[Tensor, ...], moments: tuple[Tensor, ...]) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias with the running mean and variance, as in evaluation mode.

    Kept: x, and two numbers for each channel, which are written on graphics processors and meta tensors, though nothing needs them.
    """
    out = t.like(x, needs_grad=any(read.needs_grad for read in (x, *affine)))
    statistics = [t.new((x.shape[1],), kind="stat") for _ in range(2)]
    vector = vector_flops("native_batch_norm", x.numel, x.shape[1], case=f"evaluation, {AFFINE[len(affine)]}")
    t.kernel("native_batch_norm", [x, *affine, *moments], [out, *statistics], vector=vector)
    return out


def instance_norm(t: Tracer, x: Tensor, affine: tuple[Tensor, ...]) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias over the positions of each channel of each sample: F.instance_norm.

    It is a batch norm of one batch of all samples' channels. Kept: x (its copy where x is not contiguous), the repeated weight, and the
    mean and 1 / sqrt(var + eps) of each channel of each sample. The result is contiguous.
    """
    channels = x.shape[0] * x.shape[1]
    with t.held() as result:
        repeated = [t.new((channels,), needs_grad=weight.needs_grad) for weight in affine]
        for weight, many in zip(affine, repeated, strict=True):
            t.kernel("repeat", [weight], [many])
        flat = t.contiguous(x).flattened(0, 1).unsqueeze(0)
        out = t.new(flat.shape, needs_grad=any(read.needs_grad for read in (x, *affine)))
        statistics = [t.new((channels,), kind="stat") for _ in range(2)]
        case = f"training, no running statistics, {AFFINE[len(affine)]}"
        vector = vector_flops("native_batch_norm", x.numel, channels, case=case)
        t.kernel("native_batch_norm", [flat, *repeated], [out, *statistics], vector=vector)
        result.append(out)
    return out.squeeze(0).unflatten(0, x.shape[:2])


def local_response_norm(t: Tracer, x: Tensor, size: Expr, *, is_scaled: bool) -> Tensor:
    """x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta: F.local_response_norm, a chain of kernels."""
    with t.held(keeps_all=False) as result:
        result.append(_divided_by_neighbours(t, x, size, is_scaled=is_scaled))
    return result[0]


def _divided_by_neighbours(t: Tracer, x: Tensor, size: Expr, *, is_scaled: bool) -> Tensor:
    square = binary(t, "mul", x, x).unsqueeze(1)
    t.name(div=square)
    before = tuple(floor(size / 2) if axis == 2 else ZERO for axis in range(square.rank))
    after = tuple(floor((size - 1) / 2) if axis == 2 else ZERO for axis in range(square.rank))
    padded = pad(t, square, before, after)
    t.name(div=padded)
    one = (Integer(1),) * (square.rank - 3)
    windows = Windows((size, *one), (Integer(1), *one), (ZERO, *(ZERO for _ in one)), (Integer(1), *one))
    mean = pool(t, "avg", padded, windows, x.shape[1:]).squeeze(1)
    t.name(div=mean)
    total = unary(t, "pow", scalar(t, "add", scalar(t, "mul", mean, is_identity=not is_scaled)))
    t.name(div=total)
    return binary(t, "div", x, total)


def weight_norm(t: Tracer, directions: Tensor, lengths: Tensor) -> Tensor:
    """Each filter in a direction and of a length that are learned apart: torch._weight_norm, over all axes but that of the lengths.

    Args:
        directions: of the shape of the weight.
        lengths: one for each filter, or one for each place of the kernel.

    Kept: the lengths of the directions.
    """
    out = t.new(directions.shape, needs_grad=directions.needs_grad or lengths.needs_grad)
    norms = t.new(lengths.shape, kind="stat")
    many = "one number" if t.facts.equal(directions.numel, lengths.numel) else "several numbers"
    vector = vector_flops("_weight_norm_interface", directions.numel, lengths.numel, case=f"rows of {many}")
    t.kernel("_weight_norm_interface", [directions, lengths], [out, norms], vector=vector)
    return out


def l2_normalise(t: Tracer, x: Tensor, axis: int) -> Tensor:
    """x / max(|x|, 1e-12) along one axis: F.normalize. Kept: x, and the lengths before and after the maximum."""
    shape = tuple(Integer(1) if i == axis else size for i, size in enumerate(x.shape))
    lengths, clamped = (t.new(shape, needs_grad=x.needs_grad) for _ in range(2))
    # The length of a single number is its absolute value.
    name = "linalg_vector_norm"
    work = x.numel if t.facts.equal(x.shape[axis], Integer(1)) else vector_flops(name, x.numel, lengths.numel, case="order 2")
    t.kernel(name, [x], [lengths], vector=work)
    t.kernel("clamp_min", [lengths], [clamped], vector=vector_flops("clamp_min", lengths.numel))
    return binary(t, "div", x, clamped.expand_to(x.shape))
