"""Tells the operations that surely contain no contraction from those of which nothing is known.

`generator.proof.measure.matmul_flops` has formulas for contractions and refuses fused layers that it knows by name. That is enough for the
modules of this package, which use few operations. In modules that others have written any operation may be met, also one that another
package defines, and 0 FLOPs must not be said of it only because nobody has a formula.
"""

from __future__ import annotations

import torch
from torch._ops import OpOverload

from generator.proof.measure.kernel import KernelCall
from generator.proof.measure.matmul_flops import contraction_flops
from generator.proof.measure.operations import base_name, full_name, is_own
from generator.proof.measure.uncounted import UncountedError
from generator.trace.vector_table import COMPOSITES, PRIMITIVES

# Endings of the names of derivatives: that of an operation without contractions has none.
_DERIVATIVES = ("_dense_backward", "_backward_data", "_backward", "_backward_out")
# Derivatives of views, and of operations that torch calls by another name there.
_ALSO_FREE = """
    slice_backward select_backward diagonal_backward unfold_backward detach
    select_scatter slice_scatter diagonal_scatter as_strided_scatter
    masked_scatter masked_scatter_backward index_fill index_copy scatter_reduce put
    bucketize searchsorted isin histc bincount unique_dim unique_consecutive _unique2 multinomial
    aminmax cummax cummin logcumsumexp kthvalue median nanmedian mode renorm
    nll_loss_forward nll_loss_backward nll_loss2d_forward nll_loss2d_backward
    _embedding_bag _embedding_bag_forward_only embedding_renorm resize set
"""
FREE = frozenset(_ALSO_FREE.split())


def refuse_unknown(call: KernelCall) -> None:
    """Raise UncountedError for an operation that may contain contractions, where no formula says how many FLOPs they are."""
    if call.kernel.is_view or contraction_flops(call) is not None:
        return
    if not is_own(call.op):
        raise UncountedError(f"operation `{full_name(call.op)}` is none of torch's own; nothing is known of what it computes")
    if not _is_free(call.op):
        raise UncountedError(f"aten operation `{base_name(call.op)}` has no rule that says how many FLOPs of matrix products it contains")


def _is_free(op: OpOverload) -> bool:
    plain = base_name(op).rstrip("_")
    return torch.Tag.pointwise in op.tags or any(
        one in PRIMITIVES or one in COMPOSITES or one in FREE for one in (plain, *_forward_names(plain))
    )


def _forward_names(name: str) -> list[str]:
    """Return what an operation may be called of which this is the derivative."""
    return [name.removesuffix(ending) for ending in _DERIVATIVES if name.endswith(ending)]
