"""Tells which line, or which submodule, of the forward pass the contractions of the backward pass belong to.

In torch's anomaly mode each node of the autograd graph remembers the Python stack that made it; while the node runs backward, the kernels
are its own. Submodules are told by the numbers of nodes, which needs no stacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from generator.proof.measure.gradients import gradients_set_aside, leaf_inputs, run_backward
from generator.proof.measure.kernel import Count, KernelCall, KernelMode
from generator.proof.measure.matmul_flops import MatmulShares
from generator.proof.measure.storages import tensors_in
from generator.proof.measure.stretches import ModuleCalls


def backward_matmul_kernels(module: Callable[..., Any], inputs: Sequence[Any], input_gradients: bool, *, source: str) -> Count:
    """The same count as `generator.proof.measure.matmul_flops.backward_matmul_flops`, with the share of each kernel.

    Args:
        source: path of a Python file; each kernel carries the line numbers of the calls in that file which launched the forward operation.

    Raises:
        UncountedError: as there.
    """
    weights = list(module.parameters()) if isinstance(module, nn.Module) else []
    shares = _SharesOfNodes(source)
    with gradients_set_aside(weights), _stacks_kept():
        outputs = tensors_in(module(*leaf_inputs(inputs, input_gradients)))
        with KernelMode(observers=[shares]):
            run_backward(outputs)
    return shares.count


@contextmanager
def _stacks_kept() -> Iterator[None]:
    before = torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(True, check_nan=False)
    try:
        yield
    finally:
        torch.autograd.set_detect_anomaly(before)


class _SharesOfNodes(MatmulShares):
    """Notes the forward lines of the node that runs."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._line = re.compile(rf'File "{re.escape(source)}", line (\d+)')

    def __call__(self, call: KernelCall) -> None:
        super().__call__(call)
        kernel, flops = self.shares[-1]
        node: Any = torch._C._current_autograd_node()  # noqa: SLF001  # the only way to ask for it
        stack = "".join(node.metadata.get("traceback_", ())) if node is not None else ""
        self.shares[-1] = (replace(kernel, lines=tuple(int(found) for found in self._line.findall(stack))), flops)


class SharesOfModules(MatmulShares):
    """Labels what a backward pass computes with the submodule whose forward pass made the node that runs. Raises UncountedError.

    Args:
        calls: what `module_labels` saw in the forward pass; where it goes on, what is computed again has the label in force.
    """

    def __init__(self, calls: ModuleCalls) -> None:
        super().__init__()
        self._calls = calls

    def __call__(self, call: KernelCall) -> None:
        """Count one kernel."""
        super().__call__(call)
        kernel, flops = self.shares[-1]
        self.shares[-1] = (replace(kernel, label=self.label(call)), flops)

    def label(self, call: KernelCall) -> str:
        """The submodule for which a kernel runs."""
        return call.kernel.label or self._calls.of_running_node()
