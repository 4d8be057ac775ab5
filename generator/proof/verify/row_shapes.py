"""The shape of every row of a spec, read off the local variables of the generated `forward` when it returns."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from types import FrameType
from typing import Any

from torch import Tensor

from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import RowDifference
from generator.proof.verify.instance import Workbench
from generator.render.module.lines import row_names
from generator.resolve.once import run_once
from generator.trace.tensor import Shape


def wrong_shapes(own: Instance, found: Mapping[str, Any]) -> tuple[int, list[RowDifference]]:
    """Return how many results rows of the outermost level have, and those whose shape is not the derived one.

    Rows of blocks are compared where the block is verified itself.

    Args:
        found: the local variables of the outermost `forward`.
    """
    results = _results(own.bench, own.name)
    if found.get("is_first") is False:  # what the first step alone runs has left no variables
        over = run_once(own.bench.compiled(own.name).architecture.spec)
        results = [result for result in results if result[0].partition(".")[0] not in over]
    return len(results), [
        RowDifference(path, op, "shape", evaluated, measured)
        for path, op, variable, axes in results
        if (evaluated := [evaluate(axis, own.sizes) for axis in axes]) != (measured := _shape(_value(found, variable)))
    ]


def wrong_shapes_when_stopped(bench: Workbench, name: str, sizes: Mapping[str, int], error: Exception) -> list[RowDifference]:
    """Return the rows computed before an error whose shape is not the derived one; the first of them may be its cause."""
    found: dict[str, Any] = {}
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == str(bench.package / f"{name}.py") and frame.f_code.co_name == "forward":
            found = dict(frame.f_locals)
    return [
        RowDifference(path, op, "shape", evaluated, measured)
        for path, op, variable, axes in _results(bench, name)
        if (measured := _shape(_value(found, variable))) is not None and (evaluated := [evaluate(axis, sizes) for axis in axes]) != measured
    ]


def _results(bench: Workbench, name: str) -> list[tuple[str, str, str, Shape]]:
    """Return path, op, local variable and axes of each result of the outermost rows."""
    compiled = bench.compiled(name)
    aliases = bench.modules.view(name).lines.aliases
    variables = {**row_names(compiled.architecture).variables, **aliases}
    return [
        (f"{row.path}.{part}" if part else row.path, row.op, variables[row.name] + (f"_{part}" if part else ""), axes)
        for row in compiled.sheet.rows
        if row.depth == 0
        for part, axes in row.shapes
    ]


def _value(found: Mapping[str, Any], variable: str) -> object:
    """Return a local variable, or an attribute of the module."""
    owner, _, attribute = variable.partition(".")
    return getattr(found.get(owner), attribute, None) if attribute else found.get(owner)


def _shape(value: object) -> list[int] | None:
    return list(value.shape) if isinstance(value, Tensor) else None


class LocalsWatch:
    """Notes the frame of an instance's outermost `forward`, entered while the block lasts; a frame that is held keeps its variables."""

    def __init__(self, own: Instance) -> None:
        self._source = str(own.bench.package / f"{own.name}.py")
        self._frame: FrameType | None = None
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = sys.getprofile()
        sys.setprofile(self._look)

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(self._before)

    def _look(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == "forward" and frame.f_code.co_filename == self._source:
            self._frame = frame
            sys.setprofile(self._before)  # all that is called inside runs unwatched, which is faster

    @property
    def found(self) -> Mapping[str, Any]:
        """The local variables, as they are when `forward` has returned."""
        return {} if self._frame is None else dict(self._frame.f_locals)
