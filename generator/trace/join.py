"""Kernels that join tensors along an axis, or along a new one."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add, Expr, Integer

from generator.trace.memory_format import is_channels_last, strides_after
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def concatenate(t: Tracer, parts: Sequence[Tensor], axis: int) -> Tensor:
    """Join tensors that agree in all other axes: torch.cat. No arithmetic; each element is read and written once; nothing is kept.

    The result is contiguous, unless all parts are images laid out channels last.
    """
    first = parts[0]
    shape = (*first.shape[:axis], Add(*(x.shape[axis] for x in parts)), *first.shape[axis + 1 :])
    strides = strides_after(first, shape) if all(is_channels_last(x) for x in parts) else None
    out = t.new(shape, kind=first.kind, needs_grad=any(x.needs_grad for x in parts), strides=strides)
    t.kernel("cat", parts, [out])
    t.hidden.join(parts, out)
    return out


def preceded(t: Tracer, x: Tensor, axis: int, count: Expr) -> Tensor:
    """Put as many places as are kept of earlier steps, zeros before the first, in front of x along an axis; they are state.

    The zeros are made in each step, as those of a recurrence are. No gradient flows into earlier steps.
    """
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    first = t.new(shape, kind=x.kind)
    t.kernel("new_zeros", [], [first])
    t.keep_state(first.numel)
    return concatenate(t, [first, x], axis)


def stack(t: Tracer, parts: Sequence[Tensor], axis: int) -> Tensor:
    """Lay tensors of one shape side by side along a new axis: torch.stack. No arithmetic; each is read and written once; none is kept."""
    first = parts[0]
    shape = (*first.shape[:axis], Integer(len(parts)), *first.shape[axis:])
    out = t.new(shape, kind=first.kind, needs_grad=any(x.needs_grad for x in parts))
    t.kernel("stack", parts, [out])
    t.works_along([axis])
    return out
