"""The shape of every row of a spec, read off the local variables of the generated `forward` when it returns."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from torch import Tensor

from generator.printing.evaluate import evaluate
from generator.render.module.lines import row_names
from generator.verify.built import Instance
from generator.verify.rows import RowDifference


def wrong_shapes(own: Instance) -> tuple[int, list[RowDifference]]:
    """Return how many results rows of the outermost level have, and those whose shape is not the derived one.

    Rows of blocks are compared where the block is verified itself.
    """
    variables = row_names(own.bench.compiled(own.name).architecture).variables
    with own.mode:
        found = _locals_at_return(own, str(own.bench.package / f"{own.name}.py"))
    results = [(row, part, axes) for row in own.sheet.rows if row.depth == 0 for part, axes in row.shapes]
    differences = []
    for row, part, axes in results:
        derived = [evaluate(axis, own.sizes) for axis in axes]
        tensor = found.get(variables[row.name] + (f"_{part}" if part else ""))
        measured = list(tensor.shape) if isinstance(tensor, Tensor) else None
        if derived != measured:
            differences.append(RowDifference(f"{row.path}.{part}" if part else row.path, row.op, "shape", derived, measured))
    return len(results), differences


def _locals_at_return(own: Instance, source: str) -> Mapping[str, Any]:
    """Run the module and return the local variables of its outermost `forward`."""
    found: dict[str, Any] = {}

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "return" and frame.f_code.co_filename == source and frame.f_code.co_name == "forward":
            found.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        own.runner()(*own.inputs)
    finally:
        sys.setprofile(before)
    return found
