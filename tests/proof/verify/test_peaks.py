"""The simulated peak of a forward and backward pass, against arithmetic on paper and against what is measured."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.proof.verify.instance import Workbench
from generator.proof.verify.peaks import PeakComparison, compare_peaks
from generator.proof.verify.sampling import sample
from generator.resources import builtin_specs_dir
from generator.spec.library import Library, spec_files
from tests.support.builtin import builtin_library
from tests.support.small_specs import write_specs

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ops"
NAMES = sorted(file.stem for file in spec_files(builtin_specs_dir()))
OF_OPS = sorted(file.stem for file in spec_files(FIXTURES))
FEW = ["mlp", "gated_mlp", "multi_head_attention", "causal_attention", "pre_norm_block", "rnn"]
TWO_LAYERS = """\
title: Two layers
dims: {b: rows, k: width in, f: inner width}
inputs: {x: [b, k]}
layers:
  up:   {op: linear, out: [b, f]}
  bent: {op: activation, kind: relu}
  down: {op: linear, out: [b, k]}
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


@pytest.fixture(scope="module")
def ops_bench() -> Iterator[Workbench]:
    with Workbench(Library([FIXTURES])) as bench:
        yield bench


def compared(bench: Workbench, name: str) -> PeakComparison:
    return compare_peaks(bench, name, sample(bench.compiled(name).sheet, random.Random(name)))


def test_two_layers_by_hand(tmp_path: Path) -> None:
    with Workbench(Library([write_specs(tmp_path, two_layers=TWO_LAYERS)])) as bench:
        peak = compare_peaks(bench, "two_layers", {"b": 3, "k": 4, "f": 8})
    # x 12, the output of relu 24, the output 12 (the module's local variables, relu's input among them, are gone)
    assert peak.forward_predicted == 4 * 48
    # then the gradients of the output 12, of relu's output 24 and of its input 24
    assert peak.peak_predicted == 4 * 108
    assert peak.is_exact
    assert peak.at == "threshold_backward"


@pytest.mark.parametrize("name", FEW)
def test_the_simulated_peak_is_the_measured_one(bench: Workbench, name: str) -> None:
    peak = compared(bench, name)
    assert peak.is_exact, peak


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_simulated_peak_of_every_spec_is_the_measured_one(bench: Workbench, name: str) -> None:
    peak = compared(bench, name)
    assert peak.is_exact, peak


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_OPS)
def test_the_simulated_peak_of_every_op_is_the_measured_one(ops_bench: Workbench, name: str) -> None:
    rng = random.Random(name)
    for _ in range(2):
        peak = compare_peaks(ops_bench, name, sample(ops_bench.compiled(name).sheet, rng))
        assert peak.is_exact, peak
