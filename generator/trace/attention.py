"""Attention: one kernel that keeps no scores, or written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Integer

from generator.trace.hidden import Hides
from generator.trace.join import concatenate
from generator.trace.kernels import vector_flops
from generator.trace.matmul import matmul
from generator.trace.pointwise import binary, broadcast, masked_fill, scalar, unary
from generator.trace.reduce import softmax
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
        mask: a float mask that is added to the scores, [n, m] or with their other axes.
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


def same_block(t: Tracer, n: Expr) -> Tensor:
    """A bool mask [n, n], true where two places stand in one block: the number of each place divided, then compared."""
    sides = []
    for shape in ((n, Integer(1)), (n,)):
        places, blocks = t.new((n,), kind="index"), t.new(shape, kind="index")
        t.kernel("arange", [], [places])
        t.kernel("floor_divide", [places], [blocks])
        sides.append(blocks)
    same = t.new((n, n), kind="bool")
    t.kernel("eq", sides, [same])
    return same


def positions(t: Tracer, made: Sequence[Tensor], hidden: Tensor | None) -> Tensor | None:
    """Join masks made of positions, true where a key is seen, and one that is given, true where hidden; None where there is none."""
    masks = [*made]
    if hidden is not None:
        masks.append(t.new(hidden.shape, kind="bool"))
        t.kernel("index_arithmetic", [hidden], masks[-1:])
    if not masks:
        return None
    seen, *others = masks
    for other in others:
        joined = t.new(broadcast(seen.shape, other.shape), kind="bool")
        t.kernel("index_arithmetic", [seen, other], [joined])
        seen = joined
    return seen


@dataclass(frozen=True)
class Scores:
    """What happens to scores between the two products.

    Args:
        is_scaled: whether they are scaled; by a factor of 1 they are not.
        is_capped: whether a cap makes c * tanh(scores / c) of them; `cap_is_one` where c is 1.
        bias: what is added.
        seen: a mask, true where a key is seen.
        hides: what of it the spec fixes.
        sinks: a score for each head [h], beside those of the keys.
    """

    is_scaled: bool
    is_capped: bool
    cap_is_one: bool
    bias: Tensor | None
    seen: Tensor | None
    hides: Hides | None
    sinks: Tensor | None


def written_out(t: Tracer, q: Tensor, k: Tensor, v: Tensor, how: Scores) -> Tensor:
    """The same attention, one kernel after the other. Shapes as those of `fused_attention`; heads that share keys stand side by side."""
    b, h, n, _ = q.shape
    m, share = k.shape[2], (k.shape[1], h / k.shape[1])
    is_shared = k.shape[1] != h

    def each(x: Tensor) -> Tensor:
        return x.unsqueeze(2).expand_to((b, *share, *x.shape[2:])) if is_shared else x

    def named(x: Tensor) -> Tensor:
        t.name(scores=x)
        return x

    scores = matmul(t, q.unflatten(1, share) if is_shared else q, each(k).transpose(-2, -1))
    scores = t.flatten(scores, 1, 2) if is_shared else scores
    scores = named(scalar(t, "mul", scores, is_identity=not how.is_scaled))
    if how.is_capped:
        capped = unary(t, "tanh", scalar(t, "div", scores, is_identity=how.cap_is_one))
        scores = named(scalar(t, "mul", capped, is_identity=how.cap_is_one))
    if how.bias is not None:
        scores = named(binary(t, "add", scores, how.bias))
    if how.seen is not None:
        hidden = t.new(how.seen.shape, kind="bool")
        t.kernel("index_arithmetic", [how.seen], [hidden])
        scores = named(masked_fill(t, scores, hidden, how.hides))
    if how.sinks is not None:
        sinks = how.sinks.unsqueeze(-1).unsqueeze(-1).expand_to((b, h, n, Integer(1)))
        scores = named(concatenate(t, [scores, sinks], 3))
    weights = softmax(t, scores)
    if how.sinks is not None:
        weights = weights.parts(3, (m, Integer(1)))[0]
    t.name(weights=weights)
    mixed = matmul(t, weights.unflatten(1, share) if is_shared else weights, each(v))
    return t.flatten(mixed, 1, 2) if is_shared else mixed
