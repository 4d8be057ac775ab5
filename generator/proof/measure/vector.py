"""Counts vector FLOPs: everything elementwise and every reduction, by the rules of `generator.trace.vector_table`.

Each dispatched operation is either primitive (its rule says what it costs) or composite: then torch's own decomposition is run
on meta copies of its arguments, and its primitive parts are counted. The operation itself is run as always, so that
counting changes neither values nor random numbers. CPU and meta tensors give the same count.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import torch
from torch import Tensor
from torch._decomp import get_decompositions
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from generator.proof.measure.kernel import Count, KernelCall, KernelMode, Shares
from generator.proof.measure.operations import argument, argument_names, base_name, full_name, is_composite, is_own, is_question, is_view
from generator.proof.measure.storages import tensors_in
from generator.proof.measure.uncounted import UncountedError
from generator.trace.vector_table import COMPOSITES, PRIMITIVES, Rule


def vector_flops(fn: Callable[..., Any], *args: Any, source: str | None = None, **kwargs: Any) -> Count:
    """Vector FLOPs of `fn(*args, **kwargs)`, with the share of each kernel.

    Args:
        fn: a module or any callable.
        source: see `generator.proof.measure.kernel.kernels`.

    Raises:
        UncountedError: an operation is in neither table; the message names it.
    """
    shares = VectorShares()
    with KernelMode(source, [shares]):
        fn(*args, **kwargs)
    return shares.count


class VectorShares(Shares):
    """Counts the vector FLOPs of each kernel that it observes. Raises UncountedError."""

    def __call__(self, call: KernelCall) -> None:
        """Count one kernel."""
        flops = 0 if call.kernel.is_view else _flops(call.op, call.args, call.kwargs, call.result)
        self.shares.append((call.kernel, flops))


class _PartsMode(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Adds up the cost of all that runs inside, for decompositions."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.total = 0

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if is_question(func):
            return func(*args, **kwargs)
        if is_composite(func):
            with self:
                return func.decompose(*args, **kwargs)
        result = func(*args, **kwargs)
        if not is_view(func, tensors_in(args, kwargs), tensors_in(result)):
            self.total += _flops(func, args, kwargs, result)
        return result


def _flops(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    name = base_name(op)
    plain = name.removesuffix("_") if is_own(op) else ""
    if plain and not any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors_in(args, kwargs, result)):
        return 0
    if plain in PRIMITIVES:
        return _RULES[PRIMITIVES[plain]](op, args, kwargs, result)
    if plain in COMPOSITES:
        return _parts(op, args, kwargs)
    if not plain:
        raise UncountedError(f"operation `{full_name(op)}` is none of torch's own, so its vector FLOPs are not known")
    raise UncountedError(
        f"aten operation `{name}` is in neither table of generator/trace/vector_table.py, so its vector FLOPs are not known; "
        "add a rule for it there"
    )


def _parts(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The cost of torch's decomposition of `op`, which is run on meta tensors, once for all arguments of the same sizes."""
    key = (op, repr(tree_map(_described, (args, kwargs))))
    if key not in _KNOWN_PARTS:
        parts = _PartsMode()
        with parts:
            _decomposition(op)(*tree_map(_meta, args), **tree_map(_meta, kwargs))
        _KNOWN_PARTS[key] = parts.total
    return _KNOWN_PARTS[key]


@cache
def _decomposition(op: OpOverload) -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = get_decompositions([op])[op]
    except (KeyError, RuntimeError) as error:
        raise UncountedError(f"torch {torch.__version__} has no decomposition of aten operation `{op}`") from error
    return found


def _described(value: Any) -> Any:
    return (value.shape, value.stride(), value.dtype) if isinstance(value, Tensor) else value


def _meta(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return torch.device("meta") if isinstance(value, torch.device) else value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")


def _output(_op: OpOverload, args: tuple[Any, ...], _kwargs: dict[str, Any], result: Any) -> int:
    if base_name(_op).rstrip("_") in {"mul", "div", "true_divide"} and _is_one(args[1]):
        return 0
    return tensors_in(result)[0].numel()


def _is_one(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == 1


def _input(_op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], _result: Any) -> int:
    return tensors_in(args, kwargs)[0].numel()


def _mean(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    return _input(op, args, kwargs, result) + tensors_in(result)[0].numel()


def _var(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    # As torch's compiler decomposes it (torch._inductor.lowering.var_mean_sum_): mean, difference, square, sum, division.
    return 4 * _input(op, args, kwargs, result) + 2 * tensors_in(result)[0].numel()


def _scaled_sum(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    scaled = argument(op, "alpha", args, kwargs) not in {None, 1}
    return tensors_in(result)[0].numel() * (2 if scaled else 1)


def _clamp(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    bounds = sum(argument(op, name, args, kwargs) is not None for name in argument_names(op) if name in _BOUNDS)
    return bounds * tensors_in(result)[0].numel()


def _bias(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    bias = argument(op, "bias", args, kwargs) if base_name(op) == "convolution" else args[0]
    factors = sum(argument(op, name, args, kwargs) not in {None, 1} for name in ("alpha", "beta"))
    return 0 if bias is None else tensors_in(result)[0].numel() * (1 + factors)


def _window(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    kernel = argument(op, "kernel_size", args, kwargs)
    axes = int(base_name(op).split("pool")[1][0])  # the 2 of max_pool2d_with_indices
    size = prod(kernel) if len(kernel) == axes else kernel[0] ** axes
    return int(size) * tensors_in(result)[0].numel()


def _average(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    return _window(op, args, kwargs, result) + tensors_in(result)[0].numel()


def _interpolation(op: OpOverload, _args: tuple[Any, ...], _kwargs: dict[str, Any], result: Any) -> int:
    name = base_name(op)
    between_two = 2 ** int(name[-2]) - 1  # interpolations along the first axis, then between their results
    return int(tensors_in(result)[0].numel()) * (35 if "cubic" in name else 3 * between_two)


def _antialiased(op: OpOverload, args: tuple[Any, ...], _kwargs: dict[str, Any], result: Any) -> int:
    width = 4 if "cubic" in base_name(op) else 2
    (rows, columns), (out_rows, out_columns) = (tensor.shape[2:] for tensor in (args[0], tensors_in(result)[0]))
    down, across = (max(width, -(-width * read // made)) for read, made in ((rows, out_rows), (columns, out_columns)))
    images = int(prod(args[0].shape[:2]))
    return images * out_columns * (rows * (2 * across - 1) + out_rows * (2 * down - 1))


def _added(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], _result: Any) -> int:
    added = argument(op, "src" if base_name(op).startswith("scatter") else "source", args, kwargs)
    return int(added.numel())


def _sampling(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    mode, places = argument(op, "interpolation_mode", args, kwargs), tensors_in(args, kwargs)[1].numel() // 2
    if mode not in _SAMPLING:
        raise UncountedError(f"the vector FLOPs of aten operation `{base_name(op)}` in mode {mode} are not known")
    per_element, per_place = _SAMPLING[mode]
    return per_element * tensors_in(result)[0].numel() + per_place * places


def _transform(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> int:
    x, axes = args[0], argument(op, "dim", args, kwargs)
    lengths = [x.shape[axis] for axis in axes]
    if base_name(op) == "_fft_c2r":
        lengths[-1] = argument(op, "last_dim_size", args, kwargs)
    spectrum = x if base_name(op) == "_fft_c2r" else tensors_in(result)[0]
    return 5 * int(spectrum.numel()) * sum(int(length - 1).bit_length() for length in lengths)


def _free(_op: OpOverload, _args: tuple[Any, ...], _kwargs: dict[str, Any], _result: Any) -> int:
    return 0


_KNOWN_PARTS: dict[tuple[OpOverload, str], int] = {}
_SAMPLING = {0: (7, 14), 1: (0, 6)}  # by PyTorch's numbers of bilinear and nearest
_BOUNDS = frozenset({"min", "max", "min_val", "max_val"})
_RULES: dict[Rule, Callable[[OpOverload, tuple[Any, ...], dict[str, Any], Any], int]] = {
    "output": _output,
    "input": _input,
    "mean": _mean,
    "var": _var,
    "var_and_mean": _var,
    "clamp": _clamp,
    "scaled_sum": _scaled_sum,
    "bias": _bias,
    "window": _window,
    "average": _average,
    "transform": _transform,
    "sampling": _sampling,
    "interpolation": _interpolation,
    "antialiased": _antialiased,
    "added": _added,
    "free": _free,
}
