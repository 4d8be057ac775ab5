"""Times the forward pass of a generated module."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import torch

from generator.proof.verify.built import Runner
from generator.proof.verify.instance import Workbench
from generator.proof.verify.state import prefilled_state


class UnavailableError(Exception):
    """The device is not there, or has too little memory."""


def times(
    bench: Workbench, name: str, sizes: Mapping[str, int], options: Mapping[str, Any], *, warmup: int, repeats: int, device: str
) -> tuple[float, ...]:
    """Return the seconds that each of `repeats` forward passes takes, without gradients, after `warmup` passes that do not count.

    Args:
        sizes: all sizes of the spec, derived ones included.
        options: those that differ from their defaults.

    Raises:
        UnavailableError: PyTorch cannot use the device, or the module does not fit into its memory.
    """
    try:
        arguments: dict[str, Any] = {**bench.modules.view(name).given(sizes)}
        with torch.device(device):
            module = bench.module_class(name)(**arguments, **options).eval()
        inputs = bench.inputs(name, sizes, device=device)
        run = Runner(module, prefilled_state(bench, name, module, sizes, device, torch.float32))
        with torch.inference_mode():
            for _ in range(warmup):
                run(*inputs)
            return tuple(_seconds(run, inputs, device) for _ in range(repeats))
    except (AssertionError, RuntimeError) as error:
        raise UnavailableError(f"{device}: {str(error).splitlines()[0]}") from error


def _seconds(run: Runner, inputs: list[torch.Tensor], device: str) -> float:
    _wait(device)
    started = perf_counter()
    run(*inputs)
    _wait(device)
    return perf_counter() - started


def _wait(device: str) -> None:
    """Wait until a GPU has done what it was given; a CPU has."""
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()
