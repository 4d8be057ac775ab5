"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from generator.measure.matmul import backward_matmul_flops, matmul_flops
from generator.measure.parameters import parameters
from generator.measure.saved import saved
from generator.measure.traffic import traffic
from generator.measure.vector import vector_flops
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

    @classmethod
    def of(cls, bench: Workbench, name: str, sizes: Mapping[str, int], *, device: str = "meta") -> Instance:
        """Build the spec `name` at the given sizes.

        Args:
            device: `meta` needs no memory for the tensors and counts the same.
        """
        module = bench.build(name, sizes, device=device)
        inputs = bench.inputs(name, sizes, device=device)
        gradients = tuple(declared.grad for declared in bench.library.spec(name).inputs.values())
        return cls(bench.compiled(name).sheet, sizes, module, inputs, gradients, prefilled_state(bench, name, module, sizes, device))

    def runner(self) -> Runner:
        """Return the module as a callable that starts from the same state each time."""
        return Runner(self.module, self.state)

    def leaves(self) -> list[Tensor]:
        """Return the inputs, asking for the gradients that the spec says flow."""
        return [x.detach().requires_grad_(g) if x.is_floating_point() else x for x, g in zip(self.inputs, self.gradients, strict=True)]

    def derived(self, quantity: str) -> Any:
        """Return what the formula says."""
        return evaluate(self.sheet.totals[quantity], self.sizes)


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
    run, inputs = instance.runner(), instance.inputs
    backward = Runner(instance.module, instance.state, instance.leaves())
    measured = {
        "params": parameters(instance.module).trainable,
        "matmul_flops": matmul_flops(run, *inputs),
        "backward_matmul_flops": backward_matmul_flops(backward, [], False),
        "vector_flops": vector_flops(run, *inputs).total,
        "saved_elements": saved(run, *instance.leaves()).elements,
        "traffic_elements": traffic(run, *inputs).elements,
        "state_elements": _state(instance),
    }
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
