"""Says which row of which spec a generated module stopped in."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from generator.proof.verify.differing_rows import line_rows
from generator.proof.verify.instance import Workbench


def described(bench: Workbench, error: Exception) -> str:
    """Return an error's kind and message, behind the innermost row in whose line it arose, where that can be told."""
    text = f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.parent == bench.package and file.stem in bench.library.files and frame.lineno is not None:
            row = _row(bench, file, frame.lineno)
            if row:  # otherwise a function beside the class: the row is the one that calls it
                return f"row `{row}` of {file.stem} ({_op(bench, file.stem, row)}): {text}"
    return text


def _row(bench: Workbench, file: Path, line: int) -> str:
    source = file.read_text(encoding="utf-8")
    view = bench.modules.view(file.stem)
    in_forward = line_rows(view, source).get(line)
    if in_forward:
        return in_forward
    assigned = re.match(r"\s*self\.(\w+)", source.splitlines()[line - 1])
    return assigned[1] if assigned and assigned[1] in view.arch.spec.rows else ""


def _op(bench: Workbench, spec: str, row: str) -> str:
    found = bench.library.spec(spec).rows[row]
    return found.op or "block"
