"""Specs with fused attention are measured on fake tensors, whatever else stands in them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.proof.verify.instance import Workbench
from generator.proof.verify.run import check_case
from generator.spec.library import Library
from tests.support.small_specs import write_specs

BLOCK = """\
title: A stack of what fills its slot
dims: {b: batch, n: rows, d: width}
inputs: {x: [b, n, d]}
slots: {part: {use: layer_norm, is: what stands here}}
layers:
  y: {slot: part, repeat: 2}
"""
SPEC = """\
title: Fused attention beside a stack of a slot
dims: {b: batch, h: heads, n: rows, d: width}
inputs: {q: [b, h, n, d], x: [b, n, d]}
layers:
  context: {op: attention, in: [q, q, q]}
  stack: {use: block, slots: {part: layer_norm}, in: x}
outputs: [context, stack]
"""


def test_layers_that_are_copies_of_what_fills_a_slot_are_measured_beside_fused_attention(tmp_path: Path) -> None:
    write_specs(tmp_path, block=BLOCK, one=SPEC)
    with Workbench(Library([tmp_path])) as bench:
        case = check_case(bench, "one", {"b": 2, "h": 3, "n": 5, "d": 4})
    assert [check for check in case.checks if not check.equal] == []
