"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

from generator.architecture import Architecture
from generator.measure.matmul import backward_matmul_flops, matmul_flops
from generator.measure.parameters import parameters
from generator.measure.saved import saved
from generator.measure.traffic import traffic
from generator.measure.vector import vector_flops
from generator.ops.attention import Attention
from generator.printing.evaluate import evaluate
from generator.sheet import Sheet
from generator.verify.instance import Workbench
from generator.verify.state import copied, elements, prefilled_state


@dataclass(frozen=True)
class Check:
    """One comparison: what the formula says and what was measured."""

    quantity: str
    derived: Any
    measured: Any

    @property
    def equal(self) -> bool:
        """Whether they agree exactly."""
        return bool(self.derived == self.measured)


@dataclass(frozen=True)
class Instance:
    """A built module with inputs and the state that it finds."""

    sheet: Sheet
    sizes: Mapping[str, int]
    module: nn.Module
    inputs: list[Tensor]
    gradients: tuple[bool, ...]  # which inputs get a gradient
    state: dict[str, Any] | None
    fused: Instance | None = None  # the same on fake CPU tensors, where fused attention is one kernel as on other hardware
    mode: AbstractContextManager[Any] = field(default_factory=nullcontext)  # to be entered while it runs

    @classmethod
    def of(
        cls, bench: Workbench, name: str, sizes: Mapping[str, int], *, device: str = "meta", dtype: torch.dtype = torch.float32
    ) -> Instance:
        """Build the spec `name` at the given sizes.

        Args:
            device: `meta` needs no memory for the tensors and counts the same.
        """
        instance = cls._built(bench, name, sizes, device, nullcontext(), dtype)
        if not has_fused_attention(bench.compiled(name).architecture):
            return instance
        return replace(instance, fused=cls._built(bench, name, sizes, "cpu", FakeTensorMode(), dtype))

    @classmethod
    def _built(
        cls,
        bench: Workbench,
        name: str,
        sizes: Mapping[str, int],
        device: str,
        mode: AbstractContextManager[Any],
        dtype: torch.dtype,
    ) -> Instance:
        with mode:
            module = bench.build(name, sizes, device=device, dtype=dtype)
            inputs = bench.inputs(name, sizes, device=device, dtype=dtype)
            state = prefilled_state(bench, name, module, sizes, device, dtype)
        gradients = tuple(declared.grad and declared.dtype == "float" for declared in bench.library.spec(name).inputs.values())
        return cls(bench.compiled(name).sheet, sizes, module, inputs, gradients, state, mode=mode)

    def measured_by(self, quantity: str) -> Instance:
        """Return the instance on which a quantity is measured; it runs inside its `mode`."""
        return self.fused if self.fused is not None and quantity in UNLIKE_ON_META else self

    def runner(self) -> Runner:
        """Return the module as a callable that starts from the same state each time."""
        return Runner(self.module, self.state)

    def leaves(self) -> list[Tensor]:
        """Return the inputs, asking for the gradients that the spec says flow."""
        return [x.detach().requires_grad_(g) if x.is_floating_point() else x for x, g in zip(self.inputs, self.gradients, strict=True)]

    def derived(self, quantity: str) -> Any:
        """Return what the formula says."""
        return evaluate(self.sheet.totals[quantity], self.sizes)


def has_fused_attention(arch: Architecture) -> bool:
    """Say whether a row, of a nested block or not, is a fused attention."""
    rows = [row for row in arch.rows if row.active]
    return any(isinstance(row.op, Attention) or (row.child is not None and has_fused_attention(row.child)) for row in rows)


class Runner(nn.Module):
    """A module with a copy of the past state, so that each measurement starts from the same one.

    Args:
        fixed: inputs to run on instead of those given, for a backward pass with chosen gradients.
    """

    def __init__(self, module: nn.Module, state: dict[str, Any] | None, fixed: list[Tensor] | None = None) -> None:
        super().__init__()
        self.module = module
        self.state = state
        self.fixed = fixed

    def forward(self, *inputs: Tensor) -> Any:
        """Run once."""
        arguments = inputs if self.fixed is None else self.fixed
        return self.module(*arguments) if self.state is None else self.module(*arguments, copied(self.state))


def check_instance(instance: Instance) -> list[Check]:
    """Return all comparisons of one instance."""
    measured = {"params": parameters(instance.module).trainable}
    for quantity, measure in MEASURES.items():
        own = instance.measured_by(quantity)
        with own.mode:
            measured[quantity] = measure(own)
    return [*_shapes(instance), *(Check(key, instance.derived(key), value) for key, value in measured.items())]


def _shapes(instance: Instance) -> list[Check]:
    result = instance.runner()(*instance.inputs)
    tensors = list(result) if isinstance(result, tuple) else [result]
    return [
        Check(f"shape of {name}", [evaluate(axis, instance.sizes) for axis in axes], list(x.shape))
        for (name, axes), x in zip(instance.sheet.outputs.items(), tensors, strict=True)
    ]


def _state(instance: Instance) -> int:
    """What the module keeps after this step."""
    if instance.state is None:
        return 0
    kept = copied(instance.state)
    instance.module(*instance.inputs, kept)
    return elements(kept)


# Fused attention runs on meta tensors as its parts: equal contractions, but more that is kept and moved.
UNLIKE_ON_META = ("vector_flops", "saved_elements", "traffic_elements")
MEASURES: Mapping[str, Callable[[Instance], int]] = {
    "matmul_flops": lambda i: matmul_flops(i.runner(), *i.inputs),
    "backward_matmul_flops": lambda i: backward_matmul_flops(Runner(i.module, i.state, i.leaves()), [], False),
    "vector_flops": lambda i: vector_flops(i.runner(), *i.inputs).total,
    "saved_elements": lambda i: saved(i.runner(), *i.leaves()).elements,
    "traffic_elements": lambda i: traffic(i.runner(), *i.inputs).elements,
    "state_elements": _state,
}
