"""Fused attention: one kernel that keeps no scores."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from generator.trace.kernels import vector_flops
from generator.trace.tensor import Tensor
from generator.trace.tracer import ZERO, Tracer


def fused_attention(
    t: Tracer, q: Tensor, k: Tensor, v: Tensor, *, hidden: bool, mask: Tensor | None, is_scaled: bool, hides: Expr = ZERO
) -> Tensor:
    """softmax(q k^T) v of q [b, h, n, e] over k and v [b, g, m, e], each of the g heads of keys serving h/g heads of queries.

    Multiply-accumulates: b*h*n*m*e for the scores and as many for the result; in the backward pass once more for each operand that needs
    a gradient (recomputed scores are not counted). Other operations: 5 a score, 1 more where some are hidden; the query and the repeated
    key are each scaled. Kept: q, k, v, the result, one logarithm of a sum a query, and the mask. The result lies in memory as q does.

    Args:
        hidden: whether scores are hidden, by the kernel itself (causal) or by a mask.
        mask: a float mask [n, m] that is added to the scores.
        is_scaled: whether queries and keys are scaled; by a factor of 1 they are not.
        hides: the part of the scores that is hidden.
    """
    b, h, n, e = q.shape
    scores = b * h * n * k.shape[2]
    needs_grad = any(x.needs_grad for x in (q, k, v))
    out = t.like(q, needs_grad=needs_grad)
    logsumexp = t.new((b, h, n), kind="stat")
    reads = [q, k, v] if mask is None else [q, k, v, mask]
    scaled = q.numel + b * h * k.shape[2] * e if is_scaled else ZERO
    vector = vector_flops("attention", scores, scaled, case="causal or masked" if hidden else "")
    t.kernel("attention", reads, [out, logsumexp], vector=vector, macs=scores * e, contracted=[q, k])
    t.hides(hides)
    weights = replace(out, needs_grad=q.needs_grad or k.needs_grad)  # they exist in the kernel alone
    t.kernel("attention values", [], [], macs=scores * e, contracted=[weights, v])
    t.hides(hides)
    return out


def float_mask(t: Tracer, seen: Tensor) -> Tensor:
    """A bool mask as numbers that are added: 0 where seen, -infinity elsewhere. The kernel makes it so: two constants, then a choice."""
    constants = [t.new(()), t.new(())]
    for constant in constants:
        t.kernel("scalar_tensor", [], [constant])
    out = t.new(seen.shape)
    t.kernel("where", [seen, *constants], [out])
    return out
