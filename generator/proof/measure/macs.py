"""Counts multiply-accumulates from the tensors of each contraction, by what a contraction is, without torch's formulas for FLOPs.

Each element of a matrix product is a sum of as many products as the contracted axis is long; each element of a convolution is a sum over
a filter, and each element that a transposed convolution reads is spread over one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from generator.proof.measure.kernel import Count, KernelCall, KernelMode, Shares
from generator.proof.measure.matmul_flops import in_groups, is_contraction, refuse_uncounted
from generator.proof.measure.operations import argument, base_name
from generator.proof.measure.uncounted import UncountedError


class MacShares(Shares):
    """Counts the multiply-accumulates of each kernel of a forward pass that it observes. Raises UncountedError."""

    def __call__(self, call: KernelCall) -> None:
        """Count one kernel."""
        refuse_uncounted(call)
        name = base_name(call.op)
        if name in _RULES:
            self.shares.append((call.kernel, _RULES[name](call)))
        elif is_contraction(call):
            raise UncountedError(f"aten operation `{name}` is a contraction of which the multiply-accumulates are not known")
        else:
            self.shares.append((call.kernel, 0))


def macs_kernels(fn: Callable[..., Any], *args: Any, source: str | None = None) -> Count:
    """Multiply-accumulates of `fn(*args)`, with the share of each kernel.

    Args:
        fn: a module or any callable.
        source: see `generator.proof.measure.kernel.kernels`.

    Raises:
        UncountedError: an operation contains contractions that cannot be counted.
    """
    shares = MacShares()
    with KernelMode(source, [shares]):
        fn(*args)
    return shares.count


def _product_from(position: int) -> Callable[[KernelCall], int]:
    """Return the rule of a matrix product whose left matrix is the argument at a position: before it may stand what is added."""
    return lambda call: int(call.result.numel() * call.args[position].shape[-1])


def _convolution(call: KernelCall) -> int:
    x, weight = call.args[:2]
    is_transposed = call.args[6]
    each: Tensor = x if is_transposed else call.result
    return int(each.numel() * weight[0].numel())


def _attention(call: KernelCall) -> int:
    """Fused attention: the scores, and the values that they mix; the full square, also where it is masked."""
    query, key, value = call.args[:3]
    scores = query.numel() // query.shape[-1] * key.shape[-2]
    return int(scores * (query.shape[-1] + value.shape[-1]))


def _grouped(call: KernelCall) -> int:
    """Products of groups: each element of the result is a sum along the contracted axis, or along its part that is in the group."""
    a, b, offsets = *call.args[:2], argument(call.op, "offs", call.args, call.kwargs)
    if a.dim() == b.dim() == 2:
        return int(call.result[0].numel() * in_groups(offsets, a.shape[1]))
    axis = 0 if b.dim() == 3 else 1
    if a.dim() == b.dim():
        return int(call.result.numel() * a.shape[-1])
    return int(call.result.numel() // call.result.shape[axis] * in_groups(offsets, call.result.shape[axis]) * a.shape[-1])


_RULES: dict[str, Callable[[KernelCall], int]] = {
    **dict.fromkeys(("mm", "bmm", "mv", "dot"), _product_from(0)),
    **dict.fromkeys(("addmm", "baddbmm", "addmv"), _product_from(1)),
    "convolution": _convolution,
    "_grouped_mm": _grouped,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
}
