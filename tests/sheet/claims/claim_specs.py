"""A small block with attention, a norm and a feed-forward network, to which tests add claims."""

from __future__ import annotations

from pathlib import Path

from generator.sheet.compiled import compile_spec
from generator.sheet.sheet import SheetClaim
from generator.spec.library import Library
from generator.text.problems import ProblemsError

# Parameters: 4*d**2 + 4*d of attention, 2*d of the norm, 2*d*f + f + d of the two layers. MACs: 4*b*n*d**2 + 2*b*n**2*d, and 2*b*n*d*f.
BLOCK = """\
title: A block
dims:
  b: batch size
  n: sequence length
  d: model width
  h: heads
  f: {is: inner width, default: 4*d}
options:
  bias: {is: whether there are biases, default: true}
inputs: {x: [b, n, d]}
where: d % h == 0
layers:
  attended: {use: multi_head_attention}
  normed: {op: layer_norm}
  up: {op: linear, out: [b, n, f], bias: bias}
  bent: {op: activation, kind: relu}
  down: {op: linear, out: [b, n, d], bias: bias}
  picked: {op: softmax}
presets:
  base: {set: {b: 1, n: 512, d: 768, h: 12}}
"""
FIRST_LINE = BLOCK.count("\n") + 2  # the line of the first claim, below `claims:`


def claims(folder: Path, *lines: str) -> tuple[SheetClaim, ...]:
    """Return the claims of the block, with their verdicts. Raises ProblemsError."""
    file = folder / "block.yaml"
    section = "".join(["claims:\n", *(f"  - {line}\n" for line in lines)]) if lines else ""
    file.write_text(BLOCK + section, encoding="utf-8")
    return compile_spec(Library([file]), "block").sheet.claims


def problems(folder: Path, *lines: str) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return what is wrong with the claims: which of them (from 1), the message, and the notes."""
    try:
        claims(folder, *lines)
    except ProblemsError as error:
        return [(problem.span.line - FIRST_LINE + 1 if problem.span else 0, problem.message, problem.notes) for problem in error.problems]
    return []
