"""Counts the FLOPs of contractions: torch's own FlopCounterMode, with the gaps of torch 2.13 filled.

One multiply-accumulate is two FLOPs; elementwise work, biases and reductions are not counted (see `generator.proof.measure.vector`).
What torch's counter leaves out or gets wrong, and what is done about it here:

- fused attention on CPU counts 0 there: counted as its two matrix products (full square, also for causal masks), and
  backward as the four that unfused attention has, so that CPU and meta agree;
- the weight gradient of a grouped convolution is counted as if the convolution had one group: counted like the forward pass;
- `mv`, `addmv`, `dot`, `vdot`, `addbmm` count 0 there: counted;
- grouped products (`_grouped_mm`, of experts) count 0 there: counted for the rows that are in groups, which their offsets say;
- fused layers that hide their contractions (`nn.LSTM` on CPU, `nn.MultiheadAttention` under no_grad on CPU, `nn.Bilinear`) count 0
  there: an error that names the operation, since a silent 0 would be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import is_fake
from torch.utils.flop_counter import FlopCounterMode, bmm_flop, conv_flop_count, flop_registry, shape_wrapper

from generator.proof.measure.gradients import gradients_set_aside, leaf_inputs, run_backward
from generator.proof.measure.kernel import Count, KernelCall, KernelMode, Shares
from generator.proof.measure.operations import base_name
from generator.proof.measure.storages import tensors_in
from generator.proof.measure.uncounted import UncountedError

Shape = Sequence[int]

# Contractions for which neither torch nor this module has a formula.
UNCOUNTED = frozenset(
    {
        "mkldnn_rnn_layer",
        "_cudnn_rnn",
        "miopen_rnn",
        "_native_multi_head_attention",
        "_transformer_encoder_layer_fwd",
        "_trilinear",
        "_scaled_grouped_mm",
        "_sparse_mm",
        "_cdist_forward",
        "_euclidean_dist",
        "_int_mm",
    }
)


def matmul_flops(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """FLOPs of the contractions of `fn(*args, **kwargs)`; 2 for each multiply-accumulate.

    Works on CPU and on meta tensors with the same result.

    Raises:
        UncountedError: an operation contains contractions that cannot be counted.
    """
    counter = flop_counter()
    with counter, KernelMode(observers=[refuse_uncounted]):
        fn(*args, **kwargs)
    return counter.get_total_flops()


def flop_counter() -> FlopCounterMode:
    """torch's counter with the formulas that it lacks; to be used together with `refuse_uncounted`."""
    return FlopCounterMode(display=False, custom_mapping=dict(_FORMULAS))


def matmul_kernels(fn: Callable[..., Any], *args: Any, source: str | None = None, **kwargs: Any) -> Count:
    """The same count as `matmul_flops`, with the share of each kernel.

    Args:
        fn: a module or any callable.
        source: see `generator.proof.measure.kernel.kernels`.

    Raises:
        UncountedError: as `matmul_flops`.
    """
    shares = MatmulShares()
    with KernelMode(source, [shares]):
        fn(*args, **kwargs)
    return shares.count


def backward_matmul_flops(module: Callable[..., Any], inputs: Sequence[Any], input_gradients: bool) -> int:
    """FLOPs of the contractions of the backward pass, started with a gradient for every output that has one.

    Args:
        module: a module or any callable; it is called once, outside the count.
        inputs: its positional arguments; they are not changed.
        input_gradients: whether a gradient is wanted for the floating point inputs too, as for a layer inside a network.
            Without it, the first contractions have one operand less to differentiate.

    Returns:
        0 if no output depends on anything that requires a gradient.

    Raises:
        UncountedError: as `matmul_flops`.
    """
    weights = list(module.parameters()) if isinstance(module, nn.Module) else []
    with gradients_set_aside(weights):
        outputs = tensors_in(module(*leaf_inputs(inputs, input_gradients)))
        return matmul_flops(run_backward, outputs)


class MatmulShares(Shares):
    """Counts the FLOPs of the contractions of each kernel that it observes. Raises UncountedError."""

    def __call__(self, call: KernelCall) -> None:
        """Count one kernel."""
        self.shares.append((call.kernel, contraction_flops(call) or 0))


def contraction_flops(call: KernelCall) -> int | None:
    """Return the FLOPs of a contraction; None for an operation that is none, or of which nothing is known. Raises UncountedError."""
    refuse_uncounted(call)
    formula = _WRAPPED.get(call.op.overloadpacket) or flop_registry.get(call.op.overloadpacket)
    return int(formula(*call.args, **call.kwargs, out_val=call.result)) if formula else None


def refuse_uncounted(call: KernelCall) -> None:
    """Raises UncountedError if `call` is a fused layer whose contractions nobody counts."""
    name = base_name(call.op)
    if name in UNCOUNTED:
        shapes = ", ".join(str(list(tensor.shape)) for tensor in call.kernel.inputs)
        raise UncountedError(
            f"aten operation `{name}` on {shapes} contains contractions that torch's FlopCounterMode counts as 0; "
            "measure on meta tensors, or write it with matrix products"
        )


def is_contraction(call: KernelCall) -> bool:
    """Say whether `matmul_flops` has a formula for an operation."""
    return call.op.overloadpacket in _WRAPPED or call.op.overloadpacket in flop_registry


def _mv_flop(a: Shape, _x: Shape, *_args: Any, out_shape: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # torch passes out_shape by name
    return 2 * prod(a)


def _addmv_flop(_bias: Shape, a: Shape, _x: Shape, *_args: Any, out_shape: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # as above
    return 2 * prod(a)


def _addbmm_flop(_bias: Shape, a: Shape, b: Shape, *_args: Any, out_shape: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # as above
    return int(bmm_flop(a, b))


def _attention_flop(q: Shape, k: Shape, v: Shape, *_args: Any, out_shape: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # as above
    *batch, n, e = q
    return 2 * prod(batch) * n * k[-2] * (e + v[-1])


def _attention_backward_flop(_gradient: Shape, q: Shape, k: Shape, v: Shape, *_args: Any, out_shape: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # as above
    return 2 * _attention_flop(q, k, v)


def _convolution_backward_flop(  # as many arguments as torch passes
    gradient: Shape,
    x: Shape,
    weight: Shape,
    *options: Any,
    out_shape: Any = None,  # noqa: ARG001  # as above
    **_kwargs: Any,
) -> int:
    """As many FLOPs as the forward pass for each operand that needs a gradient.

    options: bias sizes, stride, padding, dilation, transposed, output padding, groups, (input, weight, bias) needs a gradient.
    """
    transposed, (for_input, for_weight, _for_bias) = options[4], options[7]
    forward = conv_flop_count(list(x), list(weight), list(gradient), transposed=transposed)
    return forward * (bool(for_input) + bool(for_weight))


def _grouped_flop(a: Tensor, b: Tensor, offsets: Tensor | None = None, *_args: Any, out_val: Any = None, **_kwargs: Any) -> int:  # noqa: ARG001  # torch passes out_val by name
    """As `torch.nn.functional.grouped_mm` says: groups lie along the rows of a, the columns of b, or what both are contracted over."""
    if a.dim() == b.dim() == 3:
        return int(bmm_flop(a.shape, b.shape))
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    if b.dim() == 3:
        rows = in_groups(offsets, rows)
    elif a.dim() == 3:
        columns = in_groups(offsets, columns)
    else:
        inner = in_groups(offsets, inner)
    return 2 * rows * inner * columns


def in_groups(offsets: Tensor | None, length: int) -> int:
    """How much of an axis is in groups that end at some offsets: the last of them, or all where offsets have no values."""
    return length if offsets is None or offsets.is_meta or is_fake(offsets) else int(offsets[-1])


_grouped_flop._get_raw = True  # type: ignore[attr-defined]  # noqa: SLF001  # so torch's counter passes tensors, not shapes
_BY_NAME: dict[str, Callable[..., int]] = {
    "mv": _mv_flop,
    "addmv": _addmv_flop,
    "dot": _mv_flop,
    "vdot": _mv_flop,
    "addbmm": _addbmm_flop,
    "_scaled_dot_product_flash_attention_for_cpu": _attention_flop,
    "_scaled_dot_product_flash_attention_for_cpu_backward": _attention_backward_flop,
    "convolution_backward": _convolution_backward_flop,
    "_grouped_mm": _grouped_flop,
}
_FORMULAS = {getattr(torch.ops.aten, name): formula for name, formula in _BY_NAME.items() if hasattr(torch.ops.aten, name)}
_WRAPPED = {packet: formula if hasattr(formula, "_get_raw") else shape_wrapper(formula) for packet, formula in _FORMULAS.items()}  # type: ignore[no-untyped-call]  # torch does not annotate it
