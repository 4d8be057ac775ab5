"""Claims with powers of sizes are judged in reasonable time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SPEC = """\
title: t
dims: {b: batch, n: length, d: width}
inputs: {x: [b, n, d]}
layers:
  y: {op: linear, out: [b, n, d]}
claims:
  - {of: params, equals: d**(n-512)/(n-512), erratum: not a count, correct: d**2 + d}
"""


def test_a_power_of_a_difference_is_judged_and_not_taken_apart_for_hours(tmp_path: Path) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(SPEC, encoding="utf-8")
    command = [sys.executable, "-m", "generator.cli", "cost", str(file), "b=1", "n=2", "d=3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert '"params": 12' in done.stdout
