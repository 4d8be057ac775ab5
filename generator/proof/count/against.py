"""Holds what a module comes to against what a spec says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from generator.proof.count.counted import ADDED, Counted
from generator.proof.verify.instance import Workbench
from generator.quantities import ACTIVE_PARAMS, PARAMS, PEAK_BYTES
from generator.sheet.costing import Cost
from generator.spec.library import Library


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


def inputs_of(library: Library, name: str, sizes: Mapping[str, int], device: str) -> list[Tensor]:
    """Return inputs of the shapes that a spec declares, with gradients as it says, and the same numbers each time."""
    declared = library.spec(name).inputs.values()
    with Workbench(library) as bench, torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = bench.inputs(name, sizes, device=device)
    return [x.requires_grad_(one.grad and x.is_floating_point()) for x, one in zip(made, declared, strict=True)]
