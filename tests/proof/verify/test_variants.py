"""Gradients on the inputs or not, and bytes in each number format, against arithmetic on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.variants import byte_checks, gradient_checks
from generator.spec.library import Library
from tests.support.small_specs import LAYER, write_specs

NORM = """\
title: Masked and normalised
dims: {b: rows, d: width}
inputs: {x: [b, d]}
layers:
  kept:   {op: dropout, p: 0.1}
  normed: {op: layer_norm}
"""
RMS = "title: RMS norm\ndims: {b: rows, d: width}\ninputs: {x: [b, d]}\nlayers:\n  normed: {op: rms_norm}\n"
LOOKUP = """\
title: Lookup
dims: {b: rows, d: width, V: words}
inputs: {ids: {shape: [b], dtype: int, below: V}}
layers:
  y: {op: embedding, count: V, width: d}
"""
B, D = 3, 5


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    data = LAYER.replace("x: [b, k]", "x: {shape: [b, k], grad: false}")
    with Workbench(Library([write_specs(tmp_path, layer=LAYER, norm=NORM, rms=RMS, lookup=LOOKUP, data=data)])) as bench:
        yield bench


@pytest.mark.parametrize(("name", "said"), [("layer", "no input with gradient"), ("data", "all inputs with gradient")])
def test_the_backward_pass_is_counted_with_and_without_gradient_on_the_input(bench: Workbench, name: str, said: str) -> None:
    instance = Instance.of(bench, name, {"b": B, "k": 4, "m": D})
    checks = {check.quantity: check for check in gradient_checks(instance)}
    assert list(checks) == [f"backward_matmul_flops, {said}", f"saved_elements, {said}"]
    assert all(check.equal for check in checks.values())
    once = 2 * B * 4 * D
    assert checks[f"backward_matmul_flops, {said}"].measured == (once if said.startswith("no") else 2 * once)
    assert instance.derived("backward_matmul_flops") == (2 * once if said.startswith("no") else once)


def test_a_spec_without_float_inputs_has_one_way_to_run(bench: Workbench) -> None:
    assert list(gradient_checks(Instance.of(bench, "lookup", {"b": B, "d": D, "V": 7}))) == []


@pytest.mark.parametrize(
    ("name", "float32", "bfloat16"),
    [
        ("layer", 4 * B * 4, 2 * B * 4),  # the input
        ("norm", B * D + 4 * B * D + 8 * B, B * D + 2 * B * D + 8 * B),  # a mask of one byte; the norm's input; two statistics in float32
        ("rms", 4 * (2 * B * D + B), 4 * (2 * B * D + B)),  # in float32 either way: the input (or its copy), the normalised input, a root
        ("lookup", 8 * B, 8 * B),  # indices
    ],
)
def test_bytes_follow_the_kind_of_element(bench: Workbench, name: str, float32: int, bfloat16: int) -> None:
    sizes = {"layer": {"b": B, "k": 4, "m": D}, "lookup": {"b": B, "d": D, "V": 7}}.get(name, {"b": B, "d": D})
    checks = {check.quantity: check for check in byte_checks(Instance.of(bench, name, sizes))}
    saved = {key: check.measured for key, check in checks.items() if key.startswith("saved")}
    assert saved == {"saved_bytes, float32": float32, "saved_bytes, bfloat16": bfloat16}
    assert all(check.equal for check in checks.values())
