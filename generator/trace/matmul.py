"""Contractions: linear layers, batched matrix products, einsum.

They follow the decisions of PyTorch's own composite operations (aten/src/ATen/native/Linear.cpp and LinearAlgebra.cpp): when an
operand is folded into two axes, when a copy is made for the batched product, and what the derivative keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sympy import Expr, Integer, expand

from generator.trace.pointwise import binary
from generator.trace.reduce import reduce_axes
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import ZERO, Tracer


def linear(t: Tracer, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x [..., k] times weight [m, k] transposed, plus bias [m]: F.linear.

    Multiply-accumulates: elements of x times m. Kept: x (where the weight learns). A weight that does not learn is repeated over the
    batch where the leading axes of x cannot be merged in place.
    """
    rows = product(x.shape[:-1])
    if not weight.needs_grad and x.rank > 2 and not _folds(x):
        repeated = weight.transpose(0, 1).expand_to((*x.shape[:-2], weight.shape[1], weight.shape[0]))
        out = matmul(t, x, repeated)
        return out if bias is None else binary(t, "add", out, bias)
    if bias is not None and not (x.is_contiguous or x.rank == 2):
        return binary(t, "add", linear(t, x, weight, None), bias)
    # Which view is made first decides which is the last one backward (_flatten_nd_linear in Linear.cpp makes that of x first).
    turned = None if bias is not None else weight.transpose(0, 1)
    x2 = x if x.rank <= 2 else t.flatten(x, 0, x.rank - 2)
    turned = weight.transpose(0, 1) if turned is None else turned
    shape = (rows, weight.shape[0]) if x.rank > 1 else (weight.shape[0],)
    out = _product(t, "mm" if bias is None else "addmm", x2, turned, shape, macs=x.numel * weight.shape[0], bias=bias)
    return out.unflatten(0, x.shape[:-1]) if x.rank > 2 else out


def _folds(x: Tensor) -> bool:
    """Say whether the leading axes of x lie in memory as one, the strides of axes of one included (should_fold in LinearAlgebra.cpp)."""
    return all(expand(x.strides[axis] - x.strides[axis + 1] * x.shape[axis + 1]) == 0 for axis in range(x.rank - 2))


def _product(t: Tracer, kernel: str, a: Tensor, b: Tensor, shape: Shape, *, macs: Expr, bias: Tensor | None = None) -> Tensor:
    """Run a kernel that contracts two operands. Kept: each operand that the other's gradient needs."""
    reads = [a, b] if bias is None else [bias, a, b]
    out = t.new(shape, needs_grad=any(read.needs_grad for read in reads))
    vector = ZERO if bias is None else out.numel
    t.kernel(kernel, reads, [out], macs=macs, contracted=[a, b], vector=vector)
    return out


def bmm(t: Tracer, a: Tensor, b: Tensor) -> Tensor:
    """a [B, i, k] times b [B, k, j]. Multiply-accumulates: B*i*k*j. Kept: each operand that the other's gradient needs."""
    return _product(t, "bmm", a, b, (a.shape[0], a.shape[1], b.shape[2]), macs=a.numel * b.shape[2])


def matmul(t: Tracer, a: Tensor, b: Tensor) -> Tensor:
    """a [..., i, k] @ b [..., k, j] with equal leading axes."""
    if a.rank == 2:
        return _product(t, "mm", a, b, (a.shape[0], b.shape[1]), macs=a.numel * b.shape[1])
    if a.rank == 3:
        return bmm(t, a, b)
    batch = a.shape[:-2]
    a3, b3 = (t.flatten(x, 0, x.rank - 3) for x in (a, b))
    return bmm(t, a3, b3).unflatten(0, batch)


def einsum(t: Tracer, terms: Sequence[Sequence[str]], result: Sequence[str], operands: Sequence[Tensor]) -> Tensor:
    """torch.einsum of one or two operands, by its own plan (einsum in aten/src/ATen/native/Linear.cpp).

    Of an operand with a label twice, the diagonal is taken.

    Both operands get all labels as axes: those of the result first, then those that are summed, in the order in which they first appear.
    What only one operand has is summed there at once, into a fresh tensor in that order; the rest is one product.

    Args:
        terms: the labels of each operand. result: the labels of the result.
    """
    diagonals = [_diagonal(x, term) for x, term in zip(operands, terms, strict=True)]
    operands, terms = [x for x, _ in diagonals], [term for _, term in diagonals]
    summed = [label for label in dict.fromkeys(label for term in terms for label in term) if label not in result]
    labels = [*result, *summed]
    sizes: dict[str, Expr] = {}
    for term, operand in zip(terms, operands, strict=True):
        for label, size in zip(term, operand.shape, strict=True):
            sizes.setdefault(label, size)
    aligned = [_aligned(replace(x, shape=tuple(sizes[i] for i in term)), term, labels) for term, x in zip(terms, operands, strict=True)]
    axes = range(len(result), len(labels))
    if len(aligned) == 1:
        return reduce_axes(t, "sum", aligned[0], tuple(axes), keep=False) if summed else aligned[0]
    shared = [axis for axis in axes if all(x.shape[axis] != 1 for x in aligned)]
    left, right = (_sum_lone(t, x, [axis for axis in axes if axis not in shared and x.shape[axis] != 1]) for x in aligned)
    out = _sum_of_products(t, left, right, shared) if shared else binary(t, "mul", left, right)
    for _ in summed:
        out = out.squeeze(-1)
    return out


def _diagonal(x: Tensor, term: Sequence[str]) -> tuple[Tensor, Sequence[str]]:
    """Return the view of an operand in which each label stands once, and its labels."""
    for axis, label in enumerate(term):
        first = term.index(label)
        if first < axis:
            return _diagonal(x.diagonal(first, axis), [*term[:axis], *term[axis + 1 :]])
    return x, term


def _aligned(x: Tensor, term: Sequence[str], labels: Sequence[str]) -> Tensor:
    """Return the view of an operand with an axis for each label, of size one where it has no such label."""
    x = x.permute(tuple(term.index(label) for label in labels if label in term))
    for axis, label in enumerate(labels):
        if label not in term:
            x = x.unsqueeze(axis)
    return x


def _sum_lone(t: Tracer, x: Tensor, axes: Sequence[int]) -> Tensor:
    return reduce_axes(t, "sum", x, tuple(axes), keep=True) if axes else x


def _sum_of_products(t: Tracer, left: Tensor, right: Tensor, summed: list[int]) -> Tensor:
    """Multiply and sum over axes that both have; they stay, of size one (sumproduct_pair in Linear.cpp).

    Each operand is reshaped to three axes for one batched product, which copies it where its memory does not allow a view.
    """
    both: list[int] = []
    left_only: list[int] = []
    right_only: list[int] = []
    for axis in range(left.rank):
        if axis not in summed:
            in_left, in_right = left.shape[axis] != 1, right.shape[axis] != 1
            (both if in_left and in_right else left_only if in_left else right_only).append(axis)  # axes of one in both go to the right
    if left_only and right_only and right_only[-1] < left_only[0]:
        left, right, left_only, right_only = right, left, right_only, left_only
    a = _grouped(t, left, [both, left_only, summed], right_only)
    b = _grouped(t, right, [both, summed, right_only], left_only)
    one = Integer(1)
    out = bmm(t, a, b)
    shapes = [tuple(x.shape[i] for i in axes) for x, axes in ((left, both), (left, left_only), (right, right_only))]
    out = _ungroup(out, [shapes[0], shapes[1] + (one,) * len(summed), shapes[2]])
    order = [*both, *left_only, *summed, *right_only]
    return out.permute(tuple(order.index(axis) for axis in range(left.rank)))


def _grouped(t: Tracer, x: Tensor, groups: list[list[int]], absent: list[int]) -> Tensor:
    """Reshape to one axis per group: a view if all groups can be merged in place, otherwise one copy. Absent axes are of size one."""
    x = x.permute((*(axis for group in groups for axis in group), *absent))
    for _ in absent:
        x = x.squeeze(-1)
    view = _merge_groups(x, [len(group) for group in groups])
    if view is not None:
        return view
    copy = t.copy(x)
    for axis, group in enumerate(groups):
        copy = copy.flattened(axis, axis + len(group) - 1) if group else copy.unsqueeze(axis)
    return copy


def _merge_groups(x: Tensor, lengths: list[int]) -> Tensor | None:
    current: Tensor | None = x
    for axis, length in enumerate(lengths):
        if current is None:
            return None
        current = current.unsqueeze(axis) if length == 0 else current.merge(axis, axis + length - 1)
    return current


def _ungroup(x: Tensor, groups: list[Shape]) -> Tensor:
    axis = 0
    for sizes in groups:
        if not sizes:
            x = x.squeeze(axis)
            continue
        x = x.unflatten(axis, sizes)
        axis += len(sizes)
    return x
