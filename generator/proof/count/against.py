"""Holds what a module comes to against what a spec says."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from generator.in_bytes import PEAK_BYTES
from generator.proof.count.count_result import ADDED, Counted
from generator.proof.count.unfit import UnfitError
from generator.proof.verify.instance import Workbench
from generator.quantities import ACTIVE_PARAMS, PARAMS
from generator.sheet.costing import Cost
from generator.spec.library import Library
from generator.text.suggest import listed


@dataclass(frozen=True)
class Compared:
    """One quantity on both sides.

    Args:
        key: the quantity.
        counted: of the module; None where it is not known.
        derived: of the spec; None where it has no number for it.
        why: why the two are not compared, where they are not.
    """

    key: str
    counted: int | None
    derived: int | None
    why: str = ""

    @property
    def equal(self) -> bool | None:
        """Whether both say the same; None where they are not compared."""
        return None if self.why else self.counted == self.derived


def compared(found: Counted, cost: Cost) -> Iterator[Compared]:
    """Yield each quantity that a module has been counted for beside what a spec says at the same sizes."""
    for key in (*ADDED, PEAK_BYTES.key):
        if key not in found.left_out:
            counted, derived = found.value(key), cost.value(key)
            yield Compared(key, counted, derived, _why_not(key, found, counted, derived, cost))


def _why_not(key: str, found: Counted, counted: int | None, derived: int | None, cost: Cost) -> str:
    if counted is None:
        return f"not all of the module is counted, {found.shown(key)}"
    if derived is None:
        return "the spec has no number for it"
    if key == ACTIVE_PARAMS.key and counted != derived and cost.value(PARAMS.key) != derived:
        return "the spec has it for each token, and the module for all tokens of the pass; give one token"
    return ""


def inputs_of(library: Library, name: str, sizes: Mapping[str, int], device: str) -> dict[str, Tensor]:
    """Return inputs of the shapes that a spec declares, by name, with gradients as it says, and the same numbers each time."""
    declared = library.spec(name).inputs
    with Workbench(library) as bench, torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = bench.inputs(name, sizes, device=device)
    gradients = [one.grad and x.is_floating_point() for x, one in zip(made, declared.values(), strict=True)]
    return {name: x.requires_grad_(gradient) for name, x, gradient in zip(declared, made, gradients, strict=True)}


def arranged(module: nn.Module, inputs: Mapping[str, Tensor]) -> tuple[list[Tensor], dict[str, Tensor]]:
    """Return the inputs of a spec as a module takes them: by name where it takes all these names; a single one by its position.

    Raises:
        UnfitError: there are several, and the module calls them otherwise.
    """
    parameters = inspect.signature(module.forward).parameters.values()
    taken = [one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    if all(name in taken for name in inputs):
        return [], dict(inputs)
    if len(inputs) == 1:
        return list(inputs.values()), {}
    pairs = "; ".join(f"NAME: {one}" for one in inputs)
    raise UnfitError(
        f"the spec's inputs are {listed(inputs)}, and the forward of {type(module).__name__} takes {listed(taken)}",
        f'say which is which: --inputs "{pairs}"',
    )
