"""Whether the weights that are stored are those of a preset: how many, and tensor by tensor by the names that the spec knows."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from generator.sheet.compiled import Compiled
from generator.spec.library import Library
from generator.stored_weights.weight_headers import Stored

MOST_SHOWN = 3  # differences


@dataclass(frozen=True)
class Agreement:
    """How stored weights and a preset compare.

    Args:
        lines: what was found, for people; the first says the most.
        agrees: whether nothing differs; None where nothing could be compared.
    """

    lines: tuple[str, ...]
    agrees: bool | None


def agreement(stored: Stored, derived: int, compiled: Compiled, library: Library, preset: str, layout: str) -> Agreement:
    """Compare stored weights with the parameters of a preset.

    Args:
        derived: the number of parameters.
        layout: under which the spec's `checkpoint` has the names of the weights.
    """
    count, path = stored.count, stored.path
    if stored.absent:
        few = f"{stored.absent[0]}{f' and {len(stored.absent) - 1} more' if len(stored.absent) > 1 else ''}"
        if count is None:
            return Agreement((f"{path} names {few}, which is not there: nothing is compared",), agrees=None)
        said = f"{path} says {count:,} parameters, and {derived:,} are derived"
        return Agreement((said, f"single tensors are not compared: {few} is not there"), agrees=count == derived)
    differences, why = _differences(stored, compiled, library, preset, layout)
    if differences:
        more = [f"and {len(differences) - MOST_SHOWN} more"] if len(differences) > MOST_SHOWN else []
        return Agreement((_counts(stored, derived), *differences[:MOST_SHOWN], *more), agrees=False)
    if why and count != derived:
        return Agreement((_counts(stored, derived), why), agrees=False)
    return Agreement((_counts(stored, derived), why or "each tensor has the shape that is derived"), agrees=True)


def _counts(stored: Stored, derived: int) -> str:
    return f"{stored.path}: {stored.count:,} numbers in {len(stored.shapes):,} tensors; {derived:,} parameters are derived"


def _differences(stored: Stored, compiled: Compiled, library: Library, preset: str, layout: str) -> tuple[list[str], str]:
    """Return what differs tensor by tensor; and why that could not be looked at, or an empty text."""
    spec = compiled.architecture.spec
    if layout not in spec.checkpoints:
        return [], f"single tensors are not compared: `{spec.name}` does not know their names"
    if find_spec("torch") is None:
        return [], "single tensors are not compared: that needs PyTorch (pip install 'archsheet[torch]')"
    import torch

    from generator.render.module.loading import build_module

    weights = {name: torch.empty(shape, device="meta") for name, shape in stored.shapes.items()}
    module: Any = build_module(compiled, library, preset, {"device": "meta"})
    try:
        module.load_reference(weights, layout)
    except ValueError as error:
        return [line.strip() for line in str(error).splitlines()[1:]], ""
    return [], ""
