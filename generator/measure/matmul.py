"""Counts the FLOPs of contractions: torch's own FlopCounterMode, with the gaps of torch 2.13 filled.

One multiply-accumulate is two FLOPs; elementwise work, biases and reductions are not counted (see `generator.measure.vector`).
What torch's counter leaves out or gets wrong, and what is done about it here:

- fused attention on CPU counts 0 there: counted as its two matrix products (full square, also for causal masks), and
  backward as the four that unfused attention has, so that CPU and meta agree;
- the weight gradient of a grouped convolution is counted as if the convolution had one group: divided by the groups;
- `mv`, `addmv`, `dot`, `vdot`, `addbmm` count 0 there: counted;
- fused layers that hide their contractions (`nn.LSTM` on CPU, `nn.MultiheadAttention` under no_grad on CPU, `nn.Bilinear`, grouped
  products of experts) count 0 there: an error that names the operation, since a silent 0 would be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode, bmm_flop, conv_backward_flop, flop_registry, shape_wrapper

from generator.measure.kernel import Call, Count, KernelMode, base_name
from generator.measure.storages import tensors_in

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
        "_grouped_mm",
        "_scaled_grouped_mm",
        "_sparse_mm",
        "_cdist_forward",
        "_euclidean_dist",
        "int4_pack_mm",
        "_int_mm",
    }
)


class UncountedError(RuntimeError):
    """An operation was dispatched whose cost is not known; the message names it."""


def matmul_flops(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
    """FLOPs of the contractions of `fn(*args, **kwargs)`; 2 for each multiply-accumulate.

    Works on CPU and on meta tensors with the same result.

    Raises:
        UncountedError: an operation contains contractions that cannot be counted.
    """
    with FlopCounterMode(display=False, custom_mapping=dict(_FORMULAS)) as counter, _Guard():
        fn(*args, **kwargs)
    return counter.get_total_flops()


def matmul_kernels(fn: Callable[..., Any], *args: Any, source: str | None = None, **kwargs: Any) -> Count:
    """The same count as `matmul_flops`, with the share of each kernel.

    Args:
        fn: a module or any callable.
        source: see `generator.measure.kernel.kernels`.

    Raises:
        UncountedError: as `matmul_flops`.
    """
    with _Shares(source) as mode:
        fn(*args, **kwargs)
    return Count(tuple(mode.shares))


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
    outputs = tensors_in(module(*leaf_inputs(inputs, input_gradients)))
    ends = [output for output in outputs if output.requires_grad]
    if not ends:
        return 0
    gradients = [torch.ones_like(end) for end in ends]
    wanted = [parameter.grad for parameter in module.parameters()] if isinstance(module, nn.Module) else []
    count = matmul_flops(torch.autograd.backward, ends, gradients)
    if isinstance(module, nn.Module):  # measuring leaves the module as it was
        for parameter, gradient in zip(module.parameters(), wanted, strict=True):
            parameter.grad = gradient
    return count


def leaf_inputs(inputs: Sequence[Any], input_gradients: bool) -> list[Any]:
    """Inputs cut off from whatever made them; floating point tensors require a gradient iff `input_gradients`."""
    return [
        value.detach().requires_grad_(input_gradients and value.is_floating_point()) if isinstance(value, Tensor) else value for value in inputs
    ]


class _Guard(KernelMode):
    """Refuses operations that would silently count 0."""

    def observe(self, call: Call) -> None:
        refuse_uncounted(call)


class _Shares(KernelMode):
    def __init__(self, source: str | None) -> None:
        super().__init__(source)
        self.shares: list[tuple[Any, int]] = []

    def observe(self, call: Call) -> None:
        refuse_uncounted(call)
        formula = _WRAPPED.get(call.op.overloadpacket) or flop_registry.get(call.op.overloadpacket)
        flops = formula(*call.args, **call.kwargs, out_val=call.result) if formula else 0
        self.shares.append((call.kernel, int(flops)))


def refuse_uncounted(call: Call) -> None:
    """Raises UncountedError if `call` is a fused layer whose contractions nobody counts."""
    name = base_name(call.op)
    if name in UNCOUNTED:
        shapes = ", ".join(str(list(tensor.shape)) for tensor in call.kernel.inputs)
        raise UncountedError(
            f"aten operation `{name}` on {shapes} contains contractions that torch's FlopCounterMode counts as 0; "
            "measure on meta tensors, or write it with matrix products"
        )


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


def _convolution_backward_flop(*args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Torch's own formula, which takes the weight's gradient for that of one group: divided here.

    args: gradient, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, output_mask.
    """
    *front, groups, (for_input, for_weight, for_bias) = args
    to_input = conv_backward_flop(*front, groups, [for_input, False, for_bias], out_shape=out_shape, **kwargs)
    to_weight = conv_backward_flop(*front, groups, [False, for_weight, for_bias], out_shape=out_shape, **kwargs)
    return int(to_input) + int(to_weight) // int(groups)


_ATEN = torch.ops.aten
_FORMULAS: dict[Any, Callable[..., int]] = {
    _ATEN.mv: _mv_flop,
    _ATEN.addmv: _addmv_flop,
    _ATEN.dot: _mv_flop,
    _ATEN.vdot: _mv_flop,
    _ATEN.addbmm: _addbmm_flop,
    _ATEN._scaled_dot_product_flash_attention_for_cpu: _attention_flop,
    _ATEN._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward_flop,
    _ATEN.convolution_backward: _convolution_backward_flop,
}
_WRAPPED = {packet: shape_wrapper(formula) for packet, formula in _FORMULAS.items()}
