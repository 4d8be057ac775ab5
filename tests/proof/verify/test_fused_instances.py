"""Specs with fused attention are measured on fake tensors, whatever else stands in them."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import check_case
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


def test_a_batch_norm_in_inference_keeps_beside_fused_attention_what_it_keeps_alone(tmp_path: Path) -> None:
    norm = SPEC.replace("{use: block, slots: {part: layer_norm}, in: x}", "{op: batch_norm, in: x}")
    write_specs(tmp_path, one=norm, alone=norm.replace("{op: attention, in: [q, q, q]}", "{op: scale, in: q, by: 2}"))
    with Workbench(Library([tmp_path]).in_inference()) as bench:
        cases = [check_case(bench, name, {"b": 2, "h": 3, "n": 5, "d": 4}) for name in ("one", "alone")]
    assert [check for case in cases for check in case.checks if not check.equal] == []
