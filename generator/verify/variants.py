"""The same instance under other conditions: gradients on the inputs or none, and another number format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from generator.measure.saved import saved
from generator.printing.evaluate import evaluate
from generator.verify.checks import MEASURES, Check, Instance
from generator.verify.instance import Workbench

GRADIENTS = {True: "all inputs with gradient", False: "no input with gradient"}
FOLLOW_GRADIENTS = ("backward_matmul_flops", "saved_elements")
FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def gradient_checks(bench: Workbench, name: str, instance: Instance) -> Iterator[Check]:
    """Compare what depends on it with gradients on all float inputs and on none; what the spec itself declares is not repeated."""
    floats = tuple(declared.dtype == "float" for declared in bench.library.spec(name).inputs.values())
    for wanted, words in GRADIENTS.items():
        gradients = tuple(wanted and is_float for is_float in floats)
        if gradients == instance.gradients:
            continue
        totals, _ = bench.totals_with(name, input_gradients=wanted)
        for quantity in FOLLOW_GRADIENTS:
            own = replace(instance.measured_by(quantity), gradients=gradients)
            with own.mode:
                measured = MEASURES[quantity](own)
            yield Check(f"{quantity}, {words}", evaluate(totals[quantity], instance.sizes), measured)


def byte_checks(bench: Workbench, name: str, instance: Instance) -> Iterator[Check]:
    """Compare the bytes kept for the backward pass, in each number format."""
    memory = instance.sheet.saved
    for dtype, torch_dtype in FORMATS.items():
        instance_then = instance if torch_dtype == torch.float32 else Instance.of(bench, name, instance.sizes, dtype=torch_dtype)
        own = instance_then.measured_by("saved_elements")
        with own.mode, _WideStatistics():
            measured = saved(own.runner(), *own.leaves()).bytes
        yield Check(f"saved_bytes, {dtype}", evaluate(memory.bytes(dtype), instance.sizes), measured)


class _WideStatistics(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Gives the statistics of layer and batch norm in float32, as graphics processors and meta tensors do, on the CPU too."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in _WITH_STATISTICS:
            out, mean, deviation = result
            return (
                out,
                mean.to(torch.promote_types(mean.dtype, torch.float32)),
                deviation.to(torch.promote_types(deviation.dtype, torch.float32)),
            )
        return result


_WITH_STATISTICS = (torch.ops.aten.native_layer_norm.default, torch.ops.aten.native_batch_norm.default)
