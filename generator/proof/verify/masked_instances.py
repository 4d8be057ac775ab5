"""Measures what masks leave of the contractions of an instance: on numbers, because a mask without values hides nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from generator.proof.measure.together import MeasuredForward, MeasuredStep
from generator.proof.measure.visible_flops import VisibleFlops, visible_flops
from generator.proof.verify.built import Instance
from generator.proof.verify.differing_rows import line_rows
from generator.resolve.architecture import Architecture

MOST_FLOPS, MOST_ELEMENTS = 3 * 10**8, 5 * 10**7  # of one pass on numbers: every random size is far below, no preset of a model is


def measured_visible(instance: Instance, run: MeasuredForward, trained: MeasuredStep, *, hides: bool) -> VisibleFlops | None:
    """Run an instance once more, on numbers; None where it is too large for that.

    Args:
        run, trained: what was measured without numbers.
        hides: whether it runs anything that may hide scores; otherwise all of its contractions are seen.
    """
    if not hides:
        return VisibleFlops(run.matmul_flops, trained.backward_matmul_flops)
    if run.matmul_flops > MOST_FLOPS or run.traffic.elements > MOST_ELEMENTS:
        return None
    own = Instance.on_numbers(instance)
    ignored = {*_uncounted(own)}
    with own.mode:
        return visible_flops(own.runner(), own.leaves(), lambda: _runs_one_of(ignored))


def _uncounted(instance: Instance) -> Iterator[tuple[str, int]]:
    """Yield the lines (file, number) of masks whose places have no closed form: they are derived as if they hid nothing."""
    arch = instance.bench.compiled(instance.name).architecture
    for path in arch.tracer.hidden.uncounted:
        spec, row = _place(arch, path)
        file = instance.bench.package / f"{spec}.py"
        rows = line_rows(instance.bench.modules.view(spec), file.read_text(encoding="utf-8"))
        yield from ((str(file), line) for line, name in rows.items() if name == row)


def _place(arch: Architecture, path: str) -> tuple[str, str]:
    """Return the spec that a row stands in, and its name there."""
    name, _, inner = path.partition(".")
    child = arch.row(name).child
    return _place(child, inner) if inner and child is not None else (arch.spec.name, name)


def _runs_one_of(lines: set[tuple[str, int]]) -> bool:
    """Say whether one of some lines is running now."""
    frame = sys._getframe() if lines else None  # noqa: SLF001  as inspect.currentframe, which may be None
    while frame is not None:
        if (frame.f_code.co_filename, frame.f_lineno) in lines:
            return True
        frame = frame.f_back
    return False
