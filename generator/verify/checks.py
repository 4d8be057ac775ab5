"""Measures one instance and compares every quantity with its formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from generator.measure.matmul import backward_matmul_flops, matmul_flops
from generator.measure.parameters import parameters
from generator.measure.saved import saved
from generator.measure.traffic import traffic
from generator.measure.vector import vector_flops
from generator.printing.evaluate import evaluate
from generator.sheet import Sheet
from generator.verify.instance import Workbench


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


def check_instance(bench: Workbench, name: str, sizes: Mapping[str, int], *, device: str = "meta") -> list[Check]:
    """Return all comparisons for a spec at given sizes.

    Args:
        device: `meta` needs no memory for the tensors and counts the same.
    """
    sheet = bench.compiled(name).sheet
    module = bench.build(name, sizes, device=device)
    inputs = bench.inputs(name, sizes, device=device)
    state = prefilled_state(bench, name, module, sizes, device)
    return [
        *_shapes(sheet, sizes, _outputs(_run(module, inputs, state))),
        Check("params", _value(sheet, "params", sizes), parameters(module).trainable),
        Check("matmul_flops", _value(sheet, "matmul_flops", sizes), matmul_flops(_Run(module, state), *inputs)),
        _backward(bench, name, (module, inputs, state), sizes),
        Check("vector_flops", _value(sheet, "vector_flops", sizes), vector_flops(_Run(module, state), *inputs).total),
        _saved(bench, name, (module, inputs, state), sizes),
        Check("traffic_elements", _value(sheet, "traffic_elements", sizes), traffic(_Run(module, state), *inputs).elements),
        *_state(sheet, sizes, module, inputs, state),
    ]


class _Run(nn.Module):
    """The module with a copy of the past state, so that each measurement starts from the same one."""

    def __init__(self, module: nn.Module, state: dict[str, Any] | None) -> None:
        super().__init__()
        self.module = module
        self.state = state

    def forward(self, *inputs: Tensor) -> Any:
        """Run once."""
        return _run(self.module, list(inputs), self.state)


def _run(module: nn.Module, inputs: list[Tensor], state: dict[str, Any] | None) -> Any:
    return module(*inputs) if state is None else module(*inputs, copied(state))


def copied(state: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a nested state that shares its tensors."""
    return {key: copied(value) if isinstance(value, dict) else value for key, value in state.items()}


def _outputs(result: Any) -> list[Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


def _value(sheet: Sheet, key: str, sizes: Mapping[str, int]) -> Any:
    return evaluate(sheet.totals[key], sizes)


def _shapes(sheet: Sheet, sizes: Mapping[str, int], outputs: list[Tensor]) -> list[Check]:
    checks = []
    for (name, axes), tensor in zip(sheet.outputs.items(), outputs, strict=True):
        checks.append(Check(f"shape of {name}", [evaluate(axis, sizes) for axis in axes], list(tensor.shape)))
    return checks


def _input_gradients(bench: Workbench, name: str) -> list[bool]:
    return [declared.grad for declared in bench.library.spec(name).inputs.values() if declared.dtype == "float"]


def _with_gradients(bench: Workbench, name: str, inputs: list[Tensor]) -> list[Tensor]:
    declared = bench.library.spec(name).inputs.values()
    return [x.detach().requires_grad_(d.grad) if x.is_floating_point() else x for x, d in zip(inputs, declared, strict=True)]


def _backward(bench: Workbench, name: str, run: tuple[nn.Module, list[Tensor], Any], sizes: Mapping[str, int]) -> Check:
    module, inputs, state = run
    derived = _value(bench.compiled(name).sheet, "backward_matmul_flops", sizes)
    wanted = _input_gradients(bench, name)
    if len(set(wanted)) < 2:
        return Check("backward_matmul_flops", derived, backward_matmul_flops(_Run(module, state), inputs, bool(wanted and wanted[0])))
    leaves = _with_gradients(bench, name, inputs)
    fixed = _FixedInputs(module, state, leaves)
    return Check("backward_matmul_flops", derived, backward_matmul_flops(fixed, [], False))


class _FixedInputs(_Run):
    def __init__(self, module: nn.Module, state: Any, leaves: list[Tensor]) -> None:
        super().__init__(module, state)
        self.leaves = leaves

    def forward(self, *_: Tensor) -> Any:
        """Run on the inputs given at the start."""
        return _run(self.module, self.leaves, self.state)


def _saved(bench: Workbench, name: str, run: tuple[nn.Module, list[Tensor], Any], sizes: Mapping[str, int]) -> Check:
    module, inputs, state = run
    leaves = _with_gradients(bench, name, inputs)
    return Check("saved_elements", _value(bench.compiled(name).sheet, "saved_elements", sizes), saved(_Run(module, state), *leaves).elements)


def prefilled_state(bench: Workbench, name: str, module: nn.Module, sizes: Mapping[str, int], device: str) -> dict[str, Any] | None:
    """Return the state that a decoding step at these sizes finds: the module run on the tokens before. None where nothing is kept."""
    if not bench.modules.view(name).stateful:
        return None
    state: dict[str, Any] = {}
    past = past_tokens(bench, name, sizes)
    if past is not None:
        with torch.no_grad():
            module(*bench.inputs(name, past, device=device), state)
    return state


def past_tokens(bench: Workbench, name: str, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the sizes of the step that filled the state before this one; None where it is empty."""
    axis, total = state_sizes(bench, name)
    length = sizes[total] - sizes[axis]
    if length <= 0:
        return None
    return {**sizes, axis: length, total: length}


def state_sizes(bench: Workbench, name: str) -> tuple[str, str]:
    """Return the sizes that count new tokens and all tokens: those of the cached axis."""
    spec = bench.library.spec(name)
    for dim in spec.dims.values():
        if dim.kind == "default" and dim.value is not None and dim.value.text in spec.dims and dim.name == "m":
            return dim.value.text, dim.name
    raise LookupError(f"`{name}` keeps a state, but has no size for all tokens with the new ones as its default")


def _state(sheet: Sheet, sizes: Mapping[str, int], module: nn.Module, inputs: list[Tensor], state: dict[str, Any] | None) -> list[Check]:
    derived = _value(sheet, "state_elements", sizes)
    if state is None:
        return []
    kept = copied(state)
    module(*inputs, kept)
    return [Check("state_elements", derived, _elements(kept))]


def _elements(state: dict[str, Any]) -> int:
    return sum(_elements(value) if isinstance(value, dict) else value.numel() for value in state.values())
