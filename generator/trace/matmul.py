"""Contractions: linear layers, batched matrix products, einsum.

They follow the decisions of PyTorch's own composite operations (aten/src/ATen/native/Linear.cpp and LinearAlgebra.cpp): when an
operand is folded into two axes, when a copy is made for the batched product, and what the derivative keeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from generator.trace.pointwise import binary
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import ZERO, Tracer


def linear(t: Tracer, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x [..., k] times weight [m, k] transposed, plus bias [m]: F.linear.

    Multiply-accumulates: elements of x times m. Kept: x (where the weight learns). A weight that does not learn is repeated over the
    batch where the leading axes of x cannot be merged in place.
    """
    rows = product(x.shape[:-1])
    if not weight.needs_grad and x.rank > 2 and x.merge(0, x.rank - 2) is None:
        repeated = weight.transpose(0, 1).expand_to((*x.shape[:-2], weight.shape[1], weight.shape[0]))
        out = matmul(t, x, repeated)
        return out if bias is None else binary(t, "add", out, bias)
    if bias is not None and not (x.is_contiguous or x.rank == 2):
        return binary(t, "add", linear(t, x, weight, None), bias)
    x2 = x if x.rank <= 2 else t.flatten(x, 0, x.rank - 2)
    shape = (rows, weight.shape[0]) if x.rank > 1 else (weight.shape[0],)
    out = _product(t, "mm" if bias is None else "addmm", x2, weight, shape, macs=x.numel * weight.shape[0], bias=bias)
    return out.unflatten(0, x.shape[:-1]) if x.rank > 2 else out


def _product(t: Tracer, kernel: str, a: Tensor, b: Tensor, shape: Shape, *, macs: Expr, bias: Tensor | None = None) -> Tensor:
    """Run a kernel that contracts two operands. Kept: each operand that the other's gradient needs."""
    out = t.new(shape, needs_grad=a.needs_grad or b.needs_grad)
    reads, vector = ([a, b], ZERO) if bias is None else ([bias, a, b], out.numel)
    t.kernel(kernel, reads, [out], macs=macs, contracted=[a, b], vector=vector)
    if b.needs_grad:
        t.save(a)
    if a.needs_grad:
        t.save(b)
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
    """torch.einsum of one or two operands, by its own plan: sum lone labels, then one batched product.

    Args:
        terms: the labels of each operand. result: the labels of the result.
    """
    summed = [label for label in dict.fromkeys(label for term in terms for label in term) if label not in result]
    sizes: dict[str, Expr] = {}
    for term, operand in zip(terms, operands, strict=True):
        sizes.update(zip(term, operand.shape, strict=True))
    aligned = [
        (_sum_lone(t, list(term), operand, [x for x in summed if not any(x in other for other in terms if other is not term)]))
        for term, operand in zip(terms, operands, strict=True)
    ]
    if len(aligned) == 1:
        labels, only = aligned[0]
        return only.permute(tuple(labels.index(label) for label in result))
    (left_labels, left), (right_labels, right) = aligned
    shared = [label for label in summed if label in left_labels and label in right_labels]
    if not shared:
        return _outer(t, (left_labels, left), (right_labels, right), list(result))
    alone = [label for label in result if (label in left_labels) != (label in right_labels)]
    if alone and alone[0] in right_labels:  # torch swaps the operands where the right one's axes come first in the result
        (left_labels, left), (right_labels, right) = (right_labels, right), (left_labels, left)
    both = [label for label in result if label in left_labels and label in right_labels]
    left_only = [label for label in result if label in left_labels and label not in both]
    right_only = [label for label in result if label in right_labels and label not in both]
    a = _grouped(t, left, left_labels, [both, left_only, shared])
    b = _grouped(t, right, right_labels, [both, shared, right_only])
    out = bmm(t, a, b)
    order = both + left_only + right_only
    wide = _ungroup(out, [tuple(sizes[label] for label in group) for group in (both, left_only, right_only)])
    return wide.permute(tuple(order.index(label) for label in result))


def _sum_lone(t: Tracer, labels: list[str], x: Tensor, lone: Sequence[str]) -> tuple[list[str], Tensor]:
    """Sum the labels that only this operand has."""
    if not lone:
        return labels, x
    from generator.trace.reduce import reduce_axes

    axes = tuple(labels.index(label) for label in lone)
    return [label for label in labels if label not in lone], reduce_axes(t, "sum", x, axes, keep=False)


def _outer(t: Tracer, left: tuple[list[str], Tensor], right: tuple[list[str], Tensor], result: list[str]) -> Tensor:
    """Nothing is contracted: an elementwise product with broadcasting."""
    return binary(t, "mul", *(_spread(labels, x, result) for labels, x in (left, right)))


def _spread(labels: list[str], x: Tensor, result: list[str]) -> Tensor:
    x = x.permute(tuple(labels.index(label) for label in result if label in labels))
    for axis, label in enumerate(result):
        if label not in labels:
            x = x.unsqueeze(axis)
    return x


def _grouped(t: Tracer, x: Tensor, labels: list[str], groups: list[list[str]]) -> Tensor:
    """Reshape to one axis per group of labels: a view if all groups can be merged in place, otherwise one copy."""
    x = x.permute(tuple(labels.index(label) for group in groups for label in group))
    view = _merge_groups(x, [len(group) for group in groups])
    if view is None:
        view = _merge_groups(t.copy(x), [len(group) for group in groups])
        assert view is not None  # a contiguous tensor can always be merged
    return view


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
